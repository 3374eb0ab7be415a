; Records of several numbers, one a lane, are loaded as they lie, and shuffles make a vector of each number.
; PLAN-SCALAR: V = 1
; PLAN-V2-V3-V4-NEON: gangs of $(=[0-9]+) work-items
; CHECK-V2-V3-V4-NEON: $(all=%\d+) = load <$(=\d+) x float>
; CHECK-V2-V3-V4-NEON-NEXT: shufflevector <$(=\d+) x float> $all, <$(=\d+) x float> poison, <$(=\d+) x i32> <i32 0, i32 2, i32 4, i32 6
; CHECK-V2-V3-V4-NEON-NEXT: shufflevector <$(=\d+) x float> $all, <$(=\d+) x float> poison, <$(=\d+) x i32> <i32 1, i32 3, i32 5, i32 7
; ASM-V3: vshufps
; ASM-V4: vperm$(=[it])2ps
; ASM-NEON: ld2
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @length(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds <2 x float>, ptr addrspace(1) %in, i64 %i
  %v = load <2 x float>, ptr addrspace(1) %p, align 8
  %x = extractelement <2 x float> %v, i32 0
  %y = extractelement <2 x float> %v, i32 1
  %xx = fmul float %x, %x
  %yy = fmul float %y, %y
  %sum = fadd float %xx, %yy
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %sum, ptr addrspace(1) %q, align 4
  ret void
}
