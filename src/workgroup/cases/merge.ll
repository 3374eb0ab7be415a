; Who merges two sorted lists counts on in one or the other by what was loaded. As each iteration adds to one of the counters, whichever
; way it goes, all work-items are done after much the same number of them, and lanes pay. Where a counter is set to what was loaded, it
; is not known how long each work-item takes: lanes that found their ends wait for others.
; ON: V2 V3 V4
; PLAN: kernel merge
; PLAN: gangs of $(=[0-9]+) work-items
; PLAN: kernel jump
; PLAN: one work-item at a time: lanes do not pay: much is done lane by lane, or each at an address of its own
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @merge(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(3) %table) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %x = trunc i64 %i to i32
  %first = shl nsw i32 %x, 7
  %second = add nsw i32 %first, 64
  %last = add nsw i32 %second, 64
  br label %loop
loop:
  %a = phi i32 [ %first, %entry ], [ %a2, %turn ]
  %b = phi i32 [ %second, %entry ], [ %b2, %turn ]
  %sum = phi i32 [ 0, %entry ], [ %sum2, %turn ]
  %a.in = icmp slt i32 %a, %second
  %b.in = icmp slt i32 %b, %last
  %in.both = and i1 %a.in, %b.in
  br i1 %in.both, label %turn, label %end
turn:
  %a.far = sext i32 %a to i64
  %b.far = sext i32 %b to i64
  %a.p = getelementptr inbounds i8, ptr addrspace(1) %in, i64 %a.far
  %b.p = getelementptr inbounds i8, ptr addrspace(1) %in, i64 %b.far
  %u = load i8, ptr addrspace(1) %a.p, align 1
  %v = load i8, ptr addrspace(1) %b.p, align 1
  %less = icmp ule i8 %u, %v
  %lower = select i1 %less, i8 %u, i8 %v
  %one = zext i1 %less to i32
  %a2 = add nsw i32 %a, %one
  %not = xor i1 %less, true
  %other = zext i1 %not to i32
  %b2 = add nsw i32 %b, %other
  %low.far = zext i8 %lower to i64
  %c.p = getelementptr inbounds i8, ptr addrspace(3) %table, i64 %low.far
  %c = load i8, ptr addrspace(3) %c.p, align 1
  %c.far = zext i8 %c to i64
  %d.p = getelementptr inbounds i8, ptr addrspace(3) %table, i64 %c.far
  %d = load i8, ptr addrspace(3) %d.p, align 1
  %wide = zext i8 %d to i32
  %times = mul i32 %sum, 3
  %sum2 = add i32 %times, %wide
  br label %loop
end:
  %all = phi i32 [ %sum, %loop ]
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %all, ptr addrspace(1) %q, align 4
  ret void
}

define void @jump(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(3) %table) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %x = trunc i64 %i to i32
  %first = shl nsw i32 %x, 7
  %second = add nsw i32 %first, 64
  %last = add nsw i32 %second, 64
  br label %loop
loop:
  %a = phi i32 [ %first, %entry ], [ %a2, %turn ]
  %b = phi i32 [ %second, %entry ], [ %b2, %turn ]
  %sum = phi i32 [ 0, %entry ], [ %sum2, %turn ]
  %a.in = icmp slt i32 %a, %second
  %b.in = icmp slt i32 %b, %last
  %in.both = and i1 %a.in, %b.in
  br i1 %in.both, label %turn, label %end
turn:
  %a.far = sext i32 %a to i64
  %b.far = sext i32 %b to i64
  %a.p = getelementptr inbounds i8, ptr addrspace(1) %in, i64 %a.far
  %b.p = getelementptr inbounds i8, ptr addrspace(1) %in, i64 %b.far
  %u = load i8, ptr addrspace(1) %a.p, align 1
  %v = load i8, ptr addrspace(1) %b.p, align 1
  %less = icmp ule i8 %u, %v
  %lower = select i1 %less, i8 %u, i8 %v
  %u.wide = zext i8 %u to i32
  %a2 = add nsw i32 %first, %u.wide
  %not = xor i1 %less, true
  %other = zext i1 %not to i32
  %b2 = add nsw i32 %b, %other
  %low.far = zext i8 %lower to i64
  %c.p = getelementptr inbounds i8, ptr addrspace(3) %table, i64 %low.far
  %c = load i8, ptr addrspace(3) %c.p, align 1
  %c.far = zext i8 %c to i64
  %d.p = getelementptr inbounds i8, ptr addrspace(3) %table, i64 %c.far
  %d = load i8, ptr addrspace(3) %d.p, align 1
  %wide = zext i8 %d to i32
  %times = mul i32 %sum, 3
  %sum2 = add i32 %times, %wide
  br label %loop
end:
  %all = phi i32 [ %sum, %loop ]
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %all, ptr addrspace(1) %q, align 4
  ret void
}
