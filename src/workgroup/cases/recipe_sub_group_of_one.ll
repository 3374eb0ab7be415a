; Where each lane is a sub-group by itself, it is given what it gave, or what comes before the first.
; WITH: lanes=8 sub-group=1
; ON: V2 V3 V4 NEON
; PLAN: %bits = call i64 @oxicl.sub_group.ballot(i1 %odd) ; varying, each lane's own truth
; PLAN: %all = call i32 @oxicl.sub_group.reduce.add.i32(i32 %x) ; varying, each lane's own value
; PLAN: %before = call i32 @oxicl.sub_group.scan_exclusive.mul.i32(i32 %x) ; varying, what comes before the first
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.sub_group.ballot(i1) convergent nounwind willreturn memory(none)
declare i32 @oxicl.sub_group.reduce.add.i32(i32) convergent nounwind willreturn memory(none)
declare i32 @oxicl.sub_group.scan_exclusive.mul.i32(i32) convergent nounwind willreturn memory(none)

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %odd = trunc i32 %x to i1
  %bits = call i64 @oxicl.sub_group.ballot(i1 %odd)
  %low = trunc i64 %bits to i32
  %all = call i32 @oxicl.sub_group.reduce.add.i32(i32 %x)
  %before = call i32 @oxicl.sub_group.scan_exclusive.mul.i32(i32 %x)
  %s1 = xor i32 %low, %all
  %r = xor i32 %s1, %before
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
