; A private object is accessed by bytes and by words, as a message is that a hash takes in. A unit is a word. Bytes at one place
; in all lanes' objects are shifted into the words and out of them; where each lane has a place of its own, it accesses its byte
; within the word.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; PLAN: store i8 %byte, ptr %fifth, align 1 ; $(=.*), interleaved by 4, shifted out of units or into them
; PLAN: %y = load i8, ptr %own, align 1 ; $(=.*), interleaved by 4, within units, scattered, lane by lane
; CHECK: shl <8 x i32>
; CHECK: store <8 x i32>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %block = alloca [16 x i32], align 4
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  store i32 %x, ptr %block, align 4
  %second = getelementptr inbounds i32, ptr %block, i64 1
  store i32 7, ptr %second, align 4
  %byte = trunc i32 %x to i8
  %fifth = getelementptr inbounds i8, ptr %block, i64 5
  store i8 %byte, ptr %fifth, align 1
  %number = and i32 %x, 7
  %at = zext i32 %number to i64
  %own = getelementptr inbounds i8, ptr %block, i64 %at
  %y = load i8, ptr %own, align 1
  %wide = zext i8 %y to i32
  %word = load i32, ptr %second, align 4
  %sum = add i32 %word, %wide
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %sum, ptr addrspace(1) %q, align 4
  ret void
}
