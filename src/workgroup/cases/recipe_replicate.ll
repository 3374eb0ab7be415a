; What has no vector form is done lane by lane.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; PLAN: %x = load volatile i32, ptr addrspace(1) %p, align 4 ; varying, lane by lane: an atomic or volatile access
; PLAN: %class = call i32 @oxicl.storage_class(ptr %generic) ; varying, lane by lane: it asks for a storage class
; PLAN: %record = load { i32, i8 }, ptr addrspace(1) %there, align 4 ; varying, lane by lane: a type without vectors
; PLAN: %e = call i32 @llvm.expect.i32(i32 %x, i32 7) ; varying, lane by lane: an operation without vectors
; PLAN: %own = atomicrmw add ptr addrspace(1) %there, i32 1 monotonic, align 4 ; varying, lane by lane: each lane changes a place of its own
; PLAN: %told = call i32 @oxicl.printf(ptr addrspace(2) %format, i64 0, i32 %x) ; varying, lane by lane: it prints
; CHECK: lane$(=[0-9]*):
; CHECK: load volatile i32
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i32 @oxicl.storage_class(ptr) memory(none) nounwind willreturn speculatable
declare i32 @oxicl.printf(ptr addrspace(2), i64, ...) nounwind
declare i32 @llvm.expect.i32(i32, i32)

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, ptr addrspace(2) %format) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load volatile i32, ptr addrspace(1) %p, align 4
  %far = sext i32 %x to i64
  %there = getelementptr i8, ptr addrspace(1) %in, i64 %far
  %generic = addrspacecast ptr addrspace(1) %there to ptr
  %class = call i32 @oxicl.storage_class(ptr %generic)
  %record = load { i32, i8 }, ptr addrspace(1) %there, align 4
  %m = extractvalue { i32, i8 } %record, 0
  %e = call i32 @llvm.expect.i32(i32 %x, i32 7)
  %own = atomicrmw add ptr addrspace(1) %there, i32 1 monotonic
  %told = call i32 (ptr addrspace(2), i64, ...) @oxicl.printf(ptr addrspace(2) %format, i64 0, i32 %x)
  %s1 = xor i32 %class, %m
  %s2 = xor i32 %s1, %e
  %r = xor i32 %s2, %told
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
