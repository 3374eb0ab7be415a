; A private array that lanes use at one index lies with its lanes side by side: it is loaded and stored by whole registers.
; PLAN-V2-V3-V4-NEON: private object of 32 bytes: lanes interleaved by 4 bytes
; CHECK-SCALAR: alloca [8 x float]
; CHECK-V2-V3-V4-NEON-NOT: gather
; CHECK-V2-V3-V4-NEON-NOT: scatter
; CHECK-V2-V3-V4-NEON: store <$(lanes=\d+) x float> $(=%\d+), ptr %
; CHECK-V2-V3-V4-NEON: load <$lanes x float>, ptr %
; CHECK-V2-V3-V4-NEON: fadd <$lanes x float>
; CHECK-V2-V3-V4-NEON-NOT: gather
; CHECK-V2-V3-V4-NEON-NOT: scatter
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @window(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i64 %k) {
  %a = alloca [8 x float], align 4
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %y = fmul float %x, %x
  %low = and i64 %k, 7
  %a0 = getelementptr inbounds [8 x float], ptr %a, i64 0, i64 %low
  store float %x, ptr %a0, align 4
  %other = xor i64 %low, 1
  %a1 = getelementptr inbounds [8 x float], ptr %a, i64 0, i64 %other
  store float %y, ptr %a1, align 4
  %z = load float, ptr %a0, align 4
  %w = load float, ptr %a1, align 4
  %sum = fadd float %z, %w
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %sum, ptr addrspace(1) %q, align 4
  ret void
}
