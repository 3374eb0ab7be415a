; Behind the barrier: %a, %b, %c and %d are kept for each work-item, each in an array of its own, in the order of their places.
; PLAN-SCALAR: 16 of state for each gang
; PLAN-V2-V3-V4-NEON: $(=\d+) of state for each gang
; PLAN: kept across barriers: 0 values once, 4 for each work-item
; CHECK-V2-V3-V4-NEON: store <$(=\d+) x i32> $(=%\d+), ptr %
; CHECK-V2-V3-V4-NEON: store <$(=\d+) x i32> $(=%\d+), ptr %
; CHECK-V2-V3-V4-NEON: store <$(=\d+) x i32> $(=%\d+), ptr %
; CHECK-V2-V3-V4-NEON: store <$(=\d+) x i32> $(=%\d+), ptr %
; CHECK-SCALAR: store i32 $(=%\d+), ptr %
; CHECK: row$(=\d+):
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind

define void @turn_round(ptr addrspace(1) %data) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds [4 x i32], ptr addrspace(1) %data, i64 %i
  %q = getelementptr inbounds i8, ptr addrspace(1) %p, i64 4
  %r = getelementptr inbounds i8, ptr addrspace(1) %p, i64 8
  %s = getelementptr inbounds i8, ptr addrspace(1) %p, i64 12
  %a = load i32, ptr addrspace(1) %p, align 4
  %b = load i32, ptr addrspace(1) %q, align 4
  %c = load i32, ptr addrspace(1) %r, align 4
  %d = load i32, ptr addrspace(1) %s, align 4
  call void @oxicl.barrier(i32 2, i32 2, i32 528)
  store i32 %d, ptr addrspace(1) %p, align 4
  store i32 %c, ptr addrspace(1) %q, align 4
  store i32 %b, ptr addrspace(1) %r, align 4
  store i32 %a, ptr addrspace(1) %s, align 4
  ret void
}
