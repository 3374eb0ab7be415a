// One step of an N-body simulation: every body attracts every other. Positions hold the mass in w.
kernel void nbody(global float4 *restrict position_out, global float4 *restrict velocity,
                  global const float4 *restrict position, int n, float dt, float softening)
{
    int i = get_global_id(0);
    float4 own = position[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int j = 0; j < n; ++j) {
        float4 other = position[j];
        float dx = other.x - own.x;
        float dy = other.y - own.y;
        float dz = other.z - own.z;
        float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
        float pull = other.w * inverse * inverse * inverse;
        ax += dx * pull;
        ay += dy * pull;
        az += dz * pull;
    }
    float4 v = velocity[i] + (float4)(ax, ay, az, 0.0f) * dt;
    velocity[i] = v;
    position_out[i] = (float4)(own.xyz + v.xyz * dt, own.w);
}
