; A constant table that fits two registers is looked up in them where one instruction permutes two, else in memory.
; WITH: lanes=16
; CHECK-V4-NOT: gather
; CHECK-V4: @llvm.x86.avx512.vpermi2var.d.512
; CHECK-SCALAR-V2-V3-NEON-NOT: vperm
; CHECK-SCALAR-V2-V3-NEON: extractelement <16 x ptr addrspace(2)>
; ASM-V4: vperm$(=[it])2d
; ASM-V3-NOT: vperm$(=[it])2
; ASM-V3: vpinsrd
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

@table = internal addrspace(2) constant [32 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6, i32 5, i32 3, i32 5, i32 8, i32 9, i32 7, i32 9, i32 3, i32 2, i32 3, i32 8, i32 4, i32 6, i32 2, i32 6, i32 4, i32 3, i32 3, i32 8, i32 3, i32 2, i32 7, i32 9, i32 5], align 4
define void @look_up(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %low = and i32 %x, 31
  %at = zext i32 %low to i64
  %t = getelementptr inbounds [32 x i32], ptr addrspace(2) @table, i64 0, i64 %at
  %found = load i32, ptr addrspace(2) %t, align 4
  %y = add i32 %found, %x
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %y, ptr addrspace(1) %q, align 4
  ret void
}
