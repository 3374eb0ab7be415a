// Shallow-water equations on a 2-D grid: one explicit step with Rusanov fluxes over the four faces of each cell and
// reflecting walls. Cells are structs of height and momenta.
//! kernel swe_step
//! global 640 384
//! local 8 8
//! arg in: buffer float 983040 random 0.5 1.5
//! arg out: buffer float 983040 zero
//! arg nx: int 640
//! arg ny: int 384
//! arg dtdx: float 0.05
//! tolerance 1e-5

typedef struct {
    float h, hu, hv, bed;
} Cell;

typedef struct {
    float mass, along, across;
} Flux;

void rusanov(float hl, float ml, float tl, float hr, float mr, float tr, Flux *f)
{
    const float g = 9.81f;
    float ul = ml / hl, ur = mr / hr;
    float s = fmax(fabs(ul) + sqrt(g * hl), fabs(ur) + sqrt(g * hr));
    f->mass = 0.5f * (ml + mr) - 0.5f * s * (hr - hl);
    f->along = 0.5f * (ml * ul + 0.5f * g * hl * hl + mr * ur + 0.5f * g * hr * hr) - 0.5f * s * (mr - ml);
    f->across = 0.5f * (tl * ul + tr * ur) - 0.5f * s * (tr - tl);
}

kernel void swe_step(global const Cell *in, global Cell *out, int nx, int ny, float dtdx)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= nx || y >= ny)
        return;
    Cell c = in[y * nx + x];
    Cell w = c, e = c, s = c, n = c;
    if (x > 0) w = in[y * nx + x - 1]; else w.hu = -c.hu;
    if (x < nx - 1) e = in[y * nx + x + 1]; else e.hu = -c.hu;
    if (y > 0) s = in[(y - 1) * nx + x]; else s.hv = -c.hv;
    if (y < ny - 1) n = in[(y + 1) * nx + x]; else n.hv = -c.hv;

    Flux fw, fe, fs, fn;
    rusanov(w.h, w.hu, w.hv, c.h, c.hu, c.hv, &fw);
    rusanov(c.h, c.hu, c.hv, e.h, e.hu, e.hv, &fe);
    rusanov(s.h, s.hv, s.hu, c.h, c.hv, c.hu, &fs);
    rusanov(c.h, c.hv, c.hu, n.h, n.hv, n.hu, &fn);

    Cell r;
    r.h = c.h - dtdx * (fe.mass - fw.mass + fn.mass - fs.mass);
    r.hu = c.hu - dtdx * (fe.along - fw.along + fn.across - fs.across);
    r.hv = c.hv - dtdx * (fe.across - fw.across + fn.along - fs.along);
    r.bed = c.bed;
    out[y * nx + x] = r;
}
