; Numbers of less than a word that are aligned as one are found in one word.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; PLAN-V4: %v = load <3 x i8>, ptr addrspace(1) %there, align 4 ; varying, scattered, each lane in a word
; PLAN-V2-V3-NEON: %v = load <3 x i8>, ptr addrspace(1) %there, align 4 ; varying, scattered, lane by lane
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %table) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %far = sext i32 %x to i64
  %at = shl i64 %far, 2
  %there = getelementptr i8, ptr addrspace(1) %table, i64 %at
  %v = load <3 x i8>, ptr addrspace(1) %there, align 4
  %b = extractelement <3 x i8> %v, i64 2
  %r = zext i8 %b to i32
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
