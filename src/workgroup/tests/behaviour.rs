//! What a work-group function does, one behaviour a test, in every mode.
#![allow(unsafe_code, reason = "runs the code that was compiled")]

#[path = "run/machine.rs"]
mod machine;

use machine::{Library, Mode, Range, argument, compile, run, signature};
use oxicl_validate::{Argument, ArgumentKind};

const MODES: [Mode; 3] = [Mode::Bare, Mode::Cheap, Mode::Full];

const DECLARATIONS: &str = "
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.global_size(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.global_offset(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.local_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.local_size(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.enqueued_local_size(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.group_id(i32) memory(none) nounwind willreturn speculatable
declare i64 @oxicl.num_groups(i32) memory(none) nounwind willreturn speculatable
declare i32 @oxicl.work_dim() memory(none) nounwind willreturn speculatable
declare i64 @oxicl.global_linear_id() memory(none) nounwind willreturn speculatable
declare i64 @oxicl.local_linear_id() memory(none) nounwind willreturn speculatable
declare void @oxicl.barrier(i32, i32, i32) convergent nounwind
declare i32 @oxicl.group.reduce.add.i32(i32) convergent nounwind willreturn memory(none)
declare i32 @oxicl.group.scan_inclusive.add.i32(i32) convergent nounwind willreturn memory(none)
declare i32 @oxicl.group.broadcast.i32(i32, i64, i64, i64) convergent nounwind willreturn memory(none)
";

/// The barrier of OpenCL C with a fence of local memory.
const BARRIER: &str = "call void @oxicl.barrier(i32 2, i32 2, i32 272)";

fn line(global: u64, local: u64) -> Range {
    Range { dimensions: 1, offset: [0; 3], global: [global, 1, 1], local: [local, 1, 1] }
}

fn global() -> Argument {
    argument(ArgumentKind::Global, 8, 0)
}

fn build(body: &str, arguments: &[Argument], mode: Mode) -> Library {
    compile(&format!("{DECLARATIONS}{body}"), &[("k", signature(arguments.to_vec()))], mode)
}

/// Runs the kernel `k` with a buffer as its first argument and `more` behind it.
fn run_on<T: Copy>(library: &Library, range: Range, out: &mut [T], more: &[u8]) {
    let mut block = (out.as_mut_ptr() as u64).to_le_bytes().to_vec();
    block.extend(more);
    run(library, 0, range, &block, 256, 2);
}

#[test]
fn every_question_about_a_place_has_its_answer() {
    let mut body = String::from("define void @k(ptr addrspace(1) %out) {\n");
    let mut count = 0;
    let mut store = |body: &mut String, value: &str| {
        *body += &format!(
            "%p{count} = getelementptr i64, ptr addrspace(1) %row, i64 {count}\n\
             store i64 {value}, ptr addrspace(1) %p{count}\n"
        );
        count += 1;
    };
    body += "%i = call i64 @oxicl.global_linear_id()\n%base = mul i64 %i, 27\n\
             %row = getelementptr i64, ptr addrspace(1) %out, i64 %base\n";
    let names = [
        "global_id",
        "global_size",
        "global_offset",
        "local_id",
        "local_size",
        "enqueued_local_size",
        "group_id",
        "num_groups",
    ];
    for name in names {
        for d in 0..3 {
            body += &format!("%{name}{d} = call i64 @oxicl.{name}(i32 {d})\n");
            store(&mut body, &format!("%{name}{d}"));
        }
    }
    body += "%dim = call i32 @oxicl.work_dim()\n%wide = zext i32 %dim to i64\n";
    store(&mut body, "%wide");
    store(&mut body, "%i");
    body += "%l = call i64 @oxicl.local_linear_id()\n";
    store(&mut body, "%l");
    body += "ret void }\n";
    let range = Range { dimensions: 3, offset: [10, 20, 30], global: [7, 5, 4], local: [3, 2, 3] };
    for mode in MODES {
        let library = build(&body, &[global()], mode);
        let mut out = vec![0u64; 27 * 140];
        run_on(&library, range, &mut out, &[]);
        for i in 0..140u64 {
            let place = [i % 7, i / 7 % 5, i / 35];
            let group = [0, 1, 2].map(|d| place[d] / range.local[d]);
            let local = [0, 1, 2].map(|d| place[d] % range.local[d]);
            let size = [0, 1, 2].map(|d| range.local[d].min(range.global[d] - group[d] * range.local[d]));
            let mut expected = Vec::new();
            expected.extend([0, 1, 2].map(|d| place[d] + range.offset[d]));
            expected.extend(range.global);
            expected.extend(range.offset);
            expected.extend(local);
            expected.extend(size);
            expected.extend(range.local);
            expected.extend(group);
            expected.extend([3, 3, 2]);
            expected.extend([3, i, (local[2] * size[1] + local[1]) * size[0] + local[0]]);
            assert_eq!(out[i as usize * 27..][..27], expected, "work-item {i}, {mode:?}");
        }
    }
}

#[test]
fn an_argument_by_value_that_is_written_is_each_work_items_own() {
    let body = format!(
        "define void @k(ptr addrspace(1) %out, ptr byval({{ i32, i32 }}) align 4 %s) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %n = trunc i64 %i to i32
        %old = load i32, ptr %s
        %new = add i32 %old, %n
        store i32 %new, ptr %s
        {BARRIER}
        %mine = load i32, ptr %s
        %second = getelementptr i32, ptr %s, i32 1
        %other = load i32, ptr %second
        %sum = add i32 %mine, %other
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %sum, ptr addrspace(1) %p
        ret void }}"
    );
    for mode in MODES {
        let library = build(&body, &[global(), argument(ArgumentKind::ByValue, 8, 8)], mode);
        let mut out = vec![0u32; 10];
        let mut bytes = 100u32.to_le_bytes().to_vec();
        bytes.extend(1000u32.to_le_bytes());
        run_on(&library, line(10, 4), &mut out, &bytes);
        assert_eq!(out, (0..10).map(|i| 1100 + i).collect::<Vec<u32>>(), "{mode:?}");
    }
}

#[test]
fn local_arguments_lie_behind_local_variables() {
    let body = format!(
        "@v = internal addrspace(3) global [4 x i32] undef, align 4
        define void @k(ptr addrspace(1) %out, ptr addrspace(3) %a) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %l = call i64 @oxicl.local_id(i32 0)
        %n = trunc i64 %i to i32
        %pa = getelementptr i32, ptr addrspace(3) %a, i64 %l
        %pv = getelementptr i32, ptr addrspace(3) @v, i64 %l
        store i32 %n, ptr addrspace(3) %pa
        %m = mul i32 %n, 100
        store i32 %m, ptr addrspace(3) %pv
        {BARRIER}
        %r = sub i64 3, %l
        %qa = getelementptr i32, ptr addrspace(3) %a, i64 %r
        %qv = getelementptr i32, ptr addrspace(3) @v, i64 %r
        %x = load i32, ptr addrspace(3) %qa
        %y = load i32, ptr addrspace(3) %qv
        %first = load i32, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @v, i64 4)
        %s = add i32 %x, %y
        %t = add i32 %s, %first
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %t, ptr addrspace(1) %p
        ret void }}"
    );
    for mode in MODES {
        let library = build(&body, &[global(), argument(ArgumentKind::Local { align: 4 }, 8, 8)], mode);
        assert_eq!(library.facts[0].local_bytes, 16);
        let mut out = vec![0u32; 8];
        run_on(&library, line(8, 4), &mut out, &16u64.to_le_bytes());
        let expected: Vec<u32> = (0..8).map(|i| (i / 4 * 4 + 3 - i % 4) * 101 + (i / 4 * 4 + 1) * 100).collect();
        assert_eq!(out, expected, "{mode:?}");
    }
}

#[test]
fn functions_that_stay_functions_know_the_work_item_and_its_local_memory() {
    let body = format!(
        "@v = internal addrspace(3) global [4 x i32] undef, align 4
        define internal i32 @inner(i32 %x) noinline {{
        %l = call i64 @oxicl.local_id(i32 0)
        %p = getelementptr i32, ptr addrspace(3) @v, i64 %l
        %v = load i32, ptr addrspace(3) %p
        %s = add i32 %v, %x
        ret i32 %s }}
        define internal i32 @outer(i32 %x) noinline {{
        %g = call i64 @oxicl.group_id(i32 0)
        %n = trunc i64 %g to i32
        %r = call i32 @inner(i32 %x)
        %big = icmp ugt i32 %n, 0
        br i1 %big, label %a, label %b
        a: %s = mul i32 %r, 2
        br label %b
        b: %t = phi i32 [ %r, %0 ], [ %s, %a ]
        ret i32 %t }}
        define void @k(ptr addrspace(1) %out) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %l = call i64 @oxicl.local_id(i32 0)
        %n = trunc i64 %i to i32
        %p = getelementptr i32, ptr addrspace(3) @v, i64 %l
        store i32 %n, ptr addrspace(3) %p
        {BARRIER}
        %r = call i32 @outer(i32 7)
        %q = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %r, ptr addrspace(1) %q
        ret void }}"
    );
    for mode in MODES {
        let library = build(&body, &[global()], mode);
        let mut out = vec![0u32; 8];
        run_on(&library, line(8, 4), &mut out, &[]);
        let expected: Vec<u32> = (0..8).map(|i| (i + 7) * if i >= 4 { 2 } else { 1 }).collect();
        assert_eq!(out, expected, "{mode:?}");
    }
}

/// A uniform switch into many branches, each with a barrier, and a long tail behind all of them.
fn many_barriers(branches: u32, tail: u32) -> String {
    let mut body = String::from(
        "define void @k(ptr addrspace(1) %out, i32 %which) {
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %start = load i32, ptr addrspace(1) %p
        switch i32 %which, label %b0 [\n",
    );
    for i in 1..branches {
        body += &format!("i32 {i}, label %b{i}\n");
    }
    body += "]\n";
    for i in 0..branches {
        body += &format!("b{i}: %x{i} = mul i32 %start, {}\n{BARRIER}\nbr label %tail\n", i + 1);
    }
    body += "tail: %t0 = phi i32 ";
    body += &(0..branches).map(|i| format!("[ %x{i}, %b{i} ]")).collect::<Vec<_>>().join(", ");
    for i in 0..tail {
        body += &format!("\n%u{i} = xor i32 %t{i}, {i}\n%t{} = mul i32 %u{i}, 3", i + 1);
    }
    body + &format!("\n{BARRIER}\nstore i32 %t{tail}, ptr addrspace(1) %p\nret void }}")
}

#[test]
fn many_barriers_before_one_tail_do_not_repeat_it() {
    let (branches, tail) = (64, 200);
    for mode in MODES {
        let library = build(&many_barriers(branches, tail), &[global(), argument(ArgumentKind::Value, 4, 8)], mode);
        let remark = &library.facts[0].remarks[0];
        assert!(remark.contains("one piece for all"), "{remark}");
        for which in [0u32, 5, 63, 1000] {
            let mut out: Vec<u32> = (0..11).collect();
            run_on(&library, line(11, 4), &mut out, &which.to_le_bytes());
            let factor = if which < branches { which + 1 } else { 1 };
            let expected: Vec<u32> =
                (0..11u32).map(|i| (0..tail).fold(i.wrapping_mul(factor), |t, i| (t ^ i).wrapping_mul(3))).collect();
            assert_eq!(out, expected, "{which}, {mode:?}");
        }
    }
}

#[test]
fn work_items_that_disagree_about_a_barrier_come_to_an_end() {
    let body = format!(
        "define void @k(ptr addrspace(1) %out) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %n = trunc i64 %i to i32
        %bit = and i32 %n, 1
        %odd = icmp ne i32 %bit, 0
        br i1 %odd, label %a, label %b
        a: {BARRIER}
        store i32 1, ptr addrspace(1) %p
        {BARRIER}
        br label %end
        b: store i32 2, ptr addrspace(1) %p
        {BARRIER}
        br label %end
        end: ret void }}"
    );
    for mode in MODES {
        let library = build(&body, &[global()], mode);
        let mut out = vec![0u32; 16];
        run_on(&library, line(16, 8), &mut out, &[]);
        assert_eq!(out[0], 2, "{mode:?}");
    }
}

#[test]
fn an_early_return_leaves_the_others_at_the_barrier() {
    let body = format!(
        "@v = internal addrspace(3) global [8 x i32] undef, align 4
        define void @k(ptr addrspace(1) %out, i32 %n) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %l = call i64 @oxicl.local_id(i32 0)
        %x = trunc i64 %i to i32
        %out_of_range = icmp uge i32 %x, %n
        br i1 %out_of_range, label %leave, label %stay
        leave: ret void
        stay: br label %loop
        loop: %turn = phi i32 [ 0, %stay ], [ %next, %loop ]
        %sum = phi i32 [ 0, %stay ], [ %more, %loop ]
        %pv = getelementptr i32, ptr addrspace(3) @v, i64 %l
        %value = add i32 %x, %turn
        store i32 %value, ptr addrspace(3) %pv
        {BARRIER}
        %first = load i32, ptr addrspace(3) @v
        %more = add i32 %sum, %first
        {BARRIER}
        %next = add i32 %turn, 1
        %again = icmp ult i32 %next, 3
        br i1 %again, label %loop, label %end
        end: %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %more, ptr addrspace(1) %p
        ret void }}"
    );
    for mode in MODES {
        let library = build(&body, &[global(), argument(ArgumentKind::Value, 4, 8)], mode);
        let mut out = vec![77u32; 24];
        run_on(&library, line(24, 8), &mut out, &11u32.to_le_bytes());
        let expected: Vec<u32> = (0..24).map(|i| if i < 11 { i / 8 * 8 * 3 + 3 } else { 77 }).collect();
        assert_eq!(out, expected, "{mode:?}");
    }
}

#[test]
fn a_large_private_array_lives_in_the_context() {
    for (barrier, per_item) in [("", false), (BARRIER, true)] {
        let body = format!(
            "define void @k(ptr addrspace(1) %out, i32 %n) {{
            %a = alloca [1024 x i32], align 16
            %i = call i64 @oxicl.global_id(i32 0)
            %x = trunc i64 %i to i32
            br label %loop
            loop: %j = phi i32 [ 0, %0 ], [ %next, %loop ]
            %q = getelementptr i32, ptr %a, i32 %j
            %v = add i32 %j, %x
            store volatile i32 %v, ptr %q
            %next = add i32 %j, 1
            %more = icmp ult i32 %next, 1024
            br i1 %more, label %loop, label %end
            end:
            {barrier}
            %r = getelementptr i32, ptr %a, i32 %n
            %w = load volatile i32, ptr %r
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
            store i32 %w, ptr addrspace(1) %p
            ret void }}"
        );
        for mode in MODES {
            let library = build(&body, &[global(), argument(ArgumentKind::Value, 4, 8)], mode);
            let facts = &library.facts[0];
            assert_eq!(facts.state_bytes_per_group >= 4096, !per_item, "{facts:?}");
            assert_eq!(facts.state_bytes_per_gang >= 4096, per_item, "{facts:?}");
            let mut out = vec![0u32; 10];
            run_on(&library, line(10, 4), &mut out, &1000u32.to_le_bytes());
            assert_eq!(out, (1000..1010).collect::<Vec<u32>>(), "{mode:?}");
        }
    }
}

#[test]
fn local_atomics_count_across_barriers() {
    let body = format!(
        "@bins = internal addrspace(3) global [4 x i32] undef, align 4
        define void @k(ptr addrspace(1) %out) {{
        %l = call i64 @oxicl.local_id(i32 0)
        %g = call i64 @oxicl.group_id(i32 0)
        %few = icmp ult i64 %l, 4
        br i1 %few, label %clear, label %cleared
        clear: %c = getelementptr i32, ptr addrspace(3) @bins, i64 %l
        store i32 0, ptr addrspace(3) %c
        br label %cleared
        cleared: {BARRIER}
        %bin = and i64 %l, 3
        %b = getelementptr i32, ptr addrspace(3) @bins, i64 %bin
        %old = atomicrmw add ptr addrspace(3) %b, i32 1 monotonic
        {BARRIER}
        br i1 %few, label %store, label %end
        store: %s = getelementptr i32, ptr addrspace(3) @bins, i64 %l
        %n = load i32, ptr addrspace(3) %s
        %row = mul i64 %g, 4
        %at = add i64 %row, %l
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %at
        store i32 %n, ptr addrspace(1) %p
        br label %end
        end: ret void }}"
    );
    for mode in MODES {
        let library = build(&body, &[global()], mode);
        let mut out = vec![0u32; 8];
        run_on(&library, line(26, 13), &mut out, &[]);
        assert_eq!(out, [4, 3, 3, 3, 4, 3, 3, 3], "{mode:?}");
    }
}

#[test]
fn a_barrier_in_nested_calls_and_a_path_that_never_comes_back_are_cut_too() {
    let body = format!(
        "@v = internal addrspace(3) global [8 x i32] undef, align 4
        define internal void @wait() alwaysinline convergent {{ {BARRIER} ret void }}
        define internal i32 @swap(i64 %l, i32 %x) alwaysinline convergent {{
        %p = getelementptr i32, ptr addrspace(3) @v, i64 %l
        store i32 %x, ptr addrspace(3) %p
        call void @wait()
        %r = sub i64 7, %l
        %q = getelementptr i32, ptr addrspace(3) @v, i64 %r
        %y = load i32, ptr addrspace(3) %q
        call void @wait()
        ret i32 %y }}
        define void @k(ptr addrspace(1) %out, i32 %n) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %l = call i64 @oxicl.local_id(i32 0)
        %x = trunc i64 %i to i32
        %bad = icmp ugt i32 %n, 1000
        br i1 %bad, label %never, label %on
        never: call void @wait()
        unreachable
        on: %y = call i32 @swap(i64 %l, i32 %x)
        %twice = mul i32 %y, 2
        %z = call i32 @swap(i64 %l, i32 %twice)
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %z, ptr addrspace(1) %p
        ret void }}"
    );
    for mode in MODES {
        let library = build(&body, &[global(), argument(ArgumentKind::Value, 4, 8)], mode);
        let mut out = vec![0u32; 16];
        run_on(&library, line(16, 8), &mut out, &5u32.to_le_bytes());
        assert_eq!(out, (0..16).map(|i| i * 2).collect::<Vec<u32>>(), "{mode:?}");
    }
}

#[test]
fn generic_pointers_know_what_they_point_to() {
    let body = "
        declare i32 @oxicl.storage_class(ptr addrspace(4)) memory(none) nounwind willreturn speculatable
        @v = internal addrspace(3) global [4 x i32] undef, align 4
        define internal i32 @ask(ptr addrspace(4) %p) noinline {
        %c = call i32 @oxicl.storage_class(ptr addrspace(4) %p)
        ret i32 %c }
        define void @k(ptr addrspace(1) %out) {
        %a = alloca i32
        %i = call i64 @oxicl.global_id(i32 0)
        %private = addrspacecast ptr %a to ptr addrspace(4)
        %global = addrspacecast ptr addrspace(1) %out to ptr addrspace(4)
        %x = call i32 @ask(ptr addrspace(4) %private)
        %y = call i32 @oxicl.storage_class(ptr addrspace(4) %global)
        %z = call i32 @ask(ptr addrspace(4) addrspacecast (ptr addrspace(3) @v to ptr addrspace(4)))
        %x2 = mul i32 %x, 100
        %y2 = mul i32 %y, 10
        %s = add i32 %x2, %y2
        %t = add i32 %s, %z
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %t, ptr addrspace(1) %p
        ret void }";
    for mode in MODES {
        let library = build(body, &[global()], mode);
        let mut out = vec![0u32; 8];
        run_on(&library, line(8, 4), &mut out, &[]);
        assert_eq!(out, [754; 8], "{mode:?}");
    }
}

#[test]
fn a_barrier_in_a_function_that_was_not_inlined_is_named() {
    let text = format!(
        "{DECLARATIONS}define internal void @waits() {{ {BARRIER} ret void }}
        define void @k() {{ call void @waits() ret void }}"
    );
    let context = oxicl_llvm::Context::new();
    let mut module = oxicl_llvm::Module::parse_text(&context, &text).expect("valid text");
    let signature = signature(Vec::new());
    let kernel = oxicl_workgroup::Kernel { name: "k", function: "k", signature: &signature };
    let failure = oxicl_workgroup::build(&mut module, &[kernel], &Default::default()).expect_err("not inlined");
    let text = failure.to_string();
    assert!(text.contains("kernel k") && text.contains("waits"), "{text}");
}

#[test]
fn a_thousand_barriers_compile_in_linear_code() {
    let mut body = String::from(
        "define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %s0 = trunc i64 %i to i32\n",
    );
    // Each value is alive across all barriers behind it.
    for n in 0..1000 {
        body += &format!("%v{n} = load volatile i32, ptr addrspace(1) %p\n{BARRIER}\n");
    }
    for n in 0..1000 {
        body += &format!("%s{} = add i32 %s{n}, %v{n}\n", n + 1);
    }
    body += "store i32 %s1000, ptr addrspace(1) %p\nret void }";
    let text = format!("{DECLARATIONS}{body}");
    let context = oxicl_llvm::Context::new();
    let kernels = [("k", signature(vec![global()]))];
    let (module, _) = machine::transform(&context, &text, &kernels, Mode::Cheap);
    let instructions: usize =
        module.functions().iter().flat_map(|f| f.blocks()).map(|b| b.instructions().count()).sum();
    assert!(instructions < 20_000, "{instructions}");
    let library = compile(&text, &kernels, Mode::Cheap);
    let mut out: Vec<u32> = (0..8).collect();
    run_on(&library, line(8, 4), &mut out, &[]);
    assert_eq!(out, (0..8).map(|i| i * 1001).collect::<Vec<u32>>());
}

#[test]
fn work_groups_that_run_as_one_cover_the_same_work_items() {
    let body = "define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_linear_id()
        %x = call i64 @oxicl.global_id(i32 0)
        %y = call i64 @oxicl.global_id(i32 1)
        %z = call i64 @oxicl.global_id(i32 2)
        %y2 = mul i64 %y, 100
        %z2 = mul i64 %z, 10000
        %a = add i64 %x, %y2
        %b = add i64 %a, %z2
        %v = trunc i64 %b to i32
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %old = load i32, ptr addrspace(1) %p
        %new = add i32 %old, %v
        store i32 %new, ptr addrspace(1) %p
        ret void }";
    for mode in MODES {
        let library = build(body, &[global()], mode);
        for local in [[4, 1, 1], [1, 1, 1], [10, 1, 1], [3, 2, 1]] {
            let range = Range { dimensions: 3, offset: [5, 6, 7], global: [10, 3, 2], local };
            let mut out = vec![1u32; 60];
            run_on(&library, range, &mut out, &[]);
            let expected: Vec<u32> =
                (0..60).map(|i| 1 + (5 + i % 10) + (6 + i / 10 % 3) * 100 + (7 + i / 30) * 10000).collect();
            assert_eq!(out, expected, "{local:?}, {mode:?}");
        }
    }
}

#[test]
fn work_items_that_go_through_a_loop_together_keep_their_values_apart() {
    // A private array is written before the loop and read and written in it; the result is kept in a local one.
    let body = format!(
        "@v = internal addrspace(3) global [64 x i32] undef, align 4
        define void @k(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i32 %n) {{
        entry:
        %a = alloca [4 x i32], align 4
        %i = call i64 @oxicl.global_id(i32 0)
        %l = call i64 @oxicl.local_id(i32 0)
        %x = trunc i64 %i to i32
        %first = and i32 %x, 3
        store [4 x i32] zeroinitializer, ptr %a
        %pa = getelementptr i32, ptr %a, i32 %first
        store i32 %x, ptr %pa
        %any = icmp sgt i32 %n, 0
        br i1 %any, label %loop, label %end
        loop: %j = phi i32 [ 0, %entry ], [ %next, %loop ]
        %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
        %slot = and i32 %j, 3
        %pj = getelementptr i32, ptr %a, i32 %slot
        %old = load i32, ptr %pj
        %row = mul nsw i32 %j, 64
        %at = add nsw i32 %row, %x
        %wide = sext i32 %at to i64
        %pin = getelementptr inbounds i32, ptr addrspace(1) %in, i64 %wide
        %value = load i32, ptr addrspace(1) %pin
        %new = add i32 %old, %value
        store i32 %new, ptr %pj
        %more = add i32 %sum, %new
        %next = add nsw i32 %j, 1
        %again = icmp slt i32 %next, %n
        br i1 %again, label %loop, label %end
        end: %result = phi i32 [ 0, %entry ], [ %more, %loop ]
        %pv = getelementptr i32, ptr addrspace(3) @v, i64 %l
        store i32 %result, ptr addrspace(3) %pv
        {BARRIER}
        %mine = load i32, ptr addrspace(3) %pv
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        store i32 %mine, ptr addrspace(1) %p
        ret void }}"
    );
    let input: Vec<u32> = (0..640).map(|i| i * i % 1009).collect();
    let arguments = [global(), argument(ArgumentKind::Global, 8, 8), argument(ArgumentKind::Value, 4, 16)];
    for mode in MODES {
        let library = build(&body, &arguments, mode);
        for n in [0u32, 1, 7, 10] {
            let mut out = vec![0u32; 43];
            let mut more = (input.as_ptr() as u64).to_le_bytes().to_vec();
            more.extend(n.to_le_bytes());
            run_on(&library, line(43, 19), &mut out, &more);
            for (x, out) in (0u32..).zip(&out) {
                let mut private = [0u32; 4];
                private[x as usize & 3] = x;
                let mut sum = 0u32;
                for j in 0..n {
                    private[j as usize & 3] += input[(j * 64 + x) as usize];
                    sum += private[j as usize & 3];
                }
                assert_eq!(*out, sum, "work-item {x}, {n} turns, {mode:?}");
            }
        }
    }
}

#[test]
fn what_is_the_same_in_a_row_may_differ_between_rows() {
    let body = format!(
        "define void @k(ptr addrspace(1) %out) {{
        %i = call i64 @oxicl.global_linear_id()
        %linear = call i64 @oxicl.local_linear_id()
        %x = call i64 @oxicl.local_id(i32 0)
        %row = sub i64 %linear, %x
        %third = udiv i64 %row, 3
        {BARRIER}
        %p = getelementptr i64, ptr addrspace(1) %out, i64 %i
        store i64 %third, ptr addrspace(1) %p
        ret void }}"
    );
    let range = Range { dimensions: 2, offset: [0; 3], global: [6, 4, 1], local: [6, 4, 1] };
    for mode in MODES {
        let library = build(&body, &[global()], mode);
        let mut out = vec![0u64; 24];
        run_on(&library, range, &mut out, &[]);
        assert_eq!(out, (0..24).map(|i| i / 6 * 2).collect::<Vec<u64>>(), "{mode:?}");
    }
}

#[test]
fn optimize_knows_the_attribute_of_loops_that_run_together() {
    assert_eq!(oxicl_workgroup::TOGETHER, oxicl_optimize::TOGETHER);
}

#[test]
fn a_switch_may_reach_a_block_by_several_cases_with_a_value_from_before_a_barrier() {
    let body = format!(
        "define void @k(ptr addrspace(1) %out) {{
entry:
  %i = call i64 @oxicl.global_id(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %out, i64 %i
  %v = load i64, ptr addrspace(1) %p
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %next, %latch ]
  %x = phi i64 [ %v, %entry ], [ %r, %latch ]
  {BARRIER}
  %s = and i64 %i, 3
  switch i64 %s, label %other [ i64 1, label %latch
                                i64 2, label %latch ]
other:
  br label %latch
latch:
  %r = phi i64 [ %x, %loop ], [ %x, %loop ], [ 7, %other ]
  %next = add i64 %n, 1
  %more = icmp ult i64 %next, 3
  br i1 %more, label %loop, label %done
done:
  store i64 %r, ptr addrspace(1) %p
  ret void
}}
"
    );
    for mode in MODES {
        let library = build(&body, &[global()], mode);
        let mut out: Vec<u64> = (100..112).collect();
        run_on(&library, line(12, 4), &mut out, &[]);
        assert_eq!(out, [7, 101, 102, 7, 7, 105, 106, 7, 7, 109, 110, 7]);
    }
}

#[test]
fn what_is_too_long_for_the_vectorizer_is_kept_from_it() {
    let kernel = |length: usize| {
        let mut body = String::from("define void @k(ptr addrspace(1) %out) {\n%v0 = load i32, ptr addrspace(1) %out\n");
        for i in 0..length {
            body += &format!("%v{} = mul i32 %v{i}, %v0\n", i + 1);
        }
        body + &format!("store i32 %v{length}, ptr addrspace(1) %out\nret void\n}}")
    };
    for (length, kept) in [(100, false), (4000, true)] {
        let context = oxicl_llvm::Context::new();
        let kernels = [("k", signature(vec![global()]))];
        let (module, _) = machine::transform(&context, &kernel(length), &kernels, Mode::Bare);
        assert_eq!(module.to_text().contains("llvm.loop.vectorize.enable"), kept, "{length} instructions");
    }
}

#[test]
fn hundreds_of_collective_operations_compile_in_linear_code() {
    let size = |count: usize| {
        let mut body = String::from(
            "define void @k(ptr addrspace(1) %out) {
            %i = call i64 @oxicl.global_id(i32 0)
            %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
            %s0 = trunc i64 %i to i32\n",
        );
        for n in 0..count {
            let kind = if n % 2 == 0 { "reduce" } else { "scan_inclusive" };
            body += &format!(
                "%r{n} = call i32 @oxicl.group.{kind}.add.i32(i32 %s{n})
                %v{n} = load volatile i32, ptr addrspace(1) %p
                %s{} = xor i32 %r{n}, %v{n}\n",
                n + 1
            );
        }
        body += &format!("store i32 %s{count}, ptr addrspace(1) %p\nret void }}");
        let text = format!("{DECLARATIONS}{body}");
        let context = oxicl_llvm::Context::new();
        let kernels = [("k", signature(vec![global()]))];
        let (module, _) = machine::transform(&context, &text, &kernels, Mode::Cheap);
        let instructions: usize =
            module.functions().iter().flat_map(|f| f.blocks()).map(|b| b.instructions().count()).sum();
        let library = compile(&text, &kernels, Mode::Cheap);
        let mut out: Vec<u32> = (0..12).map(|i| i * 5).collect();
        let mut expected = out.clone();
        for group in expected.chunks_mut(4) {
            let first = group[0] / 5;
            let values = group.to_vec();
            let mut state: Vec<u32> = (first..first + 4).collect();
            for n in 0..count {
                let all = state.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
                let mut sum = 0u32;
                for (item, value) in state.iter_mut().zip(&values) {
                    sum = sum.wrapping_add(*item);
                    *item = (if n % 2 == 0 { all } else { sum }) ^ value;
                }
            }
            group.copy_from_slice(&state);
        }
        run_on(&library, line(12, 4), &mut out, &[]);
        assert_eq!(out, expected, "{count} collective operations");
        instructions
    };
    let (few, many) = (size(100), size(400));
    assert!(many < few * 5, "{few} and {many} instructions");
}

#[test]
fn work_items_that_disagree_about_collective_operations_come_to_an_end() {
    let body = "define void @k(ptr addrspace(1) %out) {
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %n = trunc i64 %i to i32
        %bit = and i32 %n, 1
        %odd = icmp ne i32 %bit, 0
        br i1 %odd, label %a, label %b
        a: %x = call i32 @oxicl.group.reduce.add.i32(i32 %n)
        %x2 = call i32 @oxicl.group.scan_inclusive.add.i32(i32 %x)
        br label %end
        b: %y = call i32 @oxicl.group.broadcast.i32(i32 %n, i64 2, i64 0, i64 0)
        br label %end
        end: %z = phi i32 [ %x2, %a ], [ %y, %b ]
        store i32 %z, ptr addrspace(1) %p
        ret void }";
    for mode in MODES {
        let library = build(body, &[global()], mode);
        let mut out = vec![77u32; 16];
        run_on(&library, line(16, 8), &mut out, &[]);
        // Those of one mind have their own result, as it happens: nobody is left behind.
        assert!(out.iter().step_by(2).all(|value| *value < 16), "{out:?}, {mode:?}");
    }
}

/// Barriers, collective operations, early returns, a loop that some leave early and a place that control cannot reach.
#[test]
fn collectives_barriers_early_returns_loops_and_unreachable_places_go_together() {
    let body = format!(
        "define internal i32 @sum(i32 %x) convergent alwaysinline {{
        %s = call i32 @oxicl.group.reduce.add.i32(i32 %x)
        ret i32 %s }}
        define void @k(ptr addrspace(1) %out, i32 %turns) {{
        start:
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %i
        %n = trunc i64 %i to i32
        %third = urem i32 %n, 3
        %leaves = icmp eq i32 %third, 2
        br i1 %leaves, label %early, label %head
        early: store i32 99, ptr addrspace(1) %p
        ret void
        head: %t = phi i32 [ 0, %start ], [ %t1, %next ]
        %acc = phi i32 [ %n, %start ], [ %acc2, %next ]
        %more = icmp ult i32 %t, %turns
        br i1 %more, label %body, label %done
        body: %s = call i32 @sum(i32 %acc)
        {BARRIER}
        switch i32 %third, label %never [ i32 0, label %zero i32 1, label %one ]
        never: unreachable
        zero: %a = add i32 %s, 1
        br label %next
        one: %b = call i32 @minus_own(i32 %s)
        br label %next
        next: %m = phi i32 [ %a, %zero ], [ %b, %one ]
        %scan = call i32 @oxicl.group.scan_inclusive.add.i32(i32 %m)
        %acc2 = xor i32 %scan, %t
        %t1 = add i32 %t, 1
        br label %head
        done: store i32 %acc, ptr addrspace(1) %p
        ret void }}
        define internal i32 @minus_own(i32 %s) {{
        %l = call i64 @oxicl.local_id(i32 0)
        %m = trunc i64 %l to i32
        %r = sub i32 %s, %m
        ret i32 %r }}"
    );
    for mode in MODES {
        let library = build(&body, &[global(), argument(ArgumentKind::Value, 4, 8)], mode);
        for turns in [0u32, 1, 5] {
            let mut out = vec![0u32; 21];
            run_on(&library, line(21, 8), &mut out, &turns.to_le_bytes());
            let mut expected: Vec<u32> = (0..21).collect();
            for (group, items) in expected.chunks_mut(8).enumerate() {
                for t in 0..turns {
                    let here = |local: usize| (group * 8 + local) % 3 != 2;
                    let sum = (0..items.len()).filter(|l| here(*l)).fold(0u32, |s, l| s.wrapping_add(items[l]));
                    let mut scan = 0u32;
                    for local in (0..items.len()).filter(|l| here(*l)) {
                        let zero = (group * 8 + local) % 3 == 0;
                        let more = if zero { sum.wrapping_add(1) } else { sum.wrapping_sub(local as u32) };
                        scan = scan.wrapping_add(more);
                        items[local] = scan ^ t;
                    }
                }
                for (local, item) in items.iter_mut().enumerate() {
                    if (group * 8 + local) % 3 == 2 {
                        *item = 99;
                    }
                }
            }
            assert_eq!(out, expected, "{turns} turns, {mode:?}");
        }
    }
}

#[test]
fn narrow_numbers_wrap_beside_wider_ones_that_do_not() {
    type Expected = fn(u64) -> u64;
    // Each reads from a table of numbers at a place that wraps several times in a work-group of 700.
    let narrow: [(&str, Expected); 5] = [
        ("%w = and i64 %x, 3", |x| x & 3),
        ("%w = and i64 %x, 24", |x| x & 24),
        ("%b = trunc i64 %x to i8\n%w = zext i8 %b to i64", |x| x & 255),
        ("%b = trunc i64 %x to i8\n%s = sext i8 %b to i64\n%w = add i64 %s, 128", |x| (x + 128) & 255),
        ("%l = shl i64 %x, 60\n%s = ashr i64 %l, 60\n%w = add i64 %s, 128", |x| 120 + ((x + 8) & 15)),
    ];
    let table: Vec<u32> = (0..2000).collect();
    for (text, expected) in narrow {
        // The wider number starts further on and makes as large steps.
        for extension in ["zext", "sext"] {
            let body = format!(
                "define void @k(ptr addrspace(1) %out, ptr addrspace(1) %table) {{
                 %x = call i64 @oxicl.local_id(i32 0)
                 {text}
                 %from = getelementptr inbounds i32, ptr addrspace(1) %table, i64 %w
                 %v = load i32, ptr addrspace(1) %from, align 4
                 %i = trunc i64 %x to i32
                 %j = add i32 %i, 1
                 %k = {extension} i32 %j to i64
                 %to = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %k
                 store i32 %v, ptr addrspace(1) %to, align 4
                 ret void
                 }}"
            );
            for mode in MODES {
                let library = build(&body, &[global(), argument(ArgumentKind::Global, 8, 8)], mode);
                let mut out = vec![0u32; 701];
                run_on(&library, line(700, 700), &mut out, &(table.as_ptr() as u64).to_le_bytes());
                let wrong = (0..700).find(|x| u64::from(out[*x as usize + 1]) != expected(*x));
                assert_eq!(wrong, None, "{text}\n{extension}, {mode:?}");
            }
        }
    }
}
