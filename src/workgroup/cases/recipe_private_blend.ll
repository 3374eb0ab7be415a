; Some lanes store to a private object whose lanes lie interleaved. What the other lanes have there is loaded and stored again, as nobody
; else sees the object: a store under a mask is dear on some machines, and on all of them not forwarded to the load behind it.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; PLAN: store double %y, ptr %there, align 8 ; $(=.*), interleaved by 8, contiguous, and if lanes are missing, blended with what they have
; CHECK: load <8 x double>, ptr %
; CHECK: select <8 x i1>
; CHECK: store <8 x double>
; CHECK-NOT: @llvm.masked.store.v8f64.p0
; ASM-V3-NOT: vmaskmovpd
; ASM-V3-NOT: vpmaskmovq
; ASM-V3: retq
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i64 %at, i64 %from) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %object = alloca [8 x double], align 8
  %p = getelementptr inbounds float, ptr addrspace(1) %in, i64 %i
  %x = load float, ptr addrspace(1) %p, align 4
  %first = getelementptr inbounds double, ptr %object, i64 %from
  %wide = fpext float %x to double
  store double %wide, ptr %first, align 8
  %positive = fcmp ogt float %x, 0.0
  br i1 %positive, label %some, label %all
some:
  %y = fmul double %wide, %wide
  %there = getelementptr inbounds double, ptr %object, i64 %at
  store double %y, ptr %there, align 8
  br label %all
all:
  %last = load double, ptr %first, align 8
  %z = fptrunc double %last to float
  %q = getelementptr inbounds float, ptr addrspace(1) %out, i64 %i
  store float %z, ptr addrspace(1) %q, align 4
  ret void
}
