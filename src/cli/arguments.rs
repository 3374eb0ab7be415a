//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// The whole of it.
#[derive(Debug, Parser)]
#[command(
    name = "oxicl",
    version,
    about = "An OpenCL platform for CPUs: what is wrong with its set-up, and its compiler and validator as commands",
    after_help = "`oxicl doctor` says why a program does not see oxicl. `oxicl run -- PROGRAM` lets one program see it."
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what programs see of oxicl, and what keeps them from it
    #[command(
        long_about = "Looks at what a program that is started here would see: the OpenCL loaders, the .icd files and the \
        libraries that they name, oxicl's library and compiler, its cache, and what the machine, its limits and its environment \
        variables mean for it. Each finding is `ok`, a `note` or a `problem`, with what mends it.\n\n\
        Exit status: 0 if a program would see oxicl and could build a kernel with it, else 1."
    )]
    Doctor(Doctor),
    /// Run a program that sees oxicl, and no other platform
    #[command(
        long_about = "Becomes PROGRAM, with OCL_ICD_VENDORS and OCL_ICD_FILENAMES set so that the OpenCL loader, ocl-icd or \
        Khronos', gives it oxicl and no other platform. Nothing is written anywhere. Signals, output and exit status are the \
        program's own.\n\nExit status: the program's; 127 if there is no such program, 126 if it cannot be run, 2 if the library \
        of oxicl is not found or the machine cannot do as the CPU."
    )]
    Run(Run),
    /// Compile OpenCL C or SPIR-V and show what becomes of it
    #[command(
        long_about = "Compiles for this machine as oxicl's platform would, or for another. FILE is OpenCL C if its name ends with .cl, else \
        SPIR-V. Warnings and the build log go to standard error.\n\n\
        Exit status: 0, or 1 if the file does not build, or 2 if the compiler is not found."
    )]
    Compile(Compile),
    /// Say what is wrong with SPIR-V modules, as oxicl-validate does
    #[command(long_about = VALIDATE)]
    Validate(Validate),
    /// Say what the platform and its device are
    #[command(
        long_about = "Asks oxicl's library itself, without a loader, what its platform and its device are: the essential \
        answers, as clinfo would give them, then the versions of library, compiler and LLVM, the cache and the level of the CPU."
    )]
    Info(Info),
    /// Show or clear the cache of compiled kernels
    Cache(Cache),
    /// Print completions for a shell, or a manual page
    #[command(hide = true)]
    Generate(Generate),
    /// Answer one question of `doctor`, in a process that may die of it
    #[command(hide = true)]
    Probe(Probe),
}

/// Arguments of `doctor`.
#[derive(Args, Debug)]
pub struct Doctor {
    /// One JSON object in place of text
    #[arg(long)]
    pub json: bool,
    /// Look for the files of the system below this folder, as if it were /
    #[arg(long, value_name = "FOLDER", default_value = "/", hide = true)]
    pub root: PathBuf,
}

/// A device of oxicl's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// The interpreter: slow, exact, and strict about addresses
    Reference,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
pub struct Run {
    /// Run kernels on another device than the CPU
    #[arg(long)]
    pub device: Option<Device>,
    /// Generate code for another processor than that of the machine, as OXICL_CPU does: v2, v3, v4, haswell, native,-avx512f
    #[arg(long)]
    pub cpu: Option<String>,
    /// The program, looked for in PATH if its name has no slash
    pub program: OsString,
    /// Its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}

/// What to make of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// The SPIR-V module that the front end makes of OpenCL C
    Spirv,
    /// LLVM IR as the code generator gets it
    Ir,
    /// Assembly, the code that runs
    Asm,
    /// What the compiler says of each kernel: its lanes, memory, stack, and what it decided and why
    Remarks,
}

/// Arguments of `compile`.
#[derive(Args, Debug)]
pub struct Compile {
    /// OpenCL C (.cl) or SPIR-V
    pub file: PathBuf,
    /// What to make of it
    #[arg(long)]
    pub emit: Emit,
    /// The machine to compile for, be it this one or not: native, x86-64-v3, haswell, aarch64; else what OXICL_CPU says
    #[arg(long, value_name = "MACHINE")]
    pub target: Option<String>,
    /// Where to write it; else text goes to standard output, and SPIR-V to FILE with the ending .spv in the current folder
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Options as clBuildProgram takes them, behind `--`
    #[arg(last = true, value_name = "BUILD-OPTIONS")]
    pub options: Vec<OsString>,
}

/// What `oxicl validate` and `oxicl-validate` do.
pub const VALIDATE: &str = "Validates SPIR-V modules against the SPIR-V specification, the OpenCL SPIR-V environment and what \
    the oxicl device of this machine offers. Prints nothing of a valid module, and of an invalid one every broken rule with its \
    place.\n\n\
    Exit status: 0 all valid, 1 at least one invalid, 2 wrong usage or a FILE that cannot be read.";

/// Arguments of `validate`.
#[derive(Args, Debug)]
pub struct Validate {
    /// One JSON array of objects, one a FILE, in place of text
    #[arg(long)]
    pub json: bool,
    /// SPIR-V modules; `-` is standard input
    #[arg(required = true)]
    pub files: Vec<OsString>,
}

/// Arguments of `info`.
#[derive(Args, Debug)]
pub struct Info {
    /// One JSON object in place of text
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `cache`.
#[derive(Args, Debug)]
pub struct Cache {
    /// What to do with it
    #[arg(default_value = "show")]
    pub action: CacheAction,
}

/// What to do with the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CacheAction {
    /// Say where it is, and how many entries of what size it has
    Show,
    /// Remove its entries, and nothing else of the folder
    Clear,
}

/// Arguments of `generate`.
#[derive(Args, Debug)]
pub struct Generate {
    /// What to print
    pub what: Generated,
}

/// What can be generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Generated {
    /// Completions for bash
    Bash,
    /// Completions for fish
    Fish,
    /// Completions for zsh
    Zsh,
    /// The manual page
    Man,
    /// The manual page of `oxicl-validate`
    ManValidate,
}

/// Arguments of `probe`.
#[derive(Args, Debug)]
pub struct Probe {
    /// The question
    pub question: Question,
    /// The library that it is about
    pub library: Option<PathBuf>,
}

/// A question that is answered in a process of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Question {
    /// Whether a loader opens, which one it is, and which platforms it gives
    Loader,
    /// Whether a driver opens, and which platforms it has
    Driver,
    /// Whether oxicl's library itself builds a kernel
    BuildDirectly,
    /// Whether oxicl, seen through a loader, builds a kernel
    BuildThrough,
    /// Whether memory may be made executable
    Memory,
}
