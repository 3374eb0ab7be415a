// Singular values of 3 x 3 matrices: one-sided Jacobi rotations of the columns, four sweeps over the three pairs, and
// the norms sorted from large to small.
//! kernel singular_values
//! global 32768
//! local 32
//! arg a: buffer float 294912 random -1 1
//! arg sigma: buffer float 98304 zero
//! tolerance 2e-4

void rotate(float3 *p, float3 *q)
{
    float alpha = dot(*p, *p), beta = dot(*q, *q), gamma = dot(*p, *q);
    if (fabs(gamma) < 1e-7f)
        return;
    float zeta = (beta - alpha) / (2.0f * gamma);
    float t = copysign(1.0f, zeta) / (fabs(zeta) + sqrt(1.0f + zeta * zeta));
    float c = rsqrt(1.0f + t * t);
    float s = c * t;
    float3 old = *p;
    *p = c * old - s * *q;
    *q = s * old + c * *q;
}

kernel void singular_values(global const float *a, global float *sigma)
{
    int i = get_global_id(0);
    float3 c0 = vload3(3 * i, a), c1 = vload3(3 * i + 1, a), c2 = vload3(3 * i + 2, a);

    for (int sweep = 0; sweep < 4; sweep++) {
        rotate(&c0, &c1);
        rotate(&c0, &c2);
        rotate(&c1, &c2);
    }
    float x = length(c0), y = length(c1), z = length(c2);
    float hi = fmax(x, fmax(y, z)), lo = fmin(x, fmin(y, z));
    vstore3((float3)(hi, fmax(fmin(x, y), fmin(fmax(x, y), z)), lo), i, sigma);
}
