// Median of 5 x 5 bytes: gathers the window into a private array and runs a selection sort that stops at the thirteenth
// element.
//! kernel median5x5
//! global 240 100
//! arg src: buffer uchar 24000 random 0 255
//! arg dst: buffer uchar 24000 zero
//! arg w: int 240
//! arg h: int 100

kernel void median5x5(global const uchar *src, global uchar *dst, int w, int h)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    uchar win[25];
    int n = 0;

    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
            win[n++] = src[clamp(y + dy, 0, h - 1) * w + clamp(x + dx, 0, w - 1)];

    for (int i = 0; i <= 12; i++) {
        int best = i;
        for (int j = i + 1; j < 25; j++)
            if (win[j] < win[best])
                best = j;
        uchar t = win[i];
        win[i] = win[best];
        win[best] = t;
    }
    dst[y * w + x] = win[12];
}
