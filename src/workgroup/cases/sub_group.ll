; A kernel that does something in its sub-groups runs each as a gang of the size that it requires, on every machine.
; WITH: sub-group=8
; PLAN: gangs of 8 work-items
; PLAN: S = 8, V = 8: a gang is a sub-group
; CHECK: line:
; CHECK: $(there=%\d+) = icmp ult <8 x $(=i\d+)> <$(=i\d+) 0, $(=i\d+) 1,
; CHECK: select <8 x i1> $there, <8 x i32> $(=%\d+), <8 x i32> zeroinitializer
; CHECK: extractelement <1 x i32>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i32 @oxicl.sub_group.reduce.add.i32(i32) convergent nounwind willreturn memory(none)

define void @total(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %sum = call i32 @oxicl.sub_group.reduce.add.i32(i32 %x)
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}
