; What advances by a stride is known by its first lane; what lanes share is computed once, all else on vectors.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %twice = shl i64 %i, 1 ; $(=.*), the first lane's, with a stride of 2
; PLAN: %place = trunc i64 %twice to i32 ; $(=.*), the first lane's, with a stride of 2
; PLAN: %shared = mul i32 %by, 3 ; $(=.*), once
; PLAN: %square = mul i32 %place, %place ; $(=.*), on vectors
; PLAN: %sum = add i32 %square, %shared ; $(=.*), on vectors
; PLAN: %bits = call i32 @llvm.ctpop.i32(i32 %sum) ; $(=.*), on vectors by llvm.ctpop
; PLAN: %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i ; $(=.*), the first lane's, with a stride of 4
; CHECK: mul <16 x i32>
; CHECK: @llvm.ctpop.v16i32
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i32 @llvm.ctpop.i32(i32)

define void @k(ptr addrspace(1) noalias %out, i32 %by) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %twice = shl i64 %i, 1
  %place = trunc i64 %twice to i32
  %shared = mul i32 %by, 3
  %square = mul i32 %place, %place
  %sum = add i32 %square, %shared
  %bits = call i32 @llvm.ctpop.i32(i32 %sum)
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %bits, ptr addrspace(1) %q, align 4
  ret void
}
