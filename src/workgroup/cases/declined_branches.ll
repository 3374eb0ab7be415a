; A region whose branches each have many blocks behind them, which are looked at for each, has no gangs past a bound.
; ON: V3
; PLAN: one work-item at a time: more than 2000000 steps through blocks between branches and where lanes meet again
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: $(odd=%\d+) = trunc i32 $(x=%\d+) to i1
; CHECK: br i1 $odd
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: add i32 $x, 1
; CHECK-NOT: <$(=[0-9]+) x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %odd = trunc i32 %x to i1
  br label %b0
; REPEAT 2000
b{n}:
  br i1 %odd, label %b{n+1}, label %end
; END REPEAT
b2000:
  br label %end
end:
  %r = add i32 %x, 1
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
