//! Compiles the device library to bitcode with clang 22, and to an object that only this package's tests link.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Language and code generation: no contraction but what the source asks for, nothing that a lane could not do, no calls
/// invented by the compiler, no debris for unwinders.
const FLAGS: &[&str] = &[
    "-x",
    "c",
    "-std=c23",
    "-target",
    "x86_64-unknown-linux-gnu",
    "-ffreestanding",
    "-fno-builtin",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-O2",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
    "-fomit-frame-pointer",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-jump-tables",
    "-fPIC",
    // A choice between two values is no branch, even where one takes as many instructions as a polynomial: lanes would compute
    // both under masks. (What is marked as unlikely stays a branch.)
    "-mllvm",
    "-two-entry-phi-node-folding-threshold=64",
];

/// What is made: its name, source and flags.
const PARTS: &[(&str, &str, &[&str])] = &[
    ("library", "library.c", &[]),
    ("library_without_fma", "library.c", &["-DWITHOUT_FMA"]),
    ("images", "images.c", &[]),
    ("runtime", "runtime.c", &[]),
];

/// Function attributes that would hold a library function to another target than the kernel that it is inlined into.
const TARGET_ATTRIBUTES: &[&str] =
    &["target-cpu", "target-features", "tune-cpu", "stack-protector-buffer-size", "min-legal-vector-width"];

/// What names of functions of images begin with in IR.
const OF_IMAGES: &str = "@oxicl.image_";
/// The attribute of functions that are compiled apart from kernels: `oxicl_protocol::attribute::APART`.
const APART: &str = "\"oxicl-apart\"";
/// Instructions of a function of images from which on it is compiled apart. A cost: an object takes as long by itself as about
/// thirty instructions in lanes, two milliseconds.
const FEWEST_APART: usize = 32;

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let clang = env::var("OXICL_CLANG").unwrap_or_else(|_| "clang-22".to_owned());
    println!("cargo::rerun-if-env-changed=OXICL_CLANG");
    println!("cargo::rerun-if-changed=library");
    for (name, source, flags) in PARTS {
        let source = Path::new("library").join(source);
        let text = out.join(name).with_extension("ll");
        run(Command::new(&clang).args(FLAGS).args(*flags).args(["-S", "-emit-llvm", "-o"]).arg(&text).arg(&source));
        let stripped = strip(&fs::read_to_string(&text).expect("clang wrote the IR"), *name != "runtime");
        if *name == "images" {
            write_bitcode(&clang, &out, "images_apart", &mark_apart(&stripped, true));
            write_bitcode(&clang, &out, name, &without_unused_constants(&mark_apart(&stripped, false)));
        } else {
            write_bitcode(&clang, &out, name, &stripped);
        }
    }
    objects_for_tests(&clang, &out);
}

/// IR without what belongs to one target. The library also loses `no-builtins`, which would bar it from being inlined, and
/// its functions become `linkonce`: of such a module the linker takes what is called and leaves the rest unread.
fn strip(ir: &str, library: bool) -> String {
    let mut lines = Vec::new();
    for line in ir.lines() {
        if let Some(rest) = line.strip_prefix("define ").filter(|rest| library && !rest.starts_with("internal")) {
            lines.push(format!("define linkonce_odr {rest}"));
            continue;
        }
        if !line.starts_with("attributes #") {
            lines.push(line.to_owned());
            continue;
        }
        let kept = line.split(' ').filter(|word| {
            let name = word.trim_start_matches('"').split('"').next().unwrap_or_default();
            let unwanted = TARGET_ATTRIBUTES.contains(&name) || (library && name == "no-builtins");
            !unwanted
        });
        lines.push(kept.collect::<Vec<_>>().join(" "));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn write_bitcode(clang: &str, out: &Path, name: &str, ir: &str) {
    let (text, bitcode) = (out.join(name).with_extension("ll"), out.join(name).with_extension("bc"));
    fs::write(&text, ir).expect("OUT_DIR is writable");
    run(Command::new(clang)
        .args(["-x", "ir", "-c", "-emit-llvm", "-Wno-override-module", "-o"])
        .arg(&bitcode)
        .arg(&text));
}

/// IR whose functions that are compiled apart are marked as such, and only declared if they are not to have their `bodies`.
fn mark_apart(ir: &str, bodies: bool) -> String {
    let groups = ir.lines().filter(|line| line.starts_with("attributes #") && line.contains(" noinline "));
    let groups: Vec<&str> = groups.filter_map(|line| line.split(' ').nth(1)).collect();
    let asks = |line: &str| line.contains(OF_IMAGES) && line.split(' ').any(|word| groups.contains(&word));
    let mut lines = ir.lines();
    let mut marked = Vec::new();
    while let Some(line) = lines.next() {
        let head = line.strip_suffix(" {").filter(|line| line.starts_with("define ") && asks(line));
        let Some(head) = head else {
            marked.push(line.to_owned());
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
        let is_apart = body.iter().filter(|line| line.starts_with("  ")).count() >= FEWEST_APART;
        if is_apart && !bodies {
            marked.push(format!("{} {APART}", head.replacen("define linkonce_odr", "declare", 1)));
            continue;
        }
        marked.push(if is_apart { format!("{head} {APART} {{") } else { line.to_owned() });
        marked.extend(body.into_iter().chain(["}"]).map(str::to_owned));
    }
    marked.push(String::new());
    marked.join("\n")
}

/// IR without the constants that no function in it uses.
fn without_unused_constants(ir: &str) -> String {
    let is_used = |line: &&str| {
        let Some((name, _)) = line.split_once(" = internal ").filter(|(name, _)| name.starts_with('@')) else {
            return true;
        };
        ir.lines().any(|other| !other.starts_with('@') && other.contains(name))
    };
    ir.lines().filter(is_used).chain([""]).collect::<Vec<_>>().join("\n")
}

/// The library for this machine, as it is for machines without fma under names of its own, and the runtime functions for the
/// oldest machine under names that do not clash with libc's.
fn objects_for_tests(clang: &str, out: &Path) {
    let library = out.join("library_test.o");
    run(Command::new(clang).args(FLAGS).args(["-march=native", "-c", "-o"]).arg(&library).arg("library/library.c"));
    let runtime = out.join("runtime_test.o");
    run(Command::new(clang)
        .args(FLAGS)
        .args(["-c", "-DPREFIX=oxicl_rt_", "-o"])
        .arg(&runtime)
        .arg("library/runtime.c"));
    let without = out.join("library_without_fma_test.o");
    run(Command::new(clang)
        .args(FLAGS)
        .args(["-DWITHOUT_FMA", "-DBEGINNING=\"oxicl_without_fma.\"", "-c", "-o"])
        .arg(&without)
        .arg("library/library.c"));
    println!("cargo::rustc-link-arg-tests={}", library.display());
    println!("cargo::rustc-link-arg-tests={}", without.display());
    println!("cargo::rustc-link-arg-tests={}", runtime.display());
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}; is clang 22 installed?"));
    assert!(status.success(), "{command:?} failed");
}
