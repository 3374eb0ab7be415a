; How often lanes lie apart is asked of the index: rows of 16 never end within a gang of eight, which begins at a multiple of eight, so that
; lanes pay. Nothing is known of rows that end at other places, or whose length no constant tells.
; ON: V3
; PLAN: gangs of 8 work-items
; CHECK: br i1 %$(=\d+), label %otherwise, label %$(=\d+), !prof
; CHECK: load <8 x float>
; CHECK: otherwise:
; CHECK: label %otherwise1, label
; CHECK-NOT: !prof
; CHECK: otherwise1:
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i64 %width) {
entry:
  %l = call i64 @oxicl.local_id(i32 0)
  %column = and i64 %l, 15
  %row = lshr i64 %l, 4
  %above = shl i64 %row, 8
  %at = or disjoint i64 %above, %column
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %at
  %x = load float, ptr addrspace(1) %p, align 4
  %place = urem i64 %l, %width
  %q = getelementptr inbounds float, ptr addrspace(1) %in, i64 %place
  %y = load float, ptr addrspace(1) %q, align 4
  %sum = fadd float %x, %y
  %o = getelementptr inbounds float, ptr addrspace(1) %out, i64 %l
  store float %sum, ptr addrspace(1) %o, align 4
  ret void
}
