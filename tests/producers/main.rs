//! Modules of every producer that users have, made here by Debian's tools, through the whole driver: clang 22 at its
//! levels, `llc-22` for every version of SPIR-V, the SPIR-V dialect of MLIR 22, and what DPC++ and Level Zero's
//! environment allow beyond OpenCL's.
//!
//! Every module has a kernel `k(global int *p, global float *q)`.

mod built_ins;
mod relaxed;

use std::path::{Path, PathBuf};
use std::process::Command;

use oxicl_tests::client::{Buffer, Program};

/// What a tool makes of a file of this folder.
fn made(tool: &str, arguments: &[&str], source: &str) -> Vec<u8> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("producers").join(source);
    let name: String = arguments.iter().flat_map(|text| text.chars()).filter(|c| c.is_ascii_alphanumeric()).collect();
    let out: PathBuf = std::env::temp_dir().join(format!("oxicl-producer-{}-{tool}-{name}.spv", std::process::id()));
    let output = Command::new(tool)
        .args(arguments)
        .arg(&source)
        .arg("-o")
        .arg(&out)
        .output()
        .unwrap_or_else(|error| panic!("cannot run {tool}, which `cargo xtask` installs: {error}"));
    assert!(output.status.success(), "{tool} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let words = std::fs::read(&out).expect("the module");
    std::fs::remove_file(&out).expect("it is there");
    words
}

/// Runs `k` on four work-items.
fn run(words: &[u8], p: &[i32], q: &[f32]) -> (Vec<i32>, Vec<f32>) {
    let session = oxicl_tests::session();
    let program = Program::build(&session.context, words, "").unwrap_or_else(|error| panic!("{error}"));
    let kernel = program.kernel("k").unwrap();
    let (p, q) = (Buffer::from_slice(&session.context, p).unwrap(), Buffer::from_slice(&session.context, q).unwrap());
    kernel.set_buffer(0, &p).unwrap();
    kernel.set_buffer(1, &q).unwrap();
    session.queue.launch(&kernel, [4], None).unwrap();
    (session.queue.read(&p).unwrap(), session.queue.read(&q).unwrap())
}

/// The version of a module, as its header has it.
fn version(words: &[u8]) -> u32 {
    u32::from_le_bytes(words[4..8].try_into().expect("a header"))
}

/// What `language.cl` computes.
fn language(p: [i32; 4], q: [f32; 4]) -> (Vec<i32>, Vec<f32>) {
    const TABLE: [i32; 4] = [3, 1, 4, 1];
    let sum = |value: i32| {
        let weigh = |n: i32| match n & 3 {
            0 => value,
            1 => (i64::from(value) << 33 >> 32) as i32,
            2 => i32::from(value as i8),
            _ => -1,
        };
        (0..8).filter(|n| *n != 6).map(|n| weigh(n) * TABLE[(n & 3) as usize]).sum::<i32>()
    };
    let sums = p.map(sum);
    let v: Vec<i32> = (0..4).map(|n| sums[3 - n] + sums[n]).collect();
    let dot: f32 = v.iter().map(|x| *x as f32 * 0.5).sum();
    ((0..4).map(|l| v[0] + sums[3 - l]).collect(), q.iter().map(|x| dot + x.min(2.0)).collect())
}

#[test]
fn a_barrier_of_clang_that_names_the_device_is_one_of_the_work_group() {
    let arguments = ["-c", "-target", "spirv64", "-x", "cl", "-cl-std=CL3.0", "-O0"];
    let more = ["-Xclang", "-finclude-default-header", "-Xclang", "-disable-O0-optnone"];
    let words = made("clang-22", &[&arguments[..], &more[..]].concat(), "barrier.cl");
    assert_eq!(run(&words, &[1, 2, 4, 8], &[0.0; 4]), (vec![10, 8, 10, 2], vec![10.0, 8.0, 10.0, 2.0]));
}

#[test]
fn functions_that_clang_leaves_as_imports_have_their_meaning() {
    let arguments = ["-c", "-target", "spirv64", "-x", "cl", "-cl-std=CL3.0", "-O0"];
    let more = ["-Xclang", "-finclude-default-header", "-Xclang", "-disable-O0-optnone"];
    let words = made("clang-22", &[&arguments[..], &more[..]].concat(), "imports.cl");
    let (p, q) = ([1, -7, 100, 65], [0.5, 2.5, -1.0, 2.0]);
    // The halves of q, the numbers twice, and one unit between two doubles where neither is the sum.
    let bits = vec![0x3800 + 1 + 1 + 2, 0x4100 + 0xFFF9, 0xBC00 + 100 + 100, 0x4000 + 65 + 65 + 2];
    let tenth = 0.099_975_586_f32;
    // One unit between two halves where neither is the sum; the nearest half.
    let sums = [(2.0, 2048.0), (0.0, 2041.0), (0.0, 2148.0), (2.0, 2112.0)];
    let floats = sums.iter().zip(q).map(|((units, near), q)| units + near + tenth + q).collect::<Vec<f32>>();
    assert_eq!(run(&words, &p, &q), (bits, floats));
}

#[test]
fn clang_makes_the_same_kernel_at_every_level_and_version() {
    let (p, q) = ([1, -7, 100, 65], [0.5, 2.5, -1.0, 2.0]);
    let expected = language(p, q);
    for level in ["-O0", "-O1", "-O2"] {
        for minor in 0..=6 {
            let target = format!("spirv64v1.{minor}-unknown-unknown");
            let mut arguments = vec!["-c", "-target", &target, "-x", "cl", "-cl-std=CL3.0", level];
            arguments.extend(["-Xclang", "-finclude-default-header"]);
            if level == "-O0" {
                arguments.extend(["-Xclang", "-disable-O0-optnone"]);
            }
            let words = made("clang-22", &arguments, "language.cl");
            assert_eq!(version(&words), 0x0001_0000 | minor << 8, "{level}");
            assert_eq!(run(&words, &p, &q), expected, "{level}, SPIR-V 1.{minor}");
        }
    }
}

#[test]
fn llc_makes_the_same_kernel_for_every_version() {
    let values = [(1000, -1), (3, 7), (100, -3000), (12, 12)];
    // Each place gets what it held after the addition, and what it held before.
    let expected = (values.map(|(value, n)| value + n + n).to_vec(), vec![2.0, -5.0, 1.25, 10.0]);
    for minor in 0..=6 {
        let target = format!("-mtriple=spirv64v1.{minor}-unknown-unknown");
        for level in ["-O0", "-O2"] {
            let words = made("llc-22", &[&target, level, "-filetype=obj"], "passes.ll");
            assert_eq!(version(&words), 0x0001_0000 | minor << 8);
            let found = run(&words, &values.map(|(_, n)| n), &[1.0, 2.0, 0.5, -3.0]);
            assert_eq!(found, expected, "{level}, SPIR-V 1.{minor}");
        }
    }
}

#[test]
fn llc_makes_integers_of_any_width() {
    let extension = "--spirv-ext=+SPV_ALTERA_arbitrary_precision_integers";
    let words = made("llc-22", &["-mtriple=spirv64v1.4-unknown-unknown", "-filetype=obj", extension], "widths.ll");
    let input = [1, -1, 0x0076_5432, 0x1234_5678];
    let expected = input.map(|n: i32| {
        let product = n.wrapping_mul(-3) << 8 >> 8 >> 2;
        ((i64::from(product) << 36) >> 34) as i32
    });
    assert_eq!(run(&words, &input, &[0.0; 4]).0, expected);
}

const MLIR: &[&str] = &["--no-implicit-module", "--serialize-spirv"];

#[test]
fn structured_control_flow_of_mlir_runs() {
    let words = made("mlir-translate-22", MLIR, "structured.mlir");
    // 2 * 3 turns: 0 + ... + 5; 9 - 1 turns: 0 + ... + 7; none; 4 * 3 turns: 0 + ... + 11.
    let found = run(&words, &[2, 9, 0, 4], &[4.0, 81.0, 2.25, 0.0]);
    assert_eq!(found, (vec![15, 28, 0, 66], vec![2.0, 9.0, 1.5, 0.0]));
}

#[test]
fn composites_of_mlir_run() {
    let words = made("mlir-translate-22", MLIR, "composites.mlir");
    // The larger of twice the number and 40; x * x + x rounded down.
    let found = run(&words, &[2, 21, -5, 1000], &[1.5, -0.5, 3.0, 0.1]);
    assert_eq!(found, (vec![40, 42, 40, 2000], vec![3.0, -1.0, 12.0, 0.0]));
}

#[test]
fn atomics_and_barriers_of_mlir_run() {
    let words = made("mlir-translate-22", MLIR, "atomics.mlir");
    assert_eq!(run(&words, &[0; 4], &[1.0; 4]), (vec![4; 4], vec![3.0, 1.0, 1.0, 1.0]));
}

#[test]
fn functions_of_opencl_c_that_clang_imports_are_given() {
    for level in ["-O0", "-O2"] {
        let arguments = ["-c", "-target", "spirv64v1.2", "-x", "cl", "-cl-std=CL3.0", level];
        let words = made("clang-22", &arguments, "library.cl");
        for name in ["_Z10atomic_incPU3AS3Vj", "_Z10atomic_minPU3AS3Vii", "_Z11atomic_xchgPU3AS3Vff"] {
            assert!(words.windows(name.len()).any(|window| window == name.as_bytes()), "clang has {name} by itself");
        }
        let (p, q) = run(&words, &[1, -7, 100, 65], &[0.5, 2.5, -1.0, 2.0]);
        // 7 + 4 and 7 - 4; 7 and the sum; the least and the greatest; the least of 5 and every other number.
        assert_eq!(p, [1103, 166, -7, 100], "{level}");
        assert_eq!(q, [0.25, -1.0, 4.0, -6999.0], "{level}");
    }
}

#[test]
fn local_memory_may_be_declared_with_null() {
    let words = made("llc-22", &["-mtriple=spirv64v1.2-unknown-unknown", "-filetype=obj"], "local.ll");
    assert_eq!(run(&words, &[1, -7, 100, 65], &[0.0; 4]).0, [195, 300, -21, 3]);
    let session = oxicl_tests::session();
    let log = Program::build(&session.context, &words, "").and_then(|program| Ok(program.log()?));
    let log = log.unwrap_or_else(|error| panic!("{error}"));
    assert!(log.contains("WorkgroupNull"), "{log}");
}

#[test]
fn what_nobody_defines_is_named_in_the_log() {
    let source = "int __attribute__((overloadable)) other(int); int __attribute__((overloadable)) atomic_dec(float);\n\
                  __kernel void k(__global int *p, __global float *q) { p[0] = atomic_inc(p + 1) + other(2) + atomic_dec(1.0f); }";
    let words = oxicl_tests::offline::compile(source, oxicl_tests::offline::Level::Plain).expect("compiled");
    let session = oxicl_tests::session();
    let Err(error) = Program::build(&session.context, &words, "") else { panic!("it builds") };
    let log = error.to_string();
    for name in ["_Z5otheri", "_Z10atomic_decf"] {
        assert!(log.contains(&format!("`{name}` is imported, and no module defines it")), "{log}");
    }
    assert!(!log.contains("_Z10atomic_incPU3AS1Vi"), "{log}");
}

#[test]
fn the_reference_device_agrees() {
    oxicl_tests::again_on_the_reference_device(&["every_built_in_function"]);
}
