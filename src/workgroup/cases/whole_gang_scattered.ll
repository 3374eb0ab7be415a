; A region whose lanes load from places of their own is written for whole gangs as well as for gangs under a mask where the mask costs them something: a branch for each lane, on machines without masks in registers.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; PLAN-V2-V3-V4-NEON: gangs of $(=[0-9]+) work-items
; CHECK-V2-V3-NEON: gang:
; CHECK-V2-V3-NEON: extractelement <$(=\d+) x i32>
; CHECK-V2-V3-NEON: part:
; CHECK-V4-NOT: gang:
; CHECK-V4: @llvm.masked.gather
; CHECK-V4-NOT: gang:
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @look_up(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %table) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %far = zext i32 %x to i64
  %t = getelementptr inbounds i32, ptr addrspace(1) %table, i64 %far
  %v0 = load i32, ptr addrspace(1) %t, align 4
  %m0 = mul i32 %v0, 3
  %v1 = xor i32 %m0, %x
  %m1 = mul i32 %v1, 5
  %v2 = xor i32 %m1, %x
  %m2 = mul i32 %v2, 7
  %v3 = xor i32 %m2, %x
  %m3 = mul i32 %v3, 9
  %v4 = xor i32 %m3, %x
  %m4 = mul i32 %v4, 11
  %v5 = xor i32 %m4, %x
  %m5 = mul i32 %v5, 13
  %v6 = xor i32 %m5, %x
  %m6 = mul i32 %v6, 15
  %v7 = xor i32 %m6, %x
  %m7 = mul i32 %v7, 17
  %v8 = xor i32 %m7, %x
  %m8 = mul i32 %v8, 19
  %v9 = xor i32 %m8, %x
  %m9 = mul i32 %v9, 21
  %v10 = xor i32 %m9, %x
  %m10 = mul i32 %v10, 23
  %v11 = xor i32 %m10, %x
  %m11 = mul i32 %v11, 25
  %v12 = xor i32 %m11, %x
  %m12 = mul i32 %v12, 27
  %v13 = xor i32 %m12, %x
  %m13 = mul i32 %v13, 29
  %v14 = xor i32 %m13, %x
  %m14 = mul i32 %v14, 31
  %v15 = xor i32 %m14, %x
  %m15 = mul i32 %v15, 33
  %v16 = xor i32 %m15, %x
  %m16 = mul i32 %v16, 35
  %v17 = xor i32 %m16, %x
  %m17 = mul i32 %v17, 37
  %v18 = xor i32 %m17, %x
  %m18 = mul i32 %v18, 39
  %v19 = xor i32 %m18, %x
  %m19 = mul i32 %v19, 41
  %v20 = xor i32 %m19, %x
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %v20, ptr addrspace(1) %q, align 4
  ret void
}
