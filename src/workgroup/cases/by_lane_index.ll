; A lane that loads by itself takes its index out of a vector, of 32 bits where that is extended, and not its address; what a loop adds for
; all lanes is added behind that. Of two indices that vary, the address is taken.
; WITH: lanes=8
; ON: V3 NEON
; CHECK: gang:
; CHECK: extractelement <8 x i32> %$(=\d+), i64 0
; CHECK-NEXT: sext i32
; CHECK: add i64
; CHECK-NEXT: getelementptr float, ptr addrspace(1) %$(=\w+), i64
; CHECK: extractelement <8 x ptr addrspace(1)>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %table, i64 %n) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %wide = sext i32 %x to i64
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %place = add i64 %wide, %k
  %t = getelementptr inbounds float, ptr addrspace(1) %table, i64 %place
  %v = load float, ptr addrspace(1) %t, align 4
  %rows = getelementptr inbounds [16 x float], ptr addrspace(1) %table, i64 %wide
  %other = ashr i64 %wide, 3
  %u = getelementptr inbounds float, ptr addrspace(1) %rows, i64 %other
  %w = load float, ptr addrspace(1) %u, align 4
  %vw = fmul float %v, %w
  %more = fadd float %sum, %vw
  %next = add nuw i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  %o = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %more, ptr addrspace(1) %o, align 4
  ret void
}
