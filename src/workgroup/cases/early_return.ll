; Some work-items may leave early: how each ended is noted, and where they differ one region serves all states.
; PLAN: 1 barrier: 2 regions, and one for work-items that diverge
; CHECK: icmp ult
; CHECK: switch i32
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind

define void @guarded(ptr addrspace(1) %out, i64 %n) {
  %i = call i64 @oxicl.global_id(i32 0)
  %inside = icmp ult i64 %i, %n
  br i1 %inside, label %stay, label %leave
stay:
  call void @oxicl.barrier(i32 2, i32 2, i32 272)
  %p = getelementptr i64, ptr addrspace(1) %out, i64 %i
  store i64 %i, ptr addrspace(1) %p, align 8
  br label %leave
leave:
  ret void
}
