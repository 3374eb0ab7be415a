//! `oxicl-accuracy [--all] [--samples N] [--threads N] [--only TEXT] [--keep FILE] [--out FILE]`: measures every function and
//! writes `docs/accuracy.md`.
//!
//! With `--all`, functions of one half or float operand, and of two halves, get every input. `--keep` names a file that
//! measurements are appended to and taken from, so that a run can go on where it was stopped.

use std::io::Write;
use std::process::ExitCode;

use oxicl_accuracy::document::{Line, document};
use oxicl_accuracy::format::Format;
use oxicl_accuracy::kernel::{Kernels, Machine};
use oxicl_accuracy::measure::{Inputs, Subject, countable};
use oxicl_accuracy::table::{Bound, Function, functions};

struct Options {
    all: bool,
    samples: u64,
    threads: usize,
    only: String,
    keep: Option<String>,
    out: Option<String>,
}

fn options() -> Result<Options, String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut options = Options { all: false, samples: 1 << 20, threads, only: String::new(), keep: None, out: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--all" {
            options.all = true;
            continue;
        }
        let value = arguments.next().ok_or(format!("{argument} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{argument} needs a number"));
        match argument.as_str() {
            "--samples" => options.samples = number()?,
            "--threads" => options.threads = number()? as usize,
            "--only" => options.only = value,
            "--keep" => options.keep = Some(value),
            "--out" => options.out = Some(value),
            _ => return Err(format!("no option {argument}")),
        }
    }
    Ok(options)
}

fn measure(function: &Function, format: Format, options: &Options) -> Result<Line, String> {
    let kernels = Kernels::compile(&[(function, format)], Machine::Host)?;
    let subject = Subject { function, format, kernels: &kernels, number: 0 };
    let all = options.all && countable(function, format) || (format == Format::Half && function.arity == 1);
    let inputs = if all { Inputs::All } else { Inputs::Samples(options.samples) };
    let found = subject.measure(inputs, options.threads)?;
    let line = Line::new(function.key(format), &found, inputs);
    if found.wrong > 0 {
        return Err(format!(
            "{} of {} results are beyond the bound:\n  {}",
            found.wrong,
            found.count,
            found.examples.join("\n  ")
        ));
    }
    Ok(line)
}

fn run() -> Result<(), String> {
    let options = options()?;
    let kept = options.keep.as_ref().and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
    let mut lines: Vec<Line> = kept.lines().filter_map(Line::parse).collect();
    let mut wrong = 0;
    for format in Format::ALL {
        for function in functions() {
            let key = function.key(format);
            let all = options.all && countable(&function, format);
            let done = |line: &Line| line.key == key && (line.all || (!all && line.count >= options.samples));
            let known = lines.iter().any(done);
            if matches!(function.bound(format), Bound::None) || !key.contains(&options.only) || known {
                continue;
            }
            match measure(&function, format, &options) {
                Ok(line) => {
                    println!("{key}: {} over {}", line.worst, line.count);
                    if let Some(file) = &options.keep {
                        let file = std::fs::OpenOptions::new().create(true).append(true).open(file);
                        file.and_then(|mut f| writeln!(f, "{}", line.print())).map_err(|error| error.to_string())?;
                    }
                    lines.push(line);
                }
                Err(error) => {
                    wrong += 1;
                    eprintln!("{key}: {error}");
                }
            }
        }
    }
    if wrong > 0 {
        return Err(format!("{wrong} functions are wrong"));
    }
    match &options.out {
        Some(file) => std::fs::write(file, document(&lines)?).map_err(|error| format!("{file}: {error}")),
        None => Ok(()),
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
