; A tile of bytes behind a barrier: rows are taken for 16 work-items, so that whole gangs have 16 lanes where that is more than usual, and no more.
; ON: V2 V3 V4
; PLAN-V2-V3-V4: gangs of 16 work-items
; CHECK-V3: load <16 x i8>, ptr addrspace(3)
; CHECK-V3: @llvm.umax.v16i8
; CHECK-V3: load <8 x i8>, ptr addrspace(3)
; CHECK-V4-NOT: <32 x i8>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent
declare i8 @llvm.umax.i8(i8, i8)
@tile = internal addrspace(3) global [16 x [18 x i8]] undef, align 1

define void @dilate(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %x = call i64 @oxicl.local_id(i32 0)
  %y = call i64 @oxicl.local_id(i32 1)
  %p = getelementptr inbounds i8, ptr addrspace(1) %in, i64 %i
  %v = load i8, ptr addrspace(1) %p, align 1
  %row = getelementptr inbounds [18 x i8], ptr addrspace(3) @tile, i64 %y
  %t = getelementptr inbounds i8, ptr addrspace(3) %row, i64 %x
  store i8 %v, ptr addrspace(3) %t, align 1
  call void @oxicl.barrier(i32 2, i32 2, i32 272)
  %x1 = add i64 %x, 1
  %x2 = add i64 %x, 2
  %t1 = getelementptr inbounds i8, ptr addrspace(3) %row, i64 %x1
  %t2 = getelementptr inbounds i8, ptr addrspace(3) %row, i64 %x2
  %a = load i8, ptr addrspace(3) %t, align 1
  %b = load i8, ptr addrspace(3) %t1, align 1
  %c = load i8, ptr addrspace(3) %t2, align 1
  %ab = call i8 @llvm.umax.i8(i8 %a, i8 %b)
  %abc = call i8 @llvm.umax.i8(i8 %ab, i8 %c)
  %q = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %i
  store i8 %abc, ptr addrspace(1) %q, align 1
  ret void
}
