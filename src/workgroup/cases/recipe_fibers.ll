; Sub-groups that wait for each other are fibers, which meet at barriers and collective operations without being cut there.
; WITH: sub-group=8
; PLAN: %i = call i64 @oxicl.global_id(i32 0) ; varying, lane by lane: it asks for a place of each lane's own
; PLAN: %seen = load atomic i32, ptr addrspace(1) %in acquire, align 4 ; varying, each lane's from an iteration of its own, lane by lane: an atomic or volatile access
; PLAN: %all = call i32 @oxicl.sub_group.reduce.add.i32(i32 %seen) ; uniform in a row, lanes combined among themselves
; PLAN: %r = call i32 @oxicl.group.reduce.add.i32(i32 %all) ; uniform, by the work-group: lanes combined, then with what was gathered
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i32 @oxicl.sub_group.reduce.add.i32(i32) convergent nounwind willreturn memory(none)
declare i32 @oxicl.group.reduce.add.i32(i32) convergent nounwind
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  br label %wait
wait:
  %seen = load atomic i32, ptr addrspace(1) %in acquire, align 4
  %ready = icmp ne i32 %seen, 0
  br i1 %ready, label %on, label %wait
on:
  %all = call i32 @oxicl.sub_group.reduce.add.i32(i32 %seen)
  call void @oxicl.barrier(i32 2, i32 2, i32 264)
  %r = call i32 @oxicl.group.reduce.add.i32(i32 %all)
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
