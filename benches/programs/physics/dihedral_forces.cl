// Torsion forces of molecular dynamics: every work-item takes one record of four atom numbers, phase, multiplicity and
// strength, and writes the forces on the four atoms.
//! kernel dihedral
//! global 40000
//! arg ids: buffer uint 160000 random 0 12287
//! arg params: buffer float 80000 random 0.5 2
//! arg table: buffer int 320000 zero
//! arg pos: buffer float 49152 random 0 8
//! arg force: buffer float 480000 zero
//! arg angle: buffer float 40000 zero
//! prepare 40000: ids params table
//! tolerance 2e-3

typedef struct {
    int atom[4];
    struct {
        float k, phase;
        int multiplicity, flags;
    } par;
} Dihedral;

kernel void prepare(global const uint4 *ids, global const float2 *params, global Dihedral *table)
{
    int i = get_global_id(0);
    uint4 a = ids[i];
    uint base = a.x & ~3u;
    table[i].atom[0] = base;
    table[i].atom[1] = base + 1;
    table[i].atom[2] = base + 2;
    table[i].atom[3] = (a.y & 1) ? base + 3 : (base + 64) % 12288;
    table[i].par.k = params[i].x;
    table[i].par.phase = params[i].y;
    table[i].par.multiplicity = 1 + (a.z % 3);
    table[i].par.flags = a.w & 15;
}

kernel void dihedral(global const uint4 *ids, global const float2 *params, global const Dihedral *table,
                     global const float4 *pos, global float *force, global float *angle)
{
    int i = get_global_id(0);
    Dihedral d = table[i];
    float3 f1 = pos[d.atom[0]].xyz - pos[d.atom[1]].xyz;
    float3 f2 = pos[d.atom[1]].xyz - pos[d.atom[2]].xyz;
    float3 f3 = pos[d.atom[3]].xyz - pos[d.atom[2]].xyz;
    float3 a = cross(f1, f2), b = cross(f3, f2);
    float ra2 = 1.0f / (dot(a, a) + 0.5f), rb2 = 1.0f / (dot(b, b) + 0.5f);
    float g = length(f2) + 1e-3f;
    float rab = sqrt(ra2 * rb2);
    float c = dot(a, b) * rab;
    float s = g * rab * dot(a, f3);
    float phi = atan2(s, c + 1.5f);

    float e = d.par.k * sin((float)d.par.multiplicity * phi - d.par.phase);
    if (d.par.flags == 0)
        e = 0.0f;
    float3 fa = -e * g * ra2 * a;
    float3 fd = e * g * rb2 * b;
    float3 mid = (dot(f1, f2) * ra2 * a - dot(f3, f2) * rb2 * b) * (e / g);
    vstore3(fa, 4 * i, force);
    vstore3(mid - fa, 4 * i + 1, force);
    vstore3(-mid - fd, 4 * i + 2, force);
    vstore3(fd, 4 * i + 3, force);
    angle[i] = phi;
}
