; Vectors that lanes access whole stay as they lie in memory: nothing takes their parts from each other.
; WITH: lanes=4
; ON: V2 V3 NEON
; PLAN: %four = load <4 x float>, ptr addrspace(1) %p, align 16 ; varying, AoS layout, contiguous, in one vector of all parts$(=.*), by aos-layout
; PLAN: store <4 x float> %product, ptr addrspace(1) %q, align 16 ; varying, strided by 128, scattered, lane by lane
; CHECK: $(all=%\d+) = fmul <16 x float>
; CHECK: $(part=%\d+) = shufflevector <16 x float> $all, <16 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; CHECK: store <4 x float> $part, ptr addrspace(1)
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @tile(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, float %by) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %one = insertelement <4 x float> poison, float %by, i64 0
  %all = shufflevector <4 x float> %one, <4 x float> poison, <4 x i32> zeroinitializer
  %p = getelementptr inbounds <4 x float>, ptr addrspace(1) %in, i64 %i
  %four = load <4 x float>, ptr addrspace(1) %p, align 16
  %product = fmul <4 x float> %four, %all
  %row = mul nuw nsw i64 %i, 128
  %q = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %row
  store <4 x float> %product, ptr addrspace(1) %q, align 16
  ret void
}
