//! Decisions of the work-group compiler, asked for by name: each is one that some kernel takes, and does without.

use oxicl_abi::Image;
use oxicl_caps::{DeviceCaps, DumpPart};
use oxicl_compiler::flow::{self, Observer};
use oxicl_protocol::{CompileOptions, CompileRequest, Decision, Limit, Progress, SourceRequest, Switches};
use oxicl_target::Target;

/// A kernel that takes each decision, on a machine that has all abilities.
const KERNELS: [(Decision, &str); 23] = {
    use Decision as D;
    const SCALE: &str = "kernel void k(global float *a, global const float *b, int n)
        { int i = get_global_id(0); if (i < n) a[i] = b[i] * 2.0f; }";
    const MULTIPLY: &str = "kernel void k(global float *c, global const float *a, global const float *b, int n) {
        int x = get_global_id(0), y = get_global_id(1);
        float sum = 0;
        for (int i = 0; i < n; ++i) sum += a[y * n + i] * b[i * n + x];
        c[y * n + x] = sum; }";
    [
        (D::Gangs, SCALE),
        (D::Guards, SCALE),
        (D::Interleave, SCALE),
        (D::Rows, MULTIPLY),
        (
            D::Coalescing,
            "kernel void k(global int *a) { a[get_global_id(0)] = get_local_id(0) + 3 * get_group_id(0); }",
        ),
        (D::Columns, MULTIPLY),
        (D::Masks, SCALE),
        (
            D::AosLayout,
            "kernel void k(global float4 *a, global const float4 *b)
            { size_t i = get_global_id(0); a[i] = b[i] * 2.0f; }",
        ),
        (
            D::Private,
            "kernel void k(global float *a, global const int *at, int n) {
            size_t i = get_global_id(0);
            float own[16];
            for (int j = 0; j < 16; ++j) own[j] = a[i + j];
            for (int j = 0; j < n; ++j) own[at[j] & 15] += 1.0f;
            a[i] = own[n & 15]; }",
        ),
        (
            D::Rematerialise,
            "kernel void k(global int *a, local int *l) {
            size_t i = get_local_id(0);
            l[i] = a[i];
            barrier(CLK_LOCAL_MEM_FENCE);
            a[i] = l[i ^ 1]; }",
        ),
        (
            D::Records,
            "kernel void k(global float *a, global const float *b) {
            size_t i = get_global_id(0);
            a[i] = b[3 * i] + b[3 * i + 1] * b[3 * i + 2]; }",
        ),
        (
            D::Pairs,
            "kernel void k(global float *a, global const float *b, global const int *at) {
            size_t i = get_global_id(0);
            long j = at[i];
            a[i] = b[j] + b[j + 1]; }",
        ),
        (
            D::Words,
            "kernel void k(global float *a, global const uchar4 *b, global const int *at)
            { size_t i = get_global_id(0); uchar4 v = b[at[i]]; a[i] = sin((float)(v.x + v.w)); }",
        ),
        (
            D::Tables,
            "constant int t[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
            kernel void k(global int *a) { size_t i = get_global_id(0); a[i] = t[a[i] & 15]; }",
        ),
        (
            D::Speculation,
            "kernel void k(global float *a, global const float *b, int n)
            { int i = get_global_id(0); a[i] = b[min(i + 1, n)] + b[max(i - 1, 0)]; }",
        ),
        (
            D::Walks,
            "kernel void k(global float *a, global const float *b)
            { size_t i = get_global_id(0); float x = b[7 * i]; a[i] = sqrt(x) / (sqrt(x + 1.0f) + 2.0f); }",
        ),
        (
            D::Prefetch,
            "kernel void k(global float *a, global const float *b, uint n) {
            float sum = 0;
            for (uint i = get_global_id(0); i < n; i += get_global_size(0)) sum += b[i];
            a[get_global_id(0)] = sum; }",
        ),
        (
            D::Streams,
            "kernel void k(global float *a, global const float *b) { size_t i = get_global_id(0); a[i] = b[i]; }",
        ),
        (
            D::Comparisons,
            "kernel void k(global int *a, ulong n)
            { size_t i = get_global_id(0); a[i] += i < n ? 1 : 3; }",
        ),
        (D::Products, "kernel void k(global ulong *a) { size_t i = get_global_id(0); a[i] = mul_hi(a[i], a[i + 1]); }"),
        (D::Divisors, "kernel void k(global uint *a, uint n) { size_t i = get_global_id(0); a[i] = a[i] / n; }"),
        (
            D::Counters,
            "kernel void k(global float *a, global int *c) {
            size_t i = get_global_id(0);
            float x = a[i];
            int n = 0;
            while (n < 100 && x < 4.0f) { x = x * x + 0.1f; ++n; }
            c[i] = n; }",
        ),
        (
            D::Slices,
            "kernel void k(global uint *a, global const uchar *b, global float *c)
            { size_t i = get_global_id(0); atomic_inc(&a[b[i]]); c[i] = sin(c[i]); }",
        ),
    ]
};

/// What is seen of a build.
#[derive(Default)]
struct Seen {
    plan: String,
    code: String,
}

impl Observer for Seen {
    fn begin(&mut self, _: Progress) {}

    fn wants(&self, part: DumpPart) -> bool {
        matches!(part, DumpPart::Plan | DumpPart::Workgroup)
    }

    fn made(&mut self, part: DumpPart, text: &dyn Fn() -> String) {
        *(if part == DumpPart::Plan { &mut self.plan } else { &mut self.code }) = text();
    }
}

fn build(source: &str, switches: &Switches) -> (Seen, Image) {
    let text = SourceRequest { text: source.into(), folder: "/".into(), ..SourceRequest::default() };
    let spirv = oxicl_opencl_c::compile(&text, DeviceCaps::anywhere()).expect("a module").spirv;
    let options = CompileOptions { switches: switches.clone(), ..CompileOptions::default() };
    let target = Target::named("x86-64-v4").expect("a level");
    let request = CompileRequest { spirv, options, target, ..CompileRequest::default() };
    let mut seen = Seen::default();
    let image = flow::compile(&request, &mut seen).expect("an image");
    (seen, image)
}

/// Lines of a plan on a decision.
fn lines(plan: &str, decision: Decision) -> impl Iterator<Item = &str> {
    let name = format!(": {} for ", decision.name());
    plan.lines().filter(move |line| line.starts_with("decision ") && line.contains(&name))
}

#[test]
fn every_decision_is_taken_by_some_kernel_and_left_out_by_its_name() {
    for (decision, (of, source)) in Decision::all().zip(KERNELS) {
        assert_eq!(decision, of, "the kernels stand in the order of the decisions");
        let (with, _) = build(source, &Switches::default());
        assert!(lines(&with.plan, decision).next().is_some(), "{decision:?} is not taken:\n{}", with.plan);
        let mut switches = Switches::default();
        assert!(switches.disable(decision.name()).is_empty());
        let (without, _) = build(source, &switches);
        assert_eq!(lines(&without.plan, decision).next(), None, "{decision:?}");
        // Which work-groups come first is not written into code.
        assert_eq!(with.code == without.code, decision == Decision::Columns, "{decision:?} changes nothing");
    }
}

#[test]
fn every_number_of_decisions_builds_and_the_last_is_what_all_are() {
    let limited =
        |source, count| build(source, &Switches { limit: Some(Limit { count, kernel: None }), ..Switches::default() });
    for (decision, source) in KERNELS {
        let (all, image) = build(source, &Switches::default());
        let count = all.plan.lines().filter(|line| line.starts_with("decision ")).count() as u32;
        let taken =
            |plan: &str| plan.lines().filter(|l| l.starts_with("decision ") && !l.ends_with("(left out)")).count();
        for number in 0..count {
            let (some, _) = limited(source, number);
            assert_eq!(taken(&some.plan), number as usize, "{decision:?}:\n{}", some.plan);
            // What comes before the first that is left out is the same as without a limit.
            let first = |plan: &str| {
                plan.lines()
                    .filter(|l| l.starts_with("decision "))
                    .take(number as usize + 1)
                    .map(|line| line.replace(" (left out)", ""))
                    .collect::<Vec<_>>()
            };
            assert_eq!(first(&some.plan), first(&all.plan), "{decision:?}: {number}");
        }
        let (last, same) = limited(source, count);
        assert_eq!((last.plan, last.code, same), (all.plan, all.code, image), "{decision:?}");
    }
}

#[test]
fn passes_that_the_code_generator_leaves_out_would_change_no_code() {
    for (decision, source) in KERNELS {
        let (_, few) = build(source, &Switches::default());
        let (_, all) = build(source, &Switches { all_passes: true, ..Switches::default() });
        assert_eq!(few, all, "the kernel of {decision:?}");
    }
}
