//! Faults of LLVM that something here works around, shown in the LLVM that is linked. A test that fails says that the fault is gone,
//! and the work-around may go: `docs/llvm.md` says where it is.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use oxicl_llvm::{CodegenLevel, Context, MachineOptions, Module, PassOptions, TargetMachine};

const TRIPLE: &str = "x86_64-unknown-linux-gnu";

fn machine(features: &[&str]) -> TargetMachine {
    TargetMachine::new(&MachineOptions {
        triple: TRIPLE.into(),
        cpu: String::new(),
        features: features.iter().map(|feature| (*feature).to_owned()).collect(),
        level: CodegenLevel::Default,
    })
    .expect("x86-64 is there")
}

fn assembly(text: &str, features: &[&str]) -> String {
    let context = Context::new();
    let mut module = Module::parse_text(&context, text).expect("valid");
    let machine = machine(features);
    machine.prepare(&module);
    machine.emit_assembly(&mut module).expect("code")
}

/// `table[x & 3]` beside `out[(uint)x + 1]`: a vector is loaded from the table only where two bits are known not to wrap.
#[test]
fn the_vectorizer_forgets_that_narrow_counts_wrap() {
    let text = "
        define void @k(ptr noalias %out, ptr noalias %table, i64 %n) {
        entry:
          br label %loop
        loop:
          %x = phi i64 [ 0, %entry ], [ %next, %loop ]
          %low = and i64 %x, 3
          %from = getelementptr inbounds i32, ptr %table, i64 %low
          %v = load i32, ptr %from, align 4
          %short = trunc i64 %x to i32
          %more = add i32 %short, 1
          %at = zext i32 %more to i64
          %to = getelementptr inbounds i32, ptr %out, i64 %at
          store i32 %v, ptr %to, align 4
          %next = add nuw nsw i64 %x, 1
          %done = icmp eq i64 %next, %n
          br i1 %done, label %end, label %loop
        end:
          ret void
        }";
    let context = Context::new();
    let mut module = Module::parse_text(&context, text).expect("valid");
    let machine = machine(&["+avx2"]);
    machine.prepare(&module);
    module.run_passes("function(loop-vectorize)", Some(&machine), PassOptions::default()).expect("a pass");
    let text = module.to_text();
    let loads_beyond = text.contains("load <8 x i32>, ptr %");
    // A check would be of numbers of two bits, or of whether there are more than four.
    let checks = text.contains("i2 ") || text.contains("icmp ugt i64 %0, 3");
    assert!(loads_beyond && !checks, "the table is read within its bounds:\n{text}");
}

/// A number that is loaded under a mask, then stored over, then chosen by that mask.
#[test]
fn a_masked_load_moves_behind_a_store() {
    let text = "
        declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)
        define <4 x i32> @f(ptr %p, <4 x i1> %mask, <4 x i32> %new, <4 x i32> %other) {
          %old = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %p, <4 x i1> %mask, <4 x i32> poison)
          store <4 x i32> %new, ptr %p
          %found = select <4 x i1> %mask, <4 x i32> %old, <4 x i32> %other
          ret <4 x i32> %found
        }";
    let context = Context::new();
    let mut module = Module::parse_text(&context, text).expect("valid");
    module.run_passes("function(instcombine)", None, PassOptions::default()).expect("a pass");
    let text = module.to_text();
    let place = |what: &str| text.find(what).expect("it is there");
    assert!(place("store <4 x i32> %new") < place("= call <4 x i32> @llvm.masked.load"), "{text}");
}

/// The first of eight doubles that were put in another order and negated is the second of them. Without a permutation the code
/// takes the first.
#[test]
fn the_code_generator_takes_an_element_of_a_negated_vector_from_the_wrong_place() {
    let text = "
        define double @k(<8 x double> %a) {
          %s = shufflevector <8 x double> %a, <8 x double> poison,
                             <8 x i32> <i32 1, i32 6, i32 1, i32 0, i32 3, i32 3, i32 6, i32 2>
          %n = fneg <8 x double> %s
          %e = extractelement <8 x double> %n, i64 0
          ret double %e
        }";
    let code = assembly(text, &["+avx512f", "+avx512vl"]);
    let instructions: Vec<_> = code.lines().filter(|line| line.starts_with("\tv")).collect();
    let moves = ["perm", "shuf", "unpck", "movhl", "align", "extract"];
    let moves = instructions.iter().any(|line| moves.iter().any(|word| line.contains(word)));
    assert!(instructions.iter().any(|line| line.contains("xor")) && !moves, "the second is taken:\n{code}");
}

/// A vector that is rotated by a multiple of its bits has the bits of something else in it.
#[test]
fn the_code_generator_adds_bits_to_vectors_that_are_rotated_by_all_of_theirs() {
    let text = "
        define <16 x i32> @k(<16 x i32> %a, <16 x i32> %d, i32 %u) {
          %aw = zext <16 x i32> %a to <16 x i64>
          %dw = zext <16 x i32> %d to <16 x i64>
          %p = mul <16 x i64> %aw, %dw
          %q = lshr <16 x i64> %p, splat (i64 7)
          %w = and <16 x i64> %q, splat (i64 4294967295)
          %us = mul i32 %u, -2147483648
          %uw = zext i32 %us to i64
          %i = insertelement <16 x i64> poison, i64 %uw, i64 0
          %all = shufflevector <16 x i64> %i, <16 x i64> poison, <16 x i32> zeroinitializer
          %x = mul <16 x i64> %w, %all
          %h = lshr <16 x i64> %x, splat (i64 7)
          %by = trunc <16 x i64> %h to <16 x i32>
          %r = call <16 x i32> @llvm.fshl.v16i32(<16 x i32> %d, <16 x i32> %d, <16 x i32> %by)
          ret <16 x i32> %r
        }
        declare <16 x i32> @llvm.fshl.v16i32(<16 x i32>, <16 x i32>, <16 x i32>)";
    let code = assembly(text, &["+avx2"]);
    assert!(code.contains("vor") && !code.contains("vpsllvd"), "nothing is added:\n{code}");
}

/// A half that is no number as 16 bits is -32768: nothing asks whether it is one.
#[test]
fn halves_that_are_no_numbers_are_converted_to_the_lowest_integer() {
    let text = "
        define i16 @k(half %x) {
          %i = call i16 @llvm.fptosi.sat.i16.f16(half %x)
          ret i16 %i
        }
        declare i16 @llvm.fptosi.sat.i16.f16(half)";
    let code = assembly(text, &["+avx512fp16", "+avx512vl"]);
    let asks = ["cmovp", "cmovnp", "jp", "jnp", "ord"].iter().any(|word| code.contains(word));
    assert!(code.contains("vcvttsh2si") && !asks, "it is seen to:\n{code}");
}

/// A half that is rounded to the nearest integer is cut off instead.
#[test]
fn halves_that_are_rounded_are_cut_off() {
    let text = "
        define i32 @k(half %x) {
          %r = call half @llvm.rint.f16(half %x)
          %i = fptosi half %r to i32
          ret i32 %i
        }
        declare half @llvm.rint.f16(half)";
    let code = assembly(text, &["+avx512fp16", "+avx512vl"]);
    assert!(code.contains("vcvttsh2si") && !code.contains("rndscale"), "it is rounded:\n{code}");
}

/// What brings the code generator down, for a process of its own.
#[test]
#[ignore = "it is run by the test below"]
fn a_nontemporal_load_that_is_extended() {
    let text = "
        define <8 x i64> @k(ptr %p) {
          %v = load <8 x i8>, ptr %p, align 8, !nontemporal !0
          %w = zext <8 x i8> %v to <8 x i64>
          ret <8 x i64> %w
        }
        !0 = !{i32 1}";
    assert!(!assembly(text, &["+avx"]).is_empty());
}

#[test]
fn the_code_generator_does_not_survive_nontemporal_loads() {
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["--exact", "a_nontemporal_load_that_is_extended", "--ignored", "--nocapture"]);
    let output = child.output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("running 1 test"), "{text}");
    assert!(output.status.signal().is_some(), "it survives: {}", output.status);
}

#[test]
fn every_fault_that_the_page_names_has_a_test_and_the_reverse() {
    let page = include_str!("../../../docs/llvm.md");
    let section =
        page.split("## Faults of LLVM").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    let mut named: Vec<&str> = rows.filter_map(|row| row.trim_end_matches(" |").rsplit('`').nth(1)).collect();
    named.sort_unstable();
    let files = [include_str!("faults.rs"), include_str!("../../opencl_c/tests/faults.rs")];
    let tests = files.into_iter().flat_map(|file| file.split("#[test]\nfn ").skip(1));
    let tests = tests.filter_map(|rest| rest.split('(').next()).filter(|name| !name.starts_with("every_fault"));
    let mut tests: Vec<&str> = tests.collect();
    tests.sort_unstable();
    assert_eq!(named, tests);
    assert!(tests.len() > 10, "{tests:?}");
}
