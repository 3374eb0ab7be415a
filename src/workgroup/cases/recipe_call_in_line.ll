; A function that asks for its place is called lane by lane where lanes are of several rows.
; WITH: sub-group=8
; ON: V2 V3 V4 NEON
; PLAN: %sum = call i32 @oxicl.sub_group.reduce.add.i32(i32 %x) ; uniform in a row, lanes combined among themselves
; PLAN: %r = call i32 @place(i32 %y) ; varying, a call of version 0
; PLAN: %i = call i64 @oxicl.global_id(i32 0) ; varying, lane by lane: it asks for a place of each lane's own
; PLAN: %r = call i32 @place(i32 %y) ; varying, lane by lane: the function asks for places, and lanes are of several rows
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable
declare i32 @oxicl.sub_group.reduce.add.i32(i32) convergent nounwind willreturn memory(none)

define internal i32 @place(i32 %x) noinline nounwind {
  %l = call i64 @oxicl.local_id(i32 0)
  %n = trunc i64 %l to i32
  %s = add i32 %x, %n
  ret i32 %s
}

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %sum = call i32 @oxicl.sub_group.reduce.add.i32(i32 %x)
  %y = add i32 %x, %sum
  %r = call i32 @place(i32 %y)
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
