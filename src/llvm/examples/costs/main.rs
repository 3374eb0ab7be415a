//! Compares what LLVM's TargetTransformInfo says that operations cost with what its scheduling models say, and with what they take
//! on the machine that this runs on: `cargo run --release -p oxicl-llvm --example costs -- docs/costs.md`. It needs `llvm-mca-22` and a
//! C compiler. What stands in front of its part of the page stays, and what other machines measured.

mod accesses;
mod measure;
mod operations;
mod page;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use measure::{Code, INSTANCES};
use operations::{Operation, operations};
use oxicl_llvm::{Context, TargetMachine};
use oxicl_target::Target;
use page::Page;

/// A level of x86-64, and the processors that have their column.
struct Level {
    name: &'static str,
    /// Bits of its registers.
    bits: u32,
    /// What code is tuned for when LLVM is asked; the first is no processor.
    tunes: &'static [&'static str],
    /// Whose scheduling models are asked.
    models: &'static [&'static str],
}

const LEVELS: [Level; 2] = [
    Level {
        name: "x86-64-v3",
        bits: 256,
        tunes: &["", "haswell", "skylake", "znver3", "znver4"],
        models: &["haswell", "znver3", "znver4"],
    },
    Level {
        name: "x86-64-v4",
        bits: 512,
        tunes: &["", "skylake-avx512", "znver4"],
        models: &["skylake-avx512", "znver4"],
    },
];

/// Iterations that llvm-mca goes through.
const ITERATIONS: u32 = 100;

const TITLE: &str = "
The tables give cycles of one operation among many that do not depend on each other. *TTI* is what LLVM's TargetTransformInfo says,
in a unit that is about a cycle; if its answer for code tuned for a processor differs, that follows in parentheses. *mca* is what
LLVM's scheduling models say of the instructions that our code generator makes of the operation. *on* is what the operation takes on
a machine. `src/llvm/examples/costs` writes this page; its first lines say how.

Each measured loop has eight instances of an operation, with operands that LLVM knows nothing about. Its time, by the processor's
time-stamp counter, is the shortest of 1000 runs of 500 rounds. It is converted to cycles by a chain of additions and exclusive ors:
runs of this chain alternate with those of the loop, and the shortest of as many counts. The loop has two more instructions, which
count, too, also in llvm-mca. LLVM 22 has no model of Zen 5 and takes Zen 4's for it, in which a masked gather or scatter of AVX-512
is about one access. Operands are in registers or the nearest cache; all lanes of masks are on. A comparison is measured together
with the select that uses it.
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let page = std::env::args().nth(1).map(PathBuf::from).ok_or("the page to write, please")?;
    let folder = std::env::temp_dir().join(format!("oxicl-costs-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let load_before = load()?;
    let mut text = Page::parse(&std::fs::read_to_string(&page)?);
    let host = host()?;
    let mut tables = String::new();
    for level in &LEVELS {
        tables += &table(level, &folder, &text, &host)?;
    }
    let load = format!("load {load_before} when it began and {} when it ended, on {} cores", load()?, cores()?);
    text.describe(&host, format!("{}; {load}", machine()?));
    std::fs::write(&page, text.write(TITLE, &tables))?;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// The table of a level, with what machines measured: the one that this runs on now, if it is of that level.
fn table(level: &Level, folder: &Path, page: &Page, host: &str) -> Result<String, Box<dyn std::error::Error>> {
    let target = Target::named(level.name)?;
    let own = Target::host().features;
    let runs = target.features.iter().all(|feature| own.contains(feature));
    let columns = page.columns(level.name, runs.then_some(host));
    let machine = measure::machine(&target);
    let context = Context::new();
    let all = operations(&context, level.bits);
    let module = measure::module(&all);
    let loops = measure::loops(&module, &machine);
    let mut code = Code::new(&module, &machine, folder);
    let mut text = format!("\n### {}\n\n{}\n", level.name, registers(level, &machine, &context));
    let models: Vec<String> = level.models.iter().map(|model| format!("mca {model}")).collect();
    let headings: Vec<String> = models.into_iter().chain(columns.iter().map(|name| Page::heading(name))).collect();
    _ = writeln!(text, "| Operation | TTI | {} |", headings.join(" | "));
    _ = writeln!(text, "|---|---|{}", "---|".repeat(headings.len()));
    for (number, operation) in all.iter().enumerate() {
        let name = format!("f{number}");
        let body = loops.get(&name).ok_or_else(|| format!("{} has no loop", operation.name))?;
        let mut cells = vec![tti(operation, level, &machine, &context)];
        for model in level.models {
            cells.push(format!("{:.2}", modelled(body, model, folder)?));
        }
        for column in &columns {
            let now = runs && column == host;
            cells.push(if now {
                format!("{:.2}", code.cycles(&name))
            } else {
                page.measured(level.name, &operation.name, column)
            });
        }
        println!("{} | {}", operation.name, cells.join(" | "));
        _ = writeln!(text, "| {} | {} |", operation.name, cells.join(" | "));
    }
    Ok(text)
}

/// What is said of registers.
fn registers(level: &Level, machine: &TargetMachine, context: &Context) -> String {
    let of = |tune: &&str| {
        let found = machine.costs(context, tune).vector_registers();
        let name = if tune.is_empty() { "no processor" } else { tune };
        format!("{} of {} bits for {name}", found.count, found.bits)
    };
    let all: Vec<String> = level.tunes.iter().map(of).collect();
    format!("Vector registers, as TTI counts them: {}.\n", all.join(", "))
}

/// TTI's cost, and those of processors for which it is another.
fn tti<'a>(operation: &Operation<'a>, level: &Level, machine: &'a TargetMachine, context: &'a Context) -> String {
    let of = |tune: &&str| {
        // The types of the operation are the context's, whose costs these are.
        let costs = machine.costs(context, tune);
        (operation.ask)(&costs).map_or_else(|| "none".to_owned(), |cost| cost.to_string())
    };
    let all: Vec<String> = level.tunes.iter().map(of).collect();
    let others = level.tunes.iter().zip(&all).skip(1).filter(|(_, cost)| **cost != all[0]);
    let others: Vec<String> = others.map(|(tune, cost)| format!("{tune} {cost}")).collect();
    if others.is_empty() { all[0].clone() } else { format!("{} ({})", all[0], others.join(", ")) }
}

/// Cycles of an instance, as a scheduling model says.
fn modelled(body: &[String], model: &str, folder: &Path) -> Result<f64, Box<dyn std::error::Error>> {
    let path = folder.join("loop.s");
    std::fs::write(&path, body.iter().map(|line| format!("\t{line}\n")).collect::<String>())?;
    let mut command = Command::new("llvm-mca-22");
    command.args(["-mtriple=x86_64", &format!("-mcpu={model}"), &format!("-iterations={ITERATIONS}")]);
    command.args(["-instruction-info=0", "-resource-pressure=0", "-skip-unsupported-instructions=any"]).arg(&path);
    let output = command.output()?;
    let report = String::from_utf8(output.stdout)?;
    let total = report.lines().find_map(|line| line.strip_prefix("Total Cycles:"));
    let total: f64 = total.ok_or_else(|| String::from_utf8_lossy(&output.stderr).into_owned())?.trim().parse()?;
    Ok(total / f64::from(ITERATIONS) / f64::from(INSTANCES))
}

/// LLVM's name of the processor.
fn host() -> Result<String, Box<dyn std::error::Error>> {
    let version = String::from_utf8(Command::new("llvm-mca-22").arg("--version").output()?.stdout)?;
    Ok(version.lines().find_map(|line| line.trim().strip_prefix("Host CPU: ")).unwrap_or("unknown").to_owned())
}

/// The processor's name, and the numbers by which makers tell models apart.
fn machine() -> Result<String, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string("/proc/cpuinfo")?;
    let field = |name: &str| {
        let line = text.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.and_then(|line| line.split(':').nth(1)).unwrap_or("?").trim().to_owned()
    };
    Ok(format!("{}, family {}, model {}", field("model name"), field("cpu family"), field("model")))
}

fn load() -> Result<String, Box<dyn std::error::Error>> {
    Ok(std::fs::read_to_string("/proc/loadavg")?.split(' ').next().unwrap_or("?").to_owned())
}

fn cores() -> Result<usize, Box<dyn std::error::Error>> {
    Ok(std::thread::available_parallelism()?.get())
}
