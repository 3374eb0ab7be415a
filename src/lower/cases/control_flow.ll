; ModuleID = 'oxicl'
source_filename = "oxicl"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Function Attrs: convergent nounwind
define void @kernel.k(ptr addrspace(1) noundef %0, i32 noundef %1, i64 noundef %2) #0 {
prologue:
  br label %3

3:                                                ; preds = %prologue
  %4 = icmp ult i32 %1, 10
  br i1 %4, label %5, label %8

5:                                                ; preds = %8, %3
  %6 = phi i32 [ %1, %3 ], [ %10, %8 ]
  %7 = add i32 %6, 1
  br label %8

8:                                                ; preds = %5, %3
  %9 = phi i32 [ 0, %3 ], [ %7, %5 ]
  %10 = add i32 %9, 2
  %11 = icmp ult i32 %10, 10
  br i1 %11, label %5, label %12

12:                                               ; preds = %8
  switch i64 %2, label %16 [
    i64 1, label %14
    i64 4294967298, label %14
    i64 3, label %13
  ]

13:                                               ; preds = %12
  br label %14

14:                                               ; preds = %13, %12, %12
  %15 = phi i32 [ %10, %12 ], [ %10, %12 ], [ 1, %13 ]
  store i32 %15, ptr addrspace(1) %0, align 4
  ret void

16:                                               ; preds = %12
  ret void
}

attributes #0 = { convergent nounwind }
