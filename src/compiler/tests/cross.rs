//! Code for machines that this one is not: each is named on the command line.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

const SOURCE: &str = "kernel void k(global float *a, global const float *b, float c) {
    size_t i = get_global_id(0);
    a[i] = fma(a[i], b[i], c);
}";

/// The compiler's answer for a machine, with these arguments more.
fn compile(name: &str, machine: &str, arguments: &[&str]) -> Output {
    let file = std::env::temp_dir().join(format!("oxicl-cross-{}-{name}.cl", std::process::id()));
    fs::write(&file, SOURCE).expect("written");
    let mut command = Command::new(PathBuf::from(env!("CARGO_BIN_EXE_oxicl-compiler")));
    let output = command.arg("--compile").arg(&file).args(["--target", machine]).args(arguments).output();
    fs::remove_file(&file).expect("removed");
    output.expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn x86_64_has_the_registers_and_the_instructions_of_the_level() {
    for (machine, has, has_not) in [
        ("x86-64-v2", "%xmm", ["%ymm", "vfmadd"].as_slice()),
        ("x86-64-v3", "vfmadd213ps", &["%zmm"]),
        ("haswell,-fma", "%ymm", &["vfmadd", "%zmm"]),
        ("x86-64-v4", "%zmm", &[]),
        ("sapphirerapids", "%zmm", &[]),
    ] {
        let output = compile("levels", machine, &["--assembly"]);
        let code = text(&output.stdout);
        assert!(output.status.success(), "{machine}: {}", text(&output.stderr));
        assert!(code.contains(has), "{machine} has no {has}: {code}");
        assert!(!has_not.iter().any(|other| code.contains(other)), "{machine} has one of {has_not:?}: {code}");
    }
}

#[test]
fn images_are_made_for_x86_64_that_has_more_than_this_machine() {
    let image = std::env::temp_dir().join(format!("oxicl-cross-{}.image", std::process::id()));
    let path = image.to_str().expect("a text");
    let output = compile("image", "diamondrapids", &["-o", path]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("V = 32, S = 16"), "{}", text(&output.stderr));
    assert!(fs::metadata(&image).expect("an image").len() > 0);
    fs::remove_file(image).expect("removed");
}

#[test]
fn aarch64_has_ir_and_assembly_and_no_image() {
    let assembly = compile("arm-assembly", "aarch64", &["--assembly"]);
    // An LLVM that is linked into the compiler has no other architecture than that which it runs on.
    if text(&assembly.stderr).contains("this LLVM has no target AArch64") {
        assert_eq!(option_env!("OXICL_LINK_LLVM"), Some("static"));
        return;
    }
    assert!(text(&assembly.stdout).contains("fmla\tv"), "{}{}", text(&assembly.stdout), text(&assembly.stderr));
    let ir = compile("arm-ir", "aarch64", &["--dump", "codegen"]);
    assert!(ir.status.success() && text(&ir.stdout).contains("target triple = \"aarch64-unknown-linux-gnu\""));
    assert!(text(&ir.stderr).contains("gangs of"), "{}", text(&ir.stderr));
    let image = compile("arm-image", "aarch64", &["-o", "/nowhere/image"]);
    assert!(!image.status.success() && text(&image.stderr).contains("no image is made"), "{}", text(&image.stderr));
}

#[test]
fn a_plan_says_how_each_instruction_is_written() {
    let dump = compile("recipes", "x86-64-v3", &["--dump", "plan"]);
    let plan = text(&dump.stdout);
    let loads: Vec<&str> = plan.lines().filter(|line| line.contains(" = load ")).collect();
    assert!(!loads.is_empty() && loads.iter().all(|line| line.contains(", contiguous")), "{plan}");
}

#[test]
fn a_machine_that_there_is_none_of_is_told() {
    let output = compile("unknown", "z80", &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--target: `z80` is none of native"), "{}", text(&output.stderr));
}
