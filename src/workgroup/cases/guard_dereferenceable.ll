; A guard on what only some work-items load, from memory that is there for all: gangs that agree store without a mask.
; ON: V2 V3
; PLAN: gangs whose work-items agree on guards run without masks for these
; CHECK: store <$(=[48]) x float>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @guard_dereferenceable(ptr addrspace(2) dereferenceable(8) %sizes, ptr addrspace(1) %out, i64 %n) {
  %i = call i64 @oxicl.global_id(i32 0)
  %inside = icmp ult i64 %i, %n
  br i1 %inside, label %body, label %end
body:
  %s = getelementptr inbounds i8, ptr addrspace(2) %sizes, i64 4
  %width = load i32, ptr addrspace(2) %s, align 4
  %wide = zext i32 %width to i64
  %fits = icmp ult i64 %i, %wide
  br i1 %fits, label %write, label %end
write:
  %p = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float 1.0, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
}
