; A window at the edges of a row, from max(x - 1, 0) to min(x + 1, last): lanes that start side by side stay so. That some work-items
; change one word of the launch, for which all threads fight, is a reason for gangs, which change it once.
; ON: V2 V3 V4 NEON
; PLAN: gangs of $(=[0-9]+) work-items
; PLAN: %x = load i32, ptr addrspace(1) %p, align 4 ; $(=.*), contiguous$(=.*) side by side, else scattered
; PLAN: %old = atomicrmw or ptr addrspace(1) %any, i32 1 monotonic, align 4 ; $(=.*), one change by all lanes' values combined
; CHECK: load <
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) %any, i32 %last) {
entry:
  %id = call i64 @oxicl.global_id(i32 0)
  %i = trunc i64 %id to i32
  %low = call i32 @llvm.smax.i32(i32 %i, i32 1)
  %from = add nsw i32 %low, -1
  %right = add nsw i32 %i, 1
  %to = call i32 @llvm.smin.i32(i32 %right, i32 %last)
  br label %window
window:
  %at = phi i32 [ %from, %entry ], [ %next, %more ]
  %least = phi i32 [ 2147483647, %entry ], [ %less, %more ]
  %beyond = icmp sgt i32 %at, %to
  br i1 %beyond, label %done, label %more
more:
  %place = sext i32 %at to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %place
  %x = load i32, ptr addrspace(1) %p, align 4
  %less = call i32 @llvm.smin.i32(i32 %x, i32 %least)
  %next = add nsw i32 %at, 1
  br label %window
done:
  %found = phi i32 [ %least, %window ]
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %id
  store i32 %found, ptr addrspace(1) %q, align 4
  %changed = icmp slt i32 %found, 7
  br i1 %changed, label %tell, label %end
tell:
  %old = atomicrmw or ptr addrspace(1) %any, i32 1 monotonic
  br label %end
end:
  ret void
}
