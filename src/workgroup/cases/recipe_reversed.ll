; Lanes that follow each other backwards are loaded and stored as one vector, of which the numbers are put in the other order.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %less = xor i64 %i, -1 ; affine by -1
; PLAN: %x = load float, ptr addrspace(1) %p, align 4 ; $(=.*), contiguous, the last lane first
; PLAN: store float %x, ptr addrspace(1) %q, align 4 ; $(=.*), contiguous
; PLAN: store float %y, ptr addrspace(1) %s, align 4 ; $(=.*), contiguous, the last lane first
; CHECK: load <16 x float>
; CHECK: shufflevector <16 x float>
; CHECK: <i32 15, i32 14, i32 13
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i64 %count) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %less = xor i64 %i, -1
  %from = add i64 %count, %less
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %from
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %x, ptr addrspace(1) %q, align 4
  %r = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %y = load float, ptr addrspace(1) %r, align 4
  %behind = getelementptr inbounds float, ptr addrspace(1) %out, i64 %count
  %s = getelementptr inbounds float, ptr addrspace(1) %behind, i64 %from
  store float %y, ptr addrspace(1) %s, align 4
  ret void
}
