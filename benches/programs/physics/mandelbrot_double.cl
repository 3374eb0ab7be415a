// Escape times of the Mandelbrot set in double precision, stored as shorts, for a window in which they vary much.
//! kernel mandelbrot
//! global 320 200
//! local 32 4
//! arg iterations: buffer ushort 64000 zero
//! arg x0: double -0.76
//! arg y0: double 0.05
//! arg step: double 0.0002
//! arg limit: int 220

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

kernel void mandelbrot(global ushort *iterations, double x0, double y0, double step, int limit)
{
    int px = get_global_id(0);
    int py = get_global_id(1);
    double cr = x0 + px * step;
    double ci = y0 + py * step;
    double zr = 0.0, zi = 0.0;
    int it = 0;

    while (it < limit) {
        double rr = zr * zr;
        double ii = zi * zi;
        if (rr + ii > 4.0)
            break;
        zi = 2.0 * zr * zi + ci;
        zr = rr - ii + cr;
        it++;
    }
    iterations[py * get_global_size(0) + px] = (ushort)it;
}
