; All lanes go through a window around their places equally often, as long as nothing wraps: the counter and the end advance by the same
; from lane to lane, so that they compare alike. What promises not to wrap as a signed number may do so as an unsigned one. How far both
; are apart is computed from the first lane's, which promise nothing if it is not there.
; ON: V4
; PLAN: kernel signed
; PLAN: gangs of $(=[0-9]+) work-items
; PLAN: %more = icmp sle i32 %j, %to ; uniform in a row, once
; PLAN: kernel unsigned
; PLAN: %more = icmp ule i32 %j, %to ; varying, on vectors
; PLAN: kernel counted
; PLAN: %more = icmp ne i32 %j, %to ; uniform in a row, once
; PLAN: kernel apart
; PLAN: %left = sub nsw i32 %to, %j ; uniform in a row, once
; CHECK-NOT: sub nsw
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @signed(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i32 %r) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %x = trunc i64 %i to i32
  %from = sub nsw i32 %x, %r
  %to = add nsw i32 %x, %r
  br label %loop
loop:
  %j = phi i32 [ %from, %entry ], [ %next, %turn ]
  %sum = phi float [ 0.0, %entry ], [ %total, %turn ]
  %more = icmp sle i32 %j, %to
  br i1 %more, label %turn, label %end
turn:
  %far = sext i32 %j to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %far
  %v = load float, ptr addrspace(1) %p, align 4
  %total = fadd float %sum, %v
  %next = add nsw i32 %j, 1
  br label %loop
end:
  %all = phi float [ %sum, %loop ]
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %all, ptr addrspace(1) %q, align 4
  ret void
}

define void @unsigned(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i32 %r) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %x = trunc i64 %i to i32
  %from = sub nsw i32 %x, %r
  %to = add nsw i32 %x, %r
  br label %loop
loop:
  %j = phi i32 [ %from, %entry ], [ %next, %turn ]
  %sum = phi float [ 0.0, %entry ], [ %total, %turn ]
  %more = icmp ule i32 %j, %to
  br i1 %more, label %turn, label %end
turn:
  %far = sext i32 %j to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %far
  %v = load float, ptr addrspace(1) %p, align 4
  %total = fadd float %sum, %v
  %next = add nsw i32 %j, 1
  br label %loop
end:
  %all = phi float [ %sum, %loop ]
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %all, ptr addrspace(1) %q, align 4
  ret void
}

define void @counted(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i32 %r) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %x = trunc i64 %i to i32
  %from = sub i32 %x, %r
  %to = add i32 %x, %r
  br label %loop
loop:
  %j = phi i32 [ %from, %entry ], [ %next, %turn ]
  %sum = phi float [ 0.0, %entry ], [ %total, %turn ]
  %more = icmp ne i32 %j, %to
  br i1 %more, label %turn, label %end
turn:
  %far = sext i32 %j to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %far
  %v = load float, ptr addrspace(1) %p, align 4
  %total = fadd float %sum, %v
  %next = add i32 %j, 1
  br label %loop
end:
  %all = phi float [ %sum, %loop ]
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %all, ptr addrspace(1) %q, align 4
  ret void
}

define void @apart(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i32 %r) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %x = trunc i64 %i to i32
  %from = sub nsw i32 %x, %r
  %to = add nsw i32 %x, %r
  br label %loop
loop:
  %j = phi i32 [ %from, %entry ], [ %next, %turn ]
  %sum = phi float [ 0.0, %entry ], [ %total, %turn ]
  %left = sub nsw i32 %to, %j
  %more = icmp sge i32 %left, 0
  br i1 %more, label %turn, label %end
turn:
  %far = sext i32 %j to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %far
  %v = load float, ptr addrspace(1) %p, align 4
  %total = fadd float %sum, %v
  %next = add nsw i32 %j, 1
  br label %loop
end:
  %all = phi float [ %sum, %loop ]
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %all, ptr addrspace(1) %q, align 4
  ret void
}
