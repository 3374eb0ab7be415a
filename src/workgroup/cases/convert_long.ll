; Integers of 64 bits become doubles by an instruction for vectors where there is one, else by their halves, or one by one.
; PLAN-SCALAR-V2: V = 1
; PLAN-V3-V4-NEON: gangs of $(=[0-9]+) work-items
; CHECK-SCALAR-V2: sitofp i64
; CHECK-V3-V4-NEON: sitofp <$(=\d+) x i64> $(=%\d+) to <$(=\d+) x double>
; ASM-V4: vcvtqq2pd
; ASM-V3-NOT: cvtqq2pd
; ASM-NEON: scvtf$(=\s+v)
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @convert(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i64, ptr addrspace(1) %in, i64 %i
  %x = load i64, ptr addrspace(1) %p, align 8
  %y = sitofp i64 %x to double
  %q = getelementptr inbounds double, ptr addrspace(1) %out, i64 %i
  store double %y, ptr addrspace(1) %q, align 8
  ret void
}
