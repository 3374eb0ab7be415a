// Parses address and time of log lines of the layout "a.b.c.d YYYY-MM-DD HH:MM:SS", which `prepare` writes; gives the
// seconds since 1970 and whether the address is of a private network.
//! kernel parse_log
//! global 65536
//! local 64
//! arg noise: buffer uint 131072 random 0 4294967295
//! arg text: buffer char 2621440 zero
//! arg address: buffer uint 65536 zero
//! arg seconds: buffer long 65536 zero
//! arg status: buffer uchar 65536 zero
//! prepare 65536: noise text

static int put(global char *p, int n, int v, int digits, char after)
{
    int d[4], k = 0;
    do {
        d[k++] = v % 10;
        v /= 10;
    } while (v || k < digits);
    while (k)
        p[n++] = '0' + d[--k];
    p[n++] = after;
    return n;
}

kernel void prepare(global const uint *noise, global char *text)
{
    const size_t id = get_global_id(0);
    const uint a = noise[2 * id], t = noise[2 * id + 1];
    global char *p = text + id * 40;
    int n = 0;
    for (int i = 24; i >= 0; i -= 8)
        n = put(p, n, (a >> i) % (i == 8 ? 300 : 256), 1, i ? '.' : ' ');
    n = put(p, n, 1970 + t % 130, 4, '-');
    n = put(p, n, 1 + (t >> 8) % 13, 2, '-');
    n = put(p, n, 1 + (t >> 12) % 28, 2, ' ');
    n = put(p, n, (t >> 17) % 24, 2, ':');
    n = put(p, n, (t >> 22) % 60, 2, ':');
    put(p, n, (t >> 26) % 60, 2, '\n');
}

static uint digits(global const char **p)
{
    uint v = 0;
    while (**p >= '0' && **p <= '9')
        v = v * 10 + (*(*p)++ - '0');
    (*p)++;
    return v;
}

static long days(int y, int m, int d)
{
    y -= m <= 2;
    const int era = y / 400, yoe = y - era * 400;
    const int doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097L + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

kernel void parse_log(global const uint *noise, global const char *text, global uint *address, global long *seconds,
                      global uchar *status)
{
    const size_t id = get_global_id(0);
    global const char *p = text + id * 40;
    uint ip = 0, bad = 0;
    for (int i = 0; i < 4; i++) {
        uint v = digits(&p);
        bad |= v > 255;
        ip = (ip << 8) | (v & 255);
    }
    const uint y = digits(&p), mo = digits(&p), d = digits(&p), h = digits(&p), mi = digits(&p), s = digits(&p);
    bad |= (mo > 12) << 1;
    address[id] = ip;
    seconds[id] = days(y, mo, d) * 86400 + h * 3600 + mi * 60 + s;
    status[id] = bad | ((ip >> 24) == 10 || (ip >> 20) == 0xac1 || (ip >> 16) == 0xc0a8 ? 4 : 0);
}
