; A load from a small constant table is a look-up in registers where machines permute these.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN-V2-NEON: %found = load i32, ptr addrspace(2) %t, align 4 ; $(=.*), scattered
; PLAN-V3: %found = load i32, ptr addrspace(2) %t, align 4 ; $(=.*), looked up in registers of 16 bytes, byte by byte
; PLAN-V4: %found = load i32, ptr addrspace(2) %t, align 4 ; $(=.*), looked up in registers
; CHECK-V4: @llvm.x86.avx512.permvar.si.512
; CHECK-V3: @llvm.x86.ssse3.pshuf.b.128
; CHECK-V2-NEON: load i32, ptr addrspace(2)
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
@table = internal addrspace(2) constant [16 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6, i32 5, i32 3, i32 5, i32 8, i32 9, i32 7, i32 9, i32 3], align 4

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %low = and i32 %x, 15
  %at = zext i32 %low to i64
  %t = getelementptr inbounds [16 x i32], ptr addrspace(2) @table, i64 0, i64 %at
  %found = load i32, ptr addrspace(2) %t, align 4
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %found, ptr addrspace(1) %q, align 4
  ret void
}
