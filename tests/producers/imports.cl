// What clang 22 gives no meaning: conversions to half and double, and the old fences, stay calls of imported functions;
// a local array's address loses its cast to halves; conversions between integers keep a direction of rounding.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void k(global int *p, global float *q) {
    local ushort box[8];
    int l = get_local_id(0), n = p[l];
    vstore_half_rtz(q[l], l, (local half *)&box[0]);
    if (l == 3) vstore_half2((float2)(q[l], 7.0f), 3, (local half *)box);
    barrier(CLK_LOCAL_MEM_FENCE);
    int bits = box[l] + box[6] - box[3] + convert_int_rtz((ushort)n) + convert_uchar_sat_rtp(n);
    // 2^53 + n needs one bit more than a double has if n is odd; so does 2^11 + n in a half.
    double up = convert_double_rtp((1L << 53) + n), down = convert_double_rtn((1L << 53) + n);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    bits += (int)(up - down);
    read_mem_fence(CLK_GLOBAL_MEM_FENCE);
    half2 h = convert_half2_rtp((int2)(2048 + n, -2048 - n)), near = convert_half2((double2)(2048.0 + n, 0.1));
    write_mem_fence(CLK_GLOBAL_MEM_FENCE);
    p[l] = bits;
    q[l] = (float)h.x + (float)h.y + (float)near.x + (float)near.y + (float)convert_double(q[l]);
}
