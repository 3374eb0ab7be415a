//! The command line: `--serve` for the library, `--compile` and `--emit-spirv` for people who look at a stage.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use oxicl_abi::{Image, KernelFacts};
use oxicl_caps::{Dump, DumpPart, Limit};
use oxicl_protocol::{BUILD_ARGUMENT, CompileOptions, CompileRequest, Progress, SourceOptions, Stage, Tier, encode};
use oxicl_target::Target;

use crate::build_options::build_options;
use crate::emit_spirv::{self, EmitSpirv};
use crate::flow::{self, Observer};
use crate::request_file;
use crate::serve::{Extras, Fault, processor_time};

const USAGE: &str = "usage: oxicl-compiler --compile FILE... [-o IMAGE] [--kernel NAME]... [--dump PART,...]... [--assembly] \
                     [--target MACHINE] [--target-feature +NAME]... [--tier full|baseline|cheap] [--lanes NUMBER] [--fast-math] [--no-optimisation] \
                     [--disable DECISION,...]... [--decisions [KERNEL:]NUMBER] [--all-passes] [--times] \
                     [-- BUILD-OPTION...]
       oxicl-compiler --compile-request FILE... [-o IMAGE] [--dump PART,...]... [--assembly] \
                     [--disable DECISION,...]... [--decisions [KERNEL:]NUMBER] [--all-passes] [--times]
       oxicl-compiler --version
a FILE whose name ends with .cl is OpenCL C, any other is SPIR-V
a MACHINE is native, x86-64-v2, x86-64-v3, x86-64-v4, LLVM's name of a processor with ,+FEATURE or ,-FEATURE behind it, or
aarch64; of one that is no x86-64 there is text, but no image
parts that can be dumped: request, lower, optimize, ir, plan, workgroup, codegen, asm; --assembly prints the code and makes no image
--compile-request compiles what OXICL_DUMP wrote of a request (FILE.0-request.json) as the library had it compiled
--disable and --decisions leave decisions of the work-group compiler out, as OXICL_DISABLE and OXICL_DECISIONS do;
--all-passes leaves no pass of LLVM's code generator out, as OXICL_PASSES=all does
several files are compiled one after another, as a worker does; --times (of the processor) has a line for each and one for all";

/// What was asked for.
#[derive(Debug)]
pub enum Command {
    /// Serve the application at descriptor 3.
    Serve {
        /// The most workers that may run at a time.
        workers: usize,
        /// What they do besides.
        extras: Extras,
    },
    /// Tell the library at descriptor 3 that it is of another build.
    Refuse {
        /// Its version and build, as far as it names them.
        library: String,
    },
    /// Compile files.
    Compile(Box<Compile>),
    /// Make SPIR-V of a program's source.
    EmitSpirv(EmitSpirv),
    /// Say which compiler it is.
    Version,
}

/// Options of `--compile`.
#[derive(Debug, Default)]
pub struct Compile {
    inputs: Vec<PathBuf>,
    /// The files are requests, which say themselves what [`Compile::option_of_files`] takes for other files.
    is_request: bool,
    output: Option<PathBuf>,
    kernels: Vec<String>,
    dump: Vec<DumpPart>,
    target: Option<Target>,
    features: Vec<String>,
    tier: Tier,
    times: bool,
    assembly: bool,
    options: CompileOptions,
    source: SourceOptions,
}

impl Compile {
    /// Parses what follows `--compile FILE` or `--compile-request FILE`.
    fn parse(file: String, is_request: bool, mut arguments: impl Iterator<Item = String>) -> Result<Compile, String> {
        let mut compile = Compile { inputs: vec![file.into()], is_request, ..Compile::default() };
        while let Some(argument) = arguments.next() {
            if argument == "--" && !is_request {
                let options = build_options(&arguments.by_ref().collect::<Vec<_>>())?;
                compile.options = options.code(&compile.options);
                compile.source = options.source;
                break;
            }
            let value = || arguments.next().ok_or_else(|| format!("{argument} needs a value\n{USAGE}"));
            let of_all = compile.option(&argument, value)?;
            let value = || arguments.next().ok_or_else(|| format!("{argument} needs a value\n{USAGE}"));
            match argument.as_str() {
                _ if of_all || (!is_request && compile.option_of_files(&argument, value)?) => {}
                option if option.starts_with('-') => {
                    let what = if is_request { "is no option for requests" } else { "is no option" };
                    return Err(format!("'{option}' {what}\n{USAGE}"));
                }
                file => compile.inputs.push(file.into()),
            }
        }
        if compile.inputs.len() > 1 && compile.output.is_some() {
            return Err(format!("-o is for one file\n{USAGE}"));
        }
        Ok(compile)
    }

    /// Takes an option that both files and requests have. False if it is none.
    fn option(&mut self, argument: &str, value: impl FnOnce() -> Result<String, String>) -> Result<bool, String> {
        match argument {
            "-o" => self.output = Some(value()?.into()),
            "--dump" => {
                let unknown = |name| format!("'{name}' is nothing that can be dumped\n{USAGE}");
                self.dump.extend(DumpPart::list(&value()?).map_err(unknown)?);
            }
            "--times" => self.times = true,
            "--all-passes" => self.options.switches.all_passes = true,
            "--assembly" => self.assembly = true,
            "--disable" => {
                if let Some(name) = self.options.switches.disable(&value()?).first() {
                    return Err(format!("'{name}' is no decision\n{USAGE}"));
                }
            }
            "--decisions" => {
                let text = value()?;
                let limit = Limit::parse(&text).ok_or_else(|| format!("'{text}' is no number of decisions\n{USAGE}"));
                self.options.switches.limit = Some(limit?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Takes an option for what a request says itself. False if it is none.
    fn option_of_files(
        &mut self,
        argument: &str,
        value: impl FnOnce() -> Result<String, String>,
    ) -> Result<bool, String> {
        match argument {
            "--kernel" => self.kernels.push(value()?),
            "--target" => self.target = Some(Target::named(&value()?).map_err(|why| format!("--target: {why}"))?),
            "--target-feature" => self.features.push(value()?),
            "--tier" => self.tier = tier(&value()?)?,
            "--lanes" => {
                let lanes = value()?;
                self.options.lanes = lanes.parse().map_err(|_| format!("'{lanes}' is no number of lanes"))?;
            }
            "--fast-math" => self.options.fast_relaxed_math = true,
            "--no-optimisation" => self.options.opt_disable = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The machine that was named, or described by its features; else the one that we run on.
    fn target(&self) -> Target {
        let named = self.target.clone().unwrap_or_else(Target::host);
        match self.features.as_slice() {
            [] => named,
            features => Target::with_features(named.triple, features.to_vec()),
        }
    }
}

/// The version and the build, which are those of the library that was built from the same sources.
pub fn build() -> String {
    format!("{}+{}", env!("CARGO_PKG_VERSION"), env!("OXICL_BUILD_NAME"))
}

/// What `--version` prints: [`build`], and LLVM's version.
pub fn version() -> String {
    format!("oxicl-compiler {} (LLVM {})", build(), oxicl_llvm::version())
}

/// Reads the arguments, the program's name excluded.
///
/// # Errors
/// What is wrong, and the usage.
pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let mut arguments = arguments;
    let mut next = |what: &str| arguments.next().ok_or_else(|| format!("{what} is missing\n{USAGE}"));
    match next("a command")?.as_str() {
        "--serve" => serve(arguments.collect()),
        "--compile" => Compile::parse(next("the file")?, false, arguments).map(Box::new).map(Command::Compile),
        "--compile-request" => Compile::parse(next("the file")?, true, arguments).map(Box::new).map(Command::Compile),
        "--version" => Ok(Command::Version),
        "--emit-spirv" => Ok(Command::EmitSpirv(emit_spirv::parse(&arguments.collect::<Vec<_>>())?)),
        first if emit_spirv::is_offline_call(first) => {
            let all: Vec<String> = std::iter::once(first.to_owned()).chain(arguments).collect();
            Ok(Command::EmitSpirv(emit_spirv::parse(&all)?))
        }
        other => Err(format!("'{other}' is no command\n{USAGE}\n{}", emit_spirv::USAGE)),
    }
}

/// Parses the arguments of `--serve`. The build that they come from is checked first: those of another build may mean
/// anything.
fn serve(arguments: Vec<String>) -> Result<Command, String> {
    let named = |argument: &String| argument.strip_prefix(BUILD_ARGUMENT)?.strip_prefix('=').map(str::to_owned);
    let library = arguments.iter().find_map(named).unwrap_or_default();
    if library != build() {
        return Ok(Command::Refuse { library });
    }
    let mut arguments = arguments.into_iter();
    let workers = arguments.next().ok_or_else(|| format!("the number of workers is missing\n{USAGE}"))?;
    let workers = workers.parse().map_err(|_| format!("'{workers}' is no number of workers"))?;
    let mut extras = Extras::default();
    for argument in arguments {
        match argument.split_once('=') {
            Some((BUILD_ARGUMENT, _)) => {}
            Some(("--dump", dump)) => {
                let read = Dump::parse(dump.as_ref());
                extras.dump = Some(read.map_err(|why| format!("--dump={dump} {why}"))?);
            }
            Some(("--build-seconds", seconds)) => {
                let number = seconds.parse().map_err(|_| format!("'{seconds}' is no number of seconds"))?;
                extras.build_seconds = Some(number);
            }
            _ => extras.fault = Some(Fault::parse(&argument)?),
        }
    }
    Ok(Command::Serve { workers, extras })
}

fn tier(name: &str) -> Result<Tier, String> {
    match name {
        "full" => Ok(Tier::Full),
        "baseline" => Ok(Tier::Baseline),
        "cheap" => Ok(Tier::Cheap),
        _ => Err(format!("'{name}' is no tier\n{USAGE}")),
    }
}

/// Prints what the stages of interest made, and takes their times.
struct Watch<'a> {
    dump: &'a [DumpPart],
    /// Each stage that began, and the processor time until then.
    begun: Vec<(Stage, Duration)>,
}

impl Observer for Watch<'_> {
    fn begin(&mut self, progress: Progress) {
        self.begun.push((progress.stage, processor_time()));
    }

    fn wants(&self, part: DumpPart) -> bool {
        self.dump.contains(&part)
    }

    fn made(&mut self, part: DumpPart, text: &dyn Fn() -> String) {
        let name = part.name();
        match part {
            DumpPart::Ir | DumpPart::Plan | DumpPart::Assembly => println!("# {name}\n{}", text()),
            _ => println!("; after {name}\n{}", text()),
        }
    }
}

impl Watch<'_> {
    /// How long each stage took, in seconds of processor time; the last one ends now.
    fn times(&self) -> Vec<(Stage, f64)> {
        let ends = self.begun.iter().skip(1).map(|next| next.1).chain([processor_time()]);
        let seconds = |begin: Duration, end: Duration| end.saturating_sub(begin).as_secs_f64();
        self.begun.iter().zip(ends).map(|((stage, begin), end)| (*stage, seconds(*begin, end))).collect()
    }
}

/// One line: each stage's milliseconds, and their sum.
fn print_times(times: &[(Stage, f64)], what: &str) {
    let sum: f64 = times.iter().map(|(_, seconds)| seconds).sum();
    let stages: Vec<String> = times.iter().map(|(stage, seconds)| format!("{stage} {:.2}", seconds * 1e3)).collect();
    eprintln!("{what}: {:.2} ms: {}", sum * 1e3, stages.join(", "));
}

/// Compiles files, and writes the image if an output was named. If a file fails, the others are compiled all the same.
///
/// # Errors
/// The build logs, or what could not be read or written.
pub fn compile(options: &Compile) -> Result<(), String> {
    let mut failures = Vec::new();
    let mut all: Vec<(Stage, f64)> = Vec::new();
    for input in &options.inputs {
        match compile_file(input, options) {
            Ok(times) if all.len() == times.len() => {
                all.iter_mut().zip(&times).for_each(|(all, one)| all.1 += one.1);
            }
            Ok(times) => all = times,
            Err(message) => failures.push(format!("{}: {message}", input.display())),
        }
    }
    if options.times && options.inputs.len() > 1 {
        print_times(&all, &format!("all {}", options.inputs.len()));
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// The request that a file and the options make.
fn request(input: &Path, options: &Compile) -> Result<CompileRequest, String> {
    let read = || fs::read(input).map_err(|error| error.to_string());
    if options.is_request {
        let mut request = request_file::from_bytes(&read()?)?;
        let given = &options.options.switches;
        request.options.switches.disabled.extend(&given.disabled);
        request.options.switches.all_passes |= given.all_passes;
        request.options.switches.limit = given.limit.clone().or(request.options.switches.limit);
        return Ok(request);
    }
    let spirv = if input.extension().is_some_and(|extension| extension == "cl") {
        emit_spirv::front_end(input, &options.source, true)?
    } else {
        oxicl_spirv::words_from_bytes(&read()?).map_err(|error| error.to_string())?
    };
    Ok(CompileRequest {
        spirv,
        kernels: options.kernels.clone(),
        options: CompileOptions { verbose: true, ..options.options.clone() },
        target: options.target(),
        tier: options.tier,
    })
}

/// Compiles a file and gives the times of the stages.
fn compile_file(input: &Path, options: &Compile) -> Result<Vec<(Stage, f64)>, String> {
    let request = request(input, options)?;
    if options.dump.contains(&DumpPart::Request) {
        println!("{}", request_file::to_text(&request));
    }
    let mut watch = Watch { dump: &options.dump, begun: Vec::new() };
    if options.assembly {
        print!("{}", flow::assembly(&request, &mut watch).map_err(|failure| failure.to_string())?);
        return Ok(watch.times());
    }
    if !request.target.has_images() && options.output.is_none() {
        let kernels = flow::facts(&request, &mut watch).map_err(|failure| failure.to_string())?;
        kernels.iter().for_each(describe_kernel);
        return Ok(watch.times());
    }
    let image = flow::compile(&request, &mut watch).map_err(|failure| failure.to_string())?;
    let times = watch.times();
    if options.times {
        print_times(&times, &input.display().to_string());
    }
    if options.inputs.len() == 1 {
        describe(&image);
    }
    if let Some(path) = &options.output {
        fs::write(path, encode(&image)?).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(times)
}

fn describe(image: &Image) {
    eprintln!("code {} B, data {} B, fix-ups {}", image.code.len(), image.data.len(), image.fixups.len());
    image.kernels.iter().for_each(describe_kernel);
}

fn describe_kernel(kernel: &KernelFacts) {
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

#[cfg(test)]
mod tests {
    use super::{Command, build, parse};

    fn serve(arguments: &[&str]) -> Result<Command, String> {
        parse(["--serve"].iter().chain(arguments).map(|argument| (*argument).to_owned()))
    }

    #[test]
    fn only_the_library_of_the_same_build_is_served() {
        let own = format!("--build={}", build());
        assert!(matches!(serve(&["2", &own]), Ok(Command::Serve { workers: 2, .. })));
        for (arguments, named) in [
            (&["2"][..], ""),
            (&["2", "--build=0.0.1+abc"], "0.0.1+abc"),
            (&["of", "another", "kind", "--build=9.0.0+abc", "--new=1"], "9.0.0+abc"),
        ] {
            let refused = matches!(serve(arguments), Ok(Command::Refuse { library }) if library == named);
            assert!(refused, "{arguments:?}");
        }
        assert!(serve(&["two", &own]).is_err() && serve(&["2", &own, "no fault"]).is_err());
    }
}
