// Adam with decoupled weight decay: reads parameters, gradients and moments, and writes the new parameters and moments
// to buffers of their own.
//! kernel adam
//! global 300032
//! local 256
//! arg p: buffer float 300000 random -1 1
//! arg g: buffer float 300000 random -0.1 0.1
//! arg m: buffer float 300000 random -0.1 0.1
//! arg v: buffer float 300000 random 0.0001 0.02
//! arg p2: buffer float 300000 zero
//! arg m2: buffer float 300000 zero
//! arg v2: buffer float 300000 zero
//! arg n: uint 300000
//! arg step: int 12
//! arg lr: float 0.001

kernel void adam(global const float *p, global const float *g, global const float *m, global const float *v,
                 global float *p2, global float *m2, global float *v2, uint n, int step, float lr)
{
    const uint i = get_global_id(0);
    if (i >= n)
        return;
    const float beta1 = 0.9f, beta2 = 0.999f, eps = 1e-8f, decay = 0.01f;
    const float correct1 = 1.0f - pown(beta1, step);
    const float correct2 = 1.0f - pown(beta2, step);

    float grad = g[i];
    float mi = mix(grad, m[i], beta1);
    float vi = mix(grad * grad, v[i], beta2);
    float update = (mi / correct1) / (sqrt(vi / correct2) + eps);

    p2[i] = p[i] - lr * (update + decay * p[i]);
    m2[i] = mi;
    v2[i] = vi;
}
