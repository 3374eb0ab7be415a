; A vector that each lane gathers as one word lies in the gang's vector as it lies in memory, so nothing is taken apart.
; WITH: lanes=16
; ON: V4
; PLAN: %two = load <2 x float>, ptr addrspace(1) %p, align 8 ; $(=.*)AoS layout, scattered words of 8 bytes
; CHECK: $(words=%\d+) = call <16 x i64> @llvm.masked.gather.v16i64
; CHECK: bitcast <16 x i64> $words to <32 x float>
; CHECK: fadd <32 x float>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %where) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %w = getelementptr inbounds i32, ptr addrspace(1) %where, i64 %i
  %number = load i32, ptr addrspace(1) %w, align 4
  %far = mul i32 %number, 37
  %at = zext i32 %far to i64
  %p = getelementptr inbounds <2 x float>, ptr addrspace(1) %in, i64 %at
  %two = load <2 x float>, ptr addrspace(1) %p, align 8
  %sum = fadd <2 x float> %two, %two
  %q = getelementptr inbounds <2 x float>, ptr addrspace(1) %out, i64 %i
  store <2 x float> %sum, ptr addrspace(1) %q, align 8
  ret void
}
