; Bytes from places of each lane's own are loaded one by one however many lanes there are: more lanes save little, and gangs of more than four registers of 32-bit numbers would have no registers for the addresses.
; ON: V3
; PLAN-V3-NOT: gangs of 64 work-items; estimated
; CHECK-V3-NOT: <64 x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @pick(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %table, ptr addrspace(1) noalias %where) {
  %i = call i64 @oxicl.global_id(i32 0)
  %w = getelementptr inbounds float, ptr addrspace(1) %where, i64 %i
  %v0 = load float, ptr addrspace(1) %w, align 4
  %v1 = fmul float %v0, %v0
  %v2 = fmul float %v1, %v0
  %v3 = fmul float %v2, %v1
  %v4 = fmul float %v3, %v1
  %v5 = fmul float %v4, %v2
  %v6 = fmul float %v5, %v2
  %v7 = fmul float %v6, %v3
  %v8 = fmul float %v7, %v3
  %v9 = fmul float %v8, %v4
  %v10 = fmul float %v9, %v4
  %v11 = fmul float %v10, %v5
  %v12 = fmul float %v11, %v5
  %v13 = fmul float %v12, %v6
  %v14 = fmul float %v13, %v6
  %v15 = fmul float %v14, %v7
  %v16 = fmul float %v15, %v7
  %at = fptoui float %v16 to i32
  %far = zext i32 %at to i64
  %p = getelementptr inbounds i8, ptr addrspace(1) %table, i64 %far
  %x = load i8, ptr addrspace(1) %p, align 1
  %q = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %i
  store i8 %x, ptr addrspace(1) %q, align 1
  ret void
}
