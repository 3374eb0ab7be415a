; Vectors of the language that become bytes or shorts, the nearest one where there is none, are held within the limits as floating-point numbers, all elements at once, by a work-item by itself as well as by a gang.
; CHECK-SCALAR-NOT: llvm.fptoui.sat
; CHECK-SCALAR: fcmp ogt <4 x float>
; CHECK-SCALAR: fcmp olt <4 x float>
; CHECK-SCALAR: fptosi <4 x float> $(=%\d+) to <4 x i32>
; CHECK-SCALAR: trunc <4 x i32> $(=%\d+) to <4 x i8>
; CHECK-V2-V3-V4-NEON-NOT: llvm.fptoui.sat
; CHECK-V2-V3-V4-NEON: fcmp ogt <$(=\d+) x float>
; CHECK-V2-V3-V4-NEON: fcmp olt <$(=\d+) x float>
; CHECK-V2-V3-V4-NEON: fptosi <$(=\d+) x float> $(=%\d+) to <$(=\d+) x i32>
; ASM-SCALAR-NOT: pinsrb
; ASM-V3-NOT: vpinsrb
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare <4 x i8> @llvm.fptoui.sat.v4i8.v4f32(<4 x float>)

define void @convert(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds <4 x float>, ptr addrspace(1) %in, i64 %i
  %x = load <4 x float>, ptr addrspace(1) %p, align 16
  %b = call <4 x i8> @llvm.fptoui.sat.v4i8.v4f32(<4 x float> %x)
  %q = getelementptr inbounds <4 x i8>, ptr addrspace(1) %out, i64 %i
  store <4 x i8> %b, ptr addrspace(1) %q, align 4
  ret void
}
