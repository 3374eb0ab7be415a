// Functions of cl_intel_subgroups and its like. Read only by programs that name one.

#define __oxicl_function __attribute__((overloadable, convergent))

#if defined(__opencl_c_read_write_images) || __OPENCL_C_VERSION__ == 200 || defined(__OPENCL_CPP_VERSION__)
#define __oxicl_block_of_both(type, suffix, n) \
  type##n __oxicl_function intel_sub_group_block_read##suffix##n(read_write image2d_t, int2); \
  void __oxicl_function intel_sub_group_block_write##suffix##n(read_write image2d_t, int2, type##n);
#else
#define __oxicl_block_of_both(type, suffix, n)
#endif
#define __oxicl_block(type, suffix, n) \
  type##n __oxicl_function intel_sub_group_block_read##suffix##n(const __global type *); \
  void __oxicl_function intel_sub_group_block_write##suffix##n(__global type *, type##n); \
  type##n __oxicl_function intel_sub_group_block_read##suffix##n(read_only image2d_t, int2); \
  void __oxicl_function intel_sub_group_block_write##suffix##n(write_only image2d_t, int2, type##n); \
  __oxicl_block_of_both(type, suffix, n)
#define __oxicl_blocks(type, suffix) \
  __oxicl_block(type, suffix, ) \
  __oxicl_block(type, suffix, 2) \
  __oxicl_block(type, suffix, 4) \
  __oxicl_block(type, suffix, 8)
__oxicl_blocks(uint, )
__oxicl_blocks(uint, _ui)
__oxicl_blocks(ushort, _us)
__oxicl_block(ushort, _us, 16)
__oxicl_blocks(uchar, _uc)
__oxicl_block(uchar, _uc, 16)
__oxicl_blocks(ulong, _ul)

#define __oxicl_shuffle(type) \
  type __oxicl_function intel_sub_group_shuffle(type, uint); \
  type __oxicl_function intel_sub_group_shuffle_down(type, type, uint); \
  type __oxicl_function intel_sub_group_shuffle_up(type, type, uint); \
  type __oxicl_function intel_sub_group_shuffle_xor(type, uint);
#define __oxicl_shuffles(type) \
  __oxicl_shuffle(type) \
  __oxicl_shuffle(type##2) \
  __oxicl_shuffle(type##3) \
  __oxicl_shuffle(type##4) \
  __oxicl_shuffle(type##8) \
  __oxicl_shuffle(type##16)
__oxicl_shuffles(float)
__oxicl_shuffles(int)
__oxicl_shuffles(uint)
__oxicl_shuffles(short)
__oxicl_shuffles(ushort)
__oxicl_shuffles(char)
__oxicl_shuffles(uchar)
__oxicl_shuffle(long)
__oxicl_shuffle(ulong)
#if defined(cl_khr_fp64)
__oxicl_shuffle(double)
#endif
#if defined(cl_khr_fp16)
__oxicl_shuffle(half)
#endif

// Clang has these from OpenCL C 2.0 on only, the extension in 1.2 too.
#if defined(__OPENCL_C_VERSION__) && __OPENCL_C_VERSION__ < 200
uint __oxicl_function get_sub_group_size(void);
uint __oxicl_function get_max_sub_group_size(void);
uint __oxicl_function get_num_sub_groups(void);
uint __oxicl_function get_sub_group_id(void);
uint __oxicl_function get_sub_group_local_id(void);
void __oxicl_function sub_group_barrier(cl_mem_fence_flags);
int __oxicl_function sub_group_all(int);
int __oxicl_function sub_group_any(int);
#define __oxicl_arithmetic(type, operation) \
  type __oxicl_function sub_group_reduce_##operation(type); \
  type __oxicl_function sub_group_scan_exclusive_##operation(type); \
  type __oxicl_function sub_group_scan_inclusive_##operation(type);
#define __oxicl_group(type) \
  type __oxicl_function sub_group_broadcast(type, uint); \
  __oxicl_arithmetic(type, add) \
  __oxicl_arithmetic(type, min) \
  __oxicl_arithmetic(type, max)
__oxicl_group(char)
__oxicl_group(uchar)
__oxicl_group(short)
__oxicl_group(ushort)
__oxicl_group(int)
__oxicl_group(uint)
__oxicl_group(long)
__oxicl_group(ulong)
__oxicl_group(float)
#if defined(cl_khr_fp64)
__oxicl_group(double)
#endif
#if defined(cl_khr_fp16)
__oxicl_group(half)
#endif
#undef __oxicl_group
#undef __oxicl_arithmetic
#endif

// What other extensions have under other names.
#define intel_sub_group_broadcast sub_group_broadcast
#define intel_sub_group_reduce_add sub_group_reduce_add
#define intel_sub_group_reduce_min sub_group_reduce_min
#define intel_sub_group_reduce_max sub_group_reduce_max
#define intel_sub_group_scan_exclusive_add sub_group_scan_exclusive_add
#define intel_sub_group_scan_exclusive_min sub_group_scan_exclusive_min
#define intel_sub_group_scan_exclusive_max sub_group_scan_exclusive_max
#define intel_sub_group_scan_inclusive_add sub_group_scan_inclusive_add
#define intel_sub_group_scan_inclusive_min sub_group_scan_inclusive_min
#define intel_sub_group_scan_inclusive_max sub_group_scan_inclusive_max

#undef __oxicl_shuffles
#undef __oxicl_shuffle
#undef __oxicl_blocks
#undef __oxicl_block
#undef __oxicl_block_of_both
#undef __oxicl_function
