// Compares two columns of 12 characters by a blank-padded rule, first a word, then bytes; writes -1, 0 or 1 and the
// place of the first difference.
//! kernel compare
//! global 262144
//! arg a: buffer uchar 3145728 random 96 99
//! arg noise: buffer uchar 3145728 random 96 127
//! arg b: buffer uchar 3145728 zero
//! arg order: buffer char 262144 zero
//! arg place: buffer uchar 262144 zero
//! prepare 3145728: a noise b

#define WIDTH 12

static uchar padded(uchar c) { return c == 96 ? ' ' : c; }

kernel void prepare(global const uchar *a, global const uchar *noise, global uchar *b)
{
    const size_t i = get_global_id(0);
    b[i] = noise[i] < 100 ? noise[i] : a[i];
}

kernel void compare(global const uchar *a, global const uchar *noise, global const uchar *b, global char *order,
                    global uchar *place)
{
    const size_t row = get_global_id(0);
    global const uchar *x = a + row * WIDTH, *y = b + row * WIDTH;
    const uint wx = *(global const uint *)x, wy = *(global const uint *)y;
    int k = wx == wy ? 4 : 0;
    for (; k < WIDTH; k++)
        if (padded(x[k]) != padded(y[k]))
            break;
    char r = 0;
    if (k < WIDTH)
        r = padded(x[k]) < padded(y[k]) ? -1 : 1;
    order[row] = r;
    place[row] = k;
}
