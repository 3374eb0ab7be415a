// Rasterises small triangles by integer edge functions, one triangle per work-item, into a depth buffer where the
// nearest wins by atomic minimum; depth and number share a key.
//! kernel raster
//! global 8192
//! local 64
//! arg verts: buffer ushort 73728 random 0 65535
//! arg depth: buffer uint 262144 zero
//! arg covered: buffer short 8192 zero
//! prepare 262144: depth

kernel void prepare(global uint *depth)
{
    depth[get_global_id(0)] = 0xffffffffu;
}

int edge(int2 a, int2 b, int2 p)
{
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

kernel void raster(global const ushort *verts, global volatile uint *depth, global short *covered)
{
    uint id = get_global_id(0);
    int2 v[3];
    uint z[3];
    uint3 first = convert_uint3(vload3(id * 3, verts));
    for (int k = 0; k < 3; k++) {
        uint3 r = convert_uint3(vload3(id * 3 + k, verts));
        v[k] = convert_int2((first.xy >> 7) + (k ? r.xy >> 11 : (uint2)(0)));
        z[k] = r.z >> 2;
    }
    int area = edge(v[0], v[1], v[2]);
    if (area < 0) {
        int2 t = v[1];
        v[1] = v[2];
        v[2] = t;
        area = -area;
    }
    int count = 0;
    if (area != 0) {
        int2 lo = max(min(min(v[0], v[1]), v[2]), (int2)(0));
        int2 hi = min(max(max(v[0], v[1]), v[2]), (int2)(511));
        for (int y = lo.y; y <= hi.y; y++)
            for (int x = lo.x; x <= hi.x; x++) {
                int2 p = (int2)(x, y);
                int w0 = edge(v[1], v[2], p), w1 = edge(v[2], v[0], p), w2 = edge(v[0], v[1], p);
                if ((w0 | w1 | w2) < 0)
                    continue;
                uint d = (w0 * z[0] + w1 * z[1] + w2 * z[2]) / (uint)area;
                atomic_min(&depth[y * 512 + x], d << 13 | id);
                count++;
            }
    }
    covered[id] = (short)count;
}
