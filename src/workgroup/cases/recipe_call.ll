; A function that stays one is called once for all lanes, by a version for what they have in common of its arguments.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; PLAN: %one = call i32 @far(i32 %x, i32 %n, ptr addrspace(1) %p) ; varying, a call of version 0
; PLAN: %two = call i32 @far(i32 %x, i32 %one, ptr addrspace(1) %in) ; varying, a call of version 1
; PLAN: version 0: far for gangs of 8, with arguments: each lane's own, the same in all lanes, advancing by 4
; PLAN: version 1: far for gangs of 8, with arguments: each lane's own, each lane's own, the same in all lanes
; CHECK: call <8 x i32> @far.gang(<8 x i32> $(=%\d+), i32 $(=%\d+), ptr addrspace(1) $(=%\d+), i8
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define internal i32 @far(i32 %x, i32 %n, ptr addrspace(1) %p) noinline memory(argmem: read) nounwind willreturn {
  %y = load i32, ptr addrspace(1) %p, align 4
  %m = mul i32 %x, %n
  %s = add i32 %m, %y
  ret i32 %s
}

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i32 %n) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %one = call i32 @far(i32 %x, i32 %n, ptr addrspace(1) %p)
  %two = call i32 @far(i32 %x, i32 %one, ptr addrspace(1) %in)
  %r = add i32 %one, %two
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
