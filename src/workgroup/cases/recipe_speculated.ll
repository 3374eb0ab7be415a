; Lanes whose indices are kept within bounds are asked whether they lie side by side.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %x = load float, ptr addrspace(1) %p, align 4 ; $(=.*), contiguous$(=.*) if indices of 32 bits are side by side, else scattered
; PLAN: %y = load float, ptr addrspace(1) %r, align 4 ; $(=.*), contiguous$(=.*) if addresses are side by side, else scattered
; CHECK: icmp eq <16 x i32>
; CHECK-V2-V3-NEON: load <16 x float>
; CHECK-V4: @llvm.masked.load.v16f32
; CHECK-V4: @llvm.masked.gather
; CHECK-V2-V3-NEON: extractelement <16 x ptr addrspace(1)>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i32 @llvm.smin.i32(i32, i32)

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i32 %last) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %short = trunc i64 %i to i32
  %held = call i32 @llvm.smin.i32(i32 %short, i32 %last)
  %at = sext i32 %held to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %at
  %x = load float, ptr addrspace(1) %p, align 4
  %low = and i64 %i, 1023
  %r = getelementptr inbounds float, ptr addrspace(1) %in, i64 %low
  %y = load float, ptr addrspace(1) %r, align 4
  %sum = fadd float %x, %y
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %sum, ptr addrspace(1) %q, align 4
  ret void
}
