// Pitch detection in the manner of YIN on 16-bit samples: the lags of a frame are shared out over a work-group, then
// one work-item picks the first deep dip of the normalised curve.
//! kernel yin
//! global 38400
//! local 75
//! arg raw: buffer short 262144 random -3000 3000
//! arg samples: buffer short 262144 zero
//! arg period: buffer int 512 zero
//! arg depth: buffer float 512 zero
//! prepare 262144: raw samples
//! tolerance 1e-4

#define LAGS 150
#define WINDOW 200

kernel void prepare(global const short *raw, global short *samples)
{
    int t = get_global_id(0);
    int cycle = 40 + (t >> 14) * 5;
    int saw = (t % cycle) * 24000 / cycle - 12000;
    samples[t] = (short)(saw + raw[t]);
}

kernel void yin(global const short *raw, global const short *samples, global int *period, global float *depth)
{
    local long diff[LAGS];
    int frame = get_group_id(0);
    global const short *x = samples + frame * 500;

    for (int lag = get_local_id(0); lag < LAGS; lag += get_local_size(0)) {
        long sum = 0;
        for (int t = 0; t < WINDOW; t++) {
            int d = x[t] - x[t + lag];
            sum += (long)d * d;
        }
        diff[lag] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        long running = 0, best_num = 1, best_den = 1;
        int best = 0;
        for (int lag = 1; lag < LAGS; lag++) {
            running += diff[lag];
            long num = diff[lag] >> 14, den = (running >> 14) + 1;
            if (lag > 20 && num * lag * best_den < best_num * den) {
                best = lag;
                best_num = num * lag;
                best_den = den;
            } else if (best && 10 * best_num < best_den && num * lag > 2 * best_num) {
                break;
            }
        }
        period[frame] = best;
        depth[frame] = (float)best_num / (float)best_den;
    }
}
