; Lanes that add to one place, and do not look at what was there, add their sum once; what is off adds nothing.
; PLAN-V2-V3-V4-NEON: gangs of $(=[0-9]+) work-items
; CHECK-SCALAR: atomicrmw add
; CHECK-V2-V3-V4-NEON: $(sum=%\d+) = call i32 @llvm.vector.reduce.add
; CHECK-V2-V3-V4-NEON-NEXT: atomicrmw add ptr addrspace(1) %0, i32 $sum monotonic
; CHECK-V2-V3-V4-NEON: $(on=%\d+) = select <$(=\d+) x i1> $(=%\d+), <$(=\d+) x i32> $(=%\d+), <$(=\d+) x i32> zeroinitializer
; CHECK-V2-V3-V4-NEON-NEXT: $(rest=%\d+) = call i32 @llvm.vector.reduce.add.v$(=\d+)i32(<$(=\d+) x i32> $on)
; CHECK-V2-V3-V4-NEON-NEXT: atomicrmw add ptr addrspace(1) %0, i32 $rest monotonic
; CHECK-V2-V3-V4-NEON-NOT: atomicrmw
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @count(ptr addrspace(1) %sum, ptr addrspace(1) %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %old = atomicrmw add ptr addrspace(1) %sum, i32 %x monotonic
  ret void
}
