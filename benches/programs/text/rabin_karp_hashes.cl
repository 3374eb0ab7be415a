// Rolling hash over windows of 12 bytes against a sorted list of 64 hashes, verified by comparing with the source
// piece; content-defined chunk borders are marked on the way.
//! kernel scan
//! global 4096
//! local 64
//! arg text: buffer uchar 1048592 random 97 122
//! arg pieces: buffer uint 64 random 0 1048000
//! arg hashes: buffer uint 128 zero
//! arg found: buffer uchar 4096 zero
//! arg borders: buffer uint 32768 zero
//! prepare 1: text pieces hashes

#define WINDOW 12
#define BASE 16777619u

kernel void prepare(global const uchar *text, global const uint *pieces, global uint *hashes)
{
    for (int p = 0; p < 64; p++) {
        uint h = 0;
        for (int i = 0; i < WINDOW; i++)
            h = h * BASE + text[pieces[p] + i];
        int k = p;
        for (; k > 0 && hashes[2 * k - 2] > h; k--) {
            hashes[2 * k] = hashes[2 * k - 2];
            hashes[2 * k + 1] = hashes[2 * k - 1];
        }
        hashes[2 * k] = h;
        hashes[2 * k + 1] = pieces[p];
    }
}

kernel void scan(global const uchar *text, global const uint *pieces, global const uint *hashes, global uchar *found,
                 global uint *borders)
{
    const uint id = get_global_id(0), start = id * 256;
    uint h = 0, out_power = 1, hits = 0, bits = 0;
    for (int i = 0; i < WINDOW; i++) {
        h = h * BASE + text[start + i];
        if (i)
            out_power *= BASE;
    }
    for (uint i = 0; i < 256; i++) {
        int lo = 0, hi = 63;
        while (lo < hi) {
            int mid = (lo + hi) >> 1;
            if (hashes[2 * mid] < h)
                lo = mid + 1;
            else
                hi = mid;
        }
        if (hashes[2 * lo] == h) {
            uint k = 0, from = hashes[2 * lo + 1];
            while (k < WINDOW && text[from + k] == text[start + i + k])
                k++;
            hits += k == WINDOW;
        }
        if ((h & 0xff0) == 0x5a0)
            bits |= 1u << (i & 31);
        if ((i & 31) == 31) {
            borders[id * 8 + (i >> 5)] = bits;
            bits = 0;
        }
        h = (h - text[start + i] * out_power) * BASE + text[start + i + WINDOW];
    }
    found[id] = hits;
}
