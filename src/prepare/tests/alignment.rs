//! Numbers of private arrays are accessed as they are aligned.

mod module;

use module::optimised;

#[test]
fn a_number_that_leaves_a_loop_keeps_its_alignment() {
    // It is stored in some iterations only, which tells nothing of the alignment outside.
    let text = "define void @k(ptr addrspace(1) %p, i64 %n) {
        start: %a = alloca [8 x double], align 8
        %some = getelementptr double, ptr %a, i64 %n
        store double 1.0, ptr %some, align 8
        %at = getelementptr double, ptr %a, i64 2
        br label %loop
        loop: %i = phi i64 [ 0, %start ], [ %next, %latch ]
        %from = getelementptr double, ptr addrspace(1) %p, i64 %i
        %x = load double, ptr addrspace(1) %from, align 8
        %positive = fcmp ogt double %x, 0.0
        br i1 %positive, label %set, label %latch
        set: store double %x, ptr %at, align 8
        br label %latch
        latch: %next = add nuw nsw i64 %i, 1
        %more = icmp ult i64 %next, 1000
        br i1 %more, label %loop, label %end
        end: %last = load double, ptr %some, align 8
        store double %last, ptr addrspace(1) %p, align 8
        ret void }";
    let made = optimised(text);
    let accesses: Vec<&str> = made.lines().filter(|line| line.contains("double") && line.contains(", ptr %")).collect();
    let of_array = accesses.iter().filter(|line| line.contains(" load ") || line.contains(" store "));
    let of_array: Vec<_> = of_array.collect();
    assert!(of_array.len() >= 4 && of_array.iter().all(|line| line.ends_with("align 8")), "{made}");
    // The loop has it as a value.
    let in_loop = made.split("loop:").nth(1).and_then(|rest| rest.split("end:").next());
    assert!(in_loop.is_some_and(|code| !code.contains(", ptr %")), "{made}");
}
