// European and American calls with dividends on a trinomial tree of 40 steps, the tree kept in a private array of each
// work-item.
//! kernel trinomial
//! global 16000
//! local 50
//! arg spot: buffer float 16000 random 80 120
//! arg vol: buffer float 16000 random 0.1 0.5
//! arg american: buffer uchar 16000 random 0 1
//! arg price: buffer float 16000 zero
//! tolerance 1e-4

#define STEPS 40

kernel void trinomial(global const float *spot, global const float *vol, global const uchar *american,
                      global float *price)
{
    int id = get_global_id(0);
    float v[2 * STEPS + 1], pay[2 * STEPS + 1];
    float s = spot[id], sigma = vol[id];
    float rate = 0.03f, div = 0.05f, strike = 100.0f;
    float dt = 1.0f / STEPS;
    float a = exp((rate - div) * dt * 0.5f);
    float b = exp(sigma * sqrt(0.5f * dt));
    float pu = (a - 1.0f / b) / (b - 1.0f / b), pd = (b - a) / (b - 1.0f / b);
    pu *= pu;
    pd *= pd;
    float df = exp(-rate * dt);
    float pm = df * (1.0f - pu - pd);
    pu *= df;
    pd *= df;

    float jump = exp(sigma * sqrt(2.0f * dt));
    float at = s * pown(jump, -STEPS);
    for (int j = 0; j <= 2 * STEPS; j++) {
        pay[j] = at - strike;
        v[j] = fmax(pay[j], 0.0f);
        at *= jump;
    }
    bool early = american[id] != 0;
    for (int n = STEPS - 1; n >= 0; n--)
        for (int j = 0; j <= 2 * n; j++) {
            float hold = pd * v[j] + pm * v[j + 1] + pu * v[j + 2];
            v[j] = early ? fmax(hold, pay[j + STEPS - n]) : hold;
        }
    price[id] = v[0];
}
