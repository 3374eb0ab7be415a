// Log-likelihood of GARCH(1,1) models over one return series for many parameter triples: a serial recurrence with a
// logarithm per day in every work-item.
//! kernel garch
//! global 3072
//! local 16
//! arg returns: buffer double 1500 random -0.03 0.03
//! arg params: buffer double 12288 random 0 1
//! arg loglik: buffer double 3072 zero
//! arg last_var: buffer double 3072 zero
//! arg days: int 1500
//! tolerance 1e-8

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void garch(global const double *returns, global const double4 *params, global double *loglik,
                  global double *last_var, int days)
{
    int id = get_global_id(0);
    double4 p = params[id];
    double alpha = 0.02 + 0.15 * p.x;
    double beta = 0.6 + 0.2 * p.y;
    double mu = 0.001 * (p.w - 0.5);
    double var = 1e-4 * (1.0 + p.z);
    double omega = var * (1.0 - alpha - beta);
    double sum = 0.0;

    for (int t = 0; t < days; t++) {
        double e = returns[t] - mu;
        sum -= 0.5 * (log(var) + e * e / var);
        var = omega + alpha * e * e + beta * var;
    }
    loglik[id] = sum / days;
    last_var[id] = var * 1e4;
}
