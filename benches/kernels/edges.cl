// Kernels that leave out or treat apart what is at an edge, for numbers of four kinds. Arguments are the same: a field of w x h x d
// numbers, of which work-items beyond have none.
#define FIELD(T) global T *restrict out, global const T *restrict in, int w, int h, int d

#define KERNELS(T)                                                                                                     \
    /* A line of numbers whose last work-group has fewer. */                                                           \
    kernel void tail_##T(FIELD(T))                                                                                     \
    {                                                                                                                  \
        size_t i = get_global_id(0);                                                                                   \
        if (i >= (size_t)w * h * d)                                                                                    \
            return;                                                                                                    \
        out[i] = 3 * in[i] + 1;                                                                                        \
    }                                                                                                                  \
    /* The border is copied. */                                                                                        \
    kernel void border_##T(FIELD(T))                                                                                   \
    {                                                                                                                  \
        int x = get_global_id(0), y = get_global_id(1), i = y * w + x;                                                 \
        if (x >= w || y >= h)                                                                                          \
            return;                                                                                                    \
        if (x == 0 || y == 0 || x == w - 1 || y == h - 1)                                                              \
            out[i] = in[i];                                                                                            \
        else                                                                                                           \
            out[i] = in[i] + in[i - 1] + in[i + 1] + in[i - w] + in[i + w];                                            \
    }                                                                                                                  \
    /* The border is left as it is; the comparisons are of unsigned numbers, and no side is 1. */                                        \
    kernel void inside_##T(FIELD(T))                                                                                   \
    {                                                                                                                  \
        uint x = get_global_id(0), y = get_global_id(1), i = y * w + x;                                                \
        if (x - 1 < (uint)w - 2 && y - 1 < (uint)h - 2)                                                                \
            out[i] = in[i - 1] + in[i + 1];                                                                            \
    }                                                                                                                  \
    /* Beyond the border the border goes on. */                                                                        \
    kernel void clamped_##T(FIELD(T))                                                                                  \
    {                                                                                                                  \
        int x = get_global_id(0), y = get_global_id(1);                                                                \
        if (x >= w || y >= h)                                                                                          \
            return;                                                                                                    \
        int left = max(x - 1, 0), right = min(x + 1, w - 1), up = max(y - 1, 0), down = min(y + 1, h - 1);             \
        out[y * w + x] = in[y * w + left] + in[y * w + right] + in[up * w + x] + in[down * w + x];                     \
    }                                                                                                                  \
    /* The border of a field in three dimensions is left as it is. */                                                  \
    kernel void solid_##T(FIELD(T))                                                                                    \
    {                                                                                                                  \
        int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * h + y) * w + x;                 \
        if (x > 0 && y > 0 && z > 0 && x < w - 1 && y < h - 1 && z < d - 1)                                            \
            out[i] = in[i] + in[i - 1] + in[i + 1] + in[i - w] + in[i + w] + in[i - w * h] + in[i + w * h];            \
    }

KERNELS(uchar)
KERNELS(short)
KERNELS(float)
KERNELS(double)
