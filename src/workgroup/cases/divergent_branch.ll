; Where lanes part at a branch, a side runs under its mask, is left out if no lane takes it, and what the sides give is chosen by the masks.
; PLAN-SCALAR: V = 1
; PLAN-V2-V3-V4-NEON: gangs of $(=[0-9]+) work-items
; CHECK-SCALAR: fcmp olt float
; CHECK-SCALAR: br i1
; CHECK-SCALAR: phi float
; CHECK-V2-V3-V4-NEON: fcmp olt <$(=\d+) x float>
; CHECK-V2-V3-V4-NEON: fdiv <$(=\d+) x float>
; CHECK-V2-V3-V4-NEON: select <$(=\d+) x i1> $(=%\d+), <$(=\d+) x float>
; CHECK-V2-V3-V4-NEON: $(bits=%\d+) = bitcast <$(=\d+) x i1> $(=%\d+) to i$()
; CHECK-V2-V3-V4-NEON-NEXT: $(some=%\d+) = icmp ne i$(=\d+) $bits, 0
; CHECK-V2-V3-V4-NEON-NEXT: br i1 $some,
; CHECK-V3-V4: @llvm.masked.load
; CHECK-V2-NEON: select <$(=\d+) x i1> $(=%\d+), <$(=\d+) x ptr addrspace(1)>
; CHECK-V2-V3-V4-NEON: fmul <$(=\d+) x float>
; CHECK-V2-V3-V4-NEON: select <$(=\d+) x i1> $(=%\d+), <$(=\d+) x float>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @part(ptr addrspace(1) noalias %out, ptr addrspace(1) %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %low = fcmp olt float %x, 1.0
  br i1 %low, label %small, label %large
small:
  %r = getelementptr inbounds float, ptr addrspace(1) %p, i64 1
  %other = load float, ptr addrspace(1) %r, align 4
  %s = fmul float %other, 3.0
  br label %end
large:
  %l = fdiv float %x, 5.0
  br label %end
end:
  %y = phi float [ %s, %small ], [ %l, %large ]
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %y, ptr addrspace(1) %q, align 4
  ret void
}
