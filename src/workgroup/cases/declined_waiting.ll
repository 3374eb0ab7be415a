; A region in which too many blocks wait for lanes that come to others first has no gangs.
; ON: V3
; PLAN: one work-item at a time: more than 2000000 steps through branches and blocks that wait for their turn
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: $(x=%\d+) = load i32, ptr addrspace(1)
; CHECK: switch i32 $x
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: store i32 0, ptr addrspace(1)
; CHECK-NOT: <$(=[0-9]+) x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  switch i32 %x, label %end [
; REPEAT 1500
    i32 {n}, label %b{n}
; END REPEAT
  ]
; REPEAT 1500
b{n}:
  store i32 {n}, ptr addrspace(1) %q, align 4
  br label %end
; END REPEAT
end:
  ret void
}
