; A region of more blocks than are looked at has no gangs.
; ON: V3
; PLAN: one work-item at a time: a region of more than 4000 blocks
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: $(x=%\d+) = load i32, ptr addrspace(1)
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: add i32 $x, 1
; CHECK-NOT: <$(=[0-9]+) x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  br label %b0
; REPEAT 3999
b{n}:
  br label %b{n+1}
; END REPEAT
b3999:
  %r = add i32 %x, 1
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
