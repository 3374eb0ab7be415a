// Technical indicators over many price series: exponential averages, relative strength and crossing signals, computed
// serially per series with days laid out row by row.
//! kernel indicators
//! global 9000
//! arg ticks: buffer short 4608000 random -300 310
//! arg rsi: buffer float 4608000 zero
//! arg signal: buffer char 4608000 zero
//! arg days: int 512
//! tolerance 1e-4

#pragma OPENCL FP_CONTRACT OFF

typedef struct {
    float fast, slow, gain, loss;
} State;

void advance(State *s, float price, float change)
{
    s->fast += (price - s->fast) * 0.15384615f;
    s->slow += (price - s->slow) * 0.07407407f;
    s->gain = (s->gain * 13.0f + fmax(change, 0.0f)) * 0.07142857f;
    s->loss = (s->loss * 13.0f + fmax(-change, 0.0f)) * 0.07142857f;
}

kernel void indicators(global const short *ticks, global float *rsi, global char *signal, int days)
{
    int id = get_global_id(0), n = get_global_size(0);
    float price = 5000.0f;
    State s = {5000.0f, 5000.0f, 0.0f, 0.0f};
    bool above = false;

    for (int d = 0; d < days; d++) {
        float change = (float)ticks[d * n + id];
        price += change;
        advance(&s, price, change);
        float total = s.gain + s.loss;
        rsi[d * n + id] = total > 0.0f ? 100.0f * s.gain / total : 50.0f;
        bool now = s.fast > s.slow;
        char sig = 0;
        if (now != above && d > 25)
            sig = now ? 1 : -1;
        above = now;
        signal[d * n + id] = sig;
    }
}
