; Accesses to all numbers of a record are one.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %x = load float, ptr addrspace(1) %p, align 4 ; $(=.*), 2 numbers of a record at once, contiguous
; PLAN: %y = load float, ptr addrspace(1) %p1, align 4 ; $(=.*), with %x
; PLAN: store float %sum, ptr addrspace(1) %q, align 4 ; $(=.*), with the last store
; PLAN: store float %difference, ptr addrspace(1) %q1, align 4 ; $(=.*), 2 numbers of a record at once, contiguous
; CHECK: load <32 x float>
; CHECK: store <32 x float>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %two = shl nuw nsw i64 %i, 1
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %two
  %x = load float, ptr addrspace(1) %p, align 4
  %p1 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 4
  %y = load float, ptr addrspace(1) %p1, align 4
  %sum = fadd float %x, %y
  %difference = fsub float %x, %y
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %two
  store float %sum, ptr addrspace(1) %q, align 4
  %q1 = getelementptr inbounds i8, ptr addrspace(1) %q, i64 4
  store float %difference, ptr addrspace(1) %q1, align 4
  ret void
}
