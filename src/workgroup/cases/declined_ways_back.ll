; A loop with two ways back has no gangs.
; ON: V2 V3 V4 NEON
; PLAN: one work-item at a time: a loop with several ways back
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: $(u=%\d+) = phi i32 [ $(=%\d+), $(=%\d+) ], [ $(=%\d+), $(=%\d+) ], [ $(=%\d+), $(=%\d+) ]
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: lshr i32 $u, 2
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: lshr i32 $u, 1
; CHECK-NOT: <$(=[0-9]+) x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  br label %loop
loop:
  %u = phi i32 [ %x, %entry ], [ %v, %one ], [ %w, %other ]
  %odd = trunc i32 %u to i1
  br i1 %odd, label %one, label %other
one:
  %v = lshr i32 %u, 1
  %m = icmp ugt i32 %v, 9
  br i1 %m, label %loop, label %end
other:
  %w = lshr i32 %u, 2
  %n = icmp ugt i32 %w, 9
  br i1 %n, label %loop, label %end
end:
  %r = add i32 %u, 1
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
