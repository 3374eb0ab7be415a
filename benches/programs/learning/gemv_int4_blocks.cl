// Matrix-vector product with weights of four bits in blocks of 32 with a half scale each; eight work-items share a row
// and add up in local memory.
//! kernel gemv_q4
//! global 16384
//! local 64
//! arg blocks: buffer uchar 2359296 random 0 255
//! arg x: buffer float 2048 random -1 1
//! arg y: buffer float 2048 zero
//! arg cols: int 2048
//! prepare 131072: blocks

#define QK 32

typedef struct {
    half d;
    uchar qs[QK / 2];
} block_q4;

kernel void prepare(global uchar *blocks)
{
    global uchar *b = blocks + get_global_id(0) * 18;
    vstore_half(0.01f + b[1] * 0.0002f, 0, (global half *)b);
}

inline float dot_block(global const block_q4 *b, global const float *x)
{
    float sum = 0.0f;
    for (int i = 0; i < QK / 2; i++) {
        int lo = (b->qs[i] & 0x0f) - 8;
        int hi = (b->qs[i] >> 4) - 8;
        sum += lo * x[i] + hi * x[i + QK / 2];
    }
    return sum * vload_half(0, &b->d);
}

kernel void gemv_q4(global const block_q4 *blocks, global const float *x, global float *y, int cols)
{
    local float partial[64];
    int lid = get_local_id(0), lane = lid & 7;
    int row = get_global_id(0) >> 3, nb = cols / QK;

    float sum = 0.0f;
    for (int i = lane; i < nb; i += 8)
        sum += dot_block(blocks + row * nb + i, x + i * QK);
    partial[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lane == 0) {
        for (int i = 1; i < 8; i++)
            sum += partial[lid + i];
        y[row] = sum;
    }
}
