; What runs between the barriers of a loop runs as often as the loop: there each lane changes places of its own, which outweighs
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
  %h = fadd float %w, 3.0
  %key = fptoui float %h to i32
  br label %loop
loop:
  %turn = phi i32 [ 0, %entry ], [ %next, %loop ]
  %mixed = add i32 %key, %turn
  %slot = and i32 %mixed, 255
  %place = getelementptr inbounds i32, ptr addrspace(3) %table, i32 %slot
  %before = atomicrmw volatile xor ptr addrspace(3) %place, i32 %turn monotonic, align 4
  %mixed0 = xor i32 %mixed, 5
  %mixed1 = xor i32 %mixed, 69
  %mixed2 = xor i32 %mixed, 133
  %mixed3 = xor i32 %mixed, 197
  %mixed4 = xor i32 %mixed, 261
  %mixed5 = xor i32 %mixed, 325
  %mixed6 = xor i32 %mixed, 389
  %mixed7 = xor i32 %mixed, 453
  %mixed8 = xor i32 %mixed, 517
  %mixed9 = xor i32 %mixed, 581
  %mixed10 = xor i32 %mixed, 645
  %mixed11 = xor i32 %mixed, 709
  %far0 = getelementptr inbounds i8, ptr addrspace(1) %out, i32 %mixed0
  store i8 0, ptr addrspace(1) %far0, align 1
  %far1 = getelementptr inbounds i8, ptr addrspace(1) %out, i32 %mixed1
  store i8 1, ptr addrspace(1) %far1, align 1
  %far2 = getelementptr inbounds i8, ptr addrspace(1) %out, i32 %mixed2
  store i8 2, ptr addrspace(1) %far2, align 1
  %far3 = getelementptr inbounds i8, ptr addrspace(1) %out, i32 %mixed3
  store i8 3, ptr addrspace(1) %far3, align 1
  %far4 = getelementptr inbounds i8, ptr addrspace(1) %out, i32 %mixed4
  store i8 4, ptr addrspace(1) %far4, align 1
  %far5 = getelementptr inbounds i8, ptr addrspace(1) %out, i32 %mixed5
  store i8 5, ptr addrspace(1) %far5, align 1
  %far6 = getelementptr inbounds i8, ptr addrspace(1) %out, i32 %mixed6
  store i8 6, ptr addrspace(1) %far6, align 1
  %far7 = getelementptr inbounds i8, ptr addrspace(1) %out, i32 %mixed7
  store i8 7, ptr addrspace(1) %far7, align 1
  %far8 = getelementptr inbounds i8, ptr addrspace(1) %out, i32 %mixed8
  store i8 8, ptr addrspace(1) %far8, align 1
  %far9 = getelementptr inbounds i8, ptr addrspace(1) %out, i32 %mixed9
  store i8 9, ptr addrspace(1) %far9, align 1
  %far10 = getelementptr inbounds i8, ptr addrspace(1) %out, i32 %mixed10
  store i8 10, ptr addrspace(1) %far10, align 1
  %far11 = getelementptr inbounds i8, ptr addrspace(1) %out, i32 %mixed11
  store i8 11, ptr addrspace(1) %far11, align 1
  call void @oxicl.barrier(i32 2, i32 2, i32 528)
  %next = add i32 %turn, 1
  %again = icmp ult i32 %next, %times
  br i1 %again, label %loop, label %end
end:
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %h, ptr addrspace(1) %q, align 4
  ret void
}
