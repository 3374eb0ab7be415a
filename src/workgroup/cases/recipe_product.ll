; The upper half of a product of 64 bits is made of products of halves.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %high = trunc i128 %shifted to i64 ; $(=.*), by products of halves
; CHECK: mul <16 x i64>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i64, ptr addrspace(1) %in, i64 %i
  %x = load i64, ptr addrspace(1) %p, align 8
  %long = zext i64 %x to i128
  %product = mul i128 %long, 12157665459056928801
  %shifted = lshr i128 %product, 64
  %high = trunc i128 %shifted to i64
  %q = getelementptr inbounds i64, ptr addrspace(1) %out, i64 %i
  store i64 %high, ptr addrspace(1) %q, align 8
  ret void
}
