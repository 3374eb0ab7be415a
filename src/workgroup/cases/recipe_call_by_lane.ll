; A function that has no version for gangs is called lane by lane: it takes a value by its address, takes too many numbers, has objects that are too large for the frame of a gang, or loops that no gang goes through.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; PLAN: %one = call i32 @copied(ptr %v, i32 %x) ; varying, lane by lane: the function takes or gives a value by its address
; PLAN: %two = call i32 @long([80 x i32] %many, i32 %x) ; varying, lane by lane: the function takes and gives more than 64 numbers
; PLAN: %three = call i32 @large(i32 %x) ; varying, lane by lane: the function has private objects of more than 1024 bytes, or 8192 for a gang
; PLAN: %four = call i32 @entered_twice(i32 %x) ; varying, lane by lane: a loop with several entries
; CHECK: lane$(=[0-9]*):
; CHECK: call i32 @copied(
; CHECK: call i32 @long(
; CHECK: call i32 @large(
; CHECK: call i32 @entered_twice(
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define internal i32 @copied(ptr byval(i32) %v, i32 %x) noinline nounwind {
  %y = load i32, ptr %v, align 4
  %s = add i32 %x, %y
  ret i32 %s
}

define internal i32 @long([80 x i32] %v, i32 %x) noinline nounwind {
  %y = extractvalue [80 x i32] %v, 7
  %s = add i32 %x, %y
  ret i32 %s
}

define internal i32 @large(i32 %x) noinline nounwind {
  %a = alloca [4096 x i32], align 4
  %at = and i32 %x, 4095
  %p = getelementptr i32, ptr %a, i32 %at
  store volatile i32 %x, ptr %p, align 4
  %s = load volatile i32, ptr %a, align 4
  ret i32 %s
}

define internal i32 @entered_twice(i32 %x) noinline nounwind {
  %odd = trunc i32 %x to i1
  br i1 %odd, label %a, label %b
a:
  %u = phi i32 [ %x, %0 ], [ %w, %b ]
  %v = lshr i32 %u, 1
  br label %b
b:
  %w = phi i32 [ %x, %0 ], [ %v, %a ]
  %more = icmp ugt i32 %w, 9
  br i1 %more, label %a, label %end
end:
  ret i32 %w
}

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %v = alloca i32, align 4
  store i32 %x, ptr %v, align 4
  %one = call i32 @copied(ptr byval(i32) %v, i32 %x)
  %many = insertvalue [80 x i32] zeroinitializer, i32 %x, 7
  %two = call i32 @long([80 x i32] %many, i32 %x)
  %three = call i32 @large(i32 %x)
  %four = call i32 @entered_twice(i32 %x)
  %a = add i32 %one, %two
  %b = add i32 %three, %four
  %r = add i32 %a, %b
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
