; Lanes side by side are loaded and stored as one vector; narrow parts that make a word in registers of words, where there are gathers.
; WITH: lanes=16 disable=streams
; ON: V2 V3 V4 NEON
; PLAN: %x = load float, ptr addrspace(1) %p, align 4 ; $(=.*), contiguous
; PLAN: store float %x, ptr addrspace(1) %q, align 4 ; $(=.*), contiguous
; PLAN-V2-V3-NEON: %pixel = load <4 x i8>, ptr addrspace(1) %pixels, align 4 ; $(=.*), contiguous
; PLAN-V4: %pixel = load <4 x i8>, ptr addrspace(1) %pixels, align 4 ; $(=.*), contiguous words
; PLAN: store i8 %sum, ptr addrspace(1) %bytes, align 1 ; $(=.*), contiguous
; CHECK: load <16 x float>
; CHECK: store <16 x float>
; CHECK-V2-V3-NEON: load <64 x i8>
; CHECK-V4: load <16 x i32>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %x, ptr addrspace(1) %q, align 4
  %pixels = getelementptr inbounds <4 x i8>, ptr addrspace(1) %in, i64 %i
  %pixel = load <4 x i8>, ptr addrspace(1) %pixels, align 4
  %red = extractelement <4 x i8> %pixel, i32 0
  %green = extractelement <4 x i8> %pixel, i32 1
  %blue = extractelement <4 x i8> %pixel, i32 2
  %alpha = extractelement <4 x i8> %pixel, i32 3
  %warm = mul i8 %red, %green
  %cold = mul i8 %blue, %alpha
  %sum = add i8 %warm, %cold
  %bytes = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %i
  store i8 %sum, ptr addrspace(1) %bytes, align 1
  ret void
}
