; Loads at places of each lane's own are one instruction where masks are registers, else a load for each lane: gathers without these are no faster.
; WITH: lanes=16
; PLAN: each work-item loads from a place of its own
; CHECK-V4: @llvm.masked.gather.v16f32
; CHECK-SCALAR-V2-V3-NEON: extractelement <16 x ptr addrspace(1)>
; CHECK-SCALAR-V2-V3-NEON: load i32, ptr addrspace(1)
; CHECK-SCALAR-V2-V3-NEON: insertelement <16 x i32>
; ASM-V2-NOT: gather
; ASM-V2: movd
; ASM-V3-NOT: gather
; ASM-V3: vmovd
; ASM-V3: vpinsrd
; ASM-V4: vgatherqps
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @pick(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %where) {
  %i = call i64 @oxicl.global_id(i32 0)
  %w = getelementptr inbounds i32, ptr addrspace(1) %where, i64 %i
  %at = load i32, ptr addrspace(1) %w, align 4
  %far = zext i32 %at to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %far
  %x = load float, ptr addrspace(1) %p, align 4
  %y = fmul float %x, 3.0
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %y, ptr addrspace(1) %q, align 4
  ret void
}
