; What has no vector form is done lane by lane: volatile loads, and calls of functions that have no version for lanes.
; WITH: lanes=16
; ON: V2 V3 V4 NEON
; RECIPE: %x = load volatile i32, ptr addrspace(1) %p, align 4: lane by lane
; RECIPE: store i32 %x, ptr addrspace(1) %q, align 4: contiguous
; CHECK: lane$(=[0-9]*):
; CHECK: load volatile i32
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load volatile i32, ptr addrspace(1) %p, align 4
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %x, ptr addrspace(1) %q, align 4
  ret void
}
