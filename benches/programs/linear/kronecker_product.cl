// Kronecker product of a 24 x 20 and a 40 x 36 matrix of complex shorts; the range has a work-item for each element of
// the result in two dimensions.
//! kernel kronecker
//! global 720 960
//! arg a: buffer short 960 random -100 100
//! arg b: buffer short 2880 random -100 100
//! arg c: buffer int 1382400 zero
//! arg b_rows: int 40
//! arg b_cols: int 36

kernel void kronecker(global const short2 *a, global const short2 *b, global int2 *c, int b_rows, int b_cols)
{
    int col = get_global_id(0), row = get_global_id(1);
    int cols = get_global_size(0);
    int a_cols = cols / b_cols;
    int2 p = convert_int2(a[row / b_rows * a_cols + col / b_cols]);
    int2 q = convert_int2(b[row % b_rows * b_cols + col % b_cols]);
    c[row * cols + col] = (int2)(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
}
