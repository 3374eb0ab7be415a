//! Cycles on paper: LLVM's llvm-mca over the inner loops of the kernels of the benches, for processors that are not here.

mod loops;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;

use oxicl_ops::symbol;

use crate::driver::{Profile, build, target_folder};
use crate::process::{Outcome, exists, root};
use loops::{Loop, heaviest};
use table::{Cycles, Table};

/// A processor whose model LLVM has.
struct Machine {
    /// LLVM's name.
    model: &'static str,
    /// What `oxicl-compiler --target` calls what the code is for.
    target: &'static str,
    triple: &'static str,
}

const X86_64: &str = "x86_64-unknown-linux-gnu";

const MACHINES: [Machine; 5] = [
    Machine { model: "haswell", target: "haswell", triple: X86_64 },
    Machine { model: "skylake-avx512", target: "skylake-avx512", triple: X86_64 },
    Machine { model: "znver3", target: "znver3", triple: X86_64 },
    Machine { model: "znver4", target: "znver4", triple: X86_64 },
    Machine { model: "neoverse-n1", target: "aarch64", triple: "aarch64-unknown-linux-gnu" },
];

/// What the page has to say of them.
const SAYS: &str = "`znver4` stands for Zen 5, too: LLVM 22 has no model of it, and takes Zen 4's. `neoverse-n1` runs what is made for every
AArch64.
";

/// Iterations of a loop that llvm-mca goes through: what it begins with is a hundredth of that.
const ITERATIONS: u32 = 100;

const PAGE: &str = "docs/cycles.md";

/// A kernel as it was compiled for a machine.
struct Kernel {
    name: String,
    /// Work-items of a sub-group, which fill a register, and the most of a gang.
    sub_group_size: u32,
    lanes: u32,
    /// Rows that gangs have at once in places, else 1.
    rows: u32,
}

/// Compares with the committed page, or writes it if the arguments say `--write`.
pub fn mca(arguments: &[String]) -> Outcome {
    let (writes, names) = match arguments {
        [flag, names @ ..] if flag == "--write" => (true, names),
        names => (false, names),
    };
    if let Some(option) = names.iter().find(|name| name.starts_with('-')) {
        return Err(format!("mca has no option {option}; it takes --write, or names of files in benches/kernels"));
    }
    if writes && !names.is_empty() {
        return Err("--write is for all kernels".to_owned());
    }
    let tool = ["llvm-mca-22", "llvm-mca"].into_iter().find(|tool| exists(tool));
    let tool = tool.ok_or("neither llvm-mca-22 nor llvm-mca is installed: Debian's package llvm-22 has it")?;
    let compiler = build(Profile::Dev)?.join("oxicl-compiler");
    let folder = target_folder()?.join("mca");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut cycles = Cycles::new();
    for source in sources(names)? {
        for machine in &MACHINES {
            for (kernel, found) in kernels(&compiler, &source, machine, &folder, tool)? {
                cycles.insert((kernel, machine.model.to_owned()), found);
            }
        }
    }
    let page = root().join(PAGE);
    let old = std::fs::read_to_string(&page).map_or_else(|_| Ok(Table::default()), |text| Table::parse(&text))?;
    if writes {
        let machines = MACHINES.map(|machine| machine.model);
        let new = old.with(cycles);
        std::fs::write(&page, new.to_text(&machines, SAYS)).map_err(|error| format!("{PAGE}: {error}"))?;
        let unexplained = new.unexplained();
        return if unexplained.is_empty() { Ok(()) } else { Err(unexplained.join("\n       ")) };
    }
    let mut told = old.differences(&cycles);
    if !names.is_empty() {
        told.retain(|sentence| !sentence.contains("no cycles any more"));
    }
    if told.is_empty() { Ok(()) } else { Err(format!("{}\n       `--write` writes the page", told.join("\n       "))) }
}

/// One sentence for each row of the page that lacks something.
pub fn check() -> Outcome {
    let text = std::fs::read_to_string(root().join(PAGE)).map_err(|error| format!("{PAGE}: {error}"))?;
    let unexplained = Table::parse(&text)?.unexplained();
    if unexplained.is_empty() { Ok(()) } else { Err(unexplained.join("\n       ")) }
}

/// The files of the benches' kernels; those of the names, if there are any.
fn sources(names: &[String]) -> Outcome<Vec<PathBuf>> {
    let folder = root().join("benches/kernels");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut sources: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let is_wanted = |path: &PathBuf| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        path.extension().is_some_and(|ending| ending == "cl")
            && (names.is_empty() || names.iter().any(|name| *name == stem))
    };
    // A file that includes others has their kernels.
    let includes = |path: &PathBuf| std::fs::read_to_string(path).is_ok_and(|text| text.contains("#include"));
    sources.retain(|path| is_wanted(path) && !includes(path));
    sources.sort();
    if sources.is_empty() { Err(format!("no such kernel in {}", folder.display())) } else { Ok(sources) }
}

/// The kernels of a file that have loops, with their cycles for each work-item and iteration.
fn kernels(
    compiler: &Path,
    source: &Path,
    machine: &Machine,
    folder: &Path,
    tool: &str,
) -> Outcome<Vec<(String, f64)>> {
    let told = compile(compiler, source, machine, &[])?.1;
    let assembly = compile(compiler, source, machine, &["--assembly"])?.0;
    let mut found = Vec::new();
    for (number, kernel) in described(&told).into_iter().enumerate() {
        let Some(heaviest) = heaviest(&assembly, &symbol::group(number)) else { continue };
        let path = folder.join(format!("{}.{}.s", kernel.name, machine.model));
        let cycles = cycles(&heaviest, &path, machine, tool)?;
        let items = heaviest.items(kernel.sub_group_size.min(kernel.lanes), kernel.lanes, kernel.rows);
        let each = cycles / f64::from(items);
        println!("{:<16} {:<16} {each:>9.3} = {cycles:.1} / {items}", kernel.name, machine.model);
        found.push((kernel.name, each));
    }
    Ok(found)
}

/// What the compiler prints: to standard output, and what it tells of the kernels.
fn compile(compiler: &Path, source: &Path, machine: &Machine, more: &[&str]) -> Outcome<(String, String)> {
    let mut command = Command::new(compiler);
    // A launch runs either streaming stores or ordinary ones, but all blocks of a loop count.
    command.arg("--compile").arg(source).args(["--target", machine.target, "--disable", "streams"]).args(more);
    let output = command.output().map_err(|error| format!("{}: {error}", compiler.display()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok((text(&output.stdout), text(&output.stderr))) } else { Err(text(&output.stderr)) }
}

/// The kernels that the compiler tells of, in their order.
fn described(told: &str) -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> = Vec::new();
    for line in told.lines() {
        let number = |text: &str| text.split([',', ' ']).next().and_then(|number| number.parse::<u32>().ok());
        if let Some((name, rest)) = line.split_once(": entry ") {
            let behind = |what: &str| rest.split_once(what).and_then(|(_, rest)| number(rest)).unwrap_or(1);
            let (sub_group_size, lanes) = (behind("S = "), behind("V = "));
            kernels.push(Kernel { name: name.to_owned(), sub_group_size, lanes, rows: 1 });
        } else if let (Some(kernel), Some((before, _))) = (kernels.last_mut(), line.split_once(" rows at once")) {
            kernel.rows = before.rsplit(' ').next().and_then(number).unwrap_or(1);
        }
    }
    kernels
}

/// Cycles of an iteration. The loop stays in a file for who wants to see more of it.
fn cycles(found: &Loop<'_>, path: &Path, machine: &Machine, tool: &str) -> Outcome<f64> {
    let text: String = found.instructions.iter().map(|instruction| format!("\t{instruction}\n")).collect();
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut command = Command::new(tool);
    command.args([&format!("-mtriple={}", machine.triple), &format!("-mcpu={}", machine.model)]);
    command
        .arg(format!("-iterations={ITERATIONS}"))
        .args(["-skip-unsupported-instructions=any", "-instruction-info=0"]);
    command.args(["-resource-pressure=0"]).arg(path);
    // Its warnings are of calls: that each takes a hundred cycles.
    let report = command.output().map_err(|error| format!("{tool}: {error}"))?;
    if !report.status.success() {
        return Err(format!("{tool}: {}: {}", path.display(), String::from_utf8_lossy(&report.stderr)));
    }
    let report = String::from_utf8_lossy(&report.stdout).into_owned();
    let total = report.lines().find_map(|line| line.strip_prefix("Total Cycles:"));
    let total = total.and_then(|cycles| cycles.trim().parse::<f64>().ok());
    let total = total.ok_or_else(|| format!("{tool} tells no cycles of {}", path.display()))?;
    Ok(total / f64::from(ITERATIONS))
}

#[cfg(test)]
mod tests {
    use super::{check, described};

    #[test]
    fn what_got_slower_has_its_reasons_in_this_repository() {
        assert_eq!(check(), Ok(()));
    }

    #[test]
    fn lanes_and_rows_of_kernels_are_read() {
        let told = "code 10 B\nfft: entry 0x0, V = 32, S = 16, local 0 B\n  no barrier\n\
                    sum: entry 0x10, V = 8, S = 8, local 0 B\n  gangs of 8 work-items; where rows load the same, 4 rows at once\n";
        let read = |kernel: super::Kernel| (kernel.name, kernel.sub_group_size, kernel.lanes, kernel.rows);
        let kernels: Vec<_> = described(told).into_iter().map(read).collect();
        assert_eq!(kernels, [("fft".to_owned(), 16, 32, 1), ("sum".to_owned(), 8, 8, 4)]);
    }
}
