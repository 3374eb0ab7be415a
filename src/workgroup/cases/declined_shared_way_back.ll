; Loops that one block goes back to have no gangs.
; ON: V2 V3 V4 NEON
; PLAN: one work-item at a time: a block that goes back to several loops
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: $(y=%\d+) = sub i32 $(=%\d+), 3
; CHECK-NEXT: $(odd=%\d+) = trunc i32 $y to i1
; CHECK-NEXT: br i1 $odd
; CHECK-NOT: <$(=[0-9]+) x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  br label %outer
outer:
  %u = phi i32 [ %x, %entry ], [ %y, %again ]
  %v = lshr i32 %u, 1
  br label %inner
inner:
  %w = phi i32 [ %v, %outer ], [ %y, %again ]
  %more = icmp ugt i32 %w, 9
  br i1 %more, label %again, label %end
again:
  %y = sub i32 %w, 3
  %odd = trunc i32 %y to i1
  br i1 %odd, label %inner, label %outer
end:
  %r = phi i32 [ %w, %inner ]
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
