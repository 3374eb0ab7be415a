; What a kernel writes and does not read may be written by streaming stores: by whole lines, where the launch wants that.
; WITH: lanes=16
; ON: V3 V4
; PLAN: store float %y, ptr addrspace(1) %q, align 4 ; varying, contiguous, streaming if the launch is large
; PLAN: store float %y, ptr addrspace(1) %r, align 4 ; varying, contiguous
; CHECK: call void @"oxicl.streaming_store.4.<$(=\d+) x float>"(<$(=\d+) x float> %$(=\d+), ptr addrspace(1) %$(=\d+), i64 %$(=\d+))
; CHECK: store <$(=\d+) x float>
; ASM: vmovntps
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @twice(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  %r = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %x = load float, ptr addrspace(1) %r, align 4
  %y = fadd float %x, %x
  store float %y, ptr addrspace(1) %q, align 4
  store float %y, ptr addrspace(1) %r, align 4
  ret void
}
