; Twenty vectors are alive at once, and AVX2 has sixteen registers. The stack is aligned to what is spilled, so that no such vector lies
; in two cache lines.
; WITH: lanes=8
; ON: V3
; ASM-V3: $$-32, %rsp
; ASM-V3: vmovaps
; ASM-V3-SAME: %ymm$(=\d+), $(=-?\d*)(%rsp)
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %i0 = add nuw nsw i64 %i, 0
  %p0 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i0
  %x0 = load float, ptr addrspace(1) %p0, align 4
  %i1 = add nuw nsw i64 %i, 4096
  %p1 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i1
  %x1 = load float, ptr addrspace(1) %p1, align 4
  %i2 = add nuw nsw i64 %i, 8192
  %p2 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i2
  %x2 = load float, ptr addrspace(1) %p2, align 4
  %i3 = add nuw nsw i64 %i, 12288
  %p3 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i3
  %x3 = load float, ptr addrspace(1) %p3, align 4
  %i4 = add nuw nsw i64 %i, 16384
  %p4 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i4
  %x4 = load float, ptr addrspace(1) %p4, align 4
  %i5 = add nuw nsw i64 %i, 20480
  %p5 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i5
  %x5 = load float, ptr addrspace(1) %p5, align 4
  %i6 = add nuw nsw i64 %i, 24576
  %p6 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i6
  %x6 = load float, ptr addrspace(1) %p6, align 4
  %i7 = add nuw nsw i64 %i, 28672
  %p7 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i7
  %x7 = load float, ptr addrspace(1) %p7, align 4
  %i8 = add nuw nsw i64 %i, 32768
  %p8 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i8
  %x8 = load float, ptr addrspace(1) %p8, align 4
  %i9 = add nuw nsw i64 %i, 36864
  %p9 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i9
  %x9 = load float, ptr addrspace(1) %p9, align 4
  %i10 = add nuw nsw i64 %i, 40960
  %p10 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i10
  %x10 = load float, ptr addrspace(1) %p10, align 4
  %i11 = add nuw nsw i64 %i, 45056
  %p11 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i11
  %x11 = load float, ptr addrspace(1) %p11, align 4
  %i12 = add nuw nsw i64 %i, 49152
  %p12 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i12
  %x12 = load float, ptr addrspace(1) %p12, align 4
  %i13 = add nuw nsw i64 %i, 53248
  %p13 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i13
  %x13 = load float, ptr addrspace(1) %p13, align 4
  %i14 = add nuw nsw i64 %i, 57344
  %p14 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i14
  %x14 = load float, ptr addrspace(1) %p14, align 4
  %i15 = add nuw nsw i64 %i, 61440
  %p15 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i15
  %x15 = load float, ptr addrspace(1) %p15, align 4
  %i16 = add nuw nsw i64 %i, 65536
  %p16 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i16
  %x16 = load float, ptr addrspace(1) %p16, align 4
  %i17 = add nuw nsw i64 %i, 69632
  %p17 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i17
  %x17 = load float, ptr addrspace(1) %p17, align 4
  %i18 = add nuw nsw i64 %i, 73728
  %p18 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i18
  %x18 = load float, ptr addrspace(1) %p18, align 4
  %i19 = add nuw nsw i64 %i, 77824
  %p19 = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i19
  %x19 = load float, ptr addrspace(1) %p19, align 4
  %s1 = fadd float %x0, %x1
  %s2 = fadd float %s1, %x2
  %s3 = fadd float %s2, %x3
  %s4 = fadd float %s3, %x4
  %s5 = fadd float %s4, %x5
  %s6 = fadd float %s5, %x6
  %s7 = fadd float %s6, %x7
  %s8 = fadd float %s7, %x8
  %s9 = fadd float %s8, %x9
  %s10 = fadd float %s9, %x10
  %s11 = fadd float %s10, %x11
  %s12 = fadd float %s11, %x12
  %s13 = fadd float %s12, %x13
  %s14 = fadd float %s13, %x14
  %s15 = fadd float %s14, %x15
  %s16 = fadd float %s15, %x16
  %s17 = fadd float %s16, %x17
  %s18 = fadd float %s17, %x18
  %s19 = fadd float %s18, %x19
  %y0 = fdiv float %x0, %s19
  %q0 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i0
  store float %y0, ptr addrspace(1) %q0, align 4
  %y1 = fdiv float %x1, %s19
  %q1 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i1
  store float %y1, ptr addrspace(1) %q1, align 4
  %y2 = fdiv float %x2, %s19
  %q2 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i2
  store float %y2, ptr addrspace(1) %q2, align 4
  %y3 = fdiv float %x3, %s19
  %q3 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i3
  store float %y3, ptr addrspace(1) %q3, align 4
  %y4 = fdiv float %x4, %s19
  %q4 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i4
  store float %y4, ptr addrspace(1) %q4, align 4
  %y5 = fdiv float %x5, %s19
  %q5 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i5
  store float %y5, ptr addrspace(1) %q5, align 4
  %y6 = fdiv float %x6, %s19
  %q6 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i6
  store float %y6, ptr addrspace(1) %q6, align 4
  %y7 = fdiv float %x7, %s19
  %q7 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i7
  store float %y7, ptr addrspace(1) %q7, align 4
  %y8 = fdiv float %x8, %s19
  %q8 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i8
  store float %y8, ptr addrspace(1) %q8, align 4
  %y9 = fdiv float %x9, %s19
  %q9 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i9
  store float %y9, ptr addrspace(1) %q9, align 4
  %y10 = fdiv float %x10, %s19
  %q10 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i10
  store float %y10, ptr addrspace(1) %q10, align 4
  %y11 = fdiv float %x11, %s19
  %q11 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i11
  store float %y11, ptr addrspace(1) %q11, align 4
  %y12 = fdiv float %x12, %s19
  %q12 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i12
  store float %y12, ptr addrspace(1) %q12, align 4
  %y13 = fdiv float %x13, %s19
  %q13 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i13
  store float %y13, ptr addrspace(1) %q13, align 4
  %y14 = fdiv float %x14, %s19
  %q14 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i14
  store float %y14, ptr addrspace(1) %q14, align 4
  %y15 = fdiv float %x15, %s19
  %q15 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i15
  store float %y15, ptr addrspace(1) %q15, align 4
  %y16 = fdiv float %x16, %s19
  %q16 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i16
  store float %y16, ptr addrspace(1) %q16, align 4
  %y17 = fdiv float %x17, %s19
  %q17 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i17
  store float %y17, ptr addrspace(1) %q17, align 4
  %y18 = fdiv float %x18, %s19
  %q18 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i18
  store float %y18, ptr addrspace(1) %q18, align 4
  %y19 = fdiv float %x19, %s19
  %q19 = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i19
  store float %y19, ptr addrspace(1) %q19, align 4
  ret void
}
