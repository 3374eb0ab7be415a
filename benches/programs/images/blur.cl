// Blurs an image of bytes by the mean of 3 x 3 pixels; pixels outside repeat the nearest inside.
//! global 1024 1024
//! arg from: buffer uchar 1048576 random 0 255
//! arg to: buffer uchar 1048576 zero
//! arg width: int 1024
//! arg height: int 1024

kernel void blur(global const uchar *from, global uchar *to, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += from[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)];
    to[y * width + x] = (sum + 4) / 9;
}
