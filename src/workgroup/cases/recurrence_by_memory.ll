; A sum that stays in memory, as another access may be to its place: each iteration waits for what the last one stored, in which time
; gangs of several registers a value do more.
; ON: V3 V4
; PLAN: gangs of 64 work-items
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) %sums, ptr addrspace(1) %in, i64 %n) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %own = getelementptr inbounds float, ptr addrspace(1) %sums, i64 %i
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %k
  %x = load float, ptr addrspace(1) %p, align 4
  %sum = load float, ptr addrspace(1) %own, align 4
  %more = fadd float %sum, %x
  store float %more, ptr addrspace(1) %own, align 4
  %next = add nuw i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}
