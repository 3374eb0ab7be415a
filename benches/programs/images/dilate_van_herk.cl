// Dilation of rows by 31 pixels after van Herk: running maxima forwards and backwards within segments make the cost
// independent of the width of the window.
//! kernel van_herk
//! global 35 1024
//! arg src: buffer uchar 1081344 random 0 250
//! arg dst: buffer uchar 1081344 zero
//! arg width: int 1056

#define K 31
#define R (K / 2)

kernel void van_herk(global const uchar *src, global uchar *dst, int width)
{
    int start = get_global_id(0) * K;
    global const uchar *in = src + get_global_id(1) * width;
    global uchar *out = dst + get_global_id(1) * width;
    uchar back[K];

    if (start >= width)
        return;

    uchar m = 0;
    for (int i = K - 1; i >= 0; i--) {
        int x = start - R + i;
        if (x >= 0 && x < width)
            m = max(m, in[x]);
        back[i] = m;
    }

    m = 0;
    int n = min(K, width - start);
    for (int i = 0; i < n; i++) {
        out[start + i] = max(back[i], m);
        int x = start + R + 1 + i;
        if (x < width)
            m = max(m, in[x]);
    }
}
