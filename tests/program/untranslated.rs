//! What of C is no OpenCL C: inline assembly, and what clang takes, but LLVM cannot translate.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::sources::{build, build_text, built_from_source, from_source, kernel, numbers, set};
use crate::support::{Setup, ok};

const WITHOUT_TEXT: &str = "
    kernel void k(global int *a, int n) {
        int x = a[0], y, z, unwritten = 7;
        asm volatile(\"\" ::: \"memory\");
        __asm__ volatile(\"\" : \"+r\"(x));
        __asm(\"\" : \"=r\"(y), \"=r\"(z) : \"0\"(x + 1), \"1\"(n));
        asm volatile(\"\" : \"+m\"(x) : \"r\"(n) : \"memory\");
        asm volatile(\"\" : \"=r\"(unwritten) : \"r\"(x));
        asm volatile(\" \\n\\t\");
        float4 f = (float4)(1, 2, 3, 4);
        asm(\"\" : \"+r\"(f));
        a[1] = x; a[2] = y; a[3] = z; a[4] = (int)f.w; a[5] = unwritten * 0;
    }
";

#[test]
fn assembly_without_text_changes_no_value() {
    let s = Setup::new();
    for options in ["", "-cl-std=CL3.0", "-cl-std=CLC++", "-cl-opt-disable", "-g"] {
        let p = built_from_source(&s, WITHOUT_TEXT, options);
        let k = kernel(p, "k");
        let out = s.filled(&[5, 0, 0, 0].repeat(6));
        let n = 9_i32;
        assert_eq!(set(k, 0, &out), cl::CL_SUCCESS);
        assert_eq!(set(k, 1, &n), cl::CL_SUCCESS);
        ok!(clEnqueueNDRangeKernel(s.queue, k, 1, null(), &1, null(), 0, null(), null_mut()));
        s.finish();
        assert_eq!(numbers(&s, out), [5, 5, 6, 9, 4, 0], "{options}");
        ok!(clReleaseMemObject(out));
        ok!(clReleaseKernel(k));
        ok!(clReleaseProgram(p));
    }
}

#[test]
fn other_assembly_is_refused_at_its_line() {
    let s = Setup::new();
    for (text, line) in [
        ("kernel void k(global int *a) {\n  a[0] = 1;\n  asm volatile(\"bar.sync 0;\");\n}", 3),
        ("kernel void k(global int *a) {\n  __asm__(\"mov %0, 1;\\n\"\n    \"add %0, 2;\" : \"=r\"(a[0]));\n}", 2),
        ("kernel void k(global int *a) {}\n\n__asm__(\".section x\");", 3),
        ("kernel void k(global int *a) {\n asm goto(\"\" :::: end);\n end: a[0] = 1; }", 2),
        ("kernel void k(global int *a) {\n if (a[0])\n  asm volatile(\"# nothing\" ::: \"memory\");\n}", 3),
    ] {
        let p = from_source(&s, text);
        assert_eq!(build(p, c""), cl::CL_BUILD_PROGRAM_FAILURE, "{text}");
        let log = build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG);
        let place = format!("<source>:{line}:");
        let sentence = "error: inline assembly is not supported, but for statements without text and labels";
        let told = log.lines().any(|told| told.starts_with(&place) && told.ends_with(sentence));
        assert!(told && !log.contains("LLVM ERROR"), "{text}\n{log}");
        ok!(clReleaseProgram(p));
    }
}

#[test]
fn what_llvm_cannot_translate_is_told_in_a_sentence_that_quotes_it() {
    let s = Setup::new();
    for body in ["__atomic_fetch_nand(a, 3, 5);", "a[0] = __builtin_readcyclecounter();"] {
        let p = from_source(&s, &format!("kernel void unusual(global int *a) {{ {body} }}"));
        assert_eq!(build(p, c""), cl::CL_BUILD_PROGRAM_FAILURE, "{body}");
        let log = build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG);
        let sentence =
            "LLVM cannot translate the program's source (at stage opencl_c, function 'unusual'); it says \"unable to";
        assert!(log.contains(sentence) && log.trim_end().ends_with('"'), "{log}");
        assert!(!log.contains("LLVM ERROR"), "{log}");
        ok!(clReleaseProgram(p));
    }
}
