// Product of float matrices with tiles of 64 x 64 in local memory and 4 x 4 sums to a work-item in a private array.
//! kernel sgemm
//! global 96 64
//! local 16 16
//! arg a: buffer float 73728 random -1 1
//! arg b: buffer float 110592 random -1 1
//! arg c: buffer float 98304 zero
//! arg m: int 256
//! arg n: int 384
//! arg k: int 288
//! arg alpha: float 0.5

#define TS 64
#define TK 16
#define WPT 4
#define RTS (TS / WPT)

__attribute__((reqd_work_group_size(16, 16, 1)))
kernel void sgemm(global const float *a, global const float *b, global float *c, int m, int n, int k, float alpha)
{
    local float as[TK][TS + 1], bs[TK][TS];
    const int tx = get_local_id(0), ty = get_local_id(1);
    const int row0 = get_group_id(1) * TS, col0 = get_group_id(0) * TS;
    const int lid = ty * RTS + tx;
    float acc[WPT][WPT] = {{0.0f}};

    for (int t = 0; t < k; t += TK) {
        for (int i = lid; i < TS * TK; i += RTS * RTS) {
            as[i % TK][i / TK] = a[(row0 + i / TK) * k + t + i % TK];
            bs[i / TS][i % TS] = b[(t + i / TS) * n + col0 + i % TS];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 0; p < TK; p++) {
            float breg[WPT];
            for (int j = 0; j < WPT; j++)
                breg[j] = bs[p][tx + j * RTS];
            for (int i = 0; i < WPT; i++) {
                float areg = as[p][ty + i * RTS];
                for (int j = 0; j < WPT; j++)
                    acc[i][j] += areg * breg[j];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < WPT; i++)
        for (int j = 0; j < WPT; j++)
            c[(row0 + ty + i * RTS) * n + col0 + tx + j * RTS] = alpha * acc[i][j];
}
