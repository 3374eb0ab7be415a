; Local memory as OpenCL.jl and other users of LLVM's back end declare it: with null, which SPIR-V has no place for there.
target triple = "spirv64-unknown-unknown"

@null = internal addrspace(3) global [4 x i32] zeroinitializer, align 4
@undefined = internal addrspace(3) global [4 x i32] undef, align 4

declare spir_func i64 @_Z12get_local_idj(i32)
declare spir_func void @_Z7barrierj(i32)

define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) !reqd_work_group_size !0 {
  %l = call spir_func i64 @_Z12get_local_idj(i32 0)
  %pp = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %l
  %n = load i32, ptr addrspace(1) %pp, align 4
  %a = getelementptr inbounds [4 x i32], ptr addrspace(3) @null, i64 0, i64 %l
  %b = getelementptr inbounds [4 x i32], ptr addrspace(3) @undefined, i64 0, i64 %l
  %twice = add i32 %n, %n
  store i32 %n, ptr addrspace(3) %a, align 4
  store i32 %twice, ptr addrspace(3) %b, align 4
  call spir_func void @_Z7barrierj(i32 1)
  %other = sub i64 3, %l
  %c = getelementptr inbounds [4 x i32], ptr addrspace(3) @null, i64 0, i64 %other
  %d = getelementptr inbounds [4 x i32], ptr addrspace(3) @undefined, i64 0, i64 %other
  %x = load i32, ptr addrspace(3) %c, align 4
  %y = load i32, ptr addrspace(3) %d, align 4
  %sum = add i32 %x, %y
  store i32 %sum, ptr addrspace(1) %pp, align 4
  ret void
}

!0 = !{i32 4, i32 1, i32 1}
