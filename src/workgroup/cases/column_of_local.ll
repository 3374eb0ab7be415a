; A work-item that goes down a column of local memory stays in the nearest cache: gangs save too little there to make up for places
; of their own.
; ON: V2 V3 NEON
; PLAN: one work-item at a time: lanes do not pay: much is done lane by lane, or each at an address of its own
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @counts(ptr addrspace(3) %table, ptr addrspace(1) %in) {
entry:
  %l = call i64 @oxicl.local_id(i32 0)
  %i = call i64 @oxicl.global_id(i32 0)
  %own = getelementptr inbounds i16, ptr addrspace(3) %table, i64 %l
  br label %clear
clear:
  %n = phi i64 [ 0, %entry ], [ %n.next, %clear ]
  %at = mul nuw nsw i64 %n, 128
  %zero = getelementptr inbounds i16, ptr addrspace(3) %own, i64 %at
  store i16 0, ptr addrspace(3) %zero, align 2
  %n.next = add nuw nsw i64 %n, 1
  %more = icmp ult i64 %n.next, 16
  br i1 %more, label %clear, label %begin
begin:
  %first = mul i64 %i, 32
  br label %count
count:
  %k = phi i64 [ 0, %begin ], [ %k.next, %count ]
  %which = add nuw nsw i64 %first, %k
  %from = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %which
  %v = load i32, ptr addrspace(1) %from, align 4
  %bin = and i32 %v, 15
  %row = mul nuw nsw i32 %bin, 128
  %far = zext nneg i32 %row to i64
  %place = getelementptr inbounds i16, ptr addrspace(3) %own, i64 %far
  %x = load i16, ptr addrspace(3) %place, align 2
  %y = add i16 %x, 1
  store i16 %y, ptr addrspace(3) %place, align 2
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, 32
  br i1 %again, label %count, label %end
end:
  ret void
}
