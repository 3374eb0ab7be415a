; A load of bytes from a constant table is a look-up by permutes of bytes: of whole registers, or of 16 bytes at a time.
; WITH: lanes=32
; ON: V2 V3 V4 VBMI NEON
; PLAN-NEON: %found = load i8, ptr addrspace(2) %t, align 1 ; $(=.*), scattered
; PLAN-V2-V3-V4: %found = load i8, ptr addrspace(2) %t, align 1 ; $(=.*), looked up in registers of 16 bytes, byte by byte
; PLAN-VBMI: %found = load i8, ptr addrspace(2) %t, align 1 ; $(=.*), looked up in registers, byte by byte
; CHECK-V2: @llvm.x86.ssse3.pshuf.b.128
; CHECK-V3-V4: @llvm.x86.avx2.pshuf.b
; CHECK-V2-V3-V4: @llvm.ssub.sat
; CHECK-VBMI-NOT: pshuf.b
; CHECK-VBMI: @llvm.x86.avx512.permvar.qi.512
; CHECK-NEON: load i8, ptr addrspace(2)
; ASM-VBMI: vpermb
; ASM-V3: vpshufb
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
@table = internal addrspace(2) constant [64 x i8] c"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", align 1

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i8, ptr addrspace(1) %in, i64 %i
  %x = load i8, ptr addrspace(1) %p, align 1
  %low = and i8 %x, 63
  %at = zext i8 %low to i64
  %t = getelementptr inbounds [64 x i8], ptr addrspace(2) @table, i64 0, i64 %at
  %found = load i8, ptr addrspace(2) %t, align 1
  %q = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %i
  store i8 %found, ptr addrspace(1) %q, align 1
  ret void
}
