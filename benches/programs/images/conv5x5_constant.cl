// Convolves a grey image with a 5 x 5 mask of ints held in constant memory, then scales, adds a bias and saturates to
// bytes. Pixels outside the image count as zero.
//! kernel conv5x5
//! global 1024 768
//! local 16 16
//! arg src: buffer uchar 768000 random 0 255
//! arg dst: buffer uchar 768000 zero
//! arg cols: int 1000
//! arg rows: int 768
//! arg shift: int 5
//! arg bias: int 16

constant int mask[25] = {
    -1, -2,  0, -2, -1,
    -2,  3,  4,  3, -2,
     0,  4, 24,  4,  0,
    -2,  3,  4,  3, -2,
    -1, -2,  0, -2, -1
};

kernel void conv5x5(global const uchar *src, global uchar *dst, int cols, int rows, int shift, int bias)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x < cols && y < rows) {
        int sum = 0;
        for (int j = -2; j <= 2; j++) {
            for (int i = -2; i <= 2; i++) {
                int xx = x + i;
                int yy = y + j;
                if (xx >= 0 && xx < cols && yy >= 0 && yy < rows)
                    sum += mask[(j + 2) * 5 + i + 2] * src[yy * cols + xx];
            }
        }
        dst[y * cols + x] = convert_uchar_sat((sum >> shift) + bias);
    }
}
