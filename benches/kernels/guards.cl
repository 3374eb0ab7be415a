// Kernels with a guard, and each without one. Arguments are the same: a field of w x h x d cells, or of so many numbers.
#define FIELD(T) global T *restrict out, global const T *restrict in, int w, int h, int d

#define COPY(NAME, T)                                                                                                  \
    kernel void NAME##_plain(FIELD(T))                                                                                 \
    {                                                                                                                  \
        int x = get_global_id(0), y = get_global_id(1);                                                                \
        out[y * w + x] = in[y * w + x];                                                                                \
    }                                                                                                                  \
    kernel void NAME##_guarded(FIELD(T))                                                                               \
    {                                                                                                                  \
        int x = get_global_id(0), y = get_global_id(1);                                                                \
        if (x < w && y < h)                                                                                            \
            out[y * w + x] = in[y * w + x];                                                                            \
    }

COPY(copy_float, float)
COPY(copy_short, short)
COPY(copy_uchar, uchar)

kernel void copy_uchar3_plain(FIELD(uchar))
{
    int x = get_global_id(0), y = get_global_id(1);
    vstore3(vload3(y * w + x, in), y * w + x, out);
}

kernel void copy_uchar3_guarded(FIELD(uchar))
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        vstore3(vload3(y * w + x, in), y * w + x, out);
}

// What stands for x and y: the second numbers of a field lie behind the first.
kernel void saxpy_plain(FIELD(float))
{
    size_t i = get_global_id(0);
    out[i] = 2.5f * in[i] + in[i + w];
}

kernel void saxpy_guarded(FIELD(float))
{
    size_t i = get_global_id(0);
    if (i < w)
        out[i] = 2.5f * in[i] + in[i + w];
}

void star(FIELD(float), int i)
{
    out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
}

// Of the cells that are not on the border, all work-items have one.
kernel void stencil_plain(FIELD(float))
{
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
    star(out, in, w, h, d, y * w + x);
}

kernel void stencil_guarded(FIELD(float))
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        star(out, in, w, h, d, y * w + x);
}

void star_3d(FIELD(float), int i)
{
    int plane = w * h;
    out[i] = 0.25f * in[i] +
             0.125f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w] + in[i - plane] + in[i + plane]);
}

kernel void stencil_3d_plain(FIELD(float))
{
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1, z = get_global_id(2) + 1;
    star_3d(out, in, w, h, d, (z * h + y) * w + x);
}

kernel void stencil_3d_guarded(FIELD(float))
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x > 0 && y > 0 && z > 0 && x < w - 1 && y < h - 1 && z < d - 1)
        star_3d(out, in, w, h, d, (z * h + y) * w + x);
}
