; Numbers at short strides are picked from a vector; at others they are loaded and stored one after the other, where no lane
; is missing and no instruction scatters them for less.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %x = load float, ptr addrspace(1) %p, align 4 ; $(=.*), strided by 12, picked from a vector; under a mask, one by one; if lanes are missing, scattered
; PLAN: %y = load float, ptr addrspace(1) %r, align 4 ; $(=.*), strided by 28, one by one; if lanes are missing, scattered
; PLAN-V2-V3-NEON: store float %sum, ptr addrspace(1) %q, align 4 ; $(=.*), strided by 12, one by one; if lanes are missing, scattered
; PLAN-V4: store float %sum, ptr addrspace(1) %q, align 4 ; $(=.*), strided by 12, scattered
; CHECK: load <46 x float>
; CHECK-NEXT: shufflevector <46 x float>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %three = mul nuw nsw i64 %i, 3
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %three
  %x = load float, ptr addrspace(1) %p, align 4
  %seven = mul nuw nsw i64 %i, 7
  %r = getelementptr inbounds float, ptr addrspace(1) %in, i64 %seven
  %y = load float, ptr addrspace(1) %r, align 4
  %sum = fadd float %x, %y
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %three
  store float %sum, ptr addrspace(1) %q, align 4
  ret void
}
