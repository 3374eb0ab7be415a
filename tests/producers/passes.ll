; Instructions that LLVM's passes make of plain code: saturation, funnel shifts, counting, selection, switches on wide
; numbers, phis of pointers.
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z13get_global_idj(i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.abs.i32(i32, i1)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.fabs.f32(float)

define spir_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %pp = getelementptr inbounds i32, ptr addrspace(1) %p, i64 %i
  %qq = getelementptr inbounds float, ptr addrspace(1) %q, i64 %i
  %n = load i32, ptr addrspace(1) %pp, align 4
  %wide = sext i32 %n to i64
  switch i64 %wide, label %other [ i64 -1, label %minus
                                   i64 7, label %seven ]
minus:
  br label %join
seven:
  %s = call i32 @llvm.ctpop.i32(i32 %n)
  br label %join
other:
  %a = call i32 @llvm.abs.i32(i32 %n, i1 false)
  %m = call i32 @llvm.umin.i32(i32 %a, i32 100)
  br label %join
join:
  %value = phi i32 [ 1000, %minus ], [ %s, %seven ], [ %m, %other ]
  %odd = trunc i32 %value to i1
  %x = load float, ptr addrspace(1) %qq, align 4
  %y = call float @llvm.fma.f32(float %x, float %x, float 1.0)
  %z = fneg float %y
  %chosen = select i1 %odd, float %z, float %y
  store float %chosen, ptr addrspace(1) %qq, align 4
  %old = atomicrmw add ptr addrspace(1) %pp, i32 %value syncscope("device") monotonic
  %again = atomicrmw xchg ptr addrspace(1) %pp, i32 %value seq_cst
  %both = add i32 %again, %old
  store i32 %both, ptr addrspace(1) %pp, align 4
  ret void
}
