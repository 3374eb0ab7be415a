//! What only late stages of the compiler can refuse fails the build all the same, for a kernel alone and among others.

use khronos_headers as cl;

use crate::sources::{build, build_text, from_source};
use crate::support::{Setup, ok};

const FINE: &str = "kernel void fine(global int *a) { a[get_global_id(0)] = 1; }\n";

/// Holds that a source does not build, alone and beside a kernel that is fine, and that the log says why.
fn is_refused(source: &str, options: &std::ffi::CStr, why: &str) {
    let s = Setup::new();
    if oxicl_tests::is_reference() {
        return;
    }
    for others in ["", FINE] {
        let p = from_source(&s, &format!("{others}{source}"));
        assert_eq!(build(p, options), cl::CL_BUILD_PROGRAM_FAILURE, "{why}");
        let log = build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG);
        assert!(log.contains(why), "{why} is not in:\n{log}");
        ok!(clReleaseProgram(p));
    }
}

#[test]
fn sub_groups_of_a_size_that_cannot_be() {
    let source = "kernel __attribute__((intel_reqd_sub_group_size(16))) void k(global int *a, int n) {
        int i = 0;
        if (a[0] > n) goto in;
    again:
        i += a[i];
    in:
        i += sub_group_reduce_add(i);
        if (i < n) goto again;
        a[1] = i;
    }";
    is_refused(source, c"", "kernel k: there can be no sub-groups of 16 work-items");
}

/// A function that is called from so many places that it is not inlined.
fn function(name: &str, callee: &str, elements: u32) -> String {
    let case = |number: u32| format!("case {number}: r = {callee}(a, n + {number}); break;\n");
    let calls: String = (0..64).map(case).collect();
    let calls = if callee.is_empty() { String::new() } else { format!("switch (n % 64) {{ {calls} }}") };
    format!(
        "int {name}(global int *a, int n) {{
            int x[{elements}];
            int r = 0;
            for (int i = 0; i < n; i++) x[i * 7 % n] = a[i];
            {calls}
            return r + x[n / 2];
        }}\n"
    )
}

#[test]
fn frames_that_together_have_no_room() {
    let elements = 230 << 20;
    let [h, g, f] = [("h", ""), ("g", "h"), ("f", "g")].map(|(name, callee)| function(name, callee, elements));
    let kernel = function("k", "f", 1).replacen("int k", "kernel void k", 1).replace("return r", "a[0] = r");
    is_refused(&format!("{h}{g}{f}{kernel}"), c"-cl-opt-disable", "bytes of stack, of which a kernel can have at most");
}

#[test]
fn what_the_first_stages_refuse() {
    let source = "extern int missing(int); kernel void k(global int *a) { a[0] = missing(a[1]); }";
    is_refused(source, c"", "`missing` is imported, and no module defines it");
}

#[test]
fn functions_with_the_names_of_built_in_functions_that_nobody_defines() {
    for (declared, called, symbol) in [
        ("int atomic_dec(float)", "atomic_dec(1.0f)", "_Z10atomic_decf"),
        ("float atomic_min(global float *, float)", "atomic_min((global float *)a, 1.0f)", "_Z10atomic_minPU3AS1ff"),
        ("int sub_group_barrier(float)", "sub_group_barrier(1.0f)", "_Z17sub_group_barrierf"),
    ] {
        let source =
            format!("__attribute__((overloadable)) {declared}; kernel void k(global int *a) {{ a[0] = {called}; }}");
        is_refused(&source, c"", &format!("`{symbol}` is imported, and no module defines it"));
    }
}
