//! Processes that are asked something, and given up if they do not answer.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use crate::loader::Loader;
use crate::probe::MARK;

/// How long an answer may take. A bound, for drivers that hang; the slowest that do not need seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often it is looked whether the process is over. A cost.
const LOOK: Duration = Duration::from_millis(2);

/// How much of an answer is read, in bytes: a bound.
const LARGEST: u64 = 1 << 20;

/// What a process printed, and how it ended.
pub struct Printed {
    /// Its standard output.
    pub output: String,
    /// The last line of its standard error that is not empty.
    pub last_error: String,
    /// Whether its exit status was 0.
    pub success: bool,
    /// How it ended, in words.
    pub end: String,
}

/// Runs a command to its end.
///
/// # Errors
/// It does not start, or does not end in time.
pub fn run(command: &mut Command) -> Result<Printed, String> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let output = read_aside(child.stdout.take());
    let error = read_aside(child.stderr.take());
    let end = wait(&mut child);
    let (output, error) = (output.join().unwrap_or_default(), error.join().unwrap_or_default());
    let status = end?;
    let last = error.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Ok(Printed { output, last_error: last.to_owned(), success: status.success(), end: status.to_string() })
}

fn wait(child: &mut Child) -> Result<std::process::ExitStatus, String> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if start.elapsed() < PATIENCE => thread::sleep(LOOK),
            Ok(None) => {
                // It may have ended meanwhile; it is waited for in any case.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it did not end within {} s", PATIENCE.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn read_aside<R: Read + Send + 'static>(stream: Option<R>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            // What came until an error is the answer.
            let _ = stream.take(LARGEST).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Asks a question of [`probe`](crate::probe) by the command `own`, which is this program.
///
/// # Errors
/// The answer, if it is one; or that the process died before it answered.
pub fn ask<T: DeserializeOwned>(own: &Path, question: &str, library: Option<&Path>) -> Result<T, String> {
    let mut command = Command::new(own);
    command.args(["probe", question]).args(library.map(Path::as_os_str));
    answer(&mut command)
}

/// The same about a loader, with the variables that it needs.
///
/// # Errors
/// Those of [`ask`].
pub fn ask_loader<T: DeserializeOwned>(own: &Path, question: &str, loader: &Loader) -> Result<T, String> {
    let mut command = Command::new(own);
    command.args(["probe", question]).arg(&loader.path).envs(loader.variables());
    answer(&mut command)
}

fn answer<T: DeserializeOwned>(command: &mut Command) -> Result<T, String> {
    // What is built has to be built now, and the version is to be the true one.
    command.env("OXICL_CACHE", "off").env_remove("OXICL_DRIVER_VERSION");
    let printed = run(command)?;
    let answer = printed.output.lines().rev().find_map(|line| line.strip_prefix(MARK));
    match answer.map(serde_json::from_str::<Result<T, String>>) {
        Some(Ok(answer)) => answer,
        _ if printed.last_error.is_empty() => Err(format!("the process that tried it ended with {}", printed.end)),
        _ => Err(format!("the process that tried it ended with {}: {}", printed.end, printed.last_error)),
    }
}
