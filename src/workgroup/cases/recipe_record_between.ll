; Accesses of other bytes lie between those to a record: of the record itself, and of a buffer that is accessed by one parameter only.
; WITH: lanes=16
; ON: V3 V4 NEON
; PLAN: %x = load i16, ptr addrspace(1) %p, align 2 ; $(=.*), 2 numbers of a record at once, $(=.*)
; PLAN: store i16 %x1, ptr addrspace(1) %q, align 2 ; $(=.*), with the last store
; PLAN: %y = load i16, ptr addrspace(1) %p1, align 2 ; $(=.*), with %x
; PLAN: store i16 %y1, ptr addrspace(1) %q1, align 2 ; $(=.*), 2 numbers of a record at once, $(=.*); if the index wraps, $(=.*)
; PLAN: %z = load i16, ptr addrspace(1) %r, align 2 ; $(=.*), 2 numbers of a record at once, $(=.*)
; PLAN: %w = load i16, ptr addrspace(1) %r1, align 2 ; $(=.*), with %z
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) %in, i32 %start) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %short = trunc i64 %i to i32
  %n = add i32 %short, %start
  %even = shl i32 %n, 1
  %at = zext i32 %even to i64
  %odd = or disjoint i32 %even, 1
  %at1 = zext i32 %odd to i64
  %p = getelementptr inbounds i16, ptr addrspace(1) %in, i64 %at
  %x = load i16, ptr addrspace(1) %p, align 2
  %x1 = add i16 %x, 1
  %q = getelementptr inbounds i16, ptr addrspace(1) %out, i64 %at
  store i16 %x1, ptr addrspace(1) %q, align 2
  %p1 = getelementptr inbounds i16, ptr addrspace(1) %in, i64 %at1
  %y = load i16, ptr addrspace(1) %p1, align 2
  %y1 = add i16 %y, 1
  %q1 = getelementptr inbounds i16, ptr addrspace(1) %out, i64 %at1
  store i16 %y1, ptr addrspace(1) %q1, align 2
  %two = shl nuw nsw i64 %i, 1
  %r = getelementptr inbounds i16, ptr addrspace(1) %in, i64 %two
  %z = load i16, ptr addrspace(1) %r, align 2
  %z1 = add i16 %z, 1
  store i16 %z1, ptr addrspace(1) %r, align 2
  %r1 = getelementptr inbounds i8, ptr addrspace(1) %r, i64 2
  %w = load i16, ptr addrspace(1) %r1, align 2
  %w1 = add i16 %w, 1
  store i16 %w1, ptr addrspace(1) %r1, align 2
  ret void
}
