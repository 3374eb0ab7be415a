//! `oxicl-validate FILE...`: says what is wrong with SPIR-V modules, as this machine's device sees them.

mod json;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use oxicl_caps::DeviceCaps;
use oxicl_validate::{Violation, Warning, validate_specialised};

const USAGE: &str = "\
Usage: oxicl-validate [--json] FILE...

Validates SPIR-V modules against the SPIR-V specification, the OpenCL SPIR-V
environment and what the oxicl device of this machine offers. A FILE of `-` is
standard input. Specialisation constants have their defaults, and a module may
import what another one would have to give it.

Prints nothing of a valid module. Of an invalid one it prints every broken rule:
what is wrong, the instruction with the names of its ids, the line of the source
if the module has debug information, the offset in words, the rule, and the
section of the specification. Warnings are what the specifications do not allow
and the device accepts; they do not make a module invalid.

  --json   one JSON array of objects, one a FILE, in place of text
  --help   this text
  --version

Exit status: 0 all valid, 1 at least one invalid, 2 wrong usage or a FILE that
cannot be read.
";

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 30;

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

fn main() -> ExitCode {
    let mut as_json = false;
    let mut only_files = false;
    let mut files = Vec::new();
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--") if !only_files => only_files = true,
            Some("--json") if !only_files => as_json = true,
            Some("--help" | "-h") if !only_files => return print(USAGE.as_bytes(), ExitCode::SUCCESS),
            Some("--version") if !only_files => {
                return print(
                    concat!("oxicl-validate ", env!("CARGO_PKG_VERSION"), "\n").as_bytes(),
                    ExitCode::SUCCESS,
                );
            }
            Some(option) if !only_files && option.starts_with('-') && option != "-" => {
                return usage(&format!("unknown option {option}"));
            }
            _ => files.push(argument),
        }
    }
    if files.is_empty() {
        return usage("no FILE");
    }
    let mut status = 0;
    let mut output = Vec::new();
    for (position, file) in files.iter().enumerate() {
        let name = file.to_string_lossy().into_owned();
        let outcome = judge(file, only_files);
        status = status.max(match outcome {
            Outcome::Unreadable(_) => 2,
            Outcome::Invalid(_) => 1,
            Outcome::Valid(_) => 0,
        });
        let verdict = Verdict { name, outcome };
        if as_json {
            output.extend_from_slice(if position == 0 { b"[" } else { b",\n " });
            output.extend(json::verdict(&verdict).into_bytes());
        } else {
            output.extend(text(&verdict).into_bytes());
        }
        if let (Outcome::Unreadable(why), false) = (&verdict.outcome, as_json) {
            eprintln!("oxicl-validate: {}: {why}", verdict.name);
        }
    }
    if as_json {
        output.extend_from_slice(b"]\n");
    }
    print(&output, ExitCode::from(status))
}

/// Writes to standard output; who reads it may stop early.
fn print(text: &[u8], status: ExitCode) -> ExitCode {
    match io::stdout().lock().write_all(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("oxicl-validate: {error}");
            ExitCode::from(2)
        }
        _ => status,
    }
}

fn usage(what: &str) -> ExitCode {
    eprint!("oxicl-validate: {what}\n{USAGE}");
    ExitCode::from(2)
}

fn judge(file: &std::ffi::OsStr, only_files: bool) -> Outcome {
    let bytes = match read(file, only_files) {
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

fn read(file: &std::ffi::OsStr, only_files: bool) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file == "-" && !only_files {
        io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)?;
    } else {
        File::open(file)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::other(format!("is larger than {LARGEST} bytes")));
    }
    Ok(bytes)
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
