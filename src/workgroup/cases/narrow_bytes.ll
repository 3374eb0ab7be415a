; Whole gangs have as many lanes as one register or two hold bytes where nearly all that varies are bytes, and rows that are too short for these have shorter ones, or run as one as far as these are long; the price of each plan is told.
; ON: V2 V3 V4 NEON
; PLAN-V2-NEON: short for gangs are up to 8 work-items
; PLAN-V3-V4: short for gangs are up to 32 work-items
; PLAN-V2-NEON: gangs of 16 work-items
; PLAN-V3: gangs of 64 work-items
; PLAN-V4: gangs of 64 work-items
; PLAN-V3-SAME: priced at $(=[0-9.]+) cycles a work-item in gangs of 64, the next best plan at $(=[0-9.]+) cycles a work-item in gangs of 32
; CHECK-V2-NEON: @llvm.umin.v16i8
; CHECK-V2-NEON: @llvm.umin.v8i8
; CHECK-V2-NEON: @llvm.umin.v4i8
; CHECK-V3: @llvm.umin.v32i8
; CHECK-V3: @llvm.umin.v16i8
; CHECK-V3: @llvm.umin.v8i8
; CHECK-V4: @llvm.umin.v64i8
; CHECK-V4: @llvm.umin.v32i8
; CHECK-V4: @llvm.umin.v16i8
; ASM-V3: vpminub$(=.*)%ymm$(=\d+)
; ASM-V4: vpminub$(=.*)%zmm$(=\d+)
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i8 @llvm.umin.i8(i8, i8)
declare i8 @llvm.umax.i8(i8, i8)

define void @middle(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %c) {
  %i = call i64 @oxicl.global_id(i32 0)
  %pa = getelementptr inbounds i8, ptr addrspace(1) %a, i64 %i
  %x = load i8, ptr addrspace(1) %pa, align 1
  %pb = getelementptr inbounds i8, ptr addrspace(1) %b, i64 %i
  %y = load i8, ptr addrspace(1) %pb, align 1
  %pc = getelementptr inbounds i8, ptr addrspace(1) %c, i64 %i
  %z = load i8, ptr addrspace(1) %pc, align 1
  %low = call i8 @llvm.umin.i8(i8 %x, i8 %y)
  %high = call i8 @llvm.umax.i8(i8 %x, i8 %y)
  %below = call i8 @llvm.umin.i8(i8 %high, i8 %z)
  %middle = call i8 @llvm.umax.i8(i8 %low, i8 %below)
  %q = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %i
  store i8 %middle, ptr addrspace(1) %q, align 1
  ret void
}
