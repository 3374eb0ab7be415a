; Aligned vectors begin at every fourth unit of an aligned object, so no others are looked at; where the access or the object
; promises less, all of them are.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: store <4 x i8> %x, ptr %one, align 4 ; $(=.*), interleaved by 1, chosen from all 2
; PLAN: %y = load <4 x i8>, ptr %other, align 4 ; $(=.*), interleaved by 1, chosen from all 2
; PLAN: %z = load <4 x i8>, ptr %any, align 1 ; $(=.*), interleaved by 1, chosen from all 8
; PLAN: %w = load <4 x i8>, ptr %loose.at, align 4 ; $(=.*), interleaved by 1, chosen from all 8
; PLAN: %v = load <3 x i8>, ptr %three.at, align 4 ; $(=.*), interleaved by 1, chosen from all 8
; CHECK: icmp eq <16 x i32>
; CHECK-NOT: @llvm.masked.gather
; CHECK-NOT: @llvm.masked.scatter
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %places) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %object = alloca [2 x <4 x i8>], align 4
  %loose = alloca [8 x i8], align 1
  %p = getelementptr inbounds <8 x i8>, ptr addrspace(1) %in, i64 %i
  %all = load <8 x i8>, ptr addrspace(1) %p, align 8
  store <8 x i8> %all, ptr %object, align 1
  store <8 x i8> %all, ptr %loose, align 1
  %x = shufflevector <8 x i8> %all, <8 x i8> poison, <4 x i32> <i32 3, i32 5, i32 7, i32 2>
  %w0 = getelementptr inbounds i32, ptr addrspace(1) %places, i64 %i
  %number = load i32, ptr addrspace(1) %w0, align 4
  %positive = icmp sgt i32 %number, 1
  %at = sext i32 %number to i64
  br i1 %positive, label %some, label %all.of
some:
  %one = getelementptr inbounds <4 x i8>, ptr %object, i64 %at
  store <4 x i8> %x, ptr %one, align 4
  br label %all.of
all.of:
  %last = sub nsw i64 1, %at
  %other = getelementptr inbounds <4 x i8>, ptr %object, i64 %last
  %y = load <4 x i8>, ptr %other, align 4
  %any = getelementptr inbounds i8, ptr %object, i64 %at
  %z = load <4 x i8>, ptr %any, align 1
  %loose.at = getelementptr inbounds <4 x i8>, ptr %loose, i64 %at
  %w = load <4 x i8>, ptr %loose.at, align 4
  %three.at = getelementptr inbounds i8, ptr %object, i64 %at
  %v = load <3 x i8>, ptr %three.at, align 4
  %v4 = shufflevector <3 x i8> %v, <3 x i8> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 0>
  %yz = xor <4 x i8> %y, %z
  %wv = add <4 x i8> %w, %v4
  %sum = add <4 x i8> %yz, %wv
  %q = getelementptr inbounds <4 x i8>, ptr addrspace(1) %out, i64 %i
  store <4 x i8> %sum, ptr addrspace(1) %q, align 4
  ret void
}
