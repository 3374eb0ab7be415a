// Writes of images that are read too, at a level of detail, which clang does not have. It looks for a function among its own
// only if the header declares none of the name: so all others of these names are here too. Read only by programs that
// mention such images.

#if defined(cl_khr_mipmap_image_writes) && \
    (defined(__opencl_c_read_write_images) || __OPENCL_C_VERSION__ == 200 || defined(__OPENCL_CPP_VERSION__))
#define __oxicl_write(suffix, color, image, ...) \
  void __attribute__((overloadable)) write_image##suffix(write_only image, __VA_ARGS__, color); \
  void __attribute__((overloadable)) write_image##suffix(read_write image, __VA_ARGS__, color);
#define __oxicl_writes(image, ...) \
  __oxicl_write(f, float4, image, __VA_ARGS__) \
  __oxicl_write(i, int4, image, __VA_ARGS__) \
  __oxicl_write(ui, uint4, image, __VA_ARGS__)
__oxicl_writes(image1d_t, int)
__oxicl_writes(image1d_t, int, int)
__oxicl_writes(image1d_buffer_t, int)
__oxicl_writes(image1d_array_t, int2)
__oxicl_writes(image1d_array_t, int2, int)
__oxicl_writes(image2d_t, int2)
__oxicl_writes(image2d_t, int2, int)
__oxicl_writes(image2d_array_t, int4)
__oxicl_writes(image2d_array_t, int4, int)
#if defined(cl_khr_depth_images)
__oxicl_write(f, float, image2d_depth_t, int2)
__oxicl_write(f, float, image2d_depth_t, int2, int)
__oxicl_write(f, float, image2d_array_depth_t, int4)
__oxicl_write(f, float, image2d_array_depth_t, int4, int)
#endif
#if defined(cl_khr_3d_image_writes)
__oxicl_writes(image3d_t, int4)
__oxicl_writes(image3d_t, int4, int)
#endif
#undef __oxicl_writes
#undef __oxicl_write
#endif
