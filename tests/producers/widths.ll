; Integers of odd widths, as FPGA compilers and LLVM's own passes make them.
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z13get_global_idj(i32)

define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %pp = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %i
  %n = load i32, ptr addrspace(1) %pp, align 4
  %a = trunc i32 %n to i24
  %b = mul i24 %a, -3
  %c = ashr i24 %b, 2
  %d = sext i24 %c to i48
  %e = shl i48 %d, 20
  %f = ashr i48 %e, 18
  %g = trunc i48 %f to i32
  store i32 %g, ptr addrspace(1) %pp, align 4
  ret void
}
