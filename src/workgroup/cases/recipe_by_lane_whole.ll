; Lanes that each have a place of their own access it once for all elements of a value, where that is cheaper than gathers of words;
; those that are off have a place in the frame. A lane's bytes are one number.
; WITH: lanes=4
; ON: V2 V3 V4 NEON
; PLAN-V2-V3-V4-NEON: %four = load <4 x float>, ptr addrspace(1) %p, align 16 ; $(=.*), scattered, lane by lane
; PLAN-V2-V3-NEON: %bytes = load <4 x i8>, ptr addrspace(1) %b, align 4 ; $(=.*), scattered, lane by lane
; PLAN-V2-V3-NEON: store <4 x float> %sum, ptr addrspace(1) %q, align 16 ; $(=.*), scattered, lane by lane
; PLAN-V4: %bytes = load <4 x i8>, ptr addrspace(1) %b, align 4 ; $(=.*), scattered words of 4 bytes
; PLAN-V4: store <4 x float> %sum, ptr addrspace(1) %q, align 16 ; $(=.*), scattered, lane by lane
; CHECK-V2-V3-NEON: $(=%\d+) = alloca <16 x i64>, align 16
; CHECK: load <4 x float>, ptr addrspace(1)
; CHECK-V2-V3-NEON: load i32, ptr addrspace(1)
; CHECK-V2-V3-NEON: store <4 x float> $(=%\d+), ptr addrspace(1)
; CHECK-V4: @llvm.masked.gather.v4i32
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @whole(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %where) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %w = getelementptr inbounds i32, ptr addrspace(1) %where, i64 %i
  %number = load i32, ptr addrspace(1) %w, align 4
  %at = zext i32 %number to i64
  %some = icmp ugt i32 %number, 2
  br i1 %some, label %body, label %end
body:
  %p = getelementptr inbounds <4 x float>, ptr addrspace(1) %in, i64 %at
  %four = load <4 x float>, ptr addrspace(1) %p, align 16
  %b = getelementptr inbounds <4 x i8>, ptr addrspace(1) %in, i64 %at
  %bytes = load <4 x i8>, ptr addrspace(1) %b, align 4
  %numbers = uitofp <4 x i8> %bytes to <4 x float>
  %sum = fadd <4 x float> %four, %numbers
  %q = getelementptr inbounds <4 x float>, ptr addrspace(1) %out, i64 %at
  store <4 x float> %sum, ptr addrspace(1) %q, align 16
  br label %end
end:
  ret void
}
