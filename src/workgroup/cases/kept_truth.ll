; What a comparison gives is kept across a barrier as a byte for each work-item: lanes store and load theirs as one vector of bytes.
; ON: V2 V3 V4 NEON
; PLAN: %is = icmp sgt i32 %v, %n ; varying, kept for each work-item at 0, on vectors
; CHECK: store <$(=\d+) x i8> %$(=\d+), ptr
; CHECK: load <$(=\d+) x i8>, ptr
; CHECK: trunc <$(=\d+) x i8> %$(=\d+) to <$(=\d+) x i1>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(3) noalias %tile, i32 %n) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %l = call i64 @oxicl.local_id(i32 0)
  %from = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %v = load i32, ptr addrspace(1) %from, align 4
  %is = icmp sgt i32 %v, %n
  %own = getelementptr inbounds i32, ptr addrspace(3) %tile, i64 %l
  store i32 %v, ptr addrspace(3) %own, align 4
  call void @oxicl.barrier(i32 2, i32 2, i32 272)
  %next = getelementptr inbounds i32, ptr addrspace(3) %own, i64 1
  %x = load i32, ptr addrspace(3) %next, align 4
  %y = select i1 %is, i32 %x, i32 7
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %y, ptr addrspace(1) %q, align 4
  ret void
}
