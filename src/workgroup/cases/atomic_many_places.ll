; Lanes that change places of their own do so one after the other, and only those that are on. Each computes its address
; by itself, from the number that it loads.
; WITH: lanes=8
; PLAN: each work-item changes a place of its own
; PLAN: with %
; CHECK-SCALAR: atomicrmw add
; CHECK-V2-V3-V4-NEON: lane$(=[0-9]*):
; CHECK-V2-V3-V4-NEON: load i32, ptr addrspace(1)
; CHECK-V2-V3-V4-NEON: lshr i32
; CHECK-V2-V3-V4-NEON: atomicrmw add ptr addrspace(1) $(=%\d+), i32 1 monotonic
; CHECK-V2-V3-V4-NEON: lane$(=[0-9]*):
; CHECK-V2-V3-V4-NEON: @llvm.cttz.i64
; CHECK-V2-V3-V4-NEON: load i32, ptr addrspace(1)
; CHECK-V2-V3-V4-NEON: lshr i32
; CHECK-V2-V3-V4-NEON: atomicrmw add ptr addrspace(1) $(=%\d+), i32 1 monotonic
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @histogram(ptr addrspace(1) %bins, ptr addrspace(1) %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %h = mul i32 %x, -1640531535
  %low = lshr i32 %h, 24
  %bin = zext i32 %low to i64
  %b = getelementptr inbounds i32, ptr addrspace(1) %bins, i64 %bin
  %old = atomicrmw add ptr addrspace(1) %b, i32 1 monotonic
  ret void
}
