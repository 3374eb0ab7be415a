//! The commands of this repository: `cargo xtask <command>`.
//!
//! - **Takes**: a command and its arguments.
//! - **Gives**: installed system packages, a built library, and whatever the command runs on it.
//! - **Never**: uses more than the standard library and names of ours, so that it builds before any package is installed.

mod bisect;
mod driver;
mod fuzz;
mod install;
mod manual;
mod mca;
mod package;
mod packages;
mod process;
mod python;
mod release;
mod suite;

use std::process::ExitCode;

use process::Outcome;

const HELP: &str = "\
cargo xtask <command> [--yes] [arguments]

  demo [picture.png]   build everything and run the demonstration; pictures are written to target/demo
  test [filter]        build everything and run the tests; --long adds the long suites
  bench [arguments]    build everything and measure; `bench --driver name=path` compares with another driver,
                       `bench --corpus folder` builds every module of a folder
  applications [arguments]
                       build everything and run programs of other projects; --only NAME runs one, --peer intel runs each on
                       another driver too, --write docs/applications.md keeps what was found
  bisect [--seconds N] COMMAND [ARGUMENT...]
                       find the first decision of the work-group compiler that makes a command fail
  fuzz TARGET [SECONDS] [FOLDER...]
                       fuzz decode, validate, link, binaries, compile or request, seeded with the .spv files of folders too
  accuracy [arguments] measure the functions of OpenCL.std and write docs/accuracy.md; --all tries every input (hours)
  lint                 rustfmt, clippy, rustdoc and the manual's pages, warnings are errors
  mca [--write] [KERNEL...]
                       compare what LLVM's models say of the kernels' inner loops with docs/cycles.md, or write it
  build                build the library and print its vendors folder, a value for OCL_ICD_VENDORS
  clinfo               show what the platform reports
  install [prefix]     install the library, compiler, validator, command and .icd file, by default under /usr/local
  package [FORMAT...]  make packages for users, all or some of wheel, deb and tarball, into target/package/out;
                       `package test` tries them out in fresh places
  release VERSION      set the version and the changelog's date, commit, make all packages, and tag; --dry-run says what
                       it would do
  setup                only install the system packages that are missing

  --yes                install missing packages without asking
";

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let yes = take_flag(&mut arguments, "--yes");
    if arguments.is_empty() || matches!(arguments[0].as_str(), "help" | "--help" | "-h") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let command = arguments.remove(0);
    match dispatch(&command, arguments, yes) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(command: &str, arguments: Vec<String>, yes: bool) -> Outcome {
    let action: fn(Vec<String>) -> Outcome = match command {
        "setup" => |_| Ok(()),
        "lint" => |_| suite::lint(),
        "demo" => |arguments| suite::demo(&arguments),
        "accuracy" => |arguments| suite::accuracy(&arguments),
        "bisect" => |arguments| bisect::bisect(&arguments),
        "bench" => |arguments| suite::bench(&arguments),
        "applications" => |arguments| suite::applications(&arguments),
        "fuzz" => |arguments| fuzz::fuzz(&arguments),
        "clinfo" => |arguments| suite::clinfo(&arguments),
        "mca" => |arguments| mca::mca(&arguments),
        "package" => |arguments| package::package(&arguments),
        "release" => |mut arguments| {
            let dry = take_flag(&mut arguments, "--dry-run");
            release::release(&arguments, dry)
        },
        "install" => |arguments| install::install(&arguments),
        "build" => |_| {
            println!("{}", driver::vendors(&driver::build(driver::Profile::Dist)?)?.display());
            Ok(())
        },
        "test" => |mut arguments| {
            let long = take_flag(&mut arguments, "--long");
            suite::test(&arguments, long)
        },
        other => return Err(format!("no command named {other}\n\n{HELP}")),
    };
    packages::ensure(yes)?;
    action(arguments)
}

fn take_flag(arguments: &mut Vec<String>, flag: &str) -> bool {
    let before = arguments.len();
    arguments.retain(|argument| argument != flag);
    arguments.len() != before
}
