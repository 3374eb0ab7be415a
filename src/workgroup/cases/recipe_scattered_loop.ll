; Many lanes that go to places of their own under a mask, on machines without gathers: a loop over the lanes that there are. LLVM would
; write a branch for each lane. Machines that gather do it in vectors.
; WITH: lanes=32
; ON: V2 V3 V4 NEON
; PLAN-V2-V3-NEON: %y = load float, ptr addrspace(1) %own, align 4 ; $(=.*)scattered, in a loop under a mask
; PLAN-V4-NOT: in a loop under a mask
; CHECK-V2-V3-NEON: lane$(=\d*):
; CHECK-V2-V3-NEON: call i64 @llvm.cttz.i64
; CHECK-V2-V3-NEON: load float, ptr addrspace(1)
; CHECK-V2-V3-NEON-NOT: @llvm.masked.gather.v32f32
; CHECK-V4: @llvm.masked.gather.v32f32.v32p1
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %at = load i32, ptr addrspace(1) %p, align 4
  %off = icmp slt i32 %at, 0
  br i1 %off, label %end, label %body
body:
  %squared = mul i32 %at, %at
  %low = and i32 %squared, 1023
  %index = zext i32 %low to i64
  %own = getelementptr inbounds float, ptr addrspace(1) %in, i64 %index
  %y = load float, ptr addrspace(1) %own, align 4
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %y, ptr addrspace(1) %q, align 4
  br label %end
end:
  ret void
}
