// Deblocking across vertical 8-pixel edges: a strong or normal filter by the boundary strength, with thresholds from
// tables; every work-item owns one line of one edge.
//! kernel deblock
//! global 128 1024
//! arg src: buffer uchar 1048576 random 90 130
//! arg dst: buffer uchar 1048576 zero
//! arg strength: buffer uchar 131072 random 0 4
//! arg qp: int 36

constant uchar alpha_table[52] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 17, 20, 22, 25, 28,
    32, 36, 40, 45, 50, 56, 63, 71, 80, 90, 101, 113, 127, 144, 162, 182, 203, 226, 255, 255};
constant uchar beta_table[52] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 6, 6, 7, 7, 8, 8,
    9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18};

kernel void deblock(global const uchar *src, global uchar *dst, global const uchar *strength, int qp)
{
    const int edge = get_global_id(0), y = get_global_id(1), width = 1024, x = edge * 8;
    const int at = y * width + x, bs = strength[y * 128 + edge];
    uchar8 px;
    if (edge == 0) {
        vstore4(vload4(0, src + at), 0, dst + at);
        return;
    }
    px = vload8(0, src + at - 4);
    int p3 = px.s0, p2 = px.s1, p1 = px.s2, p0 = px.s3, q0 = px.s4, q1 = px.s5, q2 = px.s6, q3 = px.s7;
    const int alpha = alpha_table[qp], beta = beta_table[qp];
    if (bs && abs(p0 - q0) < alpha && abs(p1 - p0) < beta && abs(q1 - q0) < beta) {
        const bool ap = abs(p2 - p0) < beta, aq = abs(q2 - q0) < beta;
        if (bs == 4) {
            if (ap) {
                px.s3 = (p2 + 2 * p1 + 2 * p0 + 2 * q0 + q1 + 4) >> 3;
                px.s2 = (p2 + p1 + p0 + q0 + 2) >> 2;
                px.s1 = (2 * p3 + 3 * p2 + p1 + p0 + q0 + 4) >> 3;
            } else {
                px.s3 = (2 * p1 + p0 + q1 + 2) >> 2;
            }
            if (aq) {
                px.s4 = (p1 + 2 * p0 + 2 * q0 + 2 * q1 + q2 + 4) >> 3;
                px.s5 = (p0 + q0 + q1 + q2 + 2) >> 2;
                px.s6 = (2 * q3 + 3 * q2 + q1 + q0 + p0 + 4) >> 3;
            } else {
                px.s4 = (2 * q1 + q0 + p1 + 2) >> 2;
            }
        } else {
            const int tc = bs + ap + aq;
            const int d = clamp((((q0 - p0) << 2) + (p1 - q1) + 4) >> 3, -tc, tc);
            px.s3 = clamp(p0 + d, 0, 255);
            px.s4 = clamp(q0 - d, 0, 255);
        }
    }
    vstore8(px, 0, dst + at - 4);
    if (edge == 127)
        vstore4(vload4(0, src + at + 4), 0, dst + at + 4);
}
