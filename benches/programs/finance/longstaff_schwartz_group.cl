// Longstaff-Schwartz regression for American puts, one work-group per option: at every date the normal equations of a
// quadratic fit are reduced over the group and solved by each work-item.
//! kernel lsm
//! global 5120
//! local 256
//! arg normals: buffer double 65536 random -1.7 1.7
//! arg cash: buffer double 81920 zero
//! arg value: buffer double 20 zero
//! arg dates: int 16
//! options -cl-std=CL3.0
//! tolerance 1e-7

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define PER 16

kernel void lsm(global const double *normals, global double *cash, global double *value, int dates)
{
    int lid = get_local_id(0), ls = get_local_size(0);
    double s[PER], pay[PER];
    int option = get_group_id(0);
    const double k = 0.9 + 0.01 * option, drift = -0.0005, sd = 0.07, df = 0.997;

    for (int p = 0; p < PER; p++) {
        double x = 0.0;
        for (int d = 0; d < dates; d++)
            x += drift + sd * normals[(d * PER + p) * ls + lid];
        s[p] = exp(x);
        pay[p] = fmax(k - s[p], 0.0);
    }
    for (int d = dates - 1; d > 0; d--) {
        double m[5] = {0, 0, 0, 0, 0}, r[3] = {0, 0, 0};
        for (int p = 0; p < PER; p++) {
            s[p] /= exp(drift + sd * normals[(d * PER + p) * ls + lid]);
            pay[p] *= df;
            if (s[p] < k) {
                double x = s[p], x2 = x * x;
                m[0] += 1.0;
                m[1] += x;
                m[2] += x2;
                m[3] += x2 * x;
                m[4] += x2 * x2;
                r[0] += pay[p];
                r[1] += pay[p] * x;
                r[2] += pay[p] * x2;
            }
        }
        for (int e = 0; e < 5; e++)
            m[e] = work_group_reduce_add(m[e]);
        for (int e = 0; e < 3; e++)
            r[e] = work_group_reduce_add(r[e]);
        double c0 = m[2] * m[4] - m[3] * m[3], c1 = m[1] * m[4] - m[2] * m[3], c2 = m[1] * m[3] - m[2] * m[2];
        double det = m[0] * c0 - m[1] * c1 + m[2] * c2;
        double b0 = (r[0] * c0 - m[1] * (r[1] * m[4] - r[2] * m[3]) + m[2] * (r[1] * m[3] - r[2] * m[2])) / det;
        double b1 = (m[0] * (r[1] * m[4] - r[2] * m[3]) - r[0] * c1 + m[2] * (m[1] * r[2] - m[2] * r[1])) / det;
        double b2 = (m[0] * (m[2] * r[2] - m[3] * r[1]) - m[1] * (m[1] * r[2] - m[2] * r[1]) + r[0] * c2) / det;
        for (int p = 0; p < PER; p++)
            if (s[p] < k && k - s[p] > b0 + s[p] * (b1 + s[p] * b2))
                pay[p] = k - s[p];
    }
    double sum = 0.0;
    for (int p = 0; p < PER; p++) {
        cash[(option * PER + p) * ls + lid] = pay[p];
        sum += pay[p];
    }
    sum = work_group_reduce_add(sum);
    if (lid == 0)
        value[option] = sum / (PER * ls);
}
