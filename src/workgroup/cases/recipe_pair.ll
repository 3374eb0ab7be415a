; Two loads of neighbouring numbers are one of both.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN-V2-V3-NEON: %x = load float, ptr addrspace(1) %p, align 4 ; $(=.*), with the next number, scattered, lane by lane
; PLAN-V4: %x = load float, ptr addrspace(1) %p, align 4 ; $(=.*), with the next number, scattered words of 8 bytes
; PLAN: %y = load float, ptr addrspace(1) %p1, align 4 ; $(=.*), with %x
; CHECK-V2-V3-NEON: load i64, ptr addrspace(1)
; CHECK-V4: @llvm.masked.gather.v16i64
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %where) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %w = getelementptr inbounds i32, ptr addrspace(1) %where, i64 %i
  %number = load i32, ptr addrspace(1) %w, align 4
  %at = zext i32 %number to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %at
  %x = load float, ptr addrspace(1) %p, align 4
  %p1 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 4
  %y = load float, ptr addrspace(1) %p1, align 4
  %sum = fadd float %x, %y
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %sum, ptr addrspace(1) %q, align 4
  ret void
}
