; A truth that is kept across a barrier is a byte in memory: functions that keep one have the instructions for masks of 64 lanes, by which
; bytes are accessed under masks. (Without, each mask has a register of its own: `masks_apart.ll`.)
; ON: V4
; PLAN: kept for each work-item
; ASM: kunpckwd
; ASM-NOT: vpextrb
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind

define void @k(ptr addrspace(3) %tile, ptr addrspace(1) %sums, ptr addrspace(1) %in, i64 %n) {
entry:
  %l = call i64 @oxicl.local_id(i32 0)
  %own = getelementptr inbounds i32, ptr addrspace(1) %sums, i64 %l
  %p = getelementptr inbounds i32, ptr addrspace(3) %tile, i64 %l
  %v = load i32, ptr addrspace(3) %p, align 4
  %is = icmp sgt i32 %v, 7
  call void @oxicl.barrier(i32 2, i32 2, i32 272)
  br i1 %is, label %loop, label %end
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %k
  %x = load i32, ptr addrspace(1) %from, align 4
  %sum = load i32, ptr addrspace(1) %own, align 4
  %more = add i32 %sum, %x
  store i32 %more, ptr addrspace(1) %own, align 4
  %next = add nuw i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}
