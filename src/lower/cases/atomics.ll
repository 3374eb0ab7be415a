; ModuleID = 'oxicl'
source_filename = "oxicl"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Function Attrs: convergent nounwind
define void @kernel.k(ptr addrspace(1) noundef %0, ptr addrspace(3) noundef %1) #0 {
prologue:
  br label %2

2:                                                ; preds = %prologue
  %3 = load atomic i32, ptr addrspace(1) %0 acquire, align 4
  store atomic i32 %3, ptr addrspace(1) %0 release, align 4
  %4 = atomicrmw add ptr addrspace(3) %1, i32 1 monotonic, align 4
  %5 = atomicrmw umax ptr addrspace(1) %0, i32 %4 seq_cst, align 4
  %6 = cmpxchg ptr addrspace(1) %0, i32 %4, i32 %5 acq_rel acquire, align 4
  %7 = extractvalue { i32, i1 } %6, 0
  %8 = atomicrmw xchg ptr addrspace(1) %0, i32 1 syncscope("singlethread") acquire, align 4
  %9 = icmp ne i32 %8, 0
  store atomic i32 0, ptr addrspace(1) %0 release, align 4
  %10 = load atomic i32, ptr addrspace(1) %0 acquire, align 4
  %11 = load atomic i32, ptr addrspace(1) %0 seq_cst, align 4
  %12 = load atomic i32, ptr addrspace(1) %0 monotonic, align 4
  fence acq_rel
  %13 = addrspacecast ptr addrspace(3) %1 to ptr addrspace(4)
  %14 = atomicrmw xor ptr addrspace(4) %13, i32 %7 monotonic, align 4
  %15 = call i32 @oxicl.storage_class(ptr addrspace(4) %13)
  %16 = icmp eq i32 %15, 4
  %17 = addrspacecast ptr addrspace(4) %13 to ptr addrspace(3)
  %18 = select i1 %16, ptr addrspace(3) %17, ptr addrspace(3) null
  store i32 %14, ptr addrspace(3) %18, align 4
  %19 = call i32 @oxicl.storage_class(ptr addrspace(4) %13)
  %20 = icmp eq i32 %19, 4
  %21 = icmp eq i32 %19, 7
  %22 = select i1 %21, i32 0, i32 512
  %23 = select i1 %20, i32 256, i32 %22
  store i32 %23, ptr addrspace(1) %0, align 4
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @oxicl.storage_class(ptr addrspace(4)) #1

attributes #0 = { convergent nounwind }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
