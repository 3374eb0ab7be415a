; One region; work-groups of a row may run as one, as the kernel cannot tell.
; WITH: disable=streams
; PLAN: no barrier: one region, one loop over the work-items
; BEGIN CHECK-SCALAR: getelementptr inbounds float | br label
; CHECK-SCALAR: $(v0=%\d+) = getelementptr inbounds float, ptr addrspace(1) $(v1=%\d+), i64 $(v2=%\d+)
; CHECK-SCALAR-NEXT: $(v3=%\d+) = getelementptr inbounds float, ptr addrspace(1) $(v4=%\d+), i64 $(v2)
; CHECK-SCALAR-NEXT: $(v5=%\d+) = load float, ptr addrspace(1) $(v0), align 4
; CHECK-SCALAR-NEXT: $(v6=%\d+) = fmul contract float $(v5), $(v7=%\d+)
; CHECK-SCALAR-NEXT: store float $(v6), ptr addrspace(1) $(v3), align 4
; CHECK-SCALAR-NEXT: br label %x.next
; END
; BEGIN CHECK-V3: load <8 x float> | br label
; CHECK-V3: $(v0=%\d+) = load <8 x float>, ptr addrspace(1) $(v1=%\d+), align 4
; CHECK-V3-NEXT: $(v2=%\d+) = insertelement <8 x float> poison, float $(v3=%\d+), i64 0
; CHECK-V3-NEXT: $(v4=%\d+) = shufflevector <8 x float> $(v2), <8 x float> poison, <8 x i32> zeroinitializer
; CHECK-V3-NEXT: $(v5=%\d+) = fmul contract <8 x float> $(v0), $(v4)
; CHECK-V3-NEXT: store <8 x float> $(v5), ptr addrspace(1) $(v6=%\d+), align 4
; CHECK-V3-NEXT: br label %gang.next2
; END
; BEGIN ASM-V3: vmulps | vmovups
; ASM-V3: vmulps
; ASM-V3-NEXT: vmulps
; ASM-V3-NEXT: vmovups
; END
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @scale(ptr addrspace(1) noalias %out, ptr addrspace(1) %in, float %factor) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %y = fmul contract float %x, %factor
  store float %y, ptr addrspace(1) %q, align 4
  ret void
}
