; Numbers of 16 bits have at least as many lanes as fill a register, with numbers of 32 bits between in two.
; ON: V2 V3 V4 NEON
; PLAN-V2-NEON: gangs of 16 work-items
; PLAN-V3: gangs of 32 work-items
; PLAN-V4: gangs of 64 work-items
; CHECK-V2-NEON: load <16 x i16>
; CHECK-V3: load <32 x i16>
; CHECK-V4: load <64 x i16>
; ASM-V3: vpaddw$(=.*)%ymm$(=\d+)
; ASM-V4: vpaddw$(=.*)%zmm$(=\d+)
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @add(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b) {
  %i = call i64 @oxicl.global_id(i32 0)
  %pa = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %i
  %x = load i16, ptr addrspace(1) %pa, align 2
  %pb = getelementptr inbounds i16, ptr addrspace(1) %b, i64 %i
  %y = load i16, ptr addrspace(1) %pb, align 2
  %sum = add i16 %x, %y
  %all = xor i16 %sum, 21845
  %q = getelementptr inbounds i16, ptr addrspace(1) %out, i64 %i
  store i16 %all, ptr addrspace(1) %q, align 2
  ret void
}
