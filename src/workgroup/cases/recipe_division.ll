; Quotients: by the inverse of a number that lanes share, by doubles or floats where lanes have each their own, by products for constants.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN: %shared = udiv i32 %x, %by ; $(=.*), by a shared inverse, as doubles
; PLAN: %own = sdiv i32 %x, %y ; $(=.*), by each lane's number, as doubles
; PLAN: %constant = urem i32 %own, 10 ; $(=.*), by a constant
; PLAN: %narrow = udiv i16 %short, %other ; $(=.*), by each lane's number, as floats
; PLAN-V2-V3: %signed = sdiv i64 %far, %more ; $(=.*), by each lane's number, as doubles, large ones lane by lane
; PLAN-V4-NEON: %signed = sdiv i64 %far, %more ; $(=.*), by each lane's number, as doubles, large ones by estimates
; PLAN-V2-V3: %unsigned = udiv i64 %far, %more ; $(=.*), by each lane's number, as doubles, large ones lane by lane
; PLAN-V4-NEON: %unsigned = udiv i64 %far, %more ; $(=.*), by each lane's number, by estimates
; CHECK: fdiv double 1.000000e+00
; CHECK: fdiv <16 x double>
; CHECK: urem <16 x i32>
; CHECK: fdiv <16 x float>
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) %out, ptr addrspace(1) noalias %in, i32 %by) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %shared = udiv i32 %x, %by
  %r = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  %y = load i32, ptr addrspace(1) %r, align 4
  %own = sdiv i32 %x, %y
  %constant = urem i32 %own, 10
  %short = trunc i32 %x to i16
  %other = trunc i32 %y to i16
  %narrow = udiv i16 %short, %other
  %long = zext i32 %x to i64
  %far = mul i64 %long, %long
  %more = sext i32 %y to i64
  %signed = sdiv i64 %far, %more
  %unsigned = udiv i64 %far, %more
  %sum = add i32 %shared, %constant
  %wide = zext i16 %narrow to i32
  %all = add i32 %sum, %wide
  %last = add i64 %signed, %unsigned
  %cut = trunc i64 %last to i32
  %result = xor i32 %all, %cut
  store i32 %result, ptr addrspace(1) %r, align 4
  ret void
}
