; A sum over the work-group cuts the kernel as a barrier does: what gangs add up before is one number for all behind.
; PLAN: 1 barrier: 2 regions, each a plain loop
; CHECK-SCALAR: add i32
; CHECK-V2-V3-V4-NEON: add <$(=\d+) x i32>
; CHECK-V2-V3-V4-NEON: extractelement <1 x i32>
; CHECK-V2-V3-V4-NEON: row$(=\d+):
; CHECK-V2-V3-V4-NEON: $(all=%\d+) = insertelement <$(=\d+) x i32> poison, i32 $(=%\d+), i64 0
; CHECK-V2-V3-V4-NEON-NEXT: $(each=%\d+) = shufflevector <$(=\d+) x i32> $all
; CHECK-V2-V3-V4-NEON-NEXT: store <$(=\d+) x i32> $each, ptr addrspace(1)
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i32 @oxicl.group.reduce.add.i32(i32) convergent nounwind

define void @total(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %sum = call i32 @oxicl.group.reduce.add.i32(i32 %x)
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}
