; Long numbers are divided by way of doubles or estimates where the machine converts them, longer ones lane by lane; short ones by floats.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; PLAN-V4-NEON: %u = udiv i64 %x, %n ; varying, by a shared inverse, by estimates, by divisors
; PLAN-V4-NEON: %s = sdiv i64 %u, %n ; varying, by a shared inverse, as doubles, large ones by estimates, by divisors
; PLAN-V2-V3: %u = udiv i64 %x, %n ; varying, by a shared inverse, as doubles, large ones lane by lane, by divisors
; PLAN-V2-V3: %s = sdiv i64 %u, %n ; varying, by a shared inverse, as doubles, large ones lane by lane, by divisors
; PLAN: %f = udiv i16 %t, %h ; varying, by a shared inverse, as floats, by divisors
; PLAN: %d = udiv i128 %v, %o ; varying, by each lane's number, divided lane by lane
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i64 %n, i16 %h) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i64, ptr addrspace(1) %in, i64 %i
  %x = load i64, ptr addrspace(1) %p, align 8
  %u = udiv i64 %x, %n
  %s = sdiv i64 %u, %n
  %t = trunc i64 %x to i16
  %f = udiv i16 %t, %h
  %g = zext i16 %f to i128
  %w = zext i64 %x to i128
  %v = shl i128 %w, 60
  %o = or i128 %w, 3
  %d = udiv i128 %v, %o
  %e = xor i128 %d, %g
  %c = trunc i128 %e to i64
  %r = xor i64 %s, %c
  %q = getelementptr inbounds i64, ptr addrspace(1) %out, i64 %i
  store i64 %r, ptr addrspace(1) %q, align 8
  ret void
}
