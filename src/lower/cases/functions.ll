; ModuleID = 'oxicl'
source_filename = "oxicl"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Function Attrs: convergent nounwind
define void @kernel.k(ptr addrspace(1) noalias noundef %0, ptr noundef byval({ i32, i32 }) align 4 %1, i32 noundef %2) #0 {
prologue:
  br label %3

3:                                                ; preds = %prologue
  %4 = call i32 @function.2.divide(ptr byval({ i32, i32 }) align 4 %1, i32 %2) #2
  %5 = add nsw i32 %4, 1
  store i32 %5, ptr addrspace(1) %0, align 4
  ret void
}

; Function Attrs: convergent inlinehint nounwind
define internal i32 @function.2.divide(ptr byval({ i32, i32 }) align 4 %0, i32 %1) #1 {
prologue:
  br label %2

2:                                                ; preds = %prologue
  %3 = load i32, ptr %0, align 4
  %4 = icmp eq i32 %1, 0
  %5 = icmp eq i32 %3, -2147483648
  %6 = icmp eq i32 %1, -1
  %7 = and i1 %5, %6
  %8 = or i1 %4, %7
  %9 = select i1 %8, i32 1, i32 %1
  %10 = sdiv i32 %3, %9
  %11 = icmp eq i32 %1, 0
  %12 = icmp eq i32 %10, -2147483648
  %13 = icmp eq i32 %1, -1
  %14 = and i1 %12, %13
  %15 = or i1 %11, %14
  %16 = select i1 %15, i32 1, i32 %1
  %17 = srem i32 %10, %16
  %18 = xor i32 %17, %16
  %19 = icmp slt i32 %18, 0
  %20 = icmp ne i32 %17, 0
  %21 = and i1 %20, %19
  %22 = add i32 %17, %16
  %23 = select i1 %21, i32 %22, i32 %17
  %24 = and i32 %1, 31
  %25 = shl i32 %23, %24
  store i32 %25, ptr %0, align 4
  ret i32 %25
}

attributes #0 = { convergent nounwind }
attributes #1 = { convergent inlinehint nounwind }
attributes #2 = { convergent }
