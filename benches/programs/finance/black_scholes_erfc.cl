// European call and put prices with greeks in double precision; the normal distribution comes from erfc. Records are
// structs of five numbers.
//! kernel black_scholes
//! global 300000
//! arg opt: buffer double 1500000 random 0.2 1
//! arg out: buffer double 1200000 zero
//! arg n: uint 299991
//! tolerance 1e-9

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef struct {
    double spot, strike, years, rate, vol;
} Option;

double phi(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}

kernel void black_scholes(global const Option *opt, global double4 *out, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    Option o = opt[i];
    o.spot *= 100.0;
    o.strike *= 100.0;
    double sq = o.vol * sqrt(o.years);
    double d1 = (log(o.spot / o.strike) + (0.1 * o.rate + 0.5 * o.vol * o.vol) * o.years) / sq;
    double d2 = d1 - sq;
    double df = exp(-0.1 * o.rate * o.years);
    double n1 = phi(d1), n2 = phi(d2);
    double call = o.spot * n1 - o.strike * df * n2;
    double put = call - o.spot + o.strike * df;
    double vega = o.spot * sqrt(o.years) * exp(-0.5 * d1 * d1) * 0.3989422804014327;
    out[i] = (double4)(call, put, n1, vega);
}
