; Nothing promises that an index of 32 bits does not wrap. It is made of an id along x and an argument, so it is checked once
; for all rows of a work-group, and lanes are side by side in all gangs.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %at = sext i32 %moved to i64 ; affine by 1, the first lane's, with a stride of 1
; PLAN: %x = load float, ptr addrspace(1) %p, align 4 ; $(=.*), contiguous
; CHECK: add i64
; CHECK: icmp ne i64
; CHECK: or i1
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i32 %by) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %short = trunc i64 %i to i32
  %moved = add i32 %short, %by
  %at = sext i32 %moved to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %at
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %x, ptr addrspace(1) %q, align 4
  ret void
}
