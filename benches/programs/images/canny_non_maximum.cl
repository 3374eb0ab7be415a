// Non-maximum suppression of Canny: keeps a pixel whose gradient is a maximum along its direction, marked 255 when
// strong, 128 when weak, and 0 otherwise.
//! kernel nms
//! global 1024 1024
//! local 32 8
//! arg mag: buffer ushort 1048576 random 0 2040
//! arg sector: buffer uchar 1048576 random 0 3
//! arg edges: buffer uchar 1048576 zero
//! arg low: int 400
//! arg high: int 1400

kernel void nms(global const ushort *mag, global const uchar *sector, global uchar *edges, int low, int high)
{
    size_t col = get_global_id(0), row = get_global_id(1);
    size_t w = get_global_size(0), h = get_global_size(1);
    size_t p = row * w + col;

    if (row == 0 || col == 0 || row == h - 1 || col == w - 1) {
        edges[p] = 0;
        return;
    }

    const ushort m = mag[p];
    ushort a, b;
    switch (sector[p]) {
    case 0:
        a = mag[p - 1];
        b = mag[p + 1];
        break;
    case 1:
        a = mag[p - w - 1];
        b = mag[p + w + 1];
        break;
    case 2:
        a = mag[p - w];
        b = mag[p + w];
        break;
    default:
        a = mag[p - w + 1];
        b = mag[p + w - 1];
        break;
    }
    uchar out = 0;
    if (m > low && m > a && m >= b)
        out = m > high ? 255 : 128;
    edges[p] = out;
}
