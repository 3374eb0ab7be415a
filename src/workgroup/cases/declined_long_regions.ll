; States that would each have a region with most of a kernel in it have one together, which no gang runs.
; ON: V2 V3 V4 NEON
; PLAN: one work-item at a time: one region serves all states, as those of each would have 4 times the instructions and 4000 more
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: i32 30, label %resume30
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: switch i32 %2,
; CHECK-NOT: <$(=[0-9]+) x
; CHECK: $(x=%\d+) = load i32, ptr addrspace(1)
; CHECK-NEXT: add i32 $x, %2
; CHECK-NOT: <$(=[0-9]+) x
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i32 %n) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  switch i32 %n, label %end [
; REPEAT 30
    i32 {n}, label %b{n}
; END REPEAT
  ]
; REPEAT 30
b{n}:
  call void @oxicl.barrier(i32 2, i32 2, i32 264)
  br label %end
; END REPEAT
end:
  %x0 = load i32, ptr addrspace(1) %p, align 4
; REPEAT 200
  %x{n+1} = add i32 %x{n}, %n
; END REPEAT
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %x200, ptr addrspace(1) %q, align 4
  ret void
}
