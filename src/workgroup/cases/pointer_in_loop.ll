; A pointer that begins at a place of 32 bits, which a sum promises not to wrap, and goes on in a loop: lanes are side by side, as all of them make the accesses it is for, or none.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; PLAN: %wide = sext i32 %at to i64 ; affine by 1
; PLAN: %p = phi ptr addrspace(1) [ %first, block 0 ], [ %next, block 1 ] ; affine by 4, once
; PLAN: %x = load float, ptr addrspace(1) %p, align 4 ; varying, contiguous
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @columns(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %from, i64 %pitch, i32 %rows) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %short = trunc i64 %i to i32
  %at = add nsw i32 %short, %from
  %wide = sext i32 %at to i64
  %first = getelementptr inbounds float, ptr addrspace(1) %in, i64 %wide
  br label %loop

loop:
  %p = phi ptr addrspace(1) [ %first, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %row = phi i32 [ 0, %entry ], [ %after, %loop ]
  %x = load float, ptr addrspace(1) %p, align 4
  %more = fadd float %sum, %x
  %next = getelementptr inbounds float, ptr addrspace(1) %p, i64 %pitch
  %after = add nuw nsw i32 %row, 1
  %again = icmp slt i32 %after, %rows
  br i1 %again, label %loop, label %done

done:
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %more, ptr addrspace(1) %q, align 4
  ret void
}
