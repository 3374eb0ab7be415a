//! What a work-group function does, one behaviour a test, in every mode.
#![allow(unsafe_code, reason = "runs the code that was compiled")]

mod all_on;
mod aos;
mod atomic_runs;
mod atomics;
mod coalesced;
mod counters;
mod cuts;
mod fibers;
mod guards;
mod instructions;
mod lanes;
mod long;
mod lookups;
#[path = "../run/machine.rs"]
mod machine;
mod named_barriers;
mod narrow;
mod records;
mod rows;
mod searches;
mod shared;
mod strides;
mod windows;

use machine::{Library, Mode, Range, argument, run, signature};
use oxicl_abi::{Argument, ArgumentKind, KernelSignature};

/// How a kernel is compiled: what is optimised, and for how many lanes.
type How = (Mode, u32);

const MODES: [How; 5] = [(Mode::Bare, 1), (Mode::Cheap, 1), (Mode::Full, 1), (Mode::Bare, 4), (Mode::Full, 8)];

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

/// The ways of compiling that make gangs.
const GANGS: [How; 4] = [(Mode::Bare, 4), (Mode::Cheap, 16), (Mode::Full, 8), (Mode::Full, 16)];

fn global() -> Argument {
    argument(ArgumentKind::Global, 8, 0)
}

fn compile(text: &str, kernels: &[(&str, KernelSignature)], (mode, lanes): How) -> Library {
    machine::compile(text, kernels, mode, lanes)
}

fn build(body: &str, arguments: &[Argument], mode: How) -> Library {
    compile(&format!("{DECLARATIONS}{body}"), &[("k", signature(arguments.to_vec()))], mode)
}

/// Compiles the kernel `k` of one buffer at the cheap tier; gives the number of instructions that it became as well.
fn build_and_count(body: &str) -> (Library, usize) {
    let text = format!("{DECLARATIONS}{body}");
    let kernels = [("k", signature(vec![global()]))];
    let context = oxicl_llvm::Context::new();
    let (module, _) = machine::transform(&context, &text, &kernels, Mode::Cheap, (1, 1));
    let blocks = module.functions().iter().flat_map(|function| function.blocks()).collect::<Vec<_>>();
    let instructions = blocks.iter().map(|block| block.instructions().count()).sum();
    (compile(&text, &kernels, (Mode::Cheap, 1)), instructions)
}

/// Runs the kernel `k` with a buffer as its first argument and `more` behind it.
fn run_on<T: Copy>(library: &Library, range: Range, out: &mut [T], more: &[u8]) {
    let mut block = (out.as_mut_ptr() as u64).to_le_bytes().to_vec();
    block.extend(more);
    run(library, 0, range, &block, 256, 2);
}

/// What such a run makes of a buffer.
fn run_from<T: Copy>(library: &Library, range: Range, mut out: Vec<T>, more: &[u8]) -> Vec<T> {
    run_on(library, range, &mut out, more);
    out
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
        let out = run_from(&library, range, vec![0u64; 27 * 140], &[]);
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
        let out = run_from(&library, line(8, 4), vec![0u32; 8], &16u64.to_le_bytes());
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
        let out = run_from(&library, line(8, 4), vec![0u32; 8], &[]);
        let expected: Vec<u32> = (0..8).map(|i| (i + 7) * if i >= 4 { 2 } else { 1 }).collect();
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
            let out = run_from(&library, line(10, 4), vec![0u32; 10], &1000u32.to_le_bytes());
            assert_eq!(out, (1000..1010).collect::<Vec<u32>>(), "{mode:?}");
        }
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
        let out = run_from(&library, line(8, 4), vec![0u32; 8], &[]);
        assert_eq!(out, [754; 8], "{mode:?}");
    }
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
            let out = run_from(&library, range, vec![1u32; 60], &[]);
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
        let out = run_from(&library, range, vec![0u64; 24], &[]);
        assert_eq!(out, (0..24).map(|i| i / 6 * 2).collect::<Vec<u64>>(), "{mode:?}");
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
        let (module, _) = machine::transform(&context, &kernel(length), &kernels, Mode::Bare, (1, 1));
        assert_eq!(module.to_text().contains("llvm.loop.vectorize.enable"), kept, "{length} instructions");
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
                let out = run_from(&library, line(700, 700), vec![0u32; 701], &(table.as_ptr() as u64).to_le_bytes());
                let wrong = (0..700).find(|x| u64::from(out[*x as usize + 1]) != expected(*x));
                assert_eq!(wrong, None, "{text}\n{extension}, {mode:?}");
            }
        }
    }
}

#[test]
fn ids_cut_off_to_32_bits_wrap_where_they_do() {
    let wide = "%i = call i64 @oxicl.global_id(i32 0)
        %cut = trunc i64 %i to i32
        %wide = sext i32 %cut to i64";
    // Asked by the kernel, or only by a function that it calls.
    for (helper, value) in [
        (String::new(), wide.to_owned()),
        (format!("define i64 @wide() noinline {{\n{wide}\nret i64 %wide }}"), "%wide = call i64 @wide()".to_owned()),
    ] {
        let body = format!(
            "{helper}
            define void @k(ptr addrspace(1) %out) {{
            %l = call i64 @oxicl.local_id(i32 0)
            %g = call i64 @oxicl.group_id(i32 0)
            %before = mul i64 %g, 20
            %at = add i64 %before, %l
            %p = getelementptr i64, ptr addrspace(1) %out, i64 %at
            {value}
            store i64 %wide, ptr addrspace(1) %p
            ret void }}"
        );
        for mode in MODES {
            let library = build(&body, &[global()], mode);
            for first in [(1u64 << 31) - 7, (1 << 32) - 16, (1 << 31) - 40, 5] {
                let range = Range { dimensions: 1, offset: [first, 0, 0], global: [40, 1, 1], local: [20, 1, 1] };
                let out = run_from(&library, range, vec![0i64; 40], &[]);
                let expected: Vec<i64> = (first..first + 40).map(|id| i64::from(id as i32)).collect();
                assert_eq!(out, expected, "{value}: {first}, {mode:?}");
            }
        }
    }
}

#[test]
fn sums_of_ids_that_promise_nothing_wrap_where_they_do() {
    // Each of the sums, and what it is of an id and the kernel's argument.
    type Sum = fn(u64, i32) -> i64;
    let sums: [(&str, Sum); 6] = [
        ("%s = add i32 %cut, 16 %wide = sext i32 %s to i64", |id, _| i64::from((id as i32).wrapping_add(16))),
        ("%s = sub i32 %a, %cut %wide = sext i32 %s to i64", |id, a| i64::from(a.wrapping_sub(id as i32))),
        ("%t = shl i64 %i, 2 %s = trunc i64 %t to i32 %wide = sext i32 %s to i64", |id, _| i64::from((id << 2) as i32)),
        ("%t = mul i32 %cut, -255 %r = add i32 %t, %a %s = add nsw i32 %r, 0 %wide = sext i32 %s to i64", |id, a| {
            i64::from((id as i32).wrapping_mul(-255).wrapping_add(a))
        }),
        ("%t = shl i64 %i, 32 %s = add i64 %t, 68719476736 %wide = ashr exact i64 %s, 32", |id, _| {
            i64::from((id as i32).wrapping_add(16))
        }),
        ("%t = mul i32 %cut, 1000000007 %wide = sext i32 %t to i64", |id, _| {
            i64::from((id as i32).wrapping_mul(1_000_000_007))
        }),
    ];
    for (sum, expected) in sums {
        let body = format!(
            "define void @k(ptr addrspace(1) %out, i32 %a) {{
            %l = call i64 @oxicl.local_id(i32 0)
            %y = call i64 @oxicl.local_id(i32 1)
            %g = call i64 @oxicl.group_id(i32 0)
            %before = mul i64 %g, 20
            %x = add i64 %before, %l
            %rows = mul i64 %y, 40
            %at = add i64 %rows, %x
            %p = getelementptr i64, ptr addrspace(1) %out, i64 %at
            %i = call i64 @oxicl.global_id(i32 0)
            %cut = trunc i64 %i to i32
            {sum}
            store i64 %wide, ptr addrspace(1) %p
            ret void }}"
        );
        for mode in MODES {
            let library = build(&body, &[global(), argument(ArgumentKind::ByValue, 4, 8)], mode);
            for first in [5, (1u64 << 31) - 30, (1 << 31) - 7, (1 << 29) - 9, i32::MAX as u64 / 255 - 11] {
                for a in [7, i32::MAX - 12, i32::MIN + 25] {
                    let range = Range { dimensions: 2, offset: [first, 0, 0], global: [40, 2, 1], local: [20, 2, 1] };
                    let out = run_from(&library, range, vec![0i64; 80], &a.to_le_bytes());
                    let row: Vec<i64> = (first..first + 40).map(|id| expected(id, a)).collect();
                    assert_eq!(out, [&row[..], &row[..]].concat(), "{sum}: {first}, {a}, {mode:?}");
                }
            }
        }
    }
}

#[test]
fn work_items_that_are_not_there_promise_nothing_about_wrapping() {
    // Of the first work-item `%before` would wrap.
    let body = "define void @k(ptr addrspace(1) %out) {
        %l = call i64 @oxicl.local_id(i32 0)
        %i = trunc i64 %l to i32
        %some = icmp ne i32 %i, 0
        br i1 %some, label %then, label %end
        then: %before = sub nuw i32 %i, 1
        %at = zext i32 %before to i64
        %p = getelementptr i32, ptr addrspace(1) %out, i64 %at
        store i32 %i, ptr addrspace(1) %p
        br label %end
        end: ret void }";
    for mode in MODES {
        let library = build(body, &[global()], mode);
        let out = run_from(&library, line(21, 21), vec![77u32; 21], &[]);
        let expected: Vec<u32> = (1..21).chain([77]).collect();
        assert_eq!(out, expected, "{mode:?}");
    }
}
