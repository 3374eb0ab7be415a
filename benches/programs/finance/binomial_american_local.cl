// American puts on a binomial tree of 255 steps: one work-group per option, the tree's current column in local memory,
// one barrier before and after every column.
//! kernel binomial
//! global 49152
//! local 256
//! arg opt: buffer float 768 random 0 1
//! arg price: buffer float 192 zero
//! arg column: local 1028
//! tolerance 1e-4

kernel void binomial(global const float4 *opt, global float *price, local float *column)
{
    const int steps = 255;
    int lid = get_local_id(0);
    float4 o = opt[get_group_id(0)];
    float s0 = 80.0f + 40.0f * o.x;
    float k = 100.0f;
    float t = 0.25f + o.y;
    float vol = 0.15f + 0.4f * o.z;
    float rate = 0.01f + 0.05f * o.w;
    float dt = t / steps;
    float lu = vol * sqrt(dt);
    float up = exp(lu), down = 1.0f / up, growth = exp(rate * dt);
    float pu = (growth - down) / (up - down) / growth;
    float pd = 1.0f / growth - pu;

    column[lid] = fmax(k - s0 * exp(lu * (2 * lid - steps)), 0.0f);
    for (int level = steps; level > 0; level--) {
        barrier(CLK_LOCAL_MEM_FENCE);
        float v = 0.0f;
        if (lid < level) {
            v = pu * column[lid + 1] + pd * column[lid];
            float exercise = k - s0 * exp(lu * (2 * lid - (level - 1)));
            v = fmax(v, exercise);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < level)
            column[lid] = v;
    }
    if (lid == 0)
        price[get_group_id(0)] = column[0];
}
