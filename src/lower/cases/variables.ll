; ModuleID = 'oxicl'
source_filename = "oxicl"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@variable.5.table = internal local_unnamed_addr addrspace(2) constant [4 x i32] [i32 1, i32 2, i32 1, i32 8], align 4
@variable.6.tile = internal addrspace(3) global [4 x i32] undef, align 4

; Function Attrs: convergent nounwind
define void @kernel.k(ptr addrspace(1) noundef %0) #0 {
prologue:
  %1 = alloca <3 x i64>, align 32
  %2 = call i64 @oxicl.global_id(i32 0)
  %3 = insertelement <3 x i64> zeroinitializer, i64 %2, i32 0
  %4 = call i64 @oxicl.global_id(i32 1)
  %5 = insertelement <3 x i64> %3, i64 %4, i32 1
  %6 = call i64 @oxicl.global_id(i32 2)
  %7 = insertelement <3 x i64> %5, i64 %6, i32 2
  store <3 x i64> %7, ptr %1, align 32
  %8 = call ptr addrspace(1) @oxicl.program_block()
  %9 = getelementptr i8, ptr addrspace(1) %8, i64 0
  br label %10

10:                                               ; preds = %prologue
  %11 = call i64 @oxicl.global_id(i32 0)
  %12 = insertelement <3 x i64> zeroinitializer, i64 %11, i32 0
  %13 = call i64 @oxicl.global_id(i32 1)
  %14 = insertelement <3 x i64> %12, i64 %13, i32 1
  %15 = call i64 @oxicl.global_id(i32 2)
  %16 = insertelement <3 x i64> %14, i64 %15, i32 2
  %17 = extractelement <3 x i64> %16, i32 0
  %18 = getelementptr inbounds i64, ptr %1, i64 1
  %19 = load i64, ptr %18, align 8
  %20 = call i32 @oxicl.work_dim()
  %21 = getelementptr inbounds i32, ptr addrspace(2) @variable.5.table, i64 %19
  %22 = load i32, ptr addrspace(2) %21, align 4
  %23 = getelementptr inbounds i32, ptr addrspace(3) @variable.6.tile, i64 %17
  store i32 %22, ptr addrspace(3) %23, align 4
  call void @oxicl.barrier(i32 2, i32 2, i32 8) #2
  %24 = getelementptr inbounds i32, ptr addrspace(1) %9, i64 %17
  %25 = load i32, ptr addrspace(1) %24, align 4
  %26 = add i32 %25, %20
  store i32 %26, ptr addrspace(1) %24, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i64 @oxicl.global_id(i32) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @oxicl.work_dim() #1

; Function Attrs: convergent nounwind
declare void @oxicl.barrier(i32, i32, i32) #0

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef ptr addrspace(1) @oxicl.program_block() #1

attributes #0 = { convergent nounwind }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent }
