; A number that all parts of a vector have is spread over the one vector of all lanes.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; PLAN: %each = shufflevector <4 x float> %first, <4 x float> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 0> ; varying, AoS layout, one number in all parts
; PLAN: %product = fmul <4 x float> %v, %each ; varying, AoS layout, on one vector of all parts
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %by) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds <4 x float>, ptr addrspace(1) %in, i64 %i
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %b = getelementptr inbounds float, ptr addrspace(1) %by, i64 %i
  %x = load float, ptr addrspace(1) %b, align 4
  %first = insertelement <4 x float> poison, float %x, i64 0
  %each = shufflevector <4 x float> %first, <4 x float> poison, <4 x i32> zeroinitializer
  %product = fmul <4 x float> %v, %each
  %sum = fadd <4 x float> %product, %v
  %q = getelementptr inbounds <4 x float>, ptr addrspace(1) %out, i64 %i
  store <4 x float> %sum, ptr addrspace(1) %q, align 16
  ret void
}
