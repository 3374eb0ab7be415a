; Many lanes that go to places of their own under a mask, on machines without gathers: each loads, those that are off from a place in the
; frame. LLVM would write a branch for each lane, which is guessed wrong where data decide. Machines that gather do it in vectors.
; WITH: lanes=32
; ON: V2 V3 V4 NEON
; PLAN-V2-V3-NEON: %y = load float, ptr addrspace(1) %own, align 4 ; $(=.*)scattered, lane by lane
; PLAN-V4-NOT: lane by lane
; CHECK-V2-V3-NEON: $(spare=%\d+) = alloca <16 x i64>, align 16
; CHECK-V2-V3-NEON: $(near=%\d+) = addrspacecast ptr $spare to ptr addrspace(1)
; CHECK-V2-V3-NEON: $(first=%\d+) = insertelement <32 x ptr addrspace(1)> poison, ptr addrspace(1) $near, i64 0
; CHECK-V2-V3-NEON: $(off=%\d+) = shufflevector <32 x ptr addrspace(1)> $first
; CHECK-V2-V3-NEON: $(places=%\d+) = select <32 x i1> $(=%\d+), <32 x ptr addrspace(1)> $(=%\d+), <32 x ptr addrspace(1)> $off
; CHECK-V2-V3-NEON: $(place=%\d+) = extractelement <32 x ptr addrspace(1)> $places, i64 0
; CHECK-V2-V3-NEON: load i32, ptr addrspace(1) $place
; CHECK-V2-V3-NEON-NOT: @llvm.masked.gather
; CHECK-V4: @llvm.masked.gather.v32f32.v32p1
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %at = load i32, ptr addrspace(1) %p, align 4
  %off = icmp slt i32 %at, 0
  br i1 %off, label %end, label %body
body:
  %squared = mul i32 %at, %at
  %low = and i32 %squared, 1023
  %index = zext i32 %low to i64
  %own = getelementptr inbounds float, ptr addrspace(1) %in, i64 %index
  %y = load float, ptr addrspace(1) %own, align 4
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %y, ptr addrspace(1) %q, align 4
  br label %end
end:
  ret void
}
