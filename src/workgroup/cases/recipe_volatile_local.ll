; A sum of a warp as programs write it that count on lanes going in step: volatile accesses to local memory are those of all lanes at once.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; PLAN: %near = load volatile float, ptr addrspace(3) %q, align 4 ; varying, contiguous
; PLAN: store volatile float %sum, ptr addrspace(3) %p, align 4 ; varying, contiguous
; CHECK: load <8 x float>, ptr addrspace(3)
; CHECK: fadd <8 x float>
; CHECK: store <8 x float>
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable

define void @warp(ptr addrspace(3) %all) {
entry:
  %i = call i64 @oxicl.local_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(3) %all, i64 %i
  %q = getelementptr inbounds i8, ptr addrspace(3) %p, i64 16
  %own = load volatile float, ptr addrspace(3) %p, align 4
  %near = load volatile float, ptr addrspace(3) %q, align 4
  %sum = fadd float %own, %near
  store volatile float %sum, ptr addrspace(3) %p, align 4
  ret void
}
