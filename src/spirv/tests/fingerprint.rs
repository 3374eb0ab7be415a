//! Fingerprints of kernels: the same where kernels mean the same, others where they do not.

use std::collections::HashMap;

use oxicl_offline::Level;
use oxicl_spirv::{Fingerprint, decode, fingerprints, words_from_bytes};

/// The fingerprints of the kernels of OpenCL C, by name.
fn of_source(source: &str) -> HashMap<String, Fingerprint> {
    of_words(&words_from_bytes(&oxicl_offline::compile(source, Level::Plain).expect("compiles")).expect("words"))
}

fn of_text(text: &str) -> HashMap<String, Fingerprint> {
    of_words(&words_from_bytes(&oxicl_offline::assemble(text).expect("assembles")).expect("words"))
}

fn of_words(words: &[u32]) -> HashMap<String, Fingerprint> {
    let module = decode(words).expect("decodes");
    let all = fingerprints(&module).expect("has fingerprints");
    all.into_iter().map(|(name, fingerprint)| (name.to_owned(), fingerprint)).collect()
}

const PROGRAM: &str = "
    typedef struct { int a; float b; } pair;
    constant int table[4] = { 1, 2, 3, 5 };
    int helper(int x) { return x * 7 + table[x & 3]; }
    float other(float x) { return x * 2.0f; }
    kernel void first(global float *p) { p[get_global_id(0)] = other(p[0]) + 9.0f; }
    kernel void second(global int *p, global pair *q) {
        local int one[16], two[16];
        one[get_local_id(0)] = helper(p[0]);
        two[get_local_id(0)] = q[1].a;
        barrier(CLK_LOCAL_MEM_FENCE);
        p[get_global_id(0)] = one[3] - two[4];
    }";

#[test]
fn a_kernel_has_the_same_fingerprint_whatever_else_is_in_its_module() {
    let before = of_source(PROGRAM);
    assert_ne!(before["first"], before["second"]);
    let others = [
        // All ids and the order of constants are others.
        PROGRAM.replace("+ 9.0f", "+ 5.0f * get_global_size(1) + 7"),
        PROGRAM.replace("x * 2.0f", "sqrt(x)"),
        format!("kernel void another(global uchar16 *p) {{ p[0] += p[1]; }} {PROGRAM}"),
        format!(
            "constant int table2[4] = {{ 1, 2, 3, 4 }}; {PROGRAM} kernel void b(global int *p) {{ *p = table2[*p]; }}"
        ),
        PROGRAM.replace("one[", "renamed["),
    ];
    for other in others {
        assert_eq!(of_source(&other)["second"], before["second"], "{other}");
    }
}

#[test]
fn whatever_a_kernel_depends_on_changes_its_fingerprint() {
    let before = of_source(PROGRAM);
    let others = [
        PROGRAM.replace("x * 7", "x * 9"),
        PROGRAM.replace("3, 5 }", "3, 6 }"),
        PROGRAM.replace("two[16]", "two[17]"),
        PROGRAM.replace("one[3] - two[4]", "two[3] - one[4]"),
        PROGRAM.replace("one[3] - two[4]", "one[3] - one[4]"),
        PROGRAM.replace("int a; float b;", "float b; int a;"),
        PROGRAM.replace("float b; } pair", "float b; } __attribute__((packed)) pair"),
        PROGRAM.replace("float b; }", "double b; }"),
        PROGRAM.replace("kernel void second", "__attribute__((reqd_work_group_size(16, 1, 1))) kernel void second"),
        PROGRAM.replace("global int *p, global pair", "global int *restrict p, global pair"),
        PROGRAM.replace("int helper", "__attribute__((always_inline)) int helper"),
    ];
    for other in others {
        let after = of_source(&other);
        assert_ne!(after["second"], before["second"], "{other}");
        assert_eq!(after["first"], before["first"], "{other}");
    }
}

#[test]
fn variables_of_the_program_count_for_all_kernels_as_they_decide_where_each_lies() {
    let source = |variables: &str| of_source(&format!("{variables} kernel void k(global int *p) {{ *p = y++; }}"))["k"];
    assert_eq!(source("global int y;"), source("global int y;"));
    assert_ne!(source("global int y;"), source("global int x = 3; global int y;"));
}

#[test]
fn types_that_hold_pointers_to_themselves_have_fingerprints() {
    let module = |width: u32| {
        format!(
            "OpCapability Kernel
             OpCapability Addresses
             OpCapability Int64
             OpMemoryModel Physical64 OpenCL
             OpEntryPoint Kernel %20 \"k\"
             OpTypeForwardPointer %5 CrossWorkgroup
             %1 = OpTypeVoid
             %2 = OpTypeInt {width} 0
             %4 = OpTypeStruct %2 %5
             %5 = OpTypePointer CrossWorkgroup %4
             %6 = OpTypeFunction %1 %5
             %20 = OpFunction %1 None %6
             %21 = OpFunctionParameter %5
             %22 = OpLabel
             OpReturn
             OpFunctionEnd"
        )
    };
    assert_eq!(of_text(&module(32)), of_text(&module(32).replace("%4", "%40").replace("%2 ", "%7 ")));
    assert_ne!(of_text(&module(32)), of_text(&module(64)));
}
