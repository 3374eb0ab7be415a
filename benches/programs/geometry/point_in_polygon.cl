// Tests many points against a polygon of 200 corners by counting crossings, with a bounding box test first; integer
// coordinates keep the answers exact.
//! kernel inside
//! global 40960
//! local 64
//! arg px: buffer int 40960 random -1200 1200
//! arg py: buffer int 40960 random -1200 1200
//! arg radius: buffer int 200 random 300 1000
//! arg poly: buffer int 400 zero
//! arg winding: buffer char 40960 zero
//! arg nearest: buffer long 40960 zero
//! arg corners: int 200
//! prepare 1: radius poly

kernel void prepare(global const int *radius, global int2 *poly)
{
    int x = 1 << 14, y = 0;
    for (int k = 0; k < 200; k++) {
        poly[k] = (int2)(radius[k] * (x >> 4) >> 10, radius[k] * (y >> 4) >> 10);
        int nx = x - (y * 515 >> 14);
        y = y + (nx * 515 >> 14);
        x = nx;
    }
}

kernel void inside(global const int *px, global const int *py, global const int *radius, global const int2 *poly,
                   global char *winding, global long *nearest, int corners)
{
    int i = get_global_id(0);
    int x = px[i], y = py[i];
    char wn = 0;
    long best = LONG_MAX;

    if (abs(x) <= 1000 && abs(y) <= 1000) {
        int2 a = poly[corners - 1];
        for (int k = 0; k < corners; k++) {
            int2 b = poly[k];
            int side = (b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y);
            if (a.y <= y) {
                if (b.y > y && side > 0)
                    wn++;
            } else if (b.y <= y && side < 0) {
                wn--;
            }
            long dx = x - b.x, dy = y - b.y;
            best = min(best, dx * dx + dy * dy);
            a = b;
        }
    }
    winding[i] = wn;
    nearest[i] = best;
}
