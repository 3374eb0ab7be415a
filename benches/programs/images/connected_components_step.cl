// A step of connected components by labels: every foreground pixel takes the least label among itself and its four
// neighbours, then follows the labels to their root.
//! kernel label_step
//! global 1024 512
//! arg mask: buffer uchar 524288 random 0 2
//! arg labels: buffer int 524288 index
//! arg next: buffer int 524288 zero
//! prepare 512: mask labels

kernel void prepare(global const uchar *mask, global int *labels)
{
    int row = get_global_id(0) * 1024;
    for (int x = 1; x < 1024; x++)
        if (mask[row + x] && mask[row + x - 1])
            labels[row + x] = row + x - 1;
}

kernel void label_step(global const uchar *mask, global const int *labels, global int *next)
{
    int x = get_global_id(0), y = get_global_id(1);
    int w = get_global_size(0), h = get_global_size(1);
    int p = y * w + x;

    if (!mask[p]) {
        next[p] = -1;
        return;
    }
    int best = labels[p];
    if (x > 0 && mask[p - 1])
        best = min(best, labels[p - 1]);
    if (x < w - 1 && mask[p + 1])
        best = min(best, labels[p + 1]);
    if (y > 0 && mask[p - w])
        best = min(best, labels[p - w]);
    if (y < h - 1 && mask[p + w])
        best = min(best, labels[p + w]);
    while (labels[best] != best)
        best = labels[best];
    next[p] = best;
}
