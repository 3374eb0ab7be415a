; Lanes store and load at places of their own in a private object of few numbers: all of them are accessed, each as one vector, and
; each lane's own is chosen by comparisons, so that LLVM keeps the object in registers.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; PLAN: store float %x, ptr %one, align 4 ; $(=.*), interleaved by 4, chosen from all 3
; PLAN: %y = load float, ptr %other, align 4 ; $(=.*), interleaved by 4, chosen from all 3
; CHECK: store <8 x float>
; CHECK: icmp eq <8 x i32>
; CHECK-NOT: @llvm.masked.gather
; CHECK-NOT: @llvm.masked.scatter
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %places) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %object = alloca [3 x float], align 4
  store float 0.0, ptr %object, align 4
  %second = getelementptr inbounds float, ptr %object, i64 1
  store float 1.0, ptr %second, align 4
  %third = getelementptr inbounds float, ptr %object, i64 2
  store float 2.0, ptr %third, align 4
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %positive = fcmp ogt float %x, 0.0
  br i1 %positive, label %some, label %all
some:
  %w = getelementptr inbounds i32, ptr addrspace(1) %places, i64 %i
  %number = load i32, ptr addrspace(1) %w, align 4
  %at = sext i32 %number to i64
  %one = getelementptr inbounds float, ptr %object, i64 %at
  store float %x, ptr %one, align 4
  br label %all
all:
  %n = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  %from = load i32, ptr addrspace(1) %n, align 4
  %there = sext i32 %from to i64
  %other = getelementptr inbounds float, ptr %object, i64 %there
  %y = load float, ptr %other, align 4
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %y, ptr addrspace(1) %q, align 4
  ret void
}
