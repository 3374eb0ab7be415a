; An index of 32 bits advances by one unless it wraps in the gang: lanes are side by side, or each has its own place.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %at = sext i32 %moved to i64 ; $(=.*), the first lane's, and whether it wraps
; PLAN: %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %at ; $(=.*), the first lane's, and whether it wraps
; PLAN: %x = load float, ptr addrspace(1) %p, align 4 ; $(=.*), contiguous$(=.*); if the index wraps, scattered
; CHECK: otherwise$(=\d*):
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i32 %by) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %short = trunc i64 %i to i32
  %y = call i64 @oxicl.global_id(i32 1)
  %row = trunc i64 %y to i32
  %before = mul i32 %row, %by
  %moved = add i32 %short, %before
  %at = sext i32 %moved to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %at
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %x, ptr addrspace(1) %q, align 4
  ret void
}
