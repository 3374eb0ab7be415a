; A phi is of what lanes share, or takes each lane's value as it comes.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; PLAN: %n = phi i32 [ 0, block 0 ], [ %n1, block 1 ] ; uniform, once
; PLAN: %v = phi i32 [ %x, block 0 ], [ %v1, block 1 ] ; varying, as lanes come
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %n1, %loop ]
  %v = phi i32 [ %x, %entry ], [ %v1, %loop ]
  %v1 = mul i32 %v, %v
  %n1 = add i32 %n, 1
  %more = icmp ult i32 %n1, 9
  br i1 %more, label %loop, label %end
end:
  %r = add i32 %v1, %n
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
