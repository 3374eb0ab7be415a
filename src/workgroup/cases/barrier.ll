; Behind the barrier: %i and %p are computed again, %n is kept once, %x for each work-item.
; PLAN: 256 bytes of local memory
; PLAN: 1 barrier: 2 regions, each a plain loop
; PLAN: kept across barriers: 1 values once, 1 for each work-item
; CHECK-V2-V3-V4-NEON: row:
; CHECK-V2-V3-V4-NEON: load <$(lanes=\d+) x float>, ptr addrspace(1)
; CHECK-V2-V3-V4-NEON: store <$lanes x float> $(=%\d+), ptr %
; CHECK: row$(=\d+):
; CHECK-V2-V3-NEON: load <$(=\d+) x float>, ptr %
; CHECK-V4: @llvm.masked.load.v$(=\d+)f32.p0
; CHECK-SCALAR: load float, ptr %
; CHECK: fadd
@tile = internal addrspace(3) global [64 x float] undef, align 4
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind

define void @exchange(ptr addrspace(1) %data, ptr addrspace(1) %count) {
  %i = call i64 @oxicl.global_id(i32 0)
  %l = call i64 @oxicl.local_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %data, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %n = load i64, ptr addrspace(1) %count, align 8
  %t = getelementptr inbounds float, ptr addrspace(3) @tile, i64 %l
  store float %x, ptr addrspace(3) %t, align 4
  call void @oxicl.barrier(i32 2, i32 2, i32 272)
  %other = xor i64 %l, %n
  %u = getelementptr inbounds float, ptr addrspace(3) @tile, i64 %other
  %y = load float, ptr addrspace(3) %u, align 4
  %z = fadd float %x, %y
  store float %z, ptr addrspace(1) %p, align 4
  ret void
}
