// ChaCha20: each work-item makes one block of 64 bytes as four uint4 rows and combines it with the data by xor.
//! kernel chacha20
//! global 65536
//! arg in: buffer uint 1048576 random 0 4294967295
//! arg key: buffer uint 8 random 0 4294967295
//! arg out: buffer uint 1048576 zero
//! arg nonce0: uint 1234567
//! arg nonce1: uint 7654321

#define QR                                   \
    a += b; d = rotate(d ^ a, (uint4)(16));  \
    c += d; b = rotate(b ^ c, (uint4)(12));  \
    a += b; d = rotate(d ^ a, (uint4)(8));   \
    c += d; b = rotate(b ^ c, (uint4)(7));

kernel void chacha20(global const uint4 *in, constant uint4 *key, global uint4 *out, uint nonce0, uint nonce1)
{
    const size_t id = get_global_id(0);
    const uint4 a0 = (uint4)(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);
    const uint4 b0 = key[0], c0 = key[1], d0 = (uint4)((uint)id, 0, nonce0, nonce1);
    uint4 a = a0, b = b0, c = c0, d = d0;
#pragma unroll
    for (int i = 0; i < 10; i++) {
        QR
        b = b.yzwx; c = c.zwxy; d = d.wxyz;
        QR
        b = b.wxyz; c = c.zwxy; d = d.yzwx;
    }
    out[4 * id + 0] = in[4 * id + 0] ^ (a + a0);
    out[4 * id + 1] = in[4 * id + 1] ^ (b + b0);
    out[4 * id + 2] = in[4 * id + 2] ^ (c + c0);
    out[4 * id + 3] = in[4 * id + 3] ^ (d + d0);
}
