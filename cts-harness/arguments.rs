//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Runs the Khronos OpenCL conformance suite against liboxicl.so.
#[derive(Parser)]
#[command(name = "cts-harness", after_help = EXIT)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT: &str = "Exit status: 0 when every outcome is expected, 1 when one is not, 2 when the run could not be made, \
                    130 when it was interrupted (`--resume` goes on).";

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Run suites and report.
    Run(Box<RunArguments>),
    /// Show the lists and what is in them.
    Lists,
    /// Write docs/conformance.md, to standard output, from the report.json of one or more runs.
    Table {
        /// Reports, one a section.
        #[arg(required = true)]
        reports: Vec<PathBuf>,
    },
}

/// How the kernels of the suite reach the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// As OpenCL C, which the library compiles.
    Source,
    /// As SPIR-V, which an offline compiler made.
    SpirV,
}

impl Mode {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Source => "source",
            Mode::SpirV => "spir-v",
        }
    }
}

/// What to run, on what, and where results go.
#[derive(Args, Clone)]
pub struct RunArguments {
    /// Folder of the built suite that holds a folder for each suite, usually BUILD/test_conformance.
    #[arg(long, value_name = "FOLDER")]
    pub cts: PathBuf,
    /// The library to test; oxicl-compiler lies beside it.
    #[arg(long, value_name = "FILE")]
    pub library: PathBuf,
    /// The OpenCL loader to go through, or its folder; by default the one the suite's binaries find.
    #[arg(long, value_name = "PATH")]
    pub loader: Option<PathBuf>,
    /// quick, wimpy, full, or a file of the same form.
    #[arg(long, default_value = "wimpy")]
    pub list: String,
    /// How kernels reach the library.
    #[arg(long, value_enum, default_value = "source")]
    pub mode: Mode,
    /// Command that turns OpenCL C into SPIR-V for --mode spir-v, by the suite's interface; by default the compiler beside
    /// the library.
    #[arg(long, value_name = "COMMAND")]
    pub offline_compiler: Option<String>,
    /// spirv-val, to check what the offline compiler makes; not checked without it.
    #[arg(long, value_name = "FILE")]
    pub spirv_validator: Option<PathBuf>,
    /// Processes at a time; by default one for each core.
    #[arg(long, short)]
    pub jobs: Option<usize>,
    /// Seconds that one sub-test may take, where the catalogue does not say otherwise.
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    pub test_limit: u64,
    /// Seconds that all sub-tests of one binary may take together.
    #[arg(long, default_value_t = 14_400, value_name = "SECONDS")]
    pub limit: u64,
    /// Folder for reports, logs and the journal.
    #[arg(long, default_value = "cts-results", value_name = "FOLDER")]
    pub out: PathBuf,
    /// Go on with the run in --out, if there is one: what it has outcomes for does not run again.
    #[arg(long)]
    pub resume: bool,
    /// Expected outcomes: a file, or `none`; by default the ones kept for the mode.
    #[arg(long, value_name = "FILE")]
    pub expect: Option<String>,
    /// Print the JSON report to standard output, in place of the summary.
    #[arg(long)]
    pub json: bool,
    /// Say nothing while it runs.
    #[arg(long, short)]
    pub quiet: bool,
    /// Only these runs of the list, or suites of the catalogue: NAME, or NAME:TEST[,TEST...] with * at the end of a TEST as
    /// a wildcard.
    #[arg(value_name = "SUITE[:TEST,...]")]
    pub only: Vec<String>,
}
