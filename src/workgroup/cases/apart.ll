; A function that is compiled apart is called by all lanes at once, by a name that says how many they are, that the mask is a number, and what they have in common of each argument.
; PLAN-V2-V3-V4-NEON: gangs of $(=[0-9]+) work-items
; CHECK-SCALAR: call <4 x float> @oxicl.image_texel.f32(
; CHECK-SCALAR-NOT: gang
; CHECK-V3: call { <8 x float>, <8 x float>, <8 x float>, <8 x float> } @oxicl.image_texel.f32.gang8.bits.same.same.step1(ptr addrspace(2) $(=%\d+), i64 $(=%\d+), i64 $(=%\d+), i8
; CHECK-V3: @oxicl.image_texel.f32.gang8.bits.same.same.each(ptr addrspace(2) $(=%\d+), i64 $(=%\d+), <8 x i64> $(=%\d+), i8
; CHECK-V4: @oxicl.image_texel.f32.gang16.bits.same.same.step1(ptr addrspace(2) $(=%\d+), i64 $(=%\d+), i64 $(=%\d+), i16
; CHECK-V4: @oxicl.image_texel.f32.gang16.bits.same.same.each(ptr addrspace(2) $(=%\d+), i64 $(=%\d+), <16 x i64> $(=%\d+), i16
; CHECK-V3-V4-NOT: define $(=.*)image_texel
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare <4 x float> @oxicl.image_texel.f32(ptr addrspace(2), i64, i64) memory(read) nounwind willreturn "oxicl-apart"

define void @pick(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %places, ptr addrspace(2) %image, i64 %row) {
  %i = call i64 @oxicl.global_id(i32 0)
  %first = call <4 x float> @oxicl.image_texel.f32(ptr addrspace(2) %image, i64 %row, i64 %i)
  %p = getelementptr inbounds i64, ptr addrspace(1) %places, i64 %i
  %place = load i64, ptr addrspace(1) %p, align 8
  %some = icmp ugt i64 %place, 10
  br i1 %some, label %more, label %end
more:
  %second = call <4 x float> @oxicl.image_texel.f32(ptr addrspace(2) %image, i64 %row, i64 %place)
  %sum = fadd <4 x float> %first, %second
  br label %end
end:
  %v = phi <4 x float> [ %first, %0 ], [ %sum, %more ]
  %q = getelementptr inbounds <4 x float>, ptr addrspace(1) %out, i64 %i
  store <4 x float> %v, ptr addrspace(1) %q, align 16
  ret void
}
