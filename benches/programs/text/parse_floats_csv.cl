// Reads the fields of a CSV line as floats with point and exponent; quoted and empty fields count but have no value.
// Powers of ten come from a table.
//! kernel fields
//! global 8192
//! local 64
//! arg noise: buffer uchar 524288 random 0 255
//! arg total: buffer float 8192 zero
//! arg fields_seen: buffer uchar 8192 zero
//! arg quoted: buffer uchar 8192 zero

constant float tens[8] = {1.0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f};
constant char letters[33] = "0123456789012345678901234,,..\"e-";

typedef struct {
    global const uchar *p, *end;
} cursor;

static char get(const cursor *c)
{
    return c->p < c->end ? letters[*c->p & 31] : '\n';
}

static float number(cursor *c)
{
    bool minus = false, point = false;
    uint mantissa = 0;
    int scale = 0;
    if (get(c) == '-') {
        minus = true;
        c->p++;
    }
    for (;; c->p++) {
        char ch = get(c);
        if (ch >= '0' && ch <= '9') {
            if (mantissa < 1000000) {
                mantissa = mantissa * 10 + (ch - '0');
                scale -= point;
            } else {
                scale += !point;
            }
        } else if (ch == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (get(c) == 'e') {
        c->p++;
        if (get(c) >= '0' && get(c) <= '9') {
            scale += (get(c) - '0') / 3;
            c->p++;
        }
    }
    float v = mantissa;
    scale = clamp(scale, -14, 7);
    while (scale < -7) {
        v /= tens[7];
        scale += 7;
    }
    v = scale < 0 ? v / tens[-scale] : v * tens[scale];
    return minus ? -v : v;
}

kernel void fields(global const uchar *noise, global float *total, global uchar *fields_seen, global uchar *quoted)
{
    const size_t line = get_global_id(0);
    cursor c = {noise + line * 64, noise + line * 64 + 64};
    float sum = 0.0f;
    uint n = 0, q = 0;
    while (c.p < c.end) {
        char ch = get(&c);
        if (ch == '"') {
            do
                c.p++;
            while (c.p < c.end && get(&c) != '"');
            q++;
        } else if (ch != ',') {
            sum = sum * 0.5f + number(&c) * 1e-3f;
        }
        while (get(&c) != ',' && get(&c) != '\n')
            c.p++;
        c.p++;
        n++;
    }
    total[line] = sum;
    fields_seen[line] = n;
    quoted[line] = q;
}
