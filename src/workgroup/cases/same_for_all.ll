; A kernel whose work-items all do the same in a loop has no gangs: lanes would do nothing that one does not.
; PLAN-SCALAR: V = 1
; PLAN-V2-V3-V4-NEON: one work-item at a time: lanes would all do the same
; CHECK-NOT: x float>
; CHECK: fadd float
; CHECK-NOT: x float>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @one(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i64 %n) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %k
  %x = load float, ptr addrspace(1) %p, align 4
  %more = fadd float %sum, %x
  %next = add nuw i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  store float %more, ptr addrspace(1) %out, align 4
  ret void
}
