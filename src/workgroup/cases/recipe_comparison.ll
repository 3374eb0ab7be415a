; A long number that advances by one is compared with one that lanes share by its distance, of 32 bits.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %is_inside = icmp ult i64 %i, %n ; $(=.*), by distances of 32 bits
; PLAN: %x = load float, ptr addrspace(1) %p, align 4 ; $(=.*), contiguous
; CHECK: icmp slt <16 x i32>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i64 %n) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %is_inside = icmp ult i64 %i, %n
  br i1 %is_inside, label %inside, label %done
inside:
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  store float %x, ptr addrspace(1) %q, align 4
  br label %done
done:
  ret void
}
