; Work-items that are sub-groups each, and wait at named barriers, run one at a time.
; WITH: sub-group=1
; PLAN: one work-item at a time: each is a sub-group, and waits for others at named barriers
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: $(barrier=%\d+) = call i64 $(=%\d+)(ptr $(=%\d+), i32 2)
; CHECK: call void $(=%\d+)(ptr $(=%\d+), i64 $barrier)
; CHECK-NEXT: add i32
; CHECK-NOT: <$(=[0-9]+) x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.named_barrier.make(i32) convergent nounwind
declare void @oxicl.named_barrier.wait(i64, i32, i32) convergent nounwind

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %b = call i64 @oxicl.named_barrier.make(i32 2)
  call void @oxicl.named_barrier.wait(i64 %b, i32 2, i32 264)
  %r = add i32 %x, 1
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
