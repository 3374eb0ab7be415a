// Implied volatilities by Newton's method with a bisection safeguard; work-items stop after different numbers of
// rounds, and quotes outside the no-arbitrage bounds are flagged.
//! kernel implied_vol
//! global 60000
//! local 40
//! arg quote: buffer double 60000 random 0 45
//! arg strike: buffer double 60000 random 80 120
//! arg years: buffer double 60000 random 0.1 2
//! arg vol: buffer double 60000 zero
//! arg status: buffer char 60000 zero
//! tolerance 1e-6

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

double bs_call(double s, double k, double t, double r, double sigma, double *vega)
{
    double sq = sigma * sqrt(t);
    double d1 = (log(s / k) + r * t) / sq + 0.5 * sq;
    double d2 = d1 - sq;
    *vega = s * sqrt(t) * 0.3989422804014327 * exp(-0.5 * d1 * d1);
    return 0.5 * (s * erfc(-d1 * 0.7071067811865476) - k * exp(-r * t) * erfc(-d2 * 0.7071067811865476));
}

kernel void implied_vol(global const double *quote, global const double *strike, global const double *years,
                        global double *vol, global char *status)
{
    int i = get_global_id(0);
    double q = quote[i], k = strike[i], t = years[i], s = 100.0, r = 0.02;
    if (q <= fmax(s - k * exp(-r * t), 0.0) + 0.01) {
        status[i] = -1;
        vol[i] = 0.0;
        return;
    }
    double lo = 1e-3, hi = 6.0, x = 0.4, vega;
    int it;
    for (it = 0; it < 40; it++) {
        double diff = bs_call(s, k, t, r, x, &vega) - q;
        if (fabs(diff) < 1e-9)
            break;
        if (diff > 0.0)
            hi = x;
        else
            lo = x;
        double nx = vega > 1e-8 ? x - diff / vega : 0.0;
        if (nx <= lo || nx >= hi)
            nx = 0.5 * (lo + hi);
        x = nx;
    }
    status[i] = it < 40 ? 1 : 0;
    vol[i] = x;
}
