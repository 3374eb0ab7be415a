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

/// Instructions of a function of images from which on it is compiled apart. A cost: an object takes one to two milliseconds by
/// itself, as long as twenty to thirty instructions in lanes.
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
            write_images(&clang, &out, &stripped);
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
    let (text, bitcode) = (out.join(format!("{name}.ll")), out.join(format!("{name}.bc")));
    fs::write(&text, ir).expect("OUT_DIR is writable");
    run(Command::new(clang)
        .args(["-x", "ir", "-c", "-emit-llvm", "-Wno-override-module", "-o"])
        .arg(&bitcode)
        .arg(&text));
}

/// A function of the images' IR.
struct Function<'a> {
    name: &'a str,
    /// Its first line, without the brace at the end.
    head: &'a str,
    body: Vec<&'a str>,
    /// It is compiled apart from kernels.
    is_apart: bool,
}

/// The functions of IR, and the lines that are no function's.
fn functions(ir: &str) -> (Vec<Function<'_>>, Vec<&str>) {
    let groups = ir.lines().filter(|line| line.starts_with("attributes #") && line.contains(" noinline "));
    let groups: Vec<&str> = groups.filter_map(|line| line.split(' ').nth(1)).collect();
    let mut lines = ir.lines();
    let (mut functions, mut rest) = (Vec::new(), Vec::new());
    while let Some(line) = lines.next() {
        let head = line.strip_suffix(" {").filter(|line| line.starts_with("define "));
        let (Some(head), Some(name)) = (head, name_in(line)) else {
            rest.push(line);
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
        let asks = oxicl_ops::library::is_of_images(name) && head.split(' ').any(|word| groups.contains(&word));
        let instructions = body.iter().filter(|line| line.starts_with("  ")).count();
        functions.push(Function { name, head, body, is_apart: asks && instructions >= FEWEST_APART });
    }
    (functions, rest)
}

/// The first name in a line that has one.
fn name_in(line: &str) -> Option<&str> {
    let (_, behind) = line.split_once('@')?;
    behind.split_once(['(', ' ']).map(|(name, _)| name)
}

/// IR of the images in which a function is `alone`, or for kernels: all functions but those that are compiled apart. These are
/// marked, and declared for kernels even where nobody uses them; other things that nobody uses are left out.
fn part_of_images(ir: &str, alone: Option<&str>) -> String {
    let (functions, rest) = functions(ir);
    // Types come before who is of them.
    let mut lines: Vec<String> = rest.into_iter().map(str::to_owned).collect();
    let mut used = String::new();
    let apart = format!("\"{}\"", oxicl_ops::attribute::APART);
    for function in &functions {
        let mark = if function.is_apart { apart.as_str() } else { "" };
        if alone.map_or(!function.is_apart, |name| function.name == name) {
            lines.push(format!("{} {mark} {{", function.head));
            lines.extend(function.body.iter().chain(&["}"]).map(|line| (*line).to_owned()));
            used += &function.body.join("\n");
        } else {
            lines.push(format!("{} {mark}", function.head.replacen("define linkonce_odr", "declare", 1)));
        }
    }
    lines.retain(|line| {
        let is_declared = line.starts_with("declare ") && (alone.is_some() || !line.contains(&apart));
        let can_go = is_declared || line.starts_with('@');
        !can_go || name_in(line).is_some_and(|name| used.contains(&format!("@{name}")))
    });
    lines.push(String::new());
    lines.join("\n")
}

/// The functions of images: those that become parts of kernels as one module, each other as a module of its own, and a table of
/// these by name.
fn write_images(clang: &str, out: &Path, ir: &str) {
    write_bitcode(clang, out, "images", &part_of_images(ir, None));
    let mut table = String::from("&[\n");
    for function in functions(ir).0.iter().filter(|function| function.is_apart) {
        let name = function.name;
        write_bitcode(clang, out, &format!("{name}.apart"), &part_of_images(ir, Some(name)));
        table += &format!("    ({name:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.apart.bc\"))),\n");
    }
    fs::write(out.join("apart.rs"), table + "]\n").expect("OUT_DIR is writable");
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
