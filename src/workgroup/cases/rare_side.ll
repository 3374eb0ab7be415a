; Gangs go where work-items hardly ever do as seldom, once for each lane, and LLVM is told so: that side lies apart, and costs the other
; nothing. Most of the kernel lies there, and still whole gangs have a body without the mask.
; ON: V3
; PLAN: gangs that are whole: 8 lanes
; CHECK: gang:
; CHECK: br i1 %$(=\d+), label %$(=\d+), label %$(=\d+), !prof !$(weights=\d+)
; CHECK: part:
; CHECK: br i1 %$(=\d+), label %$(=\d+), label %$(=\d+), !prof !$weights
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %o = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  %s = fmul float %x, %x
  %t = fadd float %s, 3.0
  %z = fdiv float %x, %t
  %large = fcmp oge float %x, 65536.0
  br i1 %large, label %rare, label %end, !prof !0
rare:
  %bits = bitcast float %x to i32
  %at = lshr i32 %bits, 23
  %far = zext i32 %at to i64
  %t0 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %far
  %a = load float, ptr addrspace(1) %t0, align 4
  %b = fadd float %a, 1.0
  %c = fdiv float %x, %b
  %d = fmul float %c, %a
  %e = fadd float %d, %b
  %f = fdiv float %e, %c
  br label %end
end:
  %r = phi float [ %z, %entry ], [ %f, %rare ]
  store float %r, ptr addrspace(1) %o, align 4
  ret void
}

!0 = !{!"branch_weights", i32 1, i32 2000}
