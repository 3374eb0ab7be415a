// Tessellates bicubic Bezier patches: a 16 x 16 work-group loads the 16 control points of its patch into local memory
// and evaluates position and normal at its grid point.
//! kernel patch
//! global 256 512
//! local 16 16
//! arg control: buffer float 24576 random -1 1
//! arg position: buffer float 393216 zero
//! arg normal: buffer float 393216 zero
//! tolerance 1e-3

void bernstein(float t, float *b, float *d)
{
    float u = 1.0f - t;
    b[0] = u * u * u;
    b[1] = 3.0f * t * u * u;
    b[2] = 3.0f * t * t * u;
    b[3] = t * t * t;
    d[0] = -3.0f * u * u;
    d[1] = 3.0f * u * (1.0f - 3.0f * t);
    d[2] = 3.0f * t * (2.0f - 3.0f * t);
    d[3] = 3.0f * t * t;
}

kernel void patch(global const float *control, global float *position, global float *normal)
{
    local float3 cp[16];
    int lx = get_local_id(0), ly = get_local_id(1);
    int id = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    if (ly == 0)
        cp[lx] = vload3(id * 16 + lx, control) + (float3)(lx & 3, lx >> 2, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);

    float bu[4], du[4], bv[4], dv[4];
    bernstein(lx / 15.0f, bu, du);
    bernstein(ly / 15.0f, bv, dv);
    float3 p = (float3)(0.0f), pu = (float3)(0.0f), pv = (float3)(0.0f);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) {
            float3 c = cp[j * 4 + i];
            p += c * (bu[i] * bv[j]);
            pu += c * (du[i] * bv[j]);
            pv += c * (bu[i] * dv[j]);
        }
    float3 n = cross(pu, pv);
    int o = id * 256 + ly * 16 + lx;
    vstore3(p, o, position);
    vstore3(n / (length(n) + 0.1f), o, normal);
}
