; Gangs that pay by themselves, but not with the function that they call, are declined: each of its lanes changes a place of its own.
; ON: V2 V3 V4 NEON
; PLAN: kernel dear
; PLAN: one work-item at a time: lanes do not pay: much is done lane by lane, or each at an address of its own; estimated for gangs
; PLAN: kernel cheap
; PLAN: gangs of
; PLAN: version 0: near
; CHECK-NOT: @far.gang
; CHECK: call $(=.*)@near.gang
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define internal i32 @far(i32 %x, ptr addrspace(1) %table) noinline memory(argmem: readwrite) nounwind willreturn {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = phi i32 [ %x, %entry ], [ %there, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %table, i32 %at
  %there = atomicrmw xor ptr addrspace(1) %p, i32 %k monotonic, align 4
  %next = add nuw i32 %k, 1
  %again = icmp ult i32 %next, 100
  br i1 %again, label %loop, label %end
end:
  ret i32 %there
}

define internal i32 @near(i32 %x, ptr addrspace(1) %table) noinline memory(argmem: read) nounwind willreturn {
  %m = mul i32 %x, %x
  %s = xor i32 %m, 77
  ret i32 %s
}

define void @dear(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) %table) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %y = call i32 @far(i32 %x, ptr addrspace(1) %table)
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %y, ptr addrspace(1) %q, align 4
  ret void
}

define void @cheap(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) %table) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %y = call i32 @near(i32 %x, ptr addrspace(1) %table)
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %y, ptr addrspace(1) %q, align 4
  ret void
}
