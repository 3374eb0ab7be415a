//! The command line: `--serve` for the library, `--compile` for people who look at a stage.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use oxicl_protocol::{CompileOptions, CompileRequest, Image, Progress, Stage, Target, Tier, encode};

use crate::flow::{self, Observer};
use crate::serve::Fault;

const USAGE: &str = "usage: oxicl-compiler --compile FILE.spv [-o IMAGE] [--kernel NAME]... [--dump STAGE]... \
                     [--target-feature +NAME]... [--tier full|cheap] [--fast-math] [--no-optimisation] [--times]
stages that can be dumped: lower, optimize, workgroup, codegen";

/// What was asked for.
#[derive(Debug)]
pub enum Command {
    /// Serve the application at descriptor 3.
    Serve {
        /// The most workers that may run at a time.
        workers: usize,
        /// A fault to bring on, for tests.
        fault: Option<Fault>,
    },
    /// Compile one file.
    Compile(Compile),
}

/// Options of `--compile`.
#[derive(Debug, Default)]
pub struct Compile {
    input: PathBuf,
    output: Option<PathBuf>,
    kernels: Vec<String>,
    dump: Vec<String>,
    features: Vec<String>,
    tier: Tier,
    times: bool,
    options: CompileOptions,
}

/// Reads the arguments, the program's name excluded.
///
/// # Errors
/// What is wrong, and the usage.
pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let mut arguments = arguments;
    let mut next = |what: &str| arguments.next().ok_or_else(|| format!("{what} is missing\n{USAGE}"));
    match next("a command")?.as_str() {
        "--serve" => {
            let workers = next("the number of workers")?;
            let workers = workers.parse().map_err(|_| format!("'{workers}' is no number of workers"))?;
            let fault = arguments.next().map(|text| Fault::parse(&text)).transpose()?;
            Ok(Command::Serve { workers, fault })
        }
        "--compile" => {
            let mut compile = Compile { input: next("the file")?.into(), ..Compile::default() };
            while let Some(argument) = arguments.next() {
                let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value\n{USAGE}"));
                match argument.as_str() {
                    "-o" => compile.output = Some(value()?.into()),
                    "--kernel" => compile.kernels.push(value()?),
                    "--dump" => compile.dump.push(value()?),
                    "--target-feature" => compile.features.push(value()?),
                    "--tier" => compile.tier = tier(&value()?)?,
                    "--times" => compile.times = true,
                    "--fast-math" => compile.options.fast_relaxed_math = true,
                    "--no-optimisation" => compile.options.opt_disable = true,
                    _ => return Err(format!("'{argument}' is no option\n{USAGE}")),
                }
            }
            Ok(Command::Compile(compile))
        }
        other => Err(format!("'{other}' is no command\n{USAGE}")),
    }
}

fn tier(name: &str) -> Result<Tier, String> {
    match name {
        "full" => Ok(Tier::Full),
        "cheap" => Ok(Tier::Cheap),
        _ => Err(format!("'{name}' is no tier\n{USAGE}")),
    }
}

/// Prints what the stages of interest made, and takes their times.
struct Watch<'a> {
    dump: &'a [String],
    /// Each stage that began, and when.
    begun: Vec<(Stage, Instant)>,
}

impl Observer for Watch<'_> {
    fn begin(&mut self, progress: Progress) {
        self.begun.push((progress.stage, Instant::now()));
    }

    fn made(&mut self, stage: Stage, text: &dyn Fn() -> String) {
        if self.dump.contains(&stage.to_string()) {
            println!("; after {stage}\n{}", text());
        }
    }
}

impl Watch<'_> {
    /// Prints how long each stage took; the last one ends now.
    fn print_times(&self) {
        let ends = self.begun.iter().skip(1).map(|next| next.1).chain([Instant::now()]);
        for ((stage, begin), end) in self.begun.iter().zip(ends) {
            eprintln!("{stage}: {:.2} ms", end.saturating_duration_since(*begin).as_secs_f64() * 1e3);
        }
    }
}

/// Compiles a file, and writes the image if an output was named.
///
/// # Errors
/// The build log, or what could not be read or written.
pub fn compile(options: &Compile) -> Result<(), String> {
    let bytes = fs::read(&options.input).map_err(|error| format!("{}: {error}", options.input.display()))?;
    let spirv = oxicl_spirv::words_from_bytes(&bytes).map_err(|error| error.to_string())?;
    let features = if options.features.is_empty() { oxicl_llvm::host_cpu_features() } else { options.features.clone() };
    let request = CompileRequest {
        spirv,
        kernels: options.kernels.clone(),
        options: CompileOptions { verbose: true, ..options.options.clone() },
        target: Target { triple: oxicl_llvm::host_triple(), features },
        tier: options.tier,
    };
    let mut watch = Watch { dump: &options.dump, begun: Vec::new() };
    let image = flow::compile(&request, &mut watch).map_err(|failure| failure.to_string())?;
    if options.times {
        watch.print_times();
    }
    describe(&image);
    match &options.output {
        Some(path) => fs::write(path, encode(&image)?).map_err(|error| format!("{}: {error}", path.display())),
        None => Ok(()),
    }
}

fn describe(image: &Image) {
    eprintln!("code {} B, data {} B, fix-ups {}", image.code.len(), image.data.len(), image.fixups.len());
    for kernel in &image.kernels {
        eprintln!(
            "{}: entry {:#x}, V = {}, S = {}, local {} B, private {} B, stack {} B, state {} B a group and {} B a gang",
            kernel.name,
            kernel.entry,
            kernel.lanes,
            kernel.sub_group_size,
            kernel.local_bytes,
            kernel.private_bytes,
            kernel.stack_bytes,
            kernel.state_bytes_per_group,
            kernel.state_bytes_per_gang
        );
        for remark in &kernel.remarks {
            eprintln!("  {remark}");
        }
    }
}
