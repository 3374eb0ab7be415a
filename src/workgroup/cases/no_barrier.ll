; One piece; work-groups of a row may run as one, as the kernel cannot tell.
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @scale(ptr addrspace(1) noalias %out, ptr addrspace(1) %in, float %factor) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %y = fmul contract float %x, %factor
  store float %y, ptr addrspace(1) %q, align 4
  ret void
}
