; Vectors of the language that are treated alike in all parts stay as they lie in memory.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %v = load <4 x float>, ptr addrspace(1) %p, align 16 ; $(=.*), contiguous, in one vector of all parts
; PLAN: %square = fmul <4 x float> %v, %v ; $(=.*), on one vector of all parts
; PLAN: %root = call <4 x float> @llvm.sqrt.v4f32(<4 x float> %square) ; $(=.*), on one vector of all parts by llvm.sqrt
; PLAN: store <4 x float> %root, ptr addrspace(1) %q, align 16 ; $(=.*), contiguous, in one vector of all parts
; CHECK: fmul <64 x float>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare <4 x float> @llvm.sqrt.v4f32(<4 x float>)

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds <4 x float>, ptr addrspace(1) %in, i64 %i
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %square = fmul <4 x float> %v, %v
  %root = call <4 x float> @llvm.sqrt.v4f32(<4 x float> %square)
  %q = getelementptr inbounds <4 x float>, ptr addrspace(1) %out, i64 %i
  store <4 x float> %root, ptr addrspace(1) %q, align 16
  ret void
}
