; Lanes that change one place find what those before them made of it; what does not combine is done in turn on a copy.
; WITH: lanes=8
; ON: V2 V3 V4 NEON
; PLAN: %sum = atomicrmw add ptr addrspace(1) %out, i32 %x monotonic, align 4 ; varying, one change by all lanes' values scanned
; PLAN: %bits = atomicrmw or ptr addrspace(1) %w, i32 %x monotonic, align 4 ; varying, if lanes share the place one change by all lanes' values scanned, else lane by lane
; PLAN: %last = atomicrmw xchg ptr addrspace(1) %out, i32 %x monotonic, align 4 ; varying, one exchange behind all lanes in turn
; PLAN: %pair = cmpxchg ptr addrspace(1) %w, i32 %x, i32 7 monotonic monotonic, align 4 ; varying, if lanes share the place one exchange behind all lanes in turn, else lane by lane
; PLAN: %own = atomicrmw xchg ptr addrspace(3) %tile, i32 %x monotonic, align 4 ; varying, lane by lane: each lane changes a place of its own
; CHECK: cmpxchg
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable

define void @k(ptr addrspace(1) %out, ptr addrspace(1) noalias %in, ptr addrspace(3) %tile) {
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %i
  %x = load i32, ptr addrspace(1) %p, align 4
  %word = lshr i64 %i, 5
  %w = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %word
  %sum = atomicrmw add ptr addrspace(1) %out, i32 %x monotonic
  %bits = atomicrmw or ptr addrspace(1) %w, i32 %x monotonic
  %last = atomicrmw xchg ptr addrspace(1) %out, i32 %x monotonic
  %pair = cmpxchg ptr addrspace(1) %w, i32 %x, i32 7 monotonic monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %own = atomicrmw xchg ptr addrspace(3) %tile, i32 %x monotonic
  %s1 = xor i32 %sum, %bits
  %s2 = xor i32 %s1, %last
  %s3 = xor i32 %s2, %own
  %r = xor i32 %s3, %old
  %q = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %i
  store i32 %r, ptr addrspace(1) %q, align 4
  ret void
}
