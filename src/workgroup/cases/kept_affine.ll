; A number that advances by one from lane to lane, and is too long to compute again, is kept for the first lane of each gang.
; WITH: lanes=8
; ON: V3 V4
; PLAN: %at = add i64 %base, %l ; affine by 1, kept for each work-item at 0
; CHECK: $(base=%\d+) = load i64, ptr addrspace(1) %1
; CHECK: $(at=%\d+) = add i64 $base
; CHECK: store i64 $at, ptr
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind

define void @kept(ptr addrspace(1) %out, ptr addrspace(1) %bases, ptr addrspace(3) %all) {
entry:
  %l = call i64 @oxicl.local_id(i32 0)
  %base = load i64, ptr addrspace(1) %bases, align 8
  %at = add i64 %base, %l
  %p = getelementptr i32, ptr addrspace(3) %all, i64 %l
  store i32 7, ptr addrspace(3) %p, align 4
  call void @oxicl.barrier(i32 2, i32 2, i32 272)
  %x = load i32, ptr addrspace(3) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %at
  store i32 %x, ptr addrspace(1) %q, align 4
  ret void
}
