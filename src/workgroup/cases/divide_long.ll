; Quotients of 64 bits are estimated in doubles, and mended, where vectors of both are made of each other by instructions; else
; small ones are doubles', and large ones are computed one by one.
; PLAN-SCALAR-V2: V = 1
; PLAN-V3-V4-NEON: gangs of
; CHECK-SCALAR-V2-V3: udiv i64
; CHECK-V4-NOT: udiv i64
; CHECK-V4: uitofp <$(=\d+) x i64> $(=%\d+) to <$(=\d+) x double>
; CHECK-V4: fptoui <$(=\d+) x double>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @divide(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i64 %by) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i64, ptr addrspace(1) %in, i64 %i
  %x = load i64, ptr addrspace(1) %p, align 8
  %y = udiv i64 %x, %by
  %q = getelementptr inbounds i64, ptr addrspace(1) %out, i64 %i
  store i64 %y, ptr addrspace(1) %q, align 8
  ret void
}
