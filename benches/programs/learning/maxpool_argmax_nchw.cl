// Max pooling of 3 x 3 windows with stride two over NCHW floats; also writes where in the input plane the maximum was
// found. One flat index is split by divisions.
//! kernel maxpool
//! global 193600
//! local 64
//! arg bottom: buffer float 774400 random -1 1
//! arg top: buffer float 193600 zero
//! arg where: buffer int 193600 zero
//! arg nthreads: int 193600
//! arg height: int 110
//! arg width: int 110
//! arg pooled: int 55

kernel void maxpool(global const float *bottom, global float *top, global int *where, int nthreads, int height,
                    int width, int pooled)
{
    for (int index = get_global_id(0); index < nthreads; index += get_global_size(0)) {
        const int pw = index % pooled;
        const int ph = (index / pooled) % pooled;
        const int plane = index / pooled / pooled;
        int hstart = ph * 2 - 1;
        int wstart = pw * 2 - 1;
        const int hend = min(hstart + 3, height);
        const int wend = min(wstart + 3, width);
        hstart = max(hstart, 0);
        wstart = max(wstart, 0);

        float best = -FLT_MAX;
        int at = -1;
        global const float *slice = bottom + plane * height * width;
        for (int h = hstart; h < hend; ++h) {
            for (int w = wstart; w < wend; ++w) {
                if (slice[h * width + w] > best) {
                    at = h * width + w;
                    best = slice[at];
                }
            }
        }
        top[index] = best;
        where[index] = at;
    }
}
