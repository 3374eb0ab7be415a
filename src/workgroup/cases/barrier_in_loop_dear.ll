; What runs between the barriers of a loop runs as often as the loop: there each lane changes a place of its own, which outweighs
; what gangs save once in front of it and behind.
; ON: V3 V4 NEON
; PLAN: one work-item at a time: lanes do not pay: much is done lane by lane, or each at an address of its own
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind

define void @k(ptr addrspace(3) %table, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out, i32 %times) {
entry:
  %l = call i64 @oxicl.local_id(i32 0)
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %w = fmul float %v, %v
  %h = fdiv float %w, 3.0
  %key = fptoui float %h to i32
  br label %loop
loop:
  %turn = phi i32 [ 0, %entry ], [ %next, %loop ]
  %mixed = add i32 %key, %turn
  %slot = and i32 %mixed, 255
  %place = getelementptr inbounds i32, ptr addrspace(3) %table, i32 %slot
  %before = atomicrmw volatile xor ptr addrspace(3) %place, i32 %turn monotonic, align 4
  call void @oxicl.barrier(i32 2, i32 2, i32 528)
  %next = add i32 %turn, 1
  %again = icmp ult i32 %next, %times
  br i1 %again, label %loop, label %end
end:
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %h, ptr addrspace(1) %q, align 4
  ret void
}
