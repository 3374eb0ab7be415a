; A function that waits for other work-items keeps sub-groups to one work-item.
; PLAN: sub-groups of one work-item: a function waits for other work-items
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: call void @wait.item(
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: store i32 1, ptr addrspace(1)
; CHECK-NOT: <$(=[0-9]+) x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i32 @oxicl.sub_group.reduce.add.i32(i32) convergent nounwind willreturn memory(none)

define internal void @wait(ptr addrspace(1) %flag) noinline nounwind {
  br label %again
again:
  %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %ready = icmp ne i32 %seen, 0
  br i1 %ready, label %end, label %again
end:
  ret void
}

define void @k(ptr addrspace(1) %out, ptr addrspace(1) %flag) {
  %i = call i64 @oxicl.global_id(i32 0)
  call void @wait(ptr addrspace(1) %flag)
  %r = call i32 @oxicl.sub_group.reduce.add.i32(i32 1)
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
