//! What the build log tells of a kernel at the verbose level. What is decided there depends on the target, and is tested
//! in the compiler, which is told one.

use crate::sources::{build, build_text, from_source};
use crate::support::Setup;
use khronos_headers as cl;

/// The log of a source, built with the options and remarks.
fn remarks(s: &Setup, source: &str, options: &str) -> String {
    let p = from_source(s, source);
    let options = std::ffi::CString::new(format!("-oxicl-remarks {options}")).expect("no zero");
    assert_eq!(build(p, &options), cl::CL_SUCCESS);
    build_text(s, p, cl::CL_PROGRAM_BUILD_LOG)
}

#[test]
fn a_kernel_is_explained_with_its_lines() {
    let s = Setup::new();
    if oxicl_tests::is_reference() {
        return;
    }
    let source = "kernel void k(global float *out, global const int *at) {
        size_t i = get_global_id(0);
        float a = out[at[i]];
        if (a > 0.5f) out[i] = a;
    }";
    let log = remarks(&s, source, "-g -oxicl-lanes=8");
    for said in [
        "kernel k: S = ",
        "V = 8: the options say so",
        "<source>:3:19: it depends on what was loaded at <source>:3:23",
        "work-items may diverge",
    ] {
        assert!(log.contains(said), "{said} is not in\n{log}");
    }
    assert_eq!(remarks(&s, source, "-cl-opt-disable").matches("kernel k: S = ").count(), 1);
}
