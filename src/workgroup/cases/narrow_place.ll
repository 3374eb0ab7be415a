; An index of 32 bits that is made of places in a work-group, which is small, does not wrap: behind a barrier, too, lanes are side by
; side without a question. A product of three sizes may.
; ON: V2 V3 V4 NEON
; PLAN: %own = getelementptr inbounds float, ptr addrspace(3) %tile, i64 %at ; affine by 4,
; PLAN: %below = getelementptr inbounds float, ptr addrspace(3) %tile, i64 %deep ; affine by 4 unless it wraps,
; PLAN: %x = load float, ptr addrspace(3) %next, align 4 ; $(=.*), contiguous
; PLAN: %y = load float, ptr addrspace(3) %below, align 4 ; $(=.*), scattered
; CHECK: load <$(=\d+) x float>, ptr addrspace(3)
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.local_size(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(3) noalias %tile) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %x0 = call i64 @oxicl.local_id(i32 0)
  %y0 = call i64 @oxicl.local_id(i32 1)
  %w0 = call i64 @oxicl.local_size(i32 0)
  %lx = trunc i64 %x0 to i32
  %ly = trunc i64 %y0 to i32
  %w = trunc i64 %w0 to i32
  %pitch = add nuw nsw i32 %w, 2
  %row = mul nuw nsw i32 %ly, %pitch
  %place = add nuw nsw i32 %row, %lx
  %at = zext nneg i32 %place to i64
  %own = getelementptr inbounds float, ptr addrspace(3) %tile, i64 %at
  %square = mul i32 %w, %w
  %cube = mul i32 %square, %w
  %sum = add i32 %cube, %lx
  %deep = zext i32 %sum to i64
  %below = getelementptr inbounds float, ptr addrspace(3) %tile, i64 %deep
  %there = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %v = load float, ptr addrspace(1) %there, align 4
  store float %v, ptr addrspace(3) %own, align 4
  call void @oxicl.barrier(i32 2, i32 2, i32 272)
  %next = getelementptr inbounds float, ptr addrspace(3) %own, i64 1
  %x = load float, ptr addrspace(3) %next, align 4
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  %y = load float, ptr addrspace(3) %below, align 4
  %z = fadd float %x, %y
  store float %z, ptr addrspace(1) %q, align 4
  ret void
}
