; Vectors in private objects that all lanes access at one index are contiguous, part by part: gangs pay.
; ON: V3 V4
; PLAN: gangs of
; PLAN: %older = load <4 x float>, ptr %from, align 16 ; $(=.*), interleaved by 4, contiguous
; PLAN: store <4 x float> %sum, ptr %to, align 16 ; $(=.*), interleaved by 4, contiguous
; CHECK-NOT: gather
; CHECK: load <$(=\d+) x float>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i64 %n) {
entry:
  %object = alloca [16 x <4 x float>], align 16
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds <4 x float>, ptr addrspace(1) %in, i64 %i
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  br label %fill
fill:
  %f = phi i64 [ 0, %entry ], [ %f1, %fill ]
  %each = getelementptr inbounds <4 x float>, ptr %object, i64 %f
  store <4 x float> %v, ptr %each, align 16
  %f1 = add nuw nsw i64 %f, 1
  %full = icmp eq i64 %f1, 16
  br i1 %full, label %loop, label %fill
loop:
  %k = phi i64 [ 0, %fill ], [ %k1, %loop ]
  %low = and i64 %k, 15
  %from = getelementptr inbounds <4 x float>, ptr %object, i64 %low
  %older = load <4 x float>, ptr %from, align 16
  %sum = fadd <4 x float> %older, %v
  %k1 = add nuw i64 %k, 1
  %next = and i64 %k1, 15
  %to = getelementptr inbounds <4 x float>, ptr %object, i64 %next
  store <4 x float> %sum, ptr %to, align 16
  %done = icmp eq i64 %k1, %n
  br i1 %done, label %end, label %loop
end:
  %last = and i64 %n, 15
  %l = getelementptr inbounds <4 x float>, ptr %object, i64 %last
  %w = load <4 x float>, ptr %l, align 16
  %q = getelementptr inbounds <4 x float>, ptr addrspace(1) %out, i64 %i
  store <4 x float> %w, ptr addrspace(1) %q, align 16
  ret void
}
