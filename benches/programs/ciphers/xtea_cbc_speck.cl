// Decrypts records in CBC mode with XTEA, or with Speck64/128 when the record's flag says so.
//! kernel decrypt
//! global 8192
//! arg cipher: buffer uint 131072 random 0 4294967295
//! arg key: buffer uint 4 random 0 4294967295
//! arg flags: buffer uchar 8192 random 0 1
//! arg plain: buffer uint 131072 zero

typedef struct {
    uint key[4];
    uint speck[27];
} schedule;

static uint2 xtea(uint2 v, const schedule *s)
{
    uint sum = 0x9e3779b9u * 32;
    for (int i = 0; i < 32; i++) {
        v.y -= (((v.x << 4) ^ (v.x >> 5)) + v.x) ^ (sum + s->key[(sum >> 11) & 3]);
        sum -= 0x9e3779b9u;
        v.x -= (((v.y << 4) ^ (v.y >> 5)) + v.y) ^ (sum + s->key[sum & 3]);
    }
    return v;
}

static uint2 speck(uint2 v, const schedule *s)
{
    for (int i = 26; i >= 0; i--) {
        v.x = rotate(v.x ^ v.y, 29u);
        v.y = rotate((v.y ^ s->speck[i]) - v.x, 8u);
    }
    return v;
}

kernel void decrypt(global const uint *cipher, constant uint *key, global const uchar *flags, global uint *plain)
{
    size_t row = get_global_id(0);
    schedule s;
    for (int i = 0; i < 4; i++)
        s.key[i] = key[i];
    const bool is_speck = flags[row];
    if (is_speck) {
        uint l[3] = {key[1], key[2], key[3]}, k = key[0];
        for (int i = 0; i < 27; i++) {
            s.speck[i] = k;
            l[i % 3] = (k + rotate(l[i % 3], 24u)) ^ i;
            k = rotate(k, 3u) ^ l[i % 3];
        }
    }
    uint2 before = (uint2)(row, ~row);
    for (int b = 0; b < 8; b++) {
        uint2 c = vload2(row * 8 + b, cipher);
        vstore2((is_speck ? speck(c, &s) : xtea(c, &s)) ^ before, row * 8 + b, plain);
        before = c;
    }
}
