; Work-items of one sub-group that each want a lock are no gang.
; PLAN: sub-groups of one work-item: a loop waits for a lock
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: $(held=%\d+) = atomicrmw xchg ptr addrspace(1) %0, i32 1 acquire
; CHECK-NEXT: $(free=%\d+) = icmp eq i32 $held, 0
; CHECK: call void $(=%\d+)(ptr
; CHECK-NEXT: br i1 $free
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: store i32 1, ptr addrspace(1)
; CHECK-NOT: <$(=[0-9]+) x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i32 @oxicl.sub_group.reduce.add.i32(i32) convergent nounwind willreturn memory(none)

define void @k(ptr addrspace(1) %out) {
  %i = call i64 @oxicl.global_id(i32 0)
  br label %take
take:
  %held = atomicrmw xchg ptr addrspace(1) %out, i32 1 acquire
  %free = icmp eq i32 %held, 0
  br i1 %free, label %taken, label %take
taken:
  store atomic i32 0, ptr addrspace(1) %out release, align 4
  %r = call i32 @oxicl.sub_group.reduce.add.i32(i32 1)
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
