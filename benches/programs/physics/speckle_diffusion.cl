// Speckle-reducing anisotropic diffusion, first half: directional derivatives and the diffusion coefficient of every
// pixel, with neighbour rows and columns looked up in tables.
//! kernel srad
//! global 409600
//! local 128
//! arg iN: buffer int 500 zero
//! arg iS: buffer int 500 zero
//! arg jW: buffer int 819 zero
//! arg jE: buffer int 819 zero
//! arg image: buffer float 409500 random 1 3
//! arg deriv: buffer float 1638000 zero
//! arg coef: buffer float 409500 zero
//! arg rows: int 500
//! arg cols: int 819
//! arg q0sqr: float 0.053
//! prepare 1: iN iS jW jE rows cols
//! tolerance 1e-4

kernel void prepare(global int *iN, global int *iS, global int *jW, global int *jE, int rows, int cols)
{
    for (int i = 0; i < rows; i++) {
        iN[i] = max(i - 1, 0);
        iS[i] = min(i + 1, rows - 1);
    }
    for (int j = 0; j < cols; j++) {
        jW[j] = max(j - 1, 0);
        jE[j] = min(j + 1, cols - 1);
    }
}

kernel void srad(global const int *iN, global const int *iS, global const int *jW, global const int *jE,
                 global const float *image, global float4 *deriv, global float *coef, int rows, int cols, float q0sqr)
{
    int ei = get_global_id(0);
    if (ei >= rows * cols)
        return;
    int row = ei % rows;
    int col = ei / rows;
    float jc = image[ei];
    float dn = image[iN[row] + rows * col] - jc;
    float ds = image[iS[row] + rows * col] - jc;
    float dw = image[row + rows * jW[col]] - jc;
    float de = image[row + rows * jE[col]] - jc;

    float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (jc * jc);
    float l = (dn + ds + dw + de) / jc;
    float num = 0.5f * g2 - (1.0f / 16.0f) * (l * l);
    float den = 1.0f + 0.25f * l;
    float qsqr = num / (den * den);
    den = (qsqr - q0sqr) / (q0sqr * (1.0f + q0sqr));
    float c = 1.0f / (1.0f + den);
    if (c < 0.0f)
        c = 0.0f;
    else if (c > 1.0f)
        c = 1.0f;
    deriv[ei] = (float4)(dn, ds, dw, de);
    coef[ei] = c;
}
