// Functions of OpenCL C that clang declares and nothing defines.

#if defined(__opencl_c_generic_address_space)
static inline __attribute__((overloadable)) cl_mem_fence_flags get_fence(const volatile void *pointer) {
  return to_local((void *)pointer) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
#endif
