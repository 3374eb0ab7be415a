// Histogram of oriented gradients: a work-item takes a cell of 8 x 8 pixels, votes into nine bins of a private array
// between neighbours, and normalises the cell.
//! kernel hog_cells
//! global 160 96
//! local 16 4
//! arg img: buffer float 983040 random 0 1
//! arg hist: buffer float 138240 zero
//! arg w: int 1280
//! arg h: int 768
//! tolerance 1e-4

kernel void hog_cells(global const float *img, global float *hist, int w, int h)
{
    int cx = get_global_id(0), cy = get_global_id(1);
    float bins[9];
    for (int b = 0; b < 9; b++)
        bins[b] = 0.0f;

    for (int y = cy * 8; y < cy * 8 + 8; y++) {
        for (int x = cx * 8; x < cx * 8 + 8; x++) {
            float gx = img[y * w + min(x + 1, w - 1)] - img[y * w + max(x - 1, 0)];
            float gy = img[min(y + 1, h - 1) * w + x] - img[max(y - 1, 0) * w + x];
            float angle = atan2pi(gy, gx);
            if (angle < 0.0f)
                angle += 1.0f;
            float pos = angle * 9.0f - 0.5f;
            float lower = floor(pos);
            float part = pos - lower;
            float size = sqrt(gx * gx + gy * gy);
            int b0 = ((int)lower + 9) % 9;
            int b1 = (b0 + 1) % 9;
            bins[b0] += size * (1.0f - part);
            bins[b1] += size * part;
        }
    }

    float norm = 1e-6f;
    for (int b = 0; b < 9; b++)
        norm += bins[b] * bins[b];
    norm = rsqrt(norm);
    for (int b = 0; b < 9; b++)
        hist[(cy * get_global_size(0) + cx) * 9 + b] = bins[b] * norm;
}
