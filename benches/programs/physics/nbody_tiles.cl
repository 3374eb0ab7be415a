// All-pairs gravity: each work-group stages 256 bodies at a time in local memory and every work-item sums the softened
// accelerations on its own body.
//! kernel nbody_tiles
//! global 4096
//! local 256
//! arg bodies: buffer float 16384 random -1 1
//! arg accel: buffer float 16384 zero
//! arg tile: local 4096
//! arg n: int 4096
//! arg eps2: float 0.01
//! tolerance 1e-3

float4 body_interaction(float4 bi, float4 bj, float4 ai, float eps2)
{
    float4 r = bj - bi;
    float d2 = r.x * r.x + r.y * r.y + r.z * r.z + eps2;
    float inv = rsqrt(d2);
    float s = fabs(bj.w) * inv * inv * inv;
    ai.xyz += r.xyz * s;
    ai.w -= fabs(bj.w) * inv;
    return ai;
}

kernel void nbody_tiles(global const float4 *bodies, global float4 *accel, local float4 *tile, int n, float eps2)
{
    int gid = get_global_id(0);
    int lid = get_local_id(0);
    int ls = get_local_size(0);
    float4 me = bodies[gid];
    float4 acc = (float4)(0.0f);

    for (int base = 0; base < n; base += ls) {
        tile[lid] = bodies[base + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
        for (int j = 0; j < ls; ++j)
            acc = body_interaction(me, tile[j], acc, eps2);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    accel[gid] = acc;
}
