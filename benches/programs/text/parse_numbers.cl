// Parses rows of signed decimal integers separated by commas or blanks, with overflow checks, and sums them up.
//! kernel parse
//! global 8192
//! arg noise: buffer uchar 1048576 random 0 255
//! arg text: buffer char 1048576 zero
//! arg sums: buffer long 8192 zero
//! arg counts: buffer ushort 8192 zero
//! arg faults: buffer ushort 8192 zero
//! prepare 1048576: noise text

kernel void prepare(global const uchar *noise, global char *text)
{
    size_t i = get_global_id(0);
    uchar r = noise[i];
    text[i] = r < 200 ? '0' + r % 10 : r < 230 ? ',' : r < 240 ? ' ' : r < 250 ? '-' : r < 254 ? '+' : 'z';
}

kernel void parse(global const uchar *noise, global const char *text, global long *sums, global ushort *counts,
                  global ushort *faults)
{
    const size_t row = get_global_id(0);
    global const char *p = text + row * 128, *end = p + 128;
    long sum = 0;
    int count = 0, bad = 0;
    while (p < end) {
        while (p < end && (*p == ' ' || *p == ','))
            p++;
        if (p == end)
            break;
        bool negative = false;
        if (*p == '-' || *p == '+')
            negative = *p++ == '-';
        int value = 0, digits = 0;
        bool overflow = false;
        for (; p < end && *p >= '0' && *p <= '9'; p++, digits++) {
            int d = *p - '0';
            if (value > (INT_MAX - d) / 10)
                overflow = true;
            else
                value = value * 10 + d;
        }
        if (digits == 0 || overflow || (p < end && *p != ' ' && *p != ',')) {
            bad++;
            while (p < end && *p != ' ' && *p != ',')
                p++;
        } else {
            sum += negative ? -value : value;
            count++;
        }
    }
    sums[row] = sum;
    counts[row] = count;
    faults[row] = bad;
}
