; Where each work-item goes along a row of its own, the processor fetches ahead what it stores to, but not for the lanes of a
; scatter: lanes store one by one. They scatter where a work-item's places are far from each other, so that nothing is fetched ahead.
; ON: V4
; PLAN: kernel along
; PLAN: store float %total, ptr addrspace(1) %p, align 4 ; varying, scattered, lane by lane
; PLAN: kernel across
; PLAN: store float %total, ptr addrspace(1) %p, align 4 ; varying, scattered
; PLAN-NOT: lane by lane
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @along(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i64 %w, i64 %n) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %row = mul nsw i64 %i, %w
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k2, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %total, %loop ]
  %at = add nsw i64 %row, %k
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %at
  %total = fadd float %sum, 1.0
  store float %total, ptr addrspace(1) %p, align 4
  %k2 = add nuw nsw i64 %k, 1
  %more = icmp slt i64 %k2, %n
  br i1 %more, label %loop, label %end
end:
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %total, ptr addrspace(1) %q, align 4
  ret void
}

define void @across(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i64 %w, i64 %n) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %row = mul nsw i64 %i, %w
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k2, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %total, %loop ]
  %far = mul nuw nsw i64 %k, 40
  %at = add nsw i64 %row, %far
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %at
  %total = fadd float %sum, 1.0
  store float %total, ptr addrspace(1) %p, align 4
  %k2 = add nuw nsw i64 %k, 1
  %more = icmp slt i64 %k2, %n
  br i1 %more, label %loop, label %end
end:
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %total, ptr addrspace(1) %q, align 4
  ret void
}
