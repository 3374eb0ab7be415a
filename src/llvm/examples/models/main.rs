//! Writes what LLVM's scheduling models say of a few operations, by processor:
//! `cargo run -p oxicl-llvm --example models -- src/workgroup/prices/models.tsv`. It needs `llvm-mca-22`.
//!
//! A row has the machine, what is asked (`cycles` of one of many that do not depend on each other, or `latency` of one that the
//! next waits for), operation, type, and the answer of each model.

mod operations;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use operations::{CHAINS, Chain, MANY, Many, Ty};
use oxicl_llvm::{CodegenLevel, Context, MachineOptions, Module, TargetMachine};
use oxicl_target::Target;

/// A machine by its name, the bits of its registers, and processors that code for it runs on: one of each design for
/// computers that LLVM has a model of. That of `icelake-server` is the client's, which has one unit for products of 512 bits where servers have two.
struct Machine {
    name: &'static str,
    bits: u32,
    models: &'static [&'static str],
}

const MACHINES: [Machine; 4] = [
    Machine { name: "x86-64-v2", bits: 128, models: &["nehalem", "haswell", "znver3"] },
    Machine { name: "x86-64-v3", bits: 256, models: &["haswell", "skylake", "alderlake", "znver3", "znver4"] },
    Machine { name: "x86-64-v4", bits: 512, models: &["skylake-avx512", "sapphirerapids", "znver4"] },
    Machine { name: "aarch64", bits: 128, models: &["cortex-a72", "neoverse-n1", "neoverse-v1"] },
];

/// Operations that the models of Intel's processors are too far off with on x86-64: they are measured.
const MEASURED: [&str; 2] = ["udiv", "sdiv"];
/// First and second operands of operations that do not depend on each other: each has a pair of its own, and they fit the registers.
const FIRSTS: u32 = 4;
const SECONDS: u32 = 2;
/// How often llvm-mca goes through these.
const ITERATIONS: u32 = 100;
/// Operations of the longer and the shorter chain: a latency is what the difference takes.
const LONG: u32 = 64;
const SHORT: u32 = 32;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let page = std::env::args().nth(1).map(PathBuf::from).ok_or("the table to write, please")?;
    let folder = std::env::temp_dir().join(format!("oxicl-models-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let mut table = String::from("# Written by src/llvm/examples/models, by what LLVM 22's scheduling models say.\n");
    for machine in &MACHINES {
        table += &rows(machine, &folder)?;
    }
    std::fs::write(page, table)?;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// The rows of a machine.
fn rows(machine: &Machine, folder: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let target = Target::named(machine.name)?;
    let coder = Coder::new(&target)?;
    let mut text = format!("# {}\t\t\t\t{}\n", machine.name, machine.models.join("\t"));
    for operation @ Many { name, types, code, .. } in MANY {
        for ty in types.iter().filter(|_| !(machine.name.starts_with("x86") && MEASURED.contains(name))) {
            let count = instances(code);
            let code = coder.assembly(&many(*ty, machine.bits, operation))?;
            let cycles =
                |model: &str| Ok(total(&target, &code, model, ITERATIONS, folder)? / f64::from(ITERATIONS * count));
            text += &row(machine, "cycles", name, *ty, cycles)?;
        }
    }
    for Chain { name, types, links, others, code } in CHAINS {
        for ty in types.iter().filter(|_| !(machine.name.starts_with("x86") && MEASURED.contains(name))) {
            let of = |count| coder.assembly(&chain(*ty, machine.bits, code, count));
            let (long, short) = (of(LONG)?, of(SHORT)?);
            let latency = |model: &str| {
                let time = total(&target, &long, model, 1, folder)? - total(&target, &short, model, 1, folder)?;
                Ok((time / f64::from(LONG - SHORT) - f64::from(*others)) / f64::from(*links))
            };
            text += &row(machine, "latency", name, *ty, latency)?;
        }
    }
    Ok(text)
}

fn row(
    machine: &Machine,
    what: &str,
    name: &str,
    ty: Ty,
    of: impl Fn(&str) -> Result<f64, Box<dyn std::error::Error>>,
) -> Result<String, Box<dyn std::error::Error>> {
    let mut text = format!("{}\t{what}\t{name}\t{}", machine.name, ty.name());
    for model in machine.models {
        _ = write!(text, "\t{:.2}", of(model)?);
    }
    println!("{text}");
    Ok(text + "\n")
}

/// How many of an operation have other operands, or another place, than all others.
fn instances(code: &str) -> u32 {
    if code.contains("%b") || code.contains("%p") { FIRSTS * SECONDS } else { FIRSTS }
}

/// A function with independent operations on its arguments. Empty assembly takes the results.
fn many(ty: Ty, bits: u32, Many { from, to, code, .. }: &Many) -> String {
    let [from, to] = [from, to].map(|placeholder| ty.filled(placeholder, bits));
    let mut body = String::new();
    for instance in 0..instances(code) {
        let (first, second) = (instance % FIRSTS, instance / FIRSTS);
        let line = code
            .replace("%a", &format!("%a{first}"))
            .replace("%b", &format!("%b{second}"))
            .replace("%p", &format!("%p{instance}"))
            .replace("%r", &format!("%r{instance}"))
            .replace("%t", &format!("%t{instance}"));
        _ = writeln!(body, "  %p{instance} = getelementptr i8, ptr %memory, i64 {}", instance * 1088);
        _ = writeln!(body, "  {}", ty.filled(&line, bits));
        if code.contains("%r =") {
            _ = writeln!(body, "  call void asm sideeffect \"\", \"^T\"({to} %r{instance})");
        }
    }
    let arguments: Vec<String> =
        ["a0", "a1", "a2", "a3", "b0", "b1"].iter().map(|name| format!("{from} %{name}")).collect();
    format!("define void @f({}, ptr %memory) {{\n{body}  ret void\n}}\n", arguments.join(", "))
}

/// A function with so many operations of which each waits for the one before.
fn chain(ty: Ty, bits: u32, code: &str, count: u32) -> String {
    let text = ty.text(bits);
    let mut body = String::new();
    for link in 0..count {
        let line = code
            .replace("%a", &format!("%x{link}"))
            .replace("%b", &format!("%b{}", link % 2))
            .replace("%r", &format!("%x{}", link + 1))
            .replace("%t", &format!("%t{link}"))
            .replace("%u", &format!("%u{link}"));
        _ = writeln!(body, "  {}", ty.filled(&line, bits));
    }
    format!("define {text} @f({text} %x0, {text} %b0, {text} %b1, {text} %k) {{\n{body}  ret {text} %x{count}\n}}\n")
}

/// What makes assembly.
struct Coder {
    machine: TargetMachine,
    is_arm: bool,
}

impl Coder {
    fn new(target: &Target) -> Result<Coder, Box<dyn std::error::Error>> {
        let machine = TargetMachine::new(&MachineOptions {
            triple: target.triple.clone(),
            cpu: String::new(),
            features: target.features.clone(),
            level: CodegenLevel::Default,
        })?;
        Ok(Coder { machine, is_arm: target.triple.starts_with("aarch64") })
    }

    /// The instructions of a function, without its end.
    fn assembly(&self, text: &str) -> Result<String, Box<dyn std::error::Error>> {
        let is_vector = text.contains("define void @f(<");
        let is_float = text.contains("define void @f(float") || text.contains("define void @f(double");
        let class = match (is_vector || is_float, self.is_arm) {
            (false, _) => "r",
            (true, false) => "x",
            (true, true) => "w",
        };
        let context = Context::new();
        let mut module = Module::parse_text(&context, &text.replace("^T", class))?;
        self.machine.prepare(&module);
        let assembly = self.machine.emit_assembly(&mut module)?;
        let comment = if self.is_arm { "//" } else { "#" };
        let lines = assembly.lines().map(|line| line.split(comment).next().unwrap_or_default().trim());
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('.') && !line.ends_with(':'));
        Ok(lines
            .filter(|line| !line.starts_with("ret") && !line.starts_with("vzero"))
            .map(|l| format!("\t{l}\n"))
            .collect())
    }
}

/// Cycles in all.
fn total(
    target: &Target,
    code: &str,
    model: &str,
    iterations: u32,
    folder: &Path,
) -> Result<f64, Box<dyn std::error::Error>> {
    let path = folder.join("code.s");
    std::fs::write(&path, code)?;
    let mut command = Command::new("llvm-mca-22");
    let triple = target.triple.split('-').next().unwrap_or_default();
    command.args([&format!("-mtriple={triple}"), &format!("-mcpu={model}"), &format!("-iterations={iterations}")]);
    command.args(["-instruction-info=0", "-resource-pressure=0", "-skip-unsupported-instructions=any"]).arg(&path);
    let output = command.output()?;
    let report = String::from_utf8(output.stdout)?;
    let total = report.lines().find_map(|line| line.strip_prefix("Total Cycles:"));
    Ok(total.ok_or_else(|| format!("{code}{}", String::from_utf8_lossy(&output.stderr)))?.trim().parse()?)
}
