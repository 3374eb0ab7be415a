//! Loops of independent operations: their IR, their machine code, and their cycles.
#![allow(unsafe_code, reason = "runs machine code that was made here")]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use libloading::os::unix::{Library, Symbol};
use oxicl_llvm::{CodegenLevel, Context, MachineOptions, Module, TargetMachine};
use oxicl_target::Target;

use crate::operations::{Form, Operation};

/// Instances of an operation in a loop: more than any unit has stages, few enough for 16 registers.
pub const INSTANCES: u32 = 8;
/// How often a run goes round, and how many runs there are: the best is what counts, as other programs run, too.
const ROUNDS: u64 = 500;
const RUNS: u32 = 1000;
/// Additions and exclusive ors of the chain that tells how long a cycle is.
const CHAIN: u32 = 64;
/// Bytes of memory, and between the places of two instances.
const BYTES: usize = 1 << 14;
const APART: u32 = 1024 + 64;

/// The machine of a level.
pub fn machine(target: &Target) -> TargetMachine {
    TargetMachine::new(&MachineOptions {
        triple: target.triple.clone(),
        cpu: String::new(),
        features: target.features.clone(),
        level: CodegenLevel::Default,
    })
    .expect("LLVM has x86-64")
}

/// The operations as functions `f0`, `f1` and so on, and the chain.
pub fn module(operations: &[Operation<'_>]) -> String {
    let mut text = chain();
    for (number, operation) in operations.iter().enumerate() {
        text += &function(number, operation);
    }
    text
}

/// A function of memory and a number of rounds. Empty assembly makes values that LLVM knows nothing of, and takes results.
fn function(number: usize, operation: &Operation<'_>) -> String {
    let Operation { form, operand: ty, .. } = operation;
    let class = class(ty);
    let mut values: Vec<(String, &str)> = Vec::new();
    let (firsts, seconds, kept) = match form {
        Form::Unary => (INSTANCES, 0, 0),
        Form::Binary => (INSTANCES / 2, 2, 0),
        Form::Accumulating => (1, 1, INSTANCES),
    };
    values.extend((0..firsts).map(|n| (format!("a{n}"), operation.value.as_str())));
    values.extend((0..seconds).map(|n| (format!("b{n}"), operation.second.as_str())));
    if *form == Form::Binary {
        values.push(("d".to_owned(), operation.second.as_str()));
    }
    values.extend((0..kept).map(|n| (format!("c{n}"), operation.second.as_str())));
    let mut entry = String::new();
    let mut top = String::new();
    let mut body = String::new();
    for (name, value) in &values {
        _ = writeln!(entry, "  %{name}.0 = call {ty} asm sideeffect \"\", \"={class},0\"({ty} {value})");
        _ = writeln!(top, "  %{name}.1 = phi {ty} [ %{name}.0, %entry ], [ %{name}, %loop ]");
        if !name.starts_with('c') {
            _ = writeln!(body, "  %{name} = call {ty} asm sideeffect \"\", \"={class},0\"({ty} %{name}.1)");
        }
    }
    for instance in 0..INSTANCES {
        let first = if *form == Form::Accumulating { 0 } else { instance % firsts };
        let name = |name: &str| match name {
            "a" => format!("a{first}"),
            "b" if *form == Form::Binary => format!("b{}", instance / firsts),
            "b" => "b0".to_owned(),
            "c" => format!("c{instance}.1"),
            "d" => "d".to_owned(),
            "r0" if *form == Form::Accumulating => format!("c{instance}"),
            other => format!("{other}.{instance}"),
        };
        _ = writeln!(body, "  %p.{instance} = getelementptr i8, ptr %memory, i64 {}", instance * APART);
        _ = writeln!(body, "  {}", renamed(&operation.code, &name).replace('\n', "\n  "));
        if *form != Form::Accumulating {
            for (result, of) in operation.results.iter().enumerate() {
                let class = self::class(of);
                _ = writeln!(body, "  call void asm sideeffect \"\", \"{class}\"({of} %r{result}.{instance})");
            }
        }
    }
    // What goes round would go if nobody took it in the end.
    let ends = values.iter().filter(|(name, _)| name.starts_with('c'));
    let end: String =
        ends.map(|(name, _)| format!("  call void asm sideeffect \"\", \"{class}\"({ty} %{name})\n")).collect();
    format!(
        "define void @f{number}(ptr %memory.0, i64 %rounds) {{\nentry:\n{entry}  br label %loop\nloop:\n{top}  \
         %left = phi i64 [ %rounds, %entry ], [ %fewer, %loop ]\n  \
         %memory.1 = phi ptr [ %memory.0, %entry ], [ %memory, %loop ]\n  \
         %memory = call ptr asm sideeffect \"\", \"=r,0\"(ptr %memory.1)\n{body}  \
         %fewer = sub i64 %left, 1\n  %more = icmp ne i64 %fewer, 0\n  br i1 %more, label %loop, label %end\n\
         end:\n{end}  ret void\n}}\n"
    )
}

/// Names of values, each as `name` has it; a temporary is one of its instance.
fn renamed(code: &str, name: &dyn Fn(&str) -> String) -> String {
    let mut parts = code.split('%');
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(part.len());
        _ = write!(result, "%{}{}", name(&part[..end]), &part[end..]);
    }
    result
}

/// The registers that values of a type are in, as assembly names them.
fn class(ty: &str) -> &'static str {
    if ty.starts_with('i') { "r" } else { "x" }
}

/// A function whose every operation waits a cycle for the one before.
fn chain() -> String {
    let mut body = String::new();
    for number in 0..CHAIN {
        let operation = if number % 2 == 0 { "add" } else { "xor" };
        _ = writeln!(body, "  %x{} = {operation} i64 %x{number}, %key", number + 1);
    }
    format!(
        "define i64 @chain(ptr %memory, i64 %rounds) {{\nentry:\n  %key = load i64, ptr %memory\n  br label %loop\n\
         loop:\n  %x0 = phi i64 [ 0, %entry ], [ %x{CHAIN}, %loop ]\n  \
         %left = phi i64 [ %rounds, %entry ], [ %fewer, %loop ]\n{body}  \
         %fewer = sub i64 %left, 1\n  %more = icmp ne i64 %fewer, 0\n  br i1 %more, label %loop, label %end\n\
         end:\n  ret i64 %x{CHAIN}\n}}\n"
    )
}

/// The instructions of the loop of each function of a module, by the function's name, in the order of the code.
pub fn loops(text: &str, machine: &TargetMachine) -> HashMap<String, Vec<String>> {
    let context = Context::new();
    let mut module = Module::parse_text(&context, text).expect("valid IR");
    machine.prepare(&module);
    let assembly = machine.emit_assembly(&mut module).expect("assembly");
    let mut found = HashMap::new();
    let (mut name, mut labels, mut lines) = (String::new(), HashMap::new(), Vec::new());
    for line in assembly.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
        match line.strip_suffix(':') {
            Some(label) if label.starts_with(".L") => _ = labels.insert(label.to_owned(), lines.len()),
            Some(function) => (name, labels, lines) = (function.to_owned(), HashMap::new(), Vec::new()),
            None if line.is_empty() || line.starts_with('.') => {}
            None => lines.push(line.to_owned()),
        }
        // The last way back is that of the whole loop.
        let target = line.split_whitespace().last().filter(|_| line.starts_with('j'));
        if let Some(start) = target.and_then(|target| labels.get(target)) {
            found.insert(name.clone(), lines[*start..].to_vec());
        }
    }
    found
}

/// Machine code that was loaded.
pub struct Code {
    library: Library,
    memory: Box<Memory>,
}

/// What is accessed, from the start of a page on.
#[repr(align(4096))]
struct Memory([u64; BYTES / 8]);

type Function = unsafe extern "C" fn(*mut u64, u64) -> u64;

impl Code {
    /// Compiles and loads a module. `folder` is for its files.
    pub fn new(text: &str, machine: &TargetMachine, folder: &Path) -> Code {
        let context = Context::new();
        let mut module = Module::parse_text(&context, text).expect("valid IR");
        machine.prepare(&module);
        let (object, library) = (folder.join("costs.o"), folder.join("costs.so"));
        std::fs::write(&object, machine.emit_object(&mut module).expect("code").bytes).expect("a folder to write to");
        let linked = Command::new("cc").arg("-shared").arg("-o").args([&library, &object]).status().expect("a linker");
        assert!(linked.success());
        // SAFETY: the library was made here and has no initialisers.
        let loaded = unsafe { Library::new(&library) }.expect("it was linked");
        // What chains add and all places hold; a number of 64 bits that is no special float.
        Code { library: loaded, memory: Box::new(Memory([0x3ff8_0000_3fc0_0000; BYTES / 8])) }
    }

    /// Cycles of an instance of a function's operation: the shortest of many runs, measured by the shortest of the chain's
    /// beside it. The processor's clock may differ from its counter's.
    pub fn cycles(&mut self, name: &str) -> f64 {
        let find = |library: &Library, name: &str| -> Symbol<Function> {
            // SAFETY: the functions have this type, but for a result that nobody looks at.
            unsafe { library.get(name.as_bytes()) }.expect("the function is there")
        };
        let (function, chain) = (find(&self.library, name), find(&self.library, "chain"));
        let (mut best, mut cycle) = (u64::MAX, u64::MAX);
        for _ in 0..RUNS {
            best = best.min(self.ticks(&function));
            cycle = cycle.min(self.ticks(&chain));
        }
        let ticks = cycle as f64 / f64::from(CHAIN);
        best as f64 / ticks / f64::from(INSTANCES)
    }

    /// Ticks of the counter while a function runs.
    fn ticks(&mut self, function: &Symbol<Function>) -> u64 {
        // SAFETY: the counter is there on all of x86-64; the functions keep to the memory, by the places of their instances.
        unsafe {
            let start = std::arch::x86_64::_rdtsc();
            function(self.memory.0.as_mut_ptr(), ROUNDS);
            std::arch::x86_64::_rdtsc() - start
        }
    }
}
