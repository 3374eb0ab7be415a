; One work-item of each sub-group waits for the turn of its sub-group, whose number it has from an iteration of its own: that is the
; same in all lanes, so they do not want the lock each.
; PLAN: each sub-group waits on a stack of its own
; PLAN: a gang is a sub-group
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i32 @oxicl.sub_group_id() memory(none) nounwind willreturn speculatable
declare i32 @oxicl.sub_group_local_id() memory(none) nounwind willreturn speculatable
declare i64 @oxicl.sub_group.ballot(i1) convergent nounwind willreturn memory(none)

define void @k(ptr addrspace(1) %out, ptr addrspace(1) %turn) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  br label %round
round:
  %mine = call i32 @oxicl.sub_group_id()
  %end = load i32, ptr addrspace(1) %q, align 4
  store i32 %mine, ptr addrspace(1) %q, align 4
  %again = icmp slt i32 %end, %mine
  br i1 %again, label %round, label %choose
choose:
  %all = call i64 @oxicl.sub_group.ballot(i1 true)
  %lane = call i32 @oxicl.sub_group_local_id()
  %bit = zext i32 %lane to i64
  %lower = shl i64 -2, %bit
  %others = xor i64 %lower, -1
  %up_to = and i64 %all, %others
  %it = shl i64 1, %bit
  %first = icmp eq i64 %up_to, %it
  br i1 %first, label %wait, label %done
wait:
  %now = load atomic i32, ptr addrspace(1) %turn acquire, align 4
  %is_mine = icmp eq i32 %now, %mine
  br i1 %is_mine, label %taken, label %wait
taken:
  %next = add i32 %mine, 1
  store atomic i32 %next, ptr addrspace(1) %turn release, align 4
  br label %done
done:
  ret void
}
