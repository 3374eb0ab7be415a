; Lanes that change one place change it once; those that may do so are asked.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %one = atomicrmw add ptr addrspace(1) %out, i32 %x monotonic, align 4 ; $(=.*), one change by all lanes' values combined
; PLAN: %some = atomicrmw or ptr addrspace(1) %w, i32 %x monotonic, align 4 ; $(=.*), if lanes share the place one change by all lanes' values combined, else lane by lane
; PLAN: %each = atomicrmw add ptr addrspace(1) %b, i32 1 monotonic, align 4 ; $(=.*), lane by lane: each lane changes a place of its own
; CHECK: @llvm.vector.reduce.add
; CHECK: @llvm.vector.reduce.or
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %one = atomicrmw add ptr addrspace(1) %out, i32 %x monotonic
  %word = lshr i64 %i, 5
  %w = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %word
  %some = atomicrmw or ptr addrspace(1) %w, i32 %x monotonic
  %number = zext i32 %x to i64
  %b = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %number
  %each = atomicrmw add ptr addrspace(1) %b, i32 1 monotonic
  ret void
}
