//! What the build log tells of a kernel at the verbose level, and what is decided there.

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

/// What is said where work-items run one at a time by choice.
const ALONE: &str = "one work-item at a time: lanes do not pay";

/// Work-items that each go their own way through memory, which does not pay in gangs.
const WALK: &str = "kernel void k(global ulong *at, local ulong *table) {
    size_t i = get_local_id(0);
    STORE
    FENCE
    ulong next = i == 0 ? table[PLACE] : i;
    for (int turn = 0; turn < 100; turn++) { next = at[next]; at[next] += turn; }
    at[get_global_id(0)] = next;
}";

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
        "work-items may part",
    ] {
        assert!(log.contains(said), "{said} is not in\n{log}");
    }
    assert_eq!(remarks(&s, source, "-cl-opt-disable").matches("kernel k: S = ").count(), 1);
}

#[test]
fn work_items_that_read_what_others_write_without_a_barrier_go_in_step() {
    let s = Setup::new();
    if oxicl_tests::is_reference() {
        return;
    }
    let with = |store: &str, fence: &str, place: &str| {
        remarks(&s, &WALK.replace("STORE", store).replace("FENCE", fence).replace("PLACE", place), "")
    };
    let (each, first) = ("table[i] = at[get_global_id(0)];", "if (i < 3) table[0] = at[get_global_id(0)];");
    let all = "table[0] = at[get_global_id(0)];";
    let fence = "barrier(CLK_LOCAL_MEM_FENCE);";
    for (store, fence, place) in [(each, fence, "3"), (each, "", "i"), (first, fence, "0"), (all, "", "0")] {
        let log = with(store, fence, place);
        assert!(log.contains(ALONE), "{store} {fence} {place}: {log}");
    }
    for (store, place) in [(each, "3"), (each, "0"), (first, "0"), (first, "i")] {
        let log = with(store, "", place);
        assert!(!log.contains(ALONE) && log.contains("gangs of "), "{store} {place}: {log}");
    }
}

#[test]
fn work_items_that_go_down_columns_side_by_side_go_together() {
    let s = Setup::new();
    if oxicl_tests::is_reference() {
        return;
    }
    let count = |place: &str| {
        let source = "kernel void k(global const uchar *in, global uint *out, uint n) {
            uint i = get_global_id(0), bins[16] = {0}, sum = 0;
            for (uint turn = 0; turn < n; ++turn) bins[in[PLACE] & 15]++;
            for (uint bin = 0; bin < 16; ++bin) sum += bins[bin] * bin;
            out[i] = sum;
        }";
        remarks(&s, &source.replace("PLACE", place), "")
    };
    for column in ["turn * get_global_size(0) + i", "(turn << 10) + i", "i + 640 - turn * 64"] {
        let log = count(column);
        assert!(log.contains("gangs of ") && log.contains("lanes interleaved by 4 bytes"), "{column}: {log}");
    }
    assert!(count("i * n + turn").contains(ALONE));
    // The next number of the line each turn, up or down, is no column.
    let estimated = |place: &str| {
        let log = count(place);
        let (_, behind) = log.split_once("estimated for gangs: ").expect("an estimate");
        behind.split(' ').next().and_then(|ratio| ratio.parse::<f64>().ok()).expect("a number")
    };
    for (column, slide) in [("i + turn * 64", "i + turn"), ("i + 640 - turn * 64", "i + 640 - turn")] {
        assert!(estimated(column) < estimated(slide), "{slide}");
    }
}

#[test]
fn work_items_that_all_do_the_same_do_so_by_themselves() {
    let s = Setup::new();
    if oxicl_tests::is_reference() {
        return;
    }
    let sum = |first: &str| {
        let source = "kernel void k(global const int *in, global int *out, int n) {
            int first = FIRST, sum = 0;
            for (int i = 0; i < n; ++i) sum += in[first * n + i] * i;
            out[first] = sum;
        }";
        remarks(&s, &source.replace("FIRST", first), "")
    };
    for same in ["0", "get_group_id(0)", "get_group_id(0) * get_local_size(0)"] {
        assert!(sum(same).contains("lanes would all do the same"), "{same}: {}", sum(same));
    }
    assert!(!sum("get_global_id(0)").contains("the same"));
}

#[test]
fn loops_that_go_along_rows_and_those_that_wait_for_themselves_are_told_from_each_other() {
    let s = Setup::new();
    if oxicl_tests::is_reference() {
        return;
    }
    let row = |turn: &str, options: &str| {
        let source = "constant uint table[256] = {1, 2, 3};
        kernel void k(global const DATA *in, global const DATA *other, global DATA *out, int n) {
            int i = get_global_id(0);
            SUM s = 0;
            for (int turn = 0; turn < n; turn++) TURN
            out[i] = s;
        }";
        let (data, sum) = if options.is_empty() { ("char", "uint") } else { ("float", "float") };
        let source = source.replace("TURN", turn).replace("DATA", data).replace("SUM", sum);
        remarks(&s, &source, options)
    };
    let product = "s += in[i * n + turn] * other[turn];";
    for (turn, options) in
        [(product, ""), (product, "-cl-fast-relaxed-math"), ("s = max(s, (uint)in[i * n + turn]);", "")]
    {
        let log = row(turn, options);
        assert!(log.contains(ALONE), "{turn}: {log}");
    }
    // Sums in this order, and chains, are taken one after the other.
    for (turn, options) in [
        (product, "-cl-std=CL1.2"),
        ("s = (s ^ (uchar)in[i * n + turn]) * 16777619u;", ""),
        ("s = table[(s ^ in[i * n + turn]) & 255] ^ (s >> 8);", ""),
    ] {
        let log = row(turn, options);
        assert!(!log.contains(ALONE) && log.contains("gangs of "), "{turn}: {log}");
    }
}

#[test]
fn records_are_loaded_and_stored_whole() {
    let s = Setup::new();
    if oxicl_tests::is_reference() {
        return;
    }
    let log = remarks(
        &s,
        "kernel void k(global const float *in, global float *out) {
            int i = get_global_id(0);
            float v[8];
            for (int n = 0; n < 8; n++) v[n] = in[i * 8 + n];
            for (int n = 0; n < 7; n++) for (int m = 0; m < 7 - n; m++)
                if (v[m] > v[m + 1]) { float t = v[m]; v[m] = v[m + 1]; v[m + 1] = t; }
            for (int n = 0; n < 8; n++) out[i * 8 + n] = v[n];
        }",
        "",
    );
    let whole = log.contains("gangs of ") && log.contains(" 0 accesses are each lane's own");
    assert!(whole || log.contains(ALONE), "{log}");
}
