; A kernel that is cut too often has one region for all, which no gang runs.
; ON: V2 V3 V4 NEON
; PLAN: one work-item at a time: one region serves all states, of which there are more than 32
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: i32 33, label %resume33
; CHECK: $(x=%\d+) = load i32, ptr addrspace(1)
; CHECK-NEXT: store i32 $x, ptr $(record=%\d+), align 4
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: $(kept=%\d+) = load i32, ptr $record, align 4
; CHECK-NEXT: add i32 $kept, 1
; CHECK-NOT: <$(=[0-9]+) x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
; REPEAT 33
  call void @oxicl.barrier(i32 2, i32 2, i32 264)
; END REPEAT
  %r = add i32 %x, 1
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
