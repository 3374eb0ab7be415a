//! Runs many random kernels: `oxicl-differential [FIRST SEED] [COUNT] [--quick | --short-groups | --tiles | --guards | --overlap | --tiers]`. A quick run executes
//! each in fewer ways; the others have kernels whose work-groups may run side by side, in short ones, kernels whose
//! work-items leave loops in different turns, in two dimensions, kernels whose work-items leave by their places, and kernels whose
//! pointers may lead to one place. With `--tiers` the baseline and the full tier run each in turns.
//! With `--source FILE SEED` it runs the kernel of a file as a quick run runs that of the seed: to make a failing one smaller.
//! With `OXICL_COMPILER` set, that executable compiles, such as the one of a package, and not this process.
//! With `--shapes FOLDER` it writes the kernels of difficult shapes as modules instead, for measuring.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use oxicl_differential::shapes::SHAPES;
use oxicl_offline::Level;

/// Writes each shape as clang's front end leaves it, and optimised.
fn write_shapes(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for shape in SHAPES {
        for (level, end) in [(Level::Plain, "spv"), (Level::Optimised, "o2.spv")] {
            let file = folder.join(format!("{}.{end}", shape.name));
            let module = oxicl_offline::compile(&shape.source(), level)?;
            std::fs::write(&file, module).map_err(|error| format!("{}: {error}", file.display()))?;
        }
    }
    Ok(())
}

/// Runs the kernel of a file with the input of a seed.
fn run_source(file: &str, seed: &str) -> Result<(), String> {
    let source = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let seed = seed.parse().map_err(|_| format!("{seed} is no seed"))?;
    oxicl_differential::check_source(seed, &source).map_err(|difference| difference.what)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["--shapes", folder] => write_shapes(Path::new(folder)),
        ["--source", file, seed] => run_source(file, seed),
        _ => return run_seeds(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run_seeds(arguments: &[&str]) -> ExitCode {
    let options = ["--quick", "--short-groups", "--tiles", "--guards", "--overlap", "--tiers"];
    let [quick, short, tiles, guards, overlap, tiers] = options.map(|option| arguments.contains(&option));
    let numbers = arguments.iter().filter(|argument| !options.contains(argument));
    let numbers: Result<Vec<u64>, _> = numbers.map(|argument| argument.parse()).collect();
    let (first, count) = match numbers.as_deref() {
        Ok([]) => (0, 1000),
        Ok([first]) => (*first, 1000),
        Ok([first, count]) => (*first, *count),
        _ => {
            eprintln!(
                "oxicl-differential [FIRST SEED] [COUNT] [--quick | --short-groups | --tiles | --guards | --overlap | --tiers] | --source FILE SEED | --shapes FOLDER"
            );
            return ExitCode::FAILURE;
        }
    };
    let check = match (quick, short) {
        _ if overlap => |seed| oxicl_differential::check_overlap(seed).map(|_| ()),
        _ if tiers => oxicl_differential::check_tiers,
        _ if guards => |seed| oxicl_differential::check_guards(seed).map(|_| ()),
        _ if tiles => |seed| oxicl_differential::check_tiles(seed).map(|_| ()),
        (_, true) => |seed| oxicl_differential::check_short_groups(seed).map(|_| ()),
        (true, _) => oxicl_differential::check_quickly,
        _ => oxicl_differential::check,
    };
    let mut different = 0u64;
    for (done, seed) in (first..first + count).enumerate() {
        if let Err(difference) = check(seed) {
            different += 1;
            println!("{difference}");
        }
        if done % 50 == 49 {
            eprint!("\r{} of {count} kernels, {different} different", done + 1);
            let _ = std::io::stderr().flush();
        }
    }
    println!("{count} kernels from seed {first}: {different} different");
    if different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
