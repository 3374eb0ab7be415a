; Bytes that lanes under a mask load from places of their own: each lane by itself, those that are off from a place in the frame, where the machine has no masks. No branch, no trip through memory.
; ON: V2 V3
; PLAN-V2-V3: gangs of $(=[0-9]+) work-items
; CHECK-V2-V3: $(places=%\d+) = select <$(=\d+) x i1> $(=%\d+), <$(=\d+) x ptr addrspace(1)>
; CHECK-V2-V3: $(place=%\d+) = extractelement <$(=\d+) x ptr addrspace(1)> $places, i64 0
; CHECK-V2-V3: $(byte=%\d+) = load i8, ptr addrspace(1) $place
; CHECK-V2-V3: insertelement <$(=\d+) x i8> poison, i8 $byte, i64 0
; ASM-V3: vpinsrb
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @pick(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %places, ptr addrspace(1) noalias %table) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i64, ptr addrspace(1) %places, i64 %i
  %place = load i64, ptr addrspace(1) %p, align 8
  %some = icmp sgt i64 %place, 10
  br i1 %some, label %more, label %end
more:
  %t = getelementptr inbounds i8, ptr addrspace(1) %table, i64 %place
  %byte = load i8, ptr addrspace(1) %t, align 1
  %twice = mul i8 %byte, %byte
  br label %end
end:
  %v = phi i8 [ 0, %0 ], [ %twice, %more ]
  %q = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %i
  store i8 %v, ptr addrspace(1) %q, align 1
  ret void
}
