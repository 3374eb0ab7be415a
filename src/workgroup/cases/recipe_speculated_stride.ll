; Lanes are asked whether they lie side by side where they do if what is cut off, divided or turned is so for all of them alike: both indices
; of a tile may vary. Where that leaves them at another distance, they are not asked.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: store float %x, ptr addrspace(1) %t, align 4 ; $(=.*), contiguous$(=.*) if addresses are side by side, else scattered
; PLAN: %y = load float, ptr addrspace(1) %p, align 4 ; $(=.*), contiguous$(=.*) if $(=.*) are side by side, else scattered
; PLAN: %z = load float, ptr addrspace(1) %q, align 4 ; varying, scattered
; PLAN: %w = load float, ptr addrspace(1) %u, align 4 ; varying, scattered
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %tile, i64 %turned) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %o = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  %x = load float, ptr addrspace(1) %o, align 4
  %column = and i64 %i, 15
  %above = lshr i64 %i, 4
  %row = and i64 %above, 15
  %rows = getelementptr inbounds [17 x float], ptr addrspace(1) %tile, i64 %row
  %t = getelementptr inbounds float, ptr addrspace(1) %rows, i64 %column
  store float %x, ptr addrspace(1) %t, align 4
  %other = xor i64 %i, %turned
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %other
  %y = load float, ptr addrspace(1) %p, align 4
  %five = mul i64 %i, 5
  %ring = and i64 %five, 1023
  %q = getelementptr inbounds float, ptr addrspace(1) %in, i64 %ring
  %z = load float, ptr addrspace(1) %q, align 4
  %columns = getelementptr inbounds [17 x float], ptr addrspace(1) %tile, i64 %column
  %u = getelementptr inbounds float, ptr addrspace(1) %columns, i64 %row
  %w = load float, ptr addrspace(1) %u, align 4
  %yz = fadd float %y, %z
  %all = fadd float %yz, %w
  store float %all, ptr addrspace(1) %o, align 4
  ret void
}
