// Stable scatter by a 4-bit digit inside tiles of 1024 keys: each work-item counts its keys in private bytes, a scan
// over the work-items gives places, and values move with their keys.
//! kernel scatter
//! global 65536
//! local 128
//! arg keys: buffer uint 524288 random 0 4294967295
//! arg values: buffer ushort 524288 random 0 65535
//! arg keys_out: buffer uint 524288 zero
//! arg values_out: buffer ushort 524288 zero
//! arg shift: uint 8

#define PER 8

kernel void scatter(global const uint *keys, global const ushort *values, global uint *keys_out,
                    global ushort *values_out, uint shift)
{
    local ushort count[16][128];
    local ushort total[16], start[16];
    const uint lid = get_local_id(0), tile = get_group_id(0) * 128 * PER;
    uint k[PER];
    ushort v[PER];
    uchar mine[16];
    for (int d = 0; d < 16; d++)
        mine[d] = 0;
    for (int i = 0; i < PER; i++) {
        k[i] = keys[tile + lid * PER + i];
        v[i] = values[tile + lid * PER + i];
        mine[(k[i] >> shift) & 15]++;
    }
    for (int d = 0; d < 16; d++)
        count[d][lid] = mine[d];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 16) {
        ushort sum = 0;
        for (int j = 0; j < 128; j++) {
            const ushort c = count[lid][j];
            count[lid][j] = sum;
            sum += c;
        }
        total[lid] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        for (int d = 0, at = 0; d < 16; d++) {
            start[d] = at;
            at += total[d];
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    ushort at[16];
    for (int d = 0; d < 16; d++)
        at[d] = start[d] + count[d][lid];
    for (int i = 0; i < PER; i++) {
        const uint to = tile + at[(k[i] >> shift) & 15]++;
        keys_out[to] = k[i];
        values_out[to] = v[i];
    }
}
