//! Accesses by generic pointers become accesses to the memory that these point to.

mod module;

use module::optimised;

#[test]
fn accesses_are_to_the_memory_that_a_pointer_was_made_of() {
    let text = "@table = external addrspace(2) constant [64 x i32]
        define void @k(ptr addrspace(1) %out, ptr addrspace(3) %near, i64 %i, i1 %c) {
        %array = alloca [64 x float]
        %generic = addrspacecast ptr %array to ptr addrspace(4)
        %at = getelementptr float, ptr addrspace(4) %generic, i64 %i
        store <4 x float> splat (float 1.0), ptr addrspace(4) %at, align 4
        %far = addrspacecast ptr addrspace(1) %out to ptr addrspace(4)
        %behind = getelementptr inbounds i32, ptr addrspace(4) %far, i64 3
        %one = select i1 %c, ptr addrspace(4) %far, ptr addrspace(4) %behind
        br label %loop
        loop: %p = phi ptr addrspace(4) [ %one, %0 ], [ %next, %loop ]
        %n = phi i64 [ 0, %0 ], [ %n2, %loop ]
        %index = and i64 %n, 63
        %looked = getelementptr i32, ptr addrspace(4) addrspacecast (ptr addrspace(2) @table to ptr addrspace(4)), i64 %index
        %x = load i32, ptr addrspace(4) %looked
        %old = atomicrmw add ptr addrspace(4) %p, i32 %x monotonic
        %next = getelementptr i32, ptr addrspace(4) %p, i64 7
        %n2 = add i64 %n, 1
        %more = icmp ult i64 %n2, %i
        br i1 %more, label %loop, label %end
        end: %slot = getelementptr [64 x float], ptr %array, i64 0, i64 %n
        %v = load float, ptr %slot
        store float %v, ptr addrspace(3) %near
        ret void }";
    let code = optimised(text);
    assert!(code.contains("store <4 x float>") && code.contains("atomicrmw add ptr addrspace(1)"), "{code}");
    assert!(!code.contains("addrspace(4)"), "{code}");
}

#[test]
fn pointers_into_several_memories_stay_generic() {
    let text = "define void @k(ptr addrspace(1) %out, ptr addrspace(3) %near, ptr addrspace(4) %any, i1 %c) {
        %far = addrspacecast ptr addrspace(1) %out to ptr addrspace(4)
        %close = addrspacecast ptr addrspace(3) %near to ptr addrspace(4)
        %one = select i1 %c, ptr addrspace(4) %far, ptr addrspace(4) %close
        store volatile i32 1, ptr addrspace(4) %one
        store volatile i32 2, ptr addrspace(4) %any
        store volatile i32 3, ptr addrspace(4) %far
        ret void }";
    let code = optimised(text);
    assert_eq!(code.matches("store volatile i32").count(), 3, "{code}");
    for (number, space) in [(1, 4), (2, 4), (3, 1)] {
        assert!(code.contains(&format!("store volatile i32 {number}, ptr addrspace({space})")), "{code}");
    }
}
