; Where lanes have each their own place, numbers of a lane that fill a word are gathered as one where machines do that; narrower ones are
; loaded one after the other, three bytes as one number.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN-V2-V3-NEON: %pair = load <2 x float>, ptr addrspace(1) %pairs, align 8 ; $(=.*), scattered, lane by lane
; PLAN-V4: %pair = load <2 x float>, ptr addrspace(1) %pairs, align 8 ; $(=.*), scattered words of 8 bytes
; PLAN: %byte = load i8, ptr addrspace(1) %bytes, align 1 ; $(=.*), scattered, lane by lane
; PLAN: %three = load <3 x i8>, ptr addrspace(1) %threes, align 1 ; $(=.*), scattered, lane by lane
; PLAN: store float %sum, ptr addrspace(1) %q, align 4 ; $(=.*), scattered
; PLAN: store i8 %both, ptr addrspace(1) %r, align 1 ; $(=.*), scattered, lane by lane
; CHECK-V4: @llvm.masked.gather.v16i64
; CHECK-V2-V3-NEON: load i64, ptr addrspace(1)
; CHECK: load i8, ptr addrspace(1)
; CHECK: load i24, ptr addrspace(1)
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %where) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %w = getelementptr inbounds i32, ptr addrspace(1) %where, i64 %i
  %number = load i32, ptr addrspace(1) %w, align 4
  %at = zext i32 %number to i64
  %pairs = getelementptr inbounds <2 x float>, ptr addrspace(1) %in, i64 %at
  %pair = load <2 x float>, ptr addrspace(1) %pairs, align 8
  %bytes = getelementptr inbounds i8, ptr addrspace(1) %in, i64 %at
  %byte = load i8, ptr addrspace(1) %bytes, align 1
  %threes = getelementptr inbounds [3 x i8], ptr addrspace(1) %in, i64 %at
  %three = load <3 x i8>, ptr addrspace(1) %threes, align 1
  %x = extractelement <2 x float> %pair, i32 0
  %y = extractelement <2 x float> %pair, i32 1
  %sum = fadd float %x, %y
  %green = extractelement <3 x i8> %three, i32 1
  %both = add i8 %byte, %green
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %at
  store float %sum, ptr addrspace(1) %q, align 4
  %r = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %at
  store i8 %both, ptr addrspace(1) %r, align 1
  ret void
}
