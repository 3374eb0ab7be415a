// What of OpenCL C clang has no declaration or no definition of. All names are the specification's or begin with __oxicl.

#define __oxicl_function __attribute__((overloadable))
#define __oxicl_convergent __attribute__((overloadable, convergent))

#if defined(__opencl_c_generic_address_space) || __OPENCL_C_VERSION__ == 200 || defined(__OPENCL_CPP_VERSION__)
static inline __oxicl_function cl_mem_fence_flags get_fence(const volatile void *pointer) {
  return to_local((void *)pointer) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
#endif

#if defined(cl_intel_bfloat16_conversions)
#define __oxicl_bfloat16(n) \
  ushort##n __oxicl_function intel_convert_bfloat16##n##_as_ushort##n(float##n); \
  float##n __oxicl_function intel_convert_as_bfloat16##n##_float##n(ushort##n);
__oxicl_bfloat16()
__oxicl_bfloat16(2)
__oxicl_bfloat16(3)
__oxicl_bfloat16(4)
__oxicl_bfloat16(8)
__oxicl_bfloat16(16)
#undef __oxicl_bfloat16
#endif

#if defined(cl_intel_split_work_group_barrier)
void __oxicl_convergent intel_work_group_barrier_arrive(cl_mem_fence_flags);
void __oxicl_convergent intel_work_group_barrier_wait(cl_mem_fence_flags);
#if defined(__opencl_c_atomic_scope_device)
void __oxicl_convergent intel_work_group_barrier_arrive(cl_mem_fence_flags, memory_scope);
void __oxicl_convergent intel_work_group_barrier_wait(cl_mem_fence_flags, memory_scope);
#endif
#endif

#if defined(cl_khr_work_group_uniform_arithmetic) && defined(__opencl_c_work_group_collective_functions)
#define __oxicl_collective(type, name) \
  type __oxicl_convergent work_group_reduce_##name(type); \
  type __oxicl_convergent work_group_scan_inclusive_##name(type); \
  type __oxicl_convergent work_group_scan_exclusive_##name(type);
#define __oxicl_collectives(type) \
  __oxicl_collective(type, mul) \
  __oxicl_collective(type, and) \
  __oxicl_collective(type, or) \
  __oxicl_collective(type, xor)
__oxicl_collectives(int)
__oxicl_collectives(uint)
__oxicl_collectives(long)
__oxicl_collectives(ulong)
__oxicl_collective(int, logical_and)
__oxicl_collective(int, logical_or)
__oxicl_collective(int, logical_xor)
__oxicl_collective(float, mul)
#if defined(cl_khr_fp64)
__oxicl_collective(double, mul)
#endif
#if defined(cl_khr_fp16)
__oxicl_collective(half, mul)
#endif
#undef __oxicl_collectives
#undef __oxicl_collective
#endif

#undef __oxicl_function
#undef __oxicl_convergent
