//! `oxicl-demo [--out folder] [picture.png]`: runs the jobs, prints the table, writes `before.png` and `after.png`.

use std::path::PathBuf;
use std::process::ExitCode;

use oxicl_benches::Session;
use oxicl_client::Platform;
use oxicl_demo::{Filters, Picture, Report, heading, matrix_product, n_body};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("oxicl-demo: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let (out, source) = arguments()?;
    let picture = match source {
        Some(path) => Picture::read(&path)?,
        None => Picture::generate(1920, 1080),
    };
    let session = Session::first().map_err(|failure| failure.to_string())?;
    describe().map_err(|error| error.to_string())?;
    let text = |failure: oxicl_benches::Failure| failure.to_string();

    std::fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let (before, after) = (out.join("before.png"), out.join("after.png"));
    picture.write(&before)?;

    println!("\n{}", heading());
    let made = |session: &Session| Filters::new(session, picture);
    let (report, filters) = Report::of(&session, "blur and edges", made).map_err(text)?;
    println!("{report}");
    filters.result(&session).map_err(text)?.write(&after)?;
    let (report, _) = Report::of(&session, "n-body", |session| n_body(session, 16_384)).map_err(text)?;
    println!("{report}");
    let (report, _) = Report::of(&session, "matrix product", |session| matrix_product(session, 1024)).map_err(text)?;
    println!("{report}");
    println!("\nEvery result agrees with the host's. Pictures: {} and {}", before.display(), after.display());
    Ok(())
}

fn describe() -> oxicl_client::Result {
    let platform = Platform::first()?;
    println!("{}, {}, on {}", platform.name()?, platform.version()?, platform.device()?.name()?);
    Ok(())
}

fn arguments() -> Result<(PathBuf, Option<PathBuf>), String> {
    let mut out = PathBuf::from(".");
    let mut source = None;
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--out" {
            out = arguments.next().ok_or("--out needs a folder")?.into();
        } else {
            source = Some(argument.into());
        }
    }
    Ok((out, source))
}
