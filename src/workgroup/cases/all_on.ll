; A loop that all lanes go through together until one of them leaves it. Iterations with all lanes have a body without masks, where
; machines pay for masks.
; PLAN-SCALAR: V = 1
; PLAN-V2-V3-V4-NEON: gangs of $(=[0-9]+) work-items
; CHECK-V2-V3-NEON: load <$(=\d+) x float>
; CHECK-V2-V3-NEON: store <$(=\d+) x float>
; CHECK-V3-V4: call <$(=\d+) x float> @llvm.masked.load
; CHECK-V3-V4: call void @llvm.masked.store
; CHECK-V2-NEON: select <$(=\d+) x i1> $(=%\d+), <$(=\d+) x ptr addrspace(1)>
; CHECK-V2-NEON: lane:
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.global_size(i32) memory(none) nounwind willreturn speculatable

define void @all_on(ptr addrspace(1) %out, i64 %n) {
  %i = call i64 @oxicl.global_id(i32 0)
  %step = call i64 @oxicl.global_size(i32 0)
  br label %loop
loop:
  %at = phi i64 [ %i, %0 ], [ %next, %body ]
  %more = icmp ult i64 %at, %n
  br i1 %more, label %body, label %end
body:
  %p = getelementptr inbounds float, ptr addrspace(1) %out, i64 %at
  %x = load float, ptr addrspace(1) %p, align 4
  %y = fadd float %x, 1.0
  store float %y, ptr addrspace(1) %p, align 4
  %next = add i64 %at, %step
  br label %loop
end:
  ret void
}
