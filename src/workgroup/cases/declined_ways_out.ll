; A value that leaves a loop by two ways, one of them a cut, is not each lane's.
; ON: V2 V3 V4 NEON
; PLAN: one work-item at a time: a value leaves a loop by several ways
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: $(v=%\d+) = lshr i32 $(u=%\d+), 1
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: add i32 $v, $u
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: store i32 $u, ptr %
; CHECK: store i32 $v, ptr %
; CHECK-NOT: <$(=[0-9]+) x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  br label %loop
loop:
  %u = phi i32 [ %x, %entry ], [ %v, %again ]
  %v = lshr i32 %u, 1
  %odd = trunc i32 %v to i1
  br i1 %odd, label %cut, label %again
cut:
  call void @oxicl.barrier(i32 2, i32 2, i32 264)
  br label %again
again:
  %more = icmp ugt i32 %v, 9
  br i1 %more, label %loop, label %end
end:
  %r = add i32 %v, %u
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
