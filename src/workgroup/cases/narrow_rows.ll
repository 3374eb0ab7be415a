; Work-groups that wait at a barrier do not run as one: where their rows are shorter than gangs, gangs of as many lanes cost less.
; ON: V2 V3 V4 NEON
; PLAN-V2-NOT: launches with rows of
; PLAN-V3: launches with rows of 4 work-items have code of their own, for as many lanes
; PLAN-V4: launches with rows of 4 or 8 work-items have code of their own, for as many lanes
; PLAN-NEON-NOT: launches with rows of
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind

define void @look_up(ptr addrspace(3) %tile, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %table, ptr addrspace(1) noalias %out) {
entry:
  %l = call i64 @oxicl.local_id(i32 0)
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %v = load i32, ptr addrspace(1) %p, align 4
  %own = getelementptr inbounds i32, ptr addrspace(3) %tile, i64 %l
  store i32 %v, ptr addrspace(3) %own, align 4
  call void @oxicl.barrier(i32 2, i32 2, i32 272)
  %next = getelementptr inbounds i32, ptr addrspace(3) %own, i64 1
  %first = load i32, ptr addrspace(3) %next, align 4
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %h = phi i32 [ %first, %entry ], [ %mixed, %loop ]
  %slot = and i32 %h, 4095
  %at = getelementptr inbounds i32, ptr addrspace(1) %table, i32 %slot
  %x = load i32, ptr addrspace(1) %at, align 4
  %product = mul i32 %h, 31
  %mixed = add i32 %product, %x
  %k.next = add nuw nsw i32 %k, 1
  %again = icmp ult i32 %k.next, 16
  br i1 %again, label %loop, label %end
end:
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %mixed, ptr addrspace(1) %q, align 4
  ret void
}
