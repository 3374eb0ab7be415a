// Converts sRGB bytes to CIE L*a*b*: removes the gamma, multiplies by the matrix for D65 and applies the cube root with
// its linear part near black.
//! kernel rgb_to_lab
//! global 100000
//! arg rgb: buffer uchar 300000 random 0 255
//! arg lab: buffer float 300000 zero
//! arg n: int 99991
//! tolerance 2e-4

inline float linearise(float c)
{
    return c <= 0.04045f ? c / 12.92f : pow((c + 0.055f) / 1.055f, 2.4f);
}

inline float f(float t)
{
    return t > 0.008856f ? cbrt(t) : 7.787f * t + 16.0f / 116.0f;
}

kernel void rgb_to_lab(global const uchar *rgb, global float *lab, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float r = linearise(rgb[3 * i] / 255.0f);
    float g = linearise(rgb[3 * i + 1] / 255.0f);
    float b = linearise(rgb[3 * i + 2] / 255.0f);

    float x = f((0.412453f * r + 0.357580f * g + 0.180423f * b) / 0.950456f);
    float y = f(0.212671f * r + 0.715160f * g + 0.072169f * b);
    float z = f((0.019334f * r + 0.119193f * g + 0.950227f * b) / 1.088754f);

    lab[3 * i + 0] = 116.0f * y - 16.0f;
    lab[3 * i + 1] = 500.0f * (x - y);
    lab[3 * i + 2] = 200.0f * (y - z);
}
