; Volatile loads of global memory are done lane by lane, which vectors of the sum behind them do not make up for: work-items run one at a time.
; PLAN-V2-V3-V4-NEON: one work-item at a time: lanes do not pay
; CHECK-NOT: lane$(=[0-9]*):
; CHECK: load volatile i32
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i32 %n) {
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load volatile i32, ptr addrspace(1) %p, align 4
  %again = load volatile i32, ptr addrspace(1) %p, align 4
  %y = add i32 %x, %again
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %y, ptr addrspace(1) %q, align 4
  ret void
}
