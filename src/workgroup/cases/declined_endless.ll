; A loop that is never left has no gangs.
; ON: V2 V3 V4 NEON
; PLAN: one work-item at a time: a loop without end
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: $(odd=%\d+) = trunc i32 $(x=%\d+) to i1
; CHECK-NEXT: br i1 $odd
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: store volatile i32 $x, ptr addrspace(1)
; CHECK-NEXT: br label
; CHECK-NOT: <$(=[0-9]+) x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %odd = trunc i32 %x to i1
  br i1 %odd, label %ever, label %end
ever:
  store volatile i32 %x, ptr addrspace(1) %in, align 4
  br label %ever
end:
  %r = add i32 %x, 1
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
