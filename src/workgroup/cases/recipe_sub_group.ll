; What a sub-group does together, its gang does on vectors: it combines lanes, or takes a lane's value for others.
; WITH: sub-group=8
; PLAN: %bits = call i64 @oxicl.sub_group.ballot(i1 %odd) ; uniform in a row, a bit of each lane
; PLAN: %any = call i32 @oxicl.sub_group.broadcast.i32(i32 %n, i32 %x) ; uniform, what all lanes have
; PLAN: %shared = call i32 @oxicl.sub_group.broadcast.i32(i32 %x, i32 %n) ; uniform in a row, from a lane whose number is shared
; PLAN: %agreed = call i32 @oxicl.sub_group.broadcast.i32(i32 %x, i32 %x) ; uniform in a row, from a lane that all name
; PLAN: %same = call i32 @oxicl.sub_group.shuffle.i32(i32 %n, i32 %x) ; varying, what all lanes have
; PLAN: %third = call i32 @oxicl.sub_group.shuffle.i32(i32 %x, i32 3) ; varying, from lanes that are known
; PLAN: %others = call i32 @oxicl.sub_group.shuffle.i32(i32 %x, i32 %low) ; varying, from the lane that each names
; PLAN: call void @oxicl.sub_group.barrier() ; varying, nothing to wait for
; PLAN: %all = call i32 @oxicl.sub_group.reduce.add.i32(i32 %x) ; uniform in a row, lanes combined among themselves
; PLAN: %to = call i32 @oxicl.sub_group.scan_inclusive.add.i32(i32 %x) ; varying, lanes scanned
; PLAN: %before = call i32 @oxicl.sub_group.scan_exclusive.add.i32(i32 %x) ; varying, lanes scanned
; PLAN: %four = call i32 @oxicl.sub_group.clustered_reduce.add.i32(i32 %x, i32 4) ; varying, neighbours combined
; PLAN: %i = call i64 @oxicl.global_id(i32 0) ; varying, lane by lane: it asks for a place of each lane's own
; CHECK: shufflevector <8 x i32> $(x=%\d+), <8 x i32> poison, <8 x i32> <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
; CHECK-V4: @llvm.masked.gather
; CHECK-SCALAR-V2-V3-NEON: extractelement <8 x ptr>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i32 @oxicl.sub_group_local_id() memory(none) nounwind willreturn speculatable
declare i64 @oxicl.sub_group.ballot(i1) convergent nounwind willreturn memory(none)
declare i32 @oxicl.sub_group.broadcast.i32(i32, i32) convergent nounwind willreturn memory(none)
declare i32 @oxicl.sub_group.shuffle.i32(i32, i32) convergent nounwind willreturn memory(none)
declare i32 @oxicl.sub_group.reduce.add.i32(i32) convergent nounwind willreturn memory(none)
declare i32 @oxicl.sub_group.scan_inclusive.add.i32(i32) convergent nounwind willreturn memory(none)
declare i32 @oxicl.sub_group.scan_exclusive.add.i32(i32) convergent nounwind willreturn memory(none)
declare i32 @oxicl.sub_group.clustered_reduce.add.i32(i32, i32) convergent nounwind willreturn memory(none)
declare void @oxicl.sub_group.barrier() convergent nounwind

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i32 %n) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %odd = trunc i32 %x to i1
  %bits = call i64 @oxicl.sub_group.ballot(i1 %odd)
  %low = trunc i64 %bits to i32
  %any = call i32 @oxicl.sub_group.broadcast.i32(i32 %n, i32 %x)
  %shared = call i32 @oxicl.sub_group.broadcast.i32(i32 %x, i32 %n)
  %agreed = call i32 @oxicl.sub_group.broadcast.i32(i32 %x, i32 %x)
  %same = call i32 @oxicl.sub_group.shuffle.i32(i32 %n, i32 %x)
  %third = call i32 @oxicl.sub_group.shuffle.i32(i32 %x, i32 3)
  %others = call i32 @oxicl.sub_group.shuffle.i32(i32 %x, i32 %low)
  call void @oxicl.sub_group.barrier()
  %all = call i32 @oxicl.sub_group.reduce.add.i32(i32 %x)
  %to = call i32 @oxicl.sub_group.scan_inclusive.add.i32(i32 %x)
  %before = call i32 @oxicl.sub_group.scan_exclusive.add.i32(i32 %x)
  %four = call i32 @oxicl.sub_group.clustered_reduce.add.i32(i32 %x, i32 4)
  %s1 = xor i32 %low, %any
  %s2 = xor i32 %s1, %shared
  %s3 = xor i32 %s2, %agreed
  %s4 = xor i32 %s3, %same
  %s5 = xor i32 %s4, %third
  %s6 = xor i32 %s5, %others
  %s7 = xor i32 %s6, %all
  %s8 = xor i32 %s7, %to
  %s9 = xor i32 %s8, %before
  %r = xor i32 %s9, %four
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
