// European options by the formula of Black and Scholes; the normal distribution by a polynomial in 1 / (1 + 0.2316419 |d|).
static float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float sum = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp(-0.5f * d * d) * sum;
    return d > 0.0f ? 1.0f - tail : tail;
}

kernel void black_scholes(global float *restrict call, global float *restrict put, global const float *restrict price,
                          global const float *restrict strike, global const float *restrict years, float rate,
                          float volatility)
{
    size_t i = get_global_id(0);
    float s = price[i];
    float x = strike[i];
    float t = years[i];
    float root = sqrt(t);
    float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root;
    float n1 = normal(d1);
    float n2 = normal(d2);
    float discount = x * exp(-rate * t);
    call[i] = s * n1 - discount * n2;
    put[i] = discount * (1.0f - n2) - s * (1.0f - n1);
}
