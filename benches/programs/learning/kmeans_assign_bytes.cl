// Assignment step of k-means on descriptors of sixteen bytes: every work-item finds the nearest of 64 centres kept in
// local memory, by squared distance in ints.
//! kernel assign
//! global 65536
//! local 64
//! arg points: buffer uchar 1048576 random 0 255
//! arg centres: buffer uchar 1024 random 0 255
//! arg member: buffer uchar 65536 zero
//! arg error: buffer uint 65536 zero

#define K 64

inline int square_distance(uchar16 a, uchar16 b)
{
    short16 d = convert_short16(abs_diff(a, b));
    int16 s = convert_int16(d) * convert_int16(d);
    int8 t8 = s.lo + s.hi;
    int4 t4 = t8.lo + t8.hi;
    return t4.x + t4.y + t4.z + t4.w;
}

kernel void assign(global const uchar16 *points, global const uchar16 *centres, global uchar *member,
                   global uint *error)
{
    local uchar16 cache[K];
    size_t i = get_global_id(0);
    cache[get_local_id(0)] = centres[get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);

    uchar16 p = points[i];
    int best = INT_MAX, index = 0;
    for (int k = 0; k < K; k++) {
        int d = square_distance(p, cache[k]);
        if (d < best) {
            best = d;
            index = k;
        }
    }
    member[i] = index;
    error[i] = best;
}
