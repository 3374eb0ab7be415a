; Gangs of several registers a value keep each mask in a register of its own, in functions that have nothing of fewer than 32 bits:
; nothing puts two into one register.
; ON: V4
; ASM-NOT: kunpckwd
; ASM-NOT: kunpckdq
; ASM: kortestw
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind

define void @k(ptr addrspace(3) %tile, ptr addrspace(1) %sums, ptr addrspace(1) %in, i64 %n) {
entry:
  %l = call i64 @oxicl.local_id(i32 0)
  %own = getelementptr inbounds i32, ptr addrspace(1) %sums, i64 %l
  %p = getelementptr inbounds i32, ptr addrspace(3) %tile, i64 %l
  store i32 7, ptr addrspace(3) %p, align 4
  call void @oxicl.barrier(i32 2, i32 2, i32 272)
  %v = load i32, ptr addrspace(3) %p, align 4
  %is = icmp sgt i32 %v, 7
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
