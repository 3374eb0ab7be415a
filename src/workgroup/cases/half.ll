; Halves are computed as floats: whole registers are converted where the machine does that, else numbers one by one.
; PLAN-SCALAR: V = 1
; PLAN-V2-V3-V4-NEON: gangs of $(=[0-9]+) work-items
; CHECK-SCALAR: fmul half
; CHECK-V2-V3-V4-NEON: fmul <$(=\d+) x half>
; ASM-V3: vcvtph2ps
; ASM-V3: vmulps
; ASM-V3: vcvtps2ph
; ASM-V4: vcvtph2ps
; ASM-V4: vmulps
; ASM-V4: vcvtps2ph
; ASM-V2-NOT: vcvt
; ASM-V2: call$(=.*)__extendhfsf2
; ASM-NEON: fcvtl
; ASM-NEON: fmul
; ASM-NEON: fcvtn
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @scale(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds half, ptr addrspace(1) %in, i64 %i
  %x = load half, ptr addrspace(1) %p, align 2
  %y = fmul half %x, %x
  %q = getelementptr inbounds half, ptr addrspace(1) %out, i64 %i
  store half %y, ptr addrspace(1) %q, align 2
  ret void
}
