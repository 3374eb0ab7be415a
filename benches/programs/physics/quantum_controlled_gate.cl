// Applies a controlled one-qubit rotation to a state vector of 20 qubits held as complex doubles; pairs whose control
// bit is off are only copied.
//! kernel apply_gate
//! global 524288
//! local 256
//! arg state: buffer double 2097152 random -0.001 0.001
//! arg out: buffer double 2097152 zero
//! arg target: int 7
//! arg control: int 13
//! arg u: buffer double 8 random -0.7 0.7
//! tolerance 1e-12

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

double2 cmul(double2 a, double2 b)
{
    return (double2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

kernel void apply_gate(global const double2 *state, global double2 *out, int target, int control, constant double2 *u)
{
    ulong k = get_global_id(0);
    ulong low = k & ((1UL << target) - 1);
    ulong i0 = ((k >> target) << (target + 1)) | low;
    ulong i1 = i0 | (1UL << target);
    double2 a = state[i0], b = state[i1];

    if ((i0 >> control) & 1) {
        double2 na = cmul(u[0], a) + cmul(u[1], b);
        double2 nb = cmul(u[2], a) + cmul(u[3], b);
        a = na * 1000.0;
        b = nb * 1000.0;
    }
    out[i0] = a;
    out[i1] = b;
}
