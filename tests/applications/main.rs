//! The command `oxicl-applications`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Parser;
use oxicl_applications::driver::Driver;
use oxicl_applications::program::{Program, absent, programs};
use oxicl_applications::results::{Results, results};
use oxicl_applications::{document, here, install, run};
use oxicl_cts_harness::{Fallible, about};

/// Runs programs of other projects on the library, and on another driver beside it.
#[derive(Debug, Parser)]
#[command(name = "oxicl-applications")]
struct Arguments {
    /// The library; what it needs lies beside it.
    #[arg(long, default_value = "target/dist/liboxicl.so")]
    library: PathBuf,
    /// Another driver, which runs each program after the library: NAME=LIBRARY, or `intel`, which is installed
    /// from pip's intel-opencl-rt.
    #[arg(long)]
    peer: Option<String>,
    /// Only this program; may be given more than once.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Where programs are installed and run.
    #[arg(long, default_value = "target/applications")]
    folder: PathBuf,
    /// Keep what was found, and write it to this file as a page.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Install what is missing and run nothing.
    #[arg(long)]
    install: bool,
    /// Only write the page again, from the results that are kept.
    #[arg(long, requires = "write")]
    page: bool,
}

fn main() -> ExitCode {
    match suite(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("oxicl-applications: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether everything that failed is known to fail.
fn suite(arguments: &Arguments) -> Fallible<bool> {
    let all = programs()?;
    let chosen = choose(&all, &arguments.only)?;
    let mut as_expected = true;
    if !arguments.page {
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            about(signal_hook::flag::register(signal, Arc::clone(&interrupted)), "signals")?;
        }
        for program in chosen {
            as_expected &= one(program, arguments, &interrupted)?;
        }
    }
    if let Some(page) = &arguments.write {
        about(std::fs::write(page, document::page(&all, &results()?, &absent()?)), page.display())?;
    }
    Ok(as_expected)
}

fn choose<'a>(all: &'a [Program], only: &[String]) -> Fallible<Vec<&'a Program>> {
    if only.is_empty() {
        return Ok(all.iter().collect());
    }
    let find = |name: &String| {
        all.iter().find(|program| program.name == *name).ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|program| program.name.as_str()).collect();
            format!("there is no program {name}; there are {}", names.join(", "))
        })
    };
    only.iter().map(find).collect()
}

/// Installs a program, runs it on each driver and says what it found.
fn one(program: &Program, arguments: &Arguments, interrupted: &AtomicBool) -> Fallible<bool> {
    let installed = install::install(program, &arguments.folder)?;
    println!("{} {}", program.title, installed.version);
    if arguments.install {
        return Ok(true);
    }
    let mut drivers = vec![Driver::oxicl(&arguments.library)?];
    drivers.extend(arguments.peer.as_deref().map(|text| Driver::peer(text, &arguments.folder)).transpose()?);
    let mut found = Results { version: installed.version.clone(), ..Results::default() };
    let mut as_expected = true;
    for (place, driver) in drivers.iter().enumerate() {
        let run = run::run(program, &installed, driver, interrupted)?;
        println!("  {}: {}", driver.name, run.summary());
        for failure in &run.failed {
            let reason = program.reason(&failure.test).unwrap_or("NOT KNOWN");
            println!("    {}: {} ({reason})", failure.test, failure.why);
            // A peer's failures are its own.
            as_expected &= place > 0 || program.reason(&failure.test).is_some();
        }
        found.runs.push(run);
    }
    if arguments.write.is_some() {
        found.keep(&here().join("results"), &program.name)?;
    }
    Ok(as_expected)
}
