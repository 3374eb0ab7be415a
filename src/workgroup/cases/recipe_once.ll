; What lanes load from one place is loaded once, and what they store there is the last lane's.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %x = load float, ptr addrspace(1) %in, align 4 ; $(=.*), once
; PLAN: %sum = fadd float %x, %y ; $(=.*), on vectors
; PLAN: store float %sum, ptr addrspace(1) %out, align 4 ; $(=.*), one place
; CHECK: load float, ptr addrspace(1)
; CHECK: extractelement <16 x float> $(=%\d+), i64 15
; CHECK: store float
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %x = load float, ptr addrspace(1) %in, align 4
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %y = load float, ptr addrspace(1) %p, align 4
  %sum = fadd float %x, %y
  store float %sum, ptr addrspace(1) %out, align 4
  ret void
}
