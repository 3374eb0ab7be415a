; A lane counts all elements of the vector that it loads in one go; what others need as well is not done by the lane.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %x = load <4 x i32>, ptr addrspace(1) %p, align 16 ; varying, with %fourth
; PLAN: %bin.a = getelementptr $(=.*) ; varying, with %fourth
; PLAN: %first = atomicrmw $(=.*) ; varying, with %fourth
; PLAN: %b = extractelement <4 x i32> %x, i64 1 ; varying, with %fourth
; PLAN: %second = atomicrmw $(=.*) ; varying, with %fourth
; PLAN: %third = atomicrmw $(=.*) ; varying, with %fourth
; PLAN: %bin.d = getelementptr $(=.*) ; varying, with %fourth
; PLAN: %fourth = atomicrmw $(=.*) ; varying, lane by lane: each lane changes a place of its own
; PLAN: %y = load <2 x i32>, ptr addrspace(1) %r, align 8 ; $(=.*)contiguous
; PLAN: %fifth = atomicrmw $(=.*) ; varying, lane by lane: each lane changes a place of its own
; PLAN: %sixth = atomicrmw $(=.*) ; varying, lane by lane: each lane changes a place of its own
; CHECK: load <4 x i32>
; CHECK: atomicrmw add
; CHECK: atomicrmw add
; CHECK: atomicrmw add
; CHECK: atomicrmw add
; CHECK: fence seq_cst
; CHECK: atomicrmw add
; CHECK: br
; CHECK: atomicrmw add
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) %out, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %kept) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds <4 x i32>, ptr addrspace(1) %in, i64 %i
  %x = load <4 x i32>, ptr addrspace(1) %p, align 16
  %a = extractelement <4 x i32> %x, i64 0
  %wide.a = zext i32 %a to i64
  %bin.a = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %wide.a
  %first = atomicrmw add ptr addrspace(1) %bin.a, i32 1 monotonic
  %b = extractelement <4 x i32> %x, i64 1
  %wide.b = zext i32 %b to i64
  %bin.b = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %wide.b
  %second = atomicrmw add ptr addrspace(1) %bin.b, i32 1 monotonic
  %c = extractelement <4 x i32> %x, i64 2
  %wide.c = zext i32 %c to i64
  %bin.c = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %wide.c
  %third = atomicrmw add ptr addrspace(1) %bin.c, i32 1 monotonic
  %d = extractelement <4 x i32> %x, i64 3
  %wide.d = zext i32 %d to i64
  %bin.d = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %wide.d
  %fourth = atomicrmw add ptr addrspace(1) %bin.d, i32 1 monotonic
  fence seq_cst
  %r = getelementptr inbounds <2 x i32>, ptr addrspace(1) %kept, i64 %i
  %y = load <2 x i32>, ptr addrspace(1) %r, align 8
  %e = extractelement <2 x i32> %y, i64 0
  %wide.e = zext i32 %e to i64
  %bin.e = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %wide.e
  %fifth = atomicrmw add ptr addrspace(1) %bin.e, i32 1 monotonic
  %f = extractelement <2 x i32> %y, i64 1
  %wide.f = zext i32 %f to i64
  %bin.f = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %wide.f
  %sixth = atomicrmw add ptr addrspace(1) %bin.f, i32 1 monotonic
  %both = add i32 %e, %f
  %q = getelementptr inbounds i32, ptr addrspace(1) %kept, i64 %i
  store i32 %both, ptr addrspace(1) %q, align 4
  ret void
}
