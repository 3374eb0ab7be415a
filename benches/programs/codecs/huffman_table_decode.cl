// Decodes Huffman streams with a table of 512 entries (symbol and length) in local memory and a 64-bit bit buffer;
// `prepare` makes canonical codes for 32 symbols and encodes the rows.
//! kernel decode
//! global 1024
//! local 32
//! arg noise: buffer uchar 1048576 random 0 255
//! arg table: buffer ushort 512 zero
//! arg codes: buffer ushort 64 zero
//! arg stream: buffer uint 524288 zero
//! arg out: buffer uchar 1048576 zero
//! prepare 1024: noise table codes stream

static int code_length(int s) { return s < 4 ? 3 : s < 8 ? 4 : s < 12 ? 5 : s < 16 ? 6 : s < 20 ? 8 : 9; }

kernel void prepare(global const uchar *noise, global ushort *table, global ushort *codes, global uint *stream)
{
    const uint row = get_global_id(0);
    ushort first[32];
    uint code = 0;
    int last = 3;
    for (int s = 0; s < 32; s++) {
        int n = code_length(s);
        code <<= n - last;
        last = n;
        first[s] = code++;
    }
    if (row == 0)
        for (int s = 0; s < 32; s++) {
            int n = code_length(s);
            codes[2 * s] = first[s];
            codes[2 * s + 1] = n;
            for (int i = 0; i < 1 << (9 - n); i++)
                table[(first[s] << (9 - n)) + i] = (s << 4) | n;
        }
    ulong bits = 0;
    uint have = 0, w = row * 512;
    for (int i = 0; i < 1024; i++) {
        uint s = noise[row * 1024 + i];
        s = s < 128 ? s & 3 : s < 192 ? 4 + (s & 3) : s & 31;
        bits = (bits << code_length(s)) | first[s];
        have += code_length(s);
        if (have >= 32) {
            have -= 32;
            stream[w++] = bits >> have;
        }
    }
    if (have)
        stream[w] = bits << (32 - have);
}

kernel void decode(global const uchar *noise, global const ushort *table, global const ushort *codes,
                   global const uint *stream, global uchar *out)
{
    local ushort lut[512];
    for (int i = get_local_id(0); i < 512; i += get_local_size(0))
        lut[i] = table[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint row = get_global_id(0);
    global const uint *p = stream + row * 512;
    ulong buffer = 0;
    int have = 0;
    for (int i = 0; i < 1024; i++) {
        if (have < 9) {
            buffer = (buffer << 32) | *p++;
            have += 32;
        }
        ushort e = lut[(buffer >> (have - 9)) & 511];
        have -= e & 15;
        out[row * 1024 + i] = e >> 4;
    }
}
