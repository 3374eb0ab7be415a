; %kept is alive across the barrier, so each work-item has one in the context; %scratch is not, so all share one.
; BEGIN PLAN
; PLAN-SCALAR: private: 0 bytes of local memory, 0 of state, 16 of state for each gang
; PLAN-SCALAR-NEXT: kernel private
; PLAN-SCALAR-NEXT: plan 1 of 1: Rows
; PLAN-SCALAR-NEXT: 1 barrier: 2 regions, each a plain loop
; PLAN-SCALAR-NEXT: kept across barriers: 0 values once, 0 for each work-item
; PLAN-SCALAR-NEXT: private object of 16 bytes in the context for each work-item: it is alive across a barrier
; PLAN-SCALAR-NEXT: S = 4, V = 1: as said
; PLAN-SCALAR-NEXT: each work-item stores to a place of its own: it is in a private object
; PLAN-SCALAR-NEXT: each work-item loads from a place of its own: it is in a private object
; PLAN-SCALAR-NEXT: state: 0 bytes for a work-group, 16 for a work-item
; PLAN-V2: private: 0 bytes of local memory, 0 of state, 16 of state for each gang
; PLAN-V2-NEXT: kernel private
; PLAN-V2-NEXT: plan 1 of 1: Rows
; PLAN-V2-NEXT: 1 barrier: 2 regions, each a plain loop
; PLAN-V2-NEXT: kept across barriers: 0 values once, 0 for each work-item
; PLAN-V2-NEXT: private object of 16 bytes in the context for each work-item: it is alive across a barrier
; PLAN-V2-NEXT: one work-item at a time: lanes do not pay: much is done lane by lane, or each at an address of its own; estimated for gangs: $(=[0-9.]+) of the time, 1 accesses are each lane's own; priced at $(=[0-9.]+) cycles a work-item one at a time, the next best plan at $(=[0-9.]+) cycles a work-item in gangs of 4
; PLAN-V2-NEXT: S = 4, V = 1: as said
; PLAN-V2-NEXT: each work-item stores to a place of its own: it is in a private object
; PLAN-V2-NEXT: each work-item loads from a place of its own: it is in a private object
; PLAN-V2-NEXT: state: 0 bytes for a work-group, 16 for a work-item
; PLAN-V3: private: 0 bytes of local memory, 28 of state, 128 of state for each gang
; PLAN-V3-NEXT: kernel private
; PLAN-V3-NEXT: plan 1 of 1: Rows
; PLAN-V3-NEXT: 1 barrier: 2 regions, each a plain loop
; PLAN-V3-NEXT: kept across barriers: 0 values once, 0 for each work-item
; PLAN-V3-NEXT: private object of 16 bytes in the context for each work-item: it is alive across a barrier
; PLAN-V3-NEXT: gangs of 8 work-items; estimated for gangs: $(=[0-9.]+) of the time, 0 accesses are each lane's own; priced at $(=[0-9.]+) cycles a work-item in gangs of 8, the next best plan at $(=[0-9.]+) cycles a work-item in gangs of 8, 16, by region
; PLAN-V3-NEXT: S = 8, V = 8: a vector of 32-bit numbers
; PLAN-V3-NEXT: private object of 16 bytes: work-items of a work-group interleaved by 4 bytes
; PLAN-V3-NEXT: private object of 16 bytes: lanes interleaved by 4 bytes
; PLAN-V3-NEXT: each work-item stores to a place of its own: it is in a private object
; PLAN-V3-NEXT: each work-item loads from a place of its own: it is in a private object
; PLAN-V3-NEXT: launches with rows of 4 work-items have code of their own, for as many lanes
; PLAN-V3-NEXT: lanes: 8, up to 8 in gangs that are whole
; PLAN-V3-NEXT: state: 0 bytes for a work-group, 16 for a work-item
; PLAN-V4: private: 0 bytes of local memory, 60 of state, 256 of state for each gang
; PLAN-V4-NEXT: kernel private
; PLAN-V4-NEXT: plan 1 of 1: Rows
; PLAN-V4-NEXT: 1 barrier: 2 regions, each a plain loop
; PLAN-V4-NEXT: kept across barriers: 0 values once, 0 for each work-item
; PLAN-V4-NEXT: private object of 16 bytes in the context for each work-item: it is alive across a barrier
; PLAN-V4-NEXT: gangs of 16 work-items; estimated for gangs: $(=[0-9.]+) of the time, 0 accesses are each lane's own; priced at $(=[0-9.]+) cycles a work-item in gangs of 16, the next best plan at $(=[0-9.]+) cycles a work-item in gangs of 16, 32, by region
; PLAN-V4-NEXT: S = 16, V = 16: a vector of 32-bit numbers
; PLAN-V4-NEXT: private object of 16 bytes: work-items of a work-group interleaved by 4 bytes
; PLAN-V4-NEXT: private object of 16 bytes: lanes interleaved by 4 bytes
; PLAN-V4-NEXT: each work-item stores to a place of its own: it is in a private object
; PLAN-V4-NEXT: each work-item loads from a place of its own: it is in a private object
; PLAN-V4-NEXT: launches with rows of 4 or 8 work-items have code of their own, for as many lanes
; PLAN-V4-NEXT: lanes: 16, up to 16 in gangs that are whole
; PLAN-V4-NEXT: state: 0 bytes for a work-group, 16 for a work-item
; PLAN-NEON: private: 0 bytes of local memory, 0 of state, 16 of state for each gang
; PLAN-NEON-NEXT: kernel private
; PLAN-NEON-NEXT: plan 1 of 1: Rows
; PLAN-NEON-NEXT: 1 barrier: 2 regions, each a plain loop
; PLAN-NEON-NEXT: kept across barriers: 0 values once, 0 for each work-item
; PLAN-NEON-NEXT: private object of 16 bytes in the context for each work-item: it is alive across a barrier
; PLAN-NEON-NEXT: one work-item at a time: lanes do not pay: much is done lane by lane, or each at an address of its own; estimated for gangs: $(=[0-9.]+) of the time, 0 accesses are each lane's own; priced at $(=[0-9.]+) cycles a work-item one at a time, the next best plan at $(=[0-9.]+) cycles a work-item in gangs of 4
; PLAN-NEON-NEXT: S = 4, V = 1: as said
; PLAN-NEON-NEXT: each work-item stores to a place of its own: it is in a private object
; PLAN-NEON-NEXT: each work-item loads from a place of its own: it is in a private object
; PLAN-NEON-NEXT: state: 0 bytes for a work-group, 16 for a work-item
; END
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
