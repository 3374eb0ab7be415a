; %kept is alive across the barrier, so each work-item has one in the context; %scratch is not, so all share one.
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind

define void @private(ptr addrspace(1) %out, i64 %n) {
  %kept = alloca [4 x i32], align 4
  %scratch = alloca [4 x i32], align 4
  %i = call i64 @oxicl.global_id(i32 0)
  %low = and i64 %i, 3
  %a = getelementptr i32, ptr %kept, i64 %low
  store i32 7, ptr %a, align 4
  call void @oxicl.barrier(i32 2, i32 2, i32 272)
  %b = getelementptr i32, ptr %scratch, i64 %n
  store i32 9, ptr %b, align 4
  %c = getelementptr i32, ptr %kept, i64 %n
  %x = load i32, ptr %c, align 4
  %d = getelementptr i32, ptr %scratch, i64 %low
  %y = load i32, ptr %d, align 4
  %z = add i32 %x, %y
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
  store i32 %z, ptr addrspace(1) %p, align 4
  ret void
}
