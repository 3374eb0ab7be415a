// Double SHA-256 over 80-byte headers whose last word is the nonce, from a given state of the first block. Each group
// reports its smallest hash word and how many are below a target.
//! kernel search
//! global 32768
//! local 128
//! arg midstate: buffer uint 8 random 0 4294967295
//! arg tail: buffer uint 3 random 0 4294967295
//! arg top: buffer uint 32768 zero
//! arg group_min: buffer uint 256 zero
//! arg group_pass: buffer uint 256 zero
//! arg nonce_base: uint 305419896
//! arg target: uint 67108864

constant uint k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
constant uint iv[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

#define ROR(x, n) rotate((x), (uint)(32 - (n)))

static void sha256_block(uint8 *st, uint *w)
{
    uint8 v = *st;
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            uint s0 = w[(i + 1) & 15], s1 = w[(i + 14) & 15];
            s0 = ROR(s0, 7) ^ ROR(s0, 18) ^ (s0 >> 3);
            s1 = ROR(s1, 17) ^ ROR(s1, 19) ^ (s1 >> 10);
            w[i & 15] += s0 + s1 + w[(i + 9) & 15];
        }
        uint t1 = v.s7 + (ROR(v.s4, 6) ^ ROR(v.s4, 11) ^ ROR(v.s4, 25)) + bitselect(v.s6, v.s5, v.s4) +
                  k[i] + w[i & 15];
        uint t2 = (ROR(v.s0, 2) ^ ROR(v.s0, 13) ^ ROR(v.s0, 22)) + bitselect(v.s0, v.s1, v.s2 ^ v.s0);
        v = (uint8)(t1 + t2, v.s0, v.s1, v.s2, v.s3 + t1, v.s4, v.s5, v.s6);
    }
    *st += v;
}

kernel void search(global const uint *midstate, global const uint *tail, global uint *top, global uint *group_min,
                   global uint *group_pass, uint nonce_base, uint target)
{
    local uint smallest, passed;
    const uint gid = get_global_id(0);
    if (get_local_id(0) == 0) {
        smallest = 0xffffffffu;
        passed = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint w[16] = {tail[0], tail[1], tail[2], nonce_base + gid, 0x80000000u};
    w[15] = 640;
    uint8 st = vload8(0, midstate);
    sha256_block(&st, w);

    vstore8(st, 0, w);
    w[8] = 0x80000000u;
    for (int i = 9; i < 15; i++)
        w[i] = 0;
    w[15] = 256;
    st = vload8(0, iv);
    sha256_block(&st, w);

    const uint word = as_uint(as_uchar4(st.s7).wzyx);
    top[gid] = word;
    atomic_min(&smallest, word);
    if (word < target)
        atomic_inc(&passed);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        group_min[get_group_id(0)] = smallest;
        group_pass[get_group_id(0)] = passed;
    }
}
