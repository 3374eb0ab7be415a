; Lanes arrive at a collective operation of the work-group all at once, but for what depends on the order of all.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; PLAN: gather @oxicl.group.reduce.add(i32 %x), on to state 1, lanes combined, then with what was gathered
; PLAN: gather @oxicl.group.reduce.fadd(float %f), on to state 2, each lane to its part of what was gathered
; PLAN: gather @oxicl.group.scan_inclusive.add(i32 %x), on to state 3, lanes behind what was gathered
; PLAN: %to = gathered i32 of state 3 ; varying, kept for each work-item at 8, what the work-group gave
; PLAN: gather @oxicl.group.scan_exclusive.fadd(float %f), on to state 4, lanes arrive one by one
; PLAN: gather @oxicl.group.broadcast(i32 %x, i64 3, i64 0, i64 0), on to state 5, the lane that is named
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i32 @oxicl.group.reduce.add.i32(i32) convergent nounwind
declare float @oxicl.group.reduce.fadd.f32(float) convergent nounwind
declare i32 @oxicl.group.scan_inclusive.add.i32(i32) convergent nounwind
declare float @oxicl.group.scan_exclusive.fadd.f32(float) convergent nounwind
declare i32 @oxicl.group.broadcast.i32(i32, i64, i64, i64) convergent nounwind

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %f = sitofp i32 %x to float
  %all = call i32 @oxicl.group.reduce.add.i32(i32 %x)
  %sum = call float @oxicl.group.reduce.fadd.f32(float %f)
  %to = call i32 @oxicl.group.scan_inclusive.add.i32(i32 %x)
  %before = call float @oxicl.group.scan_exclusive.fadd.f32(float %f)
  %one = call i32 @oxicl.group.broadcast.i32(i32 %x, i64 3, i64 0, i64 0)
  %two = fadd float %sum, %before
  %n = fptosi float %two to i32
  %s1 = xor i32 %all, %to
  %s2 = xor i32 %s1, %one
  %r = xor i32 %s2, %n
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
