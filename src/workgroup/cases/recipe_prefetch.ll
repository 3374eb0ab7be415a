; A load in a loop that advances by as much as the launch has work-items asks for what later iterations load.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %x = load float, ptr addrspace(1) %p, align 4 ; $(=.*), contiguous$(=.*), and prefetched
; CHECK: @llvm.prefetch
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.global_size(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i64 %n) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %size = call i64 @oxicl.global_size(i32 0)
  br label %head
head:
  %at = phi i64 [ %i, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %more, %body ]
  %goes_on = icmp ult i64 %at, %n
  br i1 %goes_on, label %body, label %done
body:
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %at
  %x = load float, ptr addrspace(1) %p, align 4
  %more = fadd float %sum, %x
  %next = add i64 %at, %size
  br label %head
done:
  %total = phi float [ %sum, %head ]
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %total, ptr addrspace(1) %q, align 4
  ret void
}
