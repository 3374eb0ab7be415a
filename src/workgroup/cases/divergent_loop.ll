; A loop that lanes leave in iterations of their own goes on as long as one lane is in it, and those that have left keep what they had.
; WITH: lanes=8
; PLAN: gangs of 8 work-items
; PLAN: work-items may diverge
; CHECK: lshr <8 x i32>
; CHECK: $(on=%\d+) = icmp ne <8 x i32>
; CHECK: select <8 x i1>
; CHECK: $(bits=%\d+) = bitcast <8 x i1> $(=%\d+) to i8
; CHECK-NEXT: $(some=%\d+) = icmp ne i8 $bits, 0
; CHECK-NEXT: br i1 $some,
; CHECK: store <8 x i32>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @halve(ptr addrspace(1) noalias %out, ptr addrspace(1) %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  br label %loop
loop:
  %rest = phi i32 [ %x, %entry ], [ %half, %loop ]
  %count = phi i32 [ 0, %entry ], [ %more, %loop ]
  %half = lshr i32 %rest, 1
  %more = add i32 %count, %half
  %again = icmp ne i32 %half, 0
  br i1 %again, label %loop, label %end
end:
  %last = phi i32 [ %more, %loop ]
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %last, ptr addrspace(1) %q, align 4
  ret void
}
