; What outlives a barrier is in the context, which nobody else sees, and which has room behind the last work-item: where masks are no
; registers of their own, a gang of which lanes are missing loads and stores it without a mask, and keeps what other lanes have.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; CHECK-V2-V3-NEON: part:
; CHECK-V2-V3-NEON: $(mask=%\d+) = icmp ult <8 x $(=i\d+)>
; CHECK-V2-V3-NEON: $(there=%\d+) = load <8 x float>, ptr $(place=%\d+), align 4
; CHECK-V2-V3-NEON: $(kept=%\d+) = freeze <8 x float> $there
; CHECK-V2-V3-NEON: $(all=%\d+) = select <8 x i1> $mask, <8 x float> $(=%\d+), <8 x float> $kept
; CHECK-V2-V3-NEON: store <8 x float> $all, ptr $place, align 4
; CHECK-V2-V3-NEON: part$(=\d+):
; CHECK-V2-V3-NEON-NOT: @llvm.masked.load.v8f32.p0
; CHECK-V4: @llvm.masked.store.v8f32.p0
; CHECK-V4: @llvm.masked.load.v8f32.p0
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind

define void @k(ptr addrspace(1) noalias %data, ptr addrspace(1) noalias %more) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %data, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %y = fmul float %x, %x
  store float %y, ptr addrspace(1) %p, align 4
  call void @oxicl.barrier(i32 2, i32 2, i32 528)
  %q = getelementptr inbounds float, ptr addrspace(1) %more, i64 %i
  %w = load float, ptr addrspace(1) %q, align 4
  %z = fadd float %y, %w
  store float %z, ptr addrspace(1) %q, align 4
  ret void
}
