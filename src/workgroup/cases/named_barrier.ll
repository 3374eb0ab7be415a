; Sub-groups wait for some of them by a service of the fibers that they run in: there is no loop, and a fence only where the barrier
; orders more than the memory of the work-group.
; WITH: sub-group=8
; PLAN: each sub-group waits on a stack of its own
; PLAN: @oxicl.named_barrier.make(i32 %all) ; $(=.*), a named barrier is made
; PLAN: @oxicl.named_barrier.wait(i64 %b, i32 2, i32 264) ; $(=.*), a barrier for some sub-groups
; CHECK: $(b=%\d+) = call i64 $(=%\d+)(ptr $(fibers=%\d+), i32
; CHECK-NOT: fence
; CHECK: call void $(=%\d+)(ptr $fibers, i64 $b)
; CHECK: fence acq_rel
; CHECK: call void $(=%\d+)(ptr $fibers, i64 $b)
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i32 @oxicl.num_sub_groups() memory(none) nounwind willreturn speculatable
declare i64 @oxicl.named_barrier.make(i32) convergent nounwind
declare void @oxicl.named_barrier.wait(i64, i32, i32) convergent nounwind

define void @meet(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %all = call i32 @oxicl.num_sub_groups()
  %b = call i64 @oxicl.named_barrier.make(i32 %all)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  call void @oxicl.named_barrier.wait(i64 %b, i32 2, i32 264)
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %x, ptr addrspace(1) %q, align 4
  call void @oxicl.named_barrier.wait(i64 %b, i32 1, i32 520)
  ret void
}
