// Reversible 5/3 wavelet of JPEG 2000 along rows of shorts by lifting in local memory: low coefficients go to the left
// half of the row, high ones to the right.
//! kernel dwt53_rows
//! global 512 2400
//! local 512 1
//! arg in: buffer short 2457600 random -1024 1023
//! arg out: buffer short 2457600 zero

#define HALF 512

kernel void dwt53_rows(global const short *in, global short *out)
{
    local int even[HALF + 1], odd[HALF + 1];
    int i = get_local_id(0);
    int row = get_global_id(1) * 2 * HALF;

    short2 pair = vload2(i, in + row);
    even[i] = pair.x;
    if (i == HALF - 1)
        even[HALF] = pair.x;
    barrier(CLK_LOCAL_MEM_FENCE);

    int high = pair.y - ((even[i] + even[i + 1]) >> 1);
    odd[i + 1] = high;
    if (i == 0)
        odd[0] = high;
    barrier(CLK_LOCAL_MEM_FENCE);

    int low = pair.x + ((odd[i] + odd[i + 1] + 2) >> 2);
    out[row + i] = (short)low;
    out[row + HALF + i] = (short)high;
}
