; Short work-groups run as one: a lane computes its place in its own, and the place in the row advances from lane to lane.
; WITH: group=2x1x1
; ON: V3 V4
; PLAN: %g = call i64 @oxicl.group_id(i32 0) ; varying, the place in one of several work-groups
; PLAN: %l = call i64 @oxicl.local_id(i32 0) ; varying, the place in one of several work-groups
; PLAN: %i = add i64 %start, %l ; affine by 1, the first lane's place in a row of work-groups
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.group_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.local_size(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %g = call i64 @oxicl.group_id(i32 0)
  %n = call i64 @oxicl.local_size(i32 0)
  %l = call i64 @oxicl.local_id(i32 0)
  %start = mul i64 %g, %n
  %i = add i64 %start, %l
  %p = getelementptr inbounds i64, ptr addrspace(1) %in, i64 %i
  %x = load i64, ptr addrspace(1) %p, align 8
  %s = xor i64 %x, %l
  %r = xor i64 %s, %g
  %q = getelementptr inbounds i64, ptr addrspace(1) %out, i64 %i
  store i64 %r, ptr addrspace(1) %q, align 8
  ret void
}
