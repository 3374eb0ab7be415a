// Blocks of 4 x 4 in the manner of H.264: dequantises coefficients in zigzag order, transforms them back in integers,
// adds an intra prediction chosen by mode (vertical, horizontal, mean, diagonal) and clips.
//! kernel residual
//! global 256 256
//! local 8 8
//! arg coeffs: buffer short 1048576 random -40 40
//! arg edges: buffer uchar 524288 random 0 255
//! arg modes: buffer uchar 65536 random 0 3
//! arg image: buffer uchar 1048576 zero
//! arg qp: int 24

constant uchar zigzag[16] = {0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15};
constant uchar scale[6][3] = {{10, 16, 13}, {11, 18, 14}, {13, 20, 16}, {14, 23, 18}, {16, 25, 20}, {18, 29, 23}};

static void butterfly(int *v, int step)
{
    const int a = v[0] + v[2 * step], b = v[0] - v[2 * step];
    const int c = (v[step] >> 1) - v[3 * step], d = v[step] + (v[3 * step] >> 1);
    v[0] = a + d;
    v[step] = b + c;
    v[2 * step] = b - c;
    v[3 * step] = a - d;
}

kernel void residual(global const short *coeffs, global const uchar *edges, global const uchar *modes,
                     global uchar *image, int qp)
{
    const int bx = get_global_id(0), by = get_global_id(1), w = get_global_size(0), block = by * w + bx;
    int t[16];
    for (int i = 0; i < 16; i++) {
        const int p = zigzag[i], odd = (p & 1) + ((p >> 2) & 1);
        const int k = odd == 0 ? 0 : odd == 2 ? 1 : 2;
        t[p] = (coeffs[block * 16 + i] * scale[qp % 6][k]) << (qp / 6) >> (i < 3 ? 2 : 4);
    }
    for (int i = 0; i < 4; i++)
        butterfly(t + 4 * i, 1);
    for (int i = 0; i < 4; i++)
        butterfly(t + i, 4);
    const uchar8 e = vload8(block, edges);
    const uchar *edge = (const uchar *)&e;
    const int mean = (edge[0] + edge[1] + edge[2] + edge[3] + edge[4] + edge[5] + edge[6] + edge[7] + 4) >> 3;
    for (int y = 0; y < 4; y++) {
        uchar row[4];
        for (int x = 0; x < 4; x++) {
            int p;
            switch (modes[block]) {
            case 0: p = edge[x]; break;
            case 1: p = edge[4 + y]; break;
            case 2: p = mean; break;
            default: p = (edge[x] * (y + 1) + edge[4 + y] * (x + 1) + 4) / (x + y + 2);
            }
            row[x] = convert_uchar_sat(p + ((t[y * 4 + x] + 32) >> 6));
        }
        vstore4(vload4(0, row), 0, image + (by * 4 + y) * w * 4 + bx * 4);
    }
}
