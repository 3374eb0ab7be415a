; A branch that all lanes take alike stays a branch, and whole gangs behind it have no masks.
; WITH: disable=streams
; PLAN-SCALAR: V = 1
; PLAN-V2-V3-V4-NEON: gangs of $(=[0-9]+) work-items
; CHECK-V2-V3-V4-NEON: gang$(=[0-9]*):
; CHECK: $(one=%\d+) = icmp eq i32 %2, 1
; CHECK-NEXT: br i1 $one,
; CHECK-NOT: masked
; CHECK-V2-V3-V4-NEON: store <$(=\d+) x float>
; CHECK-SCALAR: store float
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @choose(ptr addrspace(1) noalias %out, ptr addrspace(1) %in, i32 %mode) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  %is_one = icmp eq i32 %mode, 1
  br i1 %is_one, label %one, label %end
one:
  %x = load float, ptr addrspace(1) %p, align 4
  %y = fadd float %x, 1.0
  store float %y, ptr addrspace(1) %q, align 4
  br label %end
end:
  ret void
}
