; Bytes that lanes under a mask load from places of their own are put together in memory: each lane's store goes to its place in the frame, and one load has them all.
; ON: V2 V3
; PLAN-V2-V3: gangs of $(=[0-9]+) work-items
; CHECK-V2-V3-NOT: insertelement <$(=\d+) x i8> $(=[^,]+), i8 $(=[^,]+), i64 %
; CHECK-V3: load i8, ptr addrspace(1)
; CHECK-V3-NEXT: $(place=%\d+) = getelementptr inbounds i8, ptr $(lanes=%\d+), i64
; CHECK-V3-NEXT: store i8 $(=%\d+), ptr $place
; CHECK-V3: load <$(=\d+) x i8>, ptr $lanes
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
