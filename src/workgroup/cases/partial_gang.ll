; Whole gangs of a row load and store plainly; the end of the row, which fills none, runs under a mask of the lanes that there are.
; WITH: disable=streams
; PLAN-SCALAR: V = 1
; PLAN-V2-V3-V4-NEON: gangs of $(=[0-9]+) work-items
; CHECK-SCALAR-NOT: masked
; CHECK-SCALAR: store float
; CHECK-V2-V3-V4-NEON: gang$(=[0-9]*):
; CHECK-V2-V3-V4-NEON-NOT: masked
; CHECK-V2-V3-V4-NEON: load <$(=\d+) x float>
; CHECK-V2-V3-V4-NEON-NOT: masked
; CHECK-V2-V3-V4-NEON: store <$(=\d+) x float>
; CHECK-V2-V3-V4-NEON: part:
; CHECK-V2-V3-V4-NEON: $(mask=%\d+) = icmp ult <$(=\d+) x $(=i\d+)> <$(=i\d+) 0, $(=i\d+) 1, $(=i\d+) 2, $(=i\d+) 3
; CHECK-V3-V4: @llvm.masked.load$(=.*), <$(=\d+) x i1> $mask, <
; CHECK-V3-V4: @llvm.masked.store$(=.*), <$(=\d+) x i1> $mask)
; CHECK-V2-NEON: select <$(=\d+) x i1> $mask, <$(=\d+) x ptr addrspace(1)>
; CHECK-V2-NEON: bitcast <$(=\d+) x i1> $mask to i$(=\d+)
; CHECK-V2-NEON: lane:
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @copy(ptr addrspace(1) noalias %out, ptr addrspace(1) %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  store float %x, ptr addrspace(1) %q, align 4
  ret void
}
