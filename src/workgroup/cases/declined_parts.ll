; A value of more parts than vectors are made of keeps gangs away.
; ON: V2 V3 V4 NEON
; PLAN: one work-item at a time: a value of more than 256 elements, or 512 parts
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: $(v=%\d+) = insertvalue [300 x i32] zeroinitializer, i32 $(=%\d+), 7
; CHECK-NEXT: extractvalue [300 x i32] $v, 7
; CHECK-NOT: <$(=[0-9]+) x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %v = insertvalue [300 x i32] zeroinitializer, i32 %x, 7
  %r = extractvalue [300 x i32] %v, 7
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
