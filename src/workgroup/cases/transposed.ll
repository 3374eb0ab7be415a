; Four numbers of each lane: machines that shuffle quickly only within 128 bits unpack registers in pairs, each of which has
; the numbers of one lane, or of two; others pick numbers out of several registers.
; PLAN-SCALAR: V = 1
; PLAN-V2-V3-V4-NEON: gangs of $(=[0-9]+) work-items
; CHECK-V2: <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK-V2: <4 x i32> <i32 2, i32 6, i32 3, i32 7>
; CHECK-V3: <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 16, i32 17, i32 18, i32 19>
; CHECK-V3: <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
; CHECK-V3: <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
; ASM-V2: unpcklps
; ASM-V3: vunpcklps
; ASM-V4: vpermt2ps
; ASM-NEON: ld4
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @turned(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds <4 x float>, ptr addrspace(1) %in, i64 %i
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %x = extractelement <4 x float> %v, i32 0
  %y = extractelement <4 x float> %v, i32 1
  %z = extractelement <4 x float> %v, i32 2
  %w = extractelement <4 x float> %v, i32 3
  %xy = fmul float %x, %y
  %yz = fsub float %y, %z
  %zw = fmul float %z, %w
  %wx = fsub float %w, %x
  %a = insertelement <4 x float> poison, float %xy, i32 0
  %b = insertelement <4 x float> %a, float %yz, i32 1
  %c = insertelement <4 x float> %b, float %zw, i32 2
  %d = insertelement <4 x float> %c, float %wx, i32 3
  %q = getelementptr inbounds <4 x float>, ptr addrspace(1) %out, i64 %i
  store <4 x float> %d, ptr addrspace(1) %q, align 16
  ret void
}
