; A loop that lanes may enter at two places has no gangs.
; ON: V2 V3 V4 NEON
; PLAN: one work-item at a time: a loop with several entries
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: $(u=%\d+) = phi i32 [ $(=%\d+), $(=%\d+) ], [ $(w=%\d+), $(=%\d+) ]
; CHECK-NEXT: $(v=%\d+) = lshr i32 $u, 1
; CHECK: $w = phi i32 [ $(=%\d+), $(=%\d+) ], [ $v, $(=%\d+) ]
; CHECK-NOT: <$(=[0-9]+) x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %odd = trunc i32 %x to i1
  br i1 %odd, label %a, label %b
a:
  %u = phi i32 [ %x, %entry ], [ %w, %b ]
  %v = lshr i32 %u, 1
  br label %b
b:
  %w = phi i32 [ %x, %entry ], [ %v, %a ]
  %more = icmp ugt i32 %w, 9
  br i1 %more, label %a, label %end
end:
  %r = add i32 %w, 1
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
