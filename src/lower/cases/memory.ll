; ModuleID = 'oxicl'
source_filename = "oxicl"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Function Attrs: convergent nounwind
define void @kernel.k(ptr addrspace(1) noundef %0, ptr addrspace(1) noundef %1, i64 noundef %2) #0 {
prologue:
  %3 = alloca <{ i8, i32, i64 }>, align 1
  %4 = alloca i8, align 1
  %5 = alloca { i8, <3 x float>, [3 x <{ i8, i32, i64 }>] }, align 16
  br label %6

6:                                                ; preds = %prologue
  store <{ i8, i32, i64 }> <{ i8 7, i32 2, i64 9 }>, ptr %3, align 1
  store i8 1, ptr %4, align 1
  %7 = getelementptr inbounds [13 x i8], ptr addrspace(1) %0, i64 %2
  call void @llvm.memmove.p1.p0.i64(ptr addrspace(1) align 1 %7, ptr align 1 %3, i64 13, i1 false)
  call void @llvm.memmove.p0.p1.i64(ptr align 1 %3, ptr addrspace(1) align 1 %7, i64 13, i1 true)
  %8 = getelementptr inbounds i8, ptr %5, i64 32
  %9 = getelementptr inbounds [13 x i8], ptr %8, i64 %2
  %10 = getelementptr inbounds i8, ptr %9, i64 1
  store volatile i32 2, ptr %10, align 1
  %11 = load <{ i8, i32, i64 }>, ptr %3, align 1
  %12 = extractvalue <{ i8, i32, i64 }> %11, 1
  %13 = insertvalue <{ i8, i32, i64 }> %11, i32 1, 1
  store <{ i8, i32, i64 }> %13, ptr addrspace(1) %7, align 1
  %14 = load i8, ptr %4, align 1
  %15 = trunc i8 %14 to i1
  %16 = xor i1 %15, true
  %17 = zext i1 %16 to i8
  store i8 %17, ptr %4, align 1
  %18 = load <4 x float>, ptr addrspace(1) %1, align 1
  store <4 x float> %18, ptr addrspace(1) %1, align 1
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memmove.p1.p0.i64(ptr addrspace(1) writeonly captures(none), ptr readonly captures(none), i64, i1 immarg) #1

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memmove.p0.p1.i64(ptr writeonly captures(none), ptr addrspace(1) readonly captures(none), i64, i1 immarg) #1

attributes #0 = { convergent nounwind }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
