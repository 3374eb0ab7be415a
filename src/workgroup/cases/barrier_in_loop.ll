; The loop's counter is uniform: the regions go round without looking at work-items. So is what all read from one place.
; PLAN: 2 barriers: 3 regions, each a plain loop
; PLAN: kept across barriers: 3 values once, 0 for each work-item
; CHECK: add i32 $(=%\d+), 1
; CHECK-NEXT: icmp ult i32 $(=%\d+), %2
; CHECK-NEXT: br i1
; CHECK-NOT: phi <
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind

define void @rotate(ptr addrspace(3) %tile, ptr addrspace(1) %out, i32 %turns) {
entry:
  %l = call i64 @oxicl.local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(3) %tile, i64 %l
  br label %loop
loop:
  %turn = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  store i32 %sum, ptr addrspace(3) %p, align 4
  call void @oxicl.barrier(i32 2, i32 1, i32 528)
  %first = load i32, ptr addrspace(3) %tile, align 4
  %more = add i32 %sum, %first
  call void @oxicl.barrier(i32 2, i32 2, i32 272)
  %next = add i32 %turn, 1
  %again = icmp ult i32 %next, %turns
  br i1 %again, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %l
  store i32 %more, ptr addrspace(1) %q, align 4
  ret void
}
