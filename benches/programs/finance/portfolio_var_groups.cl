// Portfolio losses under many scenarios: a work-group revalues one scenario over 300 assets, reduces the loss, and a
// scan within the group gives cumulative exposure by sector.
//! kernel scenario_loss
//! global 64 2048
//! local 64 1
//! arg shock: buffer float 16384 random -0.1 0.1
//! arg beta: buffer float 2400 random -1 1
//! arg position: buffer float 300 random -50 100
//! arg loss: buffer float 2048 zero
//! arg exposure: buffer float 131072 zero
//! arg assets: int 300
//! options -cl-std=CL3.0
//! tolerance 1e-3

kernel void scenario_loss(global const float *shock, global const float *beta, global const float *position,
                          global float *loss, global float *exposure, int assets)
{
    int lid = get_local_id(0);
    int scen = get_global_id(1);
    float8 f = vload8(scen, shock);
    float mine = 0.0f;

    for (int a = lid; a < assets; a += get_local_size(0)) {
        float8 b = vload8(a, beta);
        float ret = dot(f.lo, b.lo) + dot(f.hi, b.hi);
        float capped = clamp(ret, -0.25f, 0.25f);
        mine -= position[a] * (capped + 0.5f * capped * capped);
    }
    float total = work_group_reduce_add(mine);
    float running = work_group_scan_inclusive_add(mine);
    exposure[scen * 64 + lid] = running;
    if (lid == 0)
        loss[scen] = total;
}
