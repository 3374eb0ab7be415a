// Built-in functions that the SPIR-V target of LLVM 22 leaves undefined or translates wrongly.
#define AT(space) \
  kernel void at_##space(space int *a, space uint *u, space long *l, space ulong *m, space float *f) { \
    *a = atomic_xchg(a, 1) + atomic_min(a, 2) + atomic_max(a, 3) + atomic_inc(a) + atomic_dec(a) + atomic_cmpxchg(a, 1, 2); \
    *u = atomic_xchg(u, 1) + atomic_min(u, 2) + atomic_max(u, 3) + atomic_inc(u) + atomic_dec(u) + atomic_cmpxchg(u, 1, 2); \
    *l = atom_xchg(l, 1) + atom_min(l, 2) + atom_max(l, 3) + atom_inc(l) + atom_dec(l) + atom_cmpxchg(l, 1, 2); \
    *m = atom_xchg(m, 1) + atom_min(m, 2) + atom_max(m, 3) + atom_inc(m) + atom_dec(m) + atom_cmpxchg(m, 1, 2); \
    *a += atom_xchg(a, 1) + atom_min(a, 2) + atom_max(a, 3) + atom_inc(a) + atom_dec(a); \
    *f = atomic_xchg(f, 1.0f); \
  }
AT(global)
AT(local)

kernel void ordered(global atomic_int *a, global atomic_ulong *m, global atomic_float *f, global int *out) {
  out[0] = atomic_fetch_min(a, 1) + atomic_fetch_max(a, 2);
  out[1] = atomic_fetch_min_explicit(m, 1, memory_order_relaxed, memory_scope_work_group);
  out[2] = atomic_fetch_max_explicit(a, 1, memory_order_acq_rel, memory_scope_all_svm_devices);
  out[3] = atomic_load_explicit(a, memory_order_seq_cst, memory_scope_all_svm_devices);
  out[4] = atomic_load_explicit(f, memory_order_acquire);
  atomic_store_explicit(f, 1.0f, memory_order_release, memory_scope_sub_group);
  float expected = 1.0f;
  out[5] = atomic_compare_exchange_strong(f, &expected, 2.0f);
  out[6] = atomic_compare_exchange_weak_explicit(f, &expected, 2.0f, memory_order_acquire, memory_order_relaxed,
                                                 memory_scope_device);
}

kernel void fences(global int *a, local int *b) {
  mem_fence(CLK_LOCAL_MEM_FENCE);
  read_mem_fence(CLK_GLOBAL_MEM_FENCE);
  write_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
  a[0] = get_fence(a) + get_fence((volatile int *)b);
  global int *g = to_global(a);
  local int *l = to_local(b);
  private int *p = to_private(a);
  a[1] = (g != 0) + (l != 0) + (p != 0);
}

kernel void chosen(global int *a, memory_scope scope, cl_mem_fence_flags flags) {
  work_group_barrier(CLK_LOCAL_MEM_FENCE, scope);
  work_group_barrier(flags, scope);
}

kernel void conversions(global double4 *d, global half4 *h, int4 i, ulong4 m, float4 f, char4 c) {
  d[0] = convert_double4(i) + convert_double4_rtz(m) + convert_double4(f) + convert_double4_rtp(c);
  h[0] = convert_half4(i) + convert_half4_rtn(f) + convert_half4_rte(d[0]) + convert_half4_rtz(m);
  c = convert_char4_sat(i) + convert_char4_sat_rte(m) + convert_char4_rtz(i);
  h[1] = convert_half4(c);
}

kernel void halves(global half *h, constant half *c, global float3 *out) {
  out[0] = vloada_half3(2, h) + vloada_half3(1, c);
}

kernel void undeclared(global int *a, global ushort16 *b, global float16 *f, global half *h) {
  b[0] = intel_convert_bfloat1616_as_ushort16(f[0]);
  f[1] = intel_convert_as_bfloat1616_float16(b[1]);
  intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE);
  intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE);
  intel_work_group_barrier_arrive(CLK_GLOBAL_MEM_FENCE, memory_scope_work_group);
  intel_work_group_barrier_wait(CLK_GLOBAL_MEM_FENCE, memory_scope_work_group);
  a[0] = work_group_reduce_mul(a[1]) + work_group_scan_inclusive_xor(a[2]) + work_group_scan_exclusive_logical_and(a[3]);
  h[0] = work_group_reduce_mul(h[1]);
}
