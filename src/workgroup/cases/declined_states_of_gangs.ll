; A kernel that is cut very often and does something in its sub-groups has one region for all, which no gang runs; fibers cannot either, as a value has too many parts.
; ON: V3
; PLAN: sub-groups of one work-item: one region serves all states, of which there are more than 256
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: i32 256, label %resume256
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: $(v=%\d+) = insertvalue [300 x i32] zeroinitializer, i32 $(=%\d+), 7
; CHECK-NOT: <$(=[0-9]+) x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind
declare i32 @oxicl.sub_group.reduce.add.i32(i32) convergent nounwind willreturn memory(none)

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
; REPEAT 256
  call void @oxicl.barrier(i32 2, i32 2, i32 264)
; END REPEAT
  %v = insertvalue [300 x i32] zeroinitializer, i32 %x, 7
  %y = extractvalue [300 x i32] %v, 7
  %r = call i32 @oxicl.sub_group.reduce.add.i32(i32 %y)
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
