//! The command `oxicl`.

use std::io;
use std::process::ExitCode;
use std::thread;

use clap::{Args, CommandFactory, Parser};
use clap_complete::Shell;
use oxicl_cli::arguments::{Arguments, Command, Generated, VALIDATE, Validate};
use oxicl_cli::{cache, compile, doctor, info, probe, run};
use oxicl_validate::command::{Call, Input};

/// The stack that it runs on, in bytes: a bound, so that a small limit on the stack is told of and not died of.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    match thread::Builder::new().stack_size(STACK).spawn(command).map(thread::JoinHandle::join) {
        Ok(Ok(status)) => status,
        // The panic has been printed.
        Ok(Err(_)) => ExitCode::from(101),
        // Where no thread may be started, the stack that there is has to do.
        Err(_) => command(),
    }
}

fn command() -> ExitCode {
    match Arguments::parse().command {
        Command::Doctor(arguments) => doctor::doctor(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Compile(arguments) => compile::compile(&arguments),
        Command::Validate(Validate { json, files }) => oxicl_validate::command::run(&Call {
            command: "oxicl validate",
            as_json: json,
            inputs: files.into_iter().map(Input::named).collect(),
        }),
        Command::Info(arguments) => info::info(&arguments),
        Command::Cache(arguments) => cache::cache(&arguments),
        Command::Generate(arguments) => generate(arguments.what),
        Command::Probe(arguments) => probe::probe(&arguments),
    }
}

/// Completions and manual pages, made of the same definition as the command line.
fn generate(what: Generated) -> ExitCode {
    let mut command = Arguments::command();
    let mut complete = |shell| {
        clap_complete::generate(shell, &mut command, "oxicl", &mut io::stdout());
        Ok(())
    };
    let written = match what {
        Generated::Bash => complete(Shell::Bash),
        Generated::Fish => complete(Shell::Fish),
        Generated::Zsh => complete(Shell::Zsh),
        Generated::Man => manual(&command),
        Generated::ManValidate => validator_manual(),
    };
    if let Err(error) = written {
        eprintln!("oxicl generate: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// One page: the command, and each of its subcommands behind it.
fn manual(command: &clap::Command) -> io::Result<()> {
    let mut output = io::stdout().lock();
    clap_mangen::Man::new(command.clone()).render(&mut output)?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let named = sub.clone().bin_name(format!("oxicl {}", sub.get_name()));
        let page = clap_mangen::Man::new(named);
        io::Write::write_all(&mut output, format!(".SH OXICL {}\n", sub.get_name().to_uppercase()).as_bytes())?;
        page.render_synopsis_section(&mut output)?;
        page.render_description_section(&mut output)?;
        page.render_options_section(&mut output)?;
    }
    Ok(())
}

/// The page of `oxicl-validate`, which takes what `oxicl validate` takes.
fn validator_manual() -> io::Result<()> {
    let command = Validate::augment_args(clap::Command::new("oxicl-validate"))
        .version(env!("CARGO_PKG_VERSION"))
        .about("Say what is wrong with SPIR-V modules")
        .long_about(VALIDATE);
    clap_mangen::Man::new(command).render(&mut io::stdout().lock())
}
