//! The command that validates files, which `oxicl-validate` and `oxicl validate` are.

mod json;

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use oxicl_caps::DeviceCaps;

use crate::{Violation, Warning, validate_specialised};

/// The largest file that is read, in bytes: a bound.
const LARGEST: u64 = 1 << 30;

/// Where a module is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Standard,
    /// A file.
    File(OsString),
}

impl Input {
    /// What an argument names: `-` is standard input.
    pub fn named(argument: OsString) -> Input {
        if argument == "-" { Input::Standard } else { Input::File(argument) }
    }

    fn name(&self) -> String {
        match self {
            Input::Standard => "-".to_owned(),
            Input::File(path) => path.to_string_lossy().into_owned(),
        }
    }

    fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self {
            Input::Standard => io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)?,
            Input::File(path) => File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?,
        };
        if bytes.len() as u64 > LARGEST {
            return Err(io::Error::other(format!("is larger than {LARGEST} bytes")));
        }
        Ok(bytes)
    }
}

/// A call of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// What the command is called in its messages.
    pub command: &'static str,
    /// JSON in place of text.
    pub as_json: bool,
    /// What to validate.
    pub inputs: Vec<Input>,
}

/// What became of a file.
struct Verdict {
    name: String,
    outcome: Outcome,
}

enum Outcome {
    Unreadable(String),
    Invalid(Vec<Violation>),
    Valid(Vec<Warning>),
}

/// Validates and prints. The status is 0 if all are valid, 1 if one is invalid, 2 if one cannot be read.
pub fn run(call: &Call) -> ExitCode {
    let mut status = 0;
    let mut output = Vec::new();
    for (position, input) in call.inputs.iter().enumerate() {
        let outcome = judge(input);
        status = status.max(match outcome {
            Outcome::Unreadable(_) => 2,
            Outcome::Invalid(_) => 1,
            Outcome::Valid(_) => 0,
        });
        let verdict = Verdict { name: input.name(), outcome };
        if call.as_json {
            output.extend_from_slice(if position == 0 { b"[" } else { b",\n " });
            output.extend(json::verdict(&verdict).into_bytes());
        } else {
            output.extend(text(&verdict).into_bytes());
        }
        if let (Outcome::Unreadable(why), false) = (&verdict.outcome, call.as_json) {
            eprintln!("{}: {}: {why}", call.command, verdict.name);
        }
    }
    if call.as_json {
        output.extend_from_slice(b"]\n");
    }
    print(call.command, &output, ExitCode::from(status))
}

/// Writes to standard output; who reads it may stop early.
pub fn print(command: &str, text: &[u8], status: ExitCode) -> ExitCode {
    match io::stdout().lock().write_all(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("{command}: {error}");
            ExitCode::from(2)
        }
        _ => status,
    }
}

fn judge(input: &Input) -> Outcome {
    let bytes = match input.read() {
        Ok(bytes) => bytes,
        Err(error) => return Outcome::Unreadable(error.to_string()),
    };
    let decoded = oxicl_spirv::words_from_bytes(&bytes).and_then(|words| oxicl_spirv::decode(&words));
    let checked = match decoded {
        Ok(module) => validate_specialised(module, &HashMap::new(), DeviceCaps::host()),
        Err(error) => Err(vec![Violation::from(&error)]),
    };
    match checked {
        Ok(module) => Outcome::Valid(module.warnings().to_vec()),
        Err(violations) => Outcome::Invalid(violations),
    }
}

/// A verdict for people.
fn text(verdict: &Verdict) -> String {
    let (headline, entries): (String, Vec<String>) = match &verdict.outcome {
        Outcome::Unreadable(_) => return String::new(),
        Outcome::Valid(warnings) if warnings.is_empty() => return String::new(),
        Outcome::Valid(warnings) => (
            format!("valid, {}", counted(warnings.len(), "warning")),
            warnings.iter().map(Warning::to_string).collect(),
        ),
        Outcome::Invalid(violations) => (
            format!("invalid, {}", counted(violations.len(), "violation")),
            violations.iter().map(Violation::to_string).collect(),
        ),
    };
    format!("{}: {headline}\n{}\n", verdict.name, entries.join("\n"))
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
