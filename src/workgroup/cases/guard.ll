; A kernel with a guard: lanes that are off neither load nor store. What is not loaded is not stored back either.
; PLAN-SCALAR: V = 1
; PLAN-V2-V3-V4-NEON: gangs of $(=[0-9]+) work-items
; CHECK-SCALAR: br i1
; CHECK-SCALAR: store float
; CHECK-V2-V3-V4-NEON-NOT: select <$(=\d+) x i1> $(=%\d+), <$(=\d+) x float>
; CHECK-V3-V4: = call <$(=\d+) x float> @llvm.masked.load$(=.*), <$(=\d+) x i1> $(mask=%\d+)
; CHECK-V2-NEON: select <$(=\d+) x i1> $(mask=%\d+), <$(=\d+) x ptr addrspace(1)>
; CHECK-V2-V3-V4-NEON-NOT: select <$(=\d+) x i1> $(=%\d+), <$(=\d+) x float>
; CHECK-V3-V4: call void @llvm.masked.store$(=.*), <$(=\d+) x i1> $mask)
; CHECK-V2-NEON: bitcast <$(=\d+) x i1> $mask to i$(=\d+)
; CHECK-V2-NEON: lane:
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @guard(ptr addrspace(1) noalias %out, ptr addrspace(1) %in, i64 %n) {
  %i = call i64 @oxicl.global_id(i32 0)
  %inside = icmp ult i64 %i, %n
  br i1 %inside, label %body, label %end
body:
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %y = fadd float %x, 1.0
  store float %y, ptr addrspace(1) %q, align 4
  br label %end
end:
  ret void
}
