; Lanes count by a component of a vector of the language: each loads its own vector, and no layout is needed for it.
; WITH: lanes=8
; PLAN: each work-item changes a place of its own
; PLAN: with %
; CHECK-V2-V3-V4-NEON: lane$(=[0-9]*):
; CHECK-V2-V3-V4-NEON: load <4 x i8>, ptr addrspace(1)
; CHECK-V2-V3-V4-NEON: extractelement <4 x i8>
; CHECK-V2-V3-V4-NEON: atomicrmw add ptr addrspace(1) $(=%\d+), i32 1 monotonic
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @histogram(ptr addrspace(1) %bins, ptr addrspace(1) %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds <4 x i8>, ptr addrspace(1) %in, i64 %i
  %x = load <4 x i8>, ptr addrspace(1) %p, align 4
  %green = extractelement <4 x i8> %x, i64 1
  %bin = zext i8 %green to i64
  %b = getelementptr inbounds i32, ptr addrspace(1) %bins, i64 %bin
  %old = atomicrmw add ptr addrspace(1) %b, i32 1 monotonic
  ret void
}
