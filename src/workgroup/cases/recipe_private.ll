; Private objects of lanes lie interleaved: what all lanes have at one place is contiguous.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %second = getelementptr inbounds float, ptr %object, i64 1 ; $(=.*), in an interleaved object, the first lane's
; PLAN: store float %x, ptr %second, align 4 ; $(=.*), interleaved by 4, contiguous
; PLAN: %own = getelementptr inbounds float, ptr %object, i64 %at ; $(=.*), in an interleaved object, each lane's
; PLAN: %y = load float, ptr %own, align 4 ; $(=.*), interleaved by 4, scattered
; CHECK: store <16 x float>
; CHECK-V4: @llvm.masked.gather.v16f32.v16p0
; CHECK-V2-V3-NEON: extractelement <16 x ptr>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %object = alloca [64 x float], align 4
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %second = getelementptr inbounds float, ptr %object, i64 1
  store float %x, ptr %second, align 4
  %w = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %number = load i32, ptr addrspace(1) %w, align 4
  %low = and i32 %number, 63
  %at = zext i32 %low to i64
  %own = getelementptr inbounds float, ptr %object, i64 %at
  %y = load float, ptr %own, align 4
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %y, ptr addrspace(1) %q, align 4
  ret void
}
