; Work-items that wait for each other in a loop run on stacks of their own, and let others go on in each iteration.
; PLAN: each work-item waits on a stack of its own
; PLAN: one work-item at a time: a loop waits for other work-items
; CHECK: load atomic i32, ptr addrspace(1) %0 acquire
; CHECK-NOT: br
; CHECK: $(yield=%\d+) = load ptr, ptr
; CHECK-NEXT: call void $yield(ptr %6, i32 0)
; CHECK-NEXT: br i1
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @wait(ptr addrspace(1) %flag, ptr addrspace(1) %out) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %first = icmp eq i64 %i, 0
  br i1 %first, label %set, label %loop
set:
  store atomic i32 1, ptr addrspace(1) %flag release, align 4
  br label %end
loop:
  %x = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %is_set = icmp ne i32 %x, 0
  br i1 %is_set, label %end, label %loop
end:
  %q = getelementptr inbounds i64, ptr addrspace(1) %out, i64 %i
  store i64 %i, ptr addrspace(1) %q, align 8
  ret void
}
