; A guard on memory behind the end of what is known to be there: it is not looked at ahead, and the store asks first whether all lanes are on.
; ON: V2 V3
; CHECK-V3-NOT: store <$(=[48]) x float>
; CHECK-V2: $(all=%\d+) = icmp ne i4 $(=%\d+), -1
; CHECK-V2: freeze i1 $all
; CHECK-V2: otherwise$(=\d*):
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @guard_beyond(ptr addrspace(2) dereferenceable(7) %sizes, ptr addrspace(1) %out, i64 %n) {
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
