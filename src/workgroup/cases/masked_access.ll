; Under a mask, neighbours are one masked access where the machine has such instructions. Else they are one access if all lanes are on; if not, each lane loads, those that are off from a
; place in the frame, and those that are on store in a loop.
; PLAN-SCALAR: V = 1
; PLAN-V2-V3-V4-NEON: gangs of $(=[0-9]+) work-items
; PLAN-V2-NEON: %x = load float, ptr addrspace(1) %p, align 4 ; varying, contiguous, lane by lane if some are missing
; CHECK-V3-V4: @llvm.masked.load
; CHECK-V3-V4: @llvm.masked.store
; CHECK-V2-NEON: load <$(=[48]) x float>, ptr addrspace(1)
; CHECK-V2-NEON: $(off=%\d+) = insertelement <$(=\d+) x ptr addrspace(1)> poison, ptr addrspace(1) %
; CHECK-V2-NEON: select <$(=\d+) x i1> $(=%\d+), <$(=\d+) x ptr addrspace(1)>
; CHECK-V2-NEON: store <$(=[48]) x float> $(=%\d+), ptr addrspace(1)
; CHECK-V2-NEON: lane:
; CHECK-V2-NEON: @llvm.cttz.i64
; CHECK-V2-NEON: store float $(=%\d+), ptr addrspace(1)
; ASM-V2-NOT: maskmov
; ASM-V2: testb
; ASM-V2: retq
; ASM-V2-NOT: maskmov
; ASM-V3: vmaskmovps
; ASM-V3: vmaskmovps
; ASM-V4-NOT: maskmov
; ASM-V4: vmovups$(=.*){%k$(=[1-7])}
; ASM-V4: vmovups$(=.*){%k$(=[1-7])}
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @where(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %flags) {
  %i = call i64 @oxicl.global_id(i32 0)
  %f = getelementptr inbounds i32, ptr addrspace(1) %flags, i64 %i
  %flag = load i32, ptr addrspace(1) %f, align 4
  %on = icmp ne i32 %flag, 0
  br i1 %on, label %body, label %end
body:
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %y = fmul float %x, %x
  store float %y, ptr addrspace(1) %q, align 4
  br label %end
end:
  ret void
}
