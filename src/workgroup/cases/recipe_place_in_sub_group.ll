; Where gangs are no sub-groups, lanes compute the places in theirs.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; PLAN: %l = call i32 @oxicl.sub_group_local_id() ; varying, the place in the sub-group
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i32 @oxicl.sub_group_local_id() memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %l = call i32 @oxicl.sub_group_local_id()
  %r = xor i32 %x, %l
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
