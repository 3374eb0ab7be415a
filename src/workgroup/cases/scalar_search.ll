; A work-item that looks for a byte in a row of its own guesses wrong once, when it has found it; lanes have their addresses taken out of
; vectors one by one, and wait for the last of them.
; ON: V3 V4
; PLAN: one work-item at a time: lanes do not pay: much is done lane by lane, or each at an address of its own
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @length(ptr addrspace(1) %rows, ptr addrspace(1) %out) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %id = trunc i64 %i to i32
  %first = shl nsw i32 %id, 6
  %far = zext i32 %first to i64
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %n.next, %more ]
  %inside = icmp ne i64 %n, 63
  br i1 %inside, label %look, label %end
look:
  %at = or disjoint i64 %far, %n
  %p = getelementptr inbounds nuw i8, ptr addrspace(1) %rows, i64 %at
  %c = load i8, ptr addrspace(1) %p, align 1
  %other = icmp ugt i8 %c, 3
  br i1 %other, label %more, label %end
more:
  %n.next = add nuw nsw i64 %n, 1
  br label %loop
end:
  %found = phi i64 [ %n, %loop ], [ %n, %look ]
  %length = trunc nuw nsw i64 %found to i32
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %length, ptr addrspace(1) %q, align 4
  ret void
}
