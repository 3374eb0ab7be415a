; A loop whose number of iterations all lanes share has one scalar counter; what all load from one place is one number.
; PLAN-SCALAR: V = 1
; PLAN-V2-V3-V4-NEON: gangs of $(=[0-9]+) work-items
; CHECK-SCALAR: fadd float
; CHECK-V2-V3-V4-NEON-NOT: phi <
; CHECK-V2-V3-V4-NEON: load <$(=\d+) x float>, ptr addrspace(1)
; CHECK-V2-V3-V4-NEON: = getelementptr inbounds float, ptr addrspace(1) %2, i64 $(k=%\d+)
; CHECK-V2-V3-V4-NEON-NEXT: $(weight=%\d+) = load float, ptr addrspace(1)
; CHECK-V2-V3-V4-NEON-NEXT: insertelement <$(=\d+) x float> poison, float $weight, i64 0
; CHECK-V2-V3-V4-NEON: $(next=%\d+) = add nuw i64 $k, 1
; CHECK-V2-V3-V4-NEON-NEXT: $(again=%\d+) = icmp ult i64 $next, %3
; CHECK-V2-V3-V4-NEON-NEXT: br i1 $again,
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @sum(ptr addrspace(1) noalias %out, ptr addrspace(1) %in, ptr addrspace(1) %weights, i64 %n) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %at = add i64 %i, %k
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %at
  %x = load float, ptr addrspace(1) %p, align 4
  %w = getelementptr inbounds float, ptr addrspace(1) %weights, i64 %k
  %weight = load float, ptr addrspace(1) %w, align 4
  %product = fmul float %x, %weight
  %more = fadd float %sum, %product
  %next = add nuw i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %more, ptr addrspace(1) %q, align 4
  ret void
}
