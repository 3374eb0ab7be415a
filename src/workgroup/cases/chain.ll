; A work-item by itself waits in each iteration for memory that says where to look next. Lanes wait for many such numbers at once, which
; pays where they are far away, but not where they are in the nearest cache, as local memory is: there addresses that lanes take out of
; vectors cost more than is saved.
; ON: V2 V3 V4
; PLAN: kernel far
; PLAN: gangs of $(=[0-9]+) work-items
; PLAN: kernel near
; PLAN: one work-item at a time: lanes do not pay: much is done lane by lane, or each at an address of its own
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @far(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(3) %table) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %x = trunc i64 %i to i32
  %start = and i32 %x, 4095
  br label %loop
loop:
  %at = phi i32 [ %start, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %s1, %loop ]
  %s0 = add i32 %sum, %at
  %far = zext nneg i32 %at to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %far
  %next = load i32, ptr addrspace(1) %p, align 4
  %f0 = xor i64 %far, 1096
  %p0 = getelementptr inbounds i8, ptr addrspace(3) %table, i64 %f0
  %v0 = load i8, ptr addrspace(3) %p0, align 1
  %w0 = zext i8 %v0 to i32
  %s1 = add i32 %s0, %w0
  %more = icmp ugt i32 %next, 17
  br i1 %more, label %loop, label %end
end:
  %all = phi i32 [ %s1, %loop ]
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %all, ptr addrspace(1) %q, align 4
  ret void
}

define void @near(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(3) %table) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %x = trunc i64 %i to i32
  %start = and i32 %x, 4095
  br label %loop
loop:
  %at = phi i32 [ %start, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %s1, %loop ]
  %s0 = add i32 %sum, %at
  %far = zext nneg i32 %at to i64
  %p = getelementptr inbounds i32, ptr addrspace(3) %table, i64 %far
  %next = load i32, ptr addrspace(3) %p, align 4
  %f0 = xor i64 %far, 1096
  %p0 = getelementptr inbounds i8, ptr addrspace(3) %table, i64 %f0
  %v0 = load i8, ptr addrspace(3) %p0, align 1
  %w0 = zext i8 %v0 to i32
  %s1 = add i32 %s0, %w0
  %more = icmp ugt i32 %next, 17
  br i1 %more, label %loop, label %end
end:
  %all = phi i32 [ %s1, %loop ]
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %all, ptr addrspace(1) %q, align 4
  ret void
}
