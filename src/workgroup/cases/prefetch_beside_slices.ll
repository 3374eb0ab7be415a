; Whether lanes do a comparison with their atomic operation depends on the loads before it; how far these prefetch depends on how
; wide the comparison is. So how far they prefetch does not ask for its recipe.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %key = load i8, ptr addrspace(1) %p, align 1 ; $(=.*)and prefetched
; PLAN: %before = atomicrmw $(=.*) ; varying, lane by lane: each lane changes a place of its own
; PLAN: %is_odd = icmp eq i8 %bit, 0 ; varying, on vectors
; CHECK: @llvm.prefetch
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.global_size(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %counts, ptr addrspace(1) noalias %keys, ptr addrspace(1) noalias %out, i64 %n) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %size = call i64 @oxicl.global_size(i32 0)
  br label %head
head:
  %at = phi i64 [ %i, %entry ], [ %next, %body ]
  %sum = phi i32 [ 0, %entry ], [ %more, %body ]
  %goes_on = icmp ult i64 %at, %n
  br i1 %goes_on, label %body, label %done
body:
  %p = getelementptr inbounds i8, ptr addrspace(1) %keys, i64 %at
  %key = load i8, ptr addrspace(1) %p, align 1
  %wide = zext i8 %key to i64
  %count = getelementptr inbounds i32, ptr addrspace(1) %counts, i64 %wide
  %before = atomicrmw add ptr addrspace(1) %count, i32 1 monotonic
  %bit = and i8 %key, 1
  %is_odd = icmp eq i8 %bit, 0
  %odd = zext i1 %is_odd to i32
  %more = add i32 %sum, %odd
  %next = add i64 %at, %size
  br label %head
done:
  %total = phi i32 [ %sum, %head ]
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %total, ptr addrspace(1) %q, align 4
  ret void
}
