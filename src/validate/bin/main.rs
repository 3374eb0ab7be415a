//! `oxicl-validate FILE...`: says what is wrong with SPIR-V modules, as this machine's device sees them.

use std::process::ExitCode;

use oxicl_validate::command::{self, Call, Input};

/// What the command is called.
const COMMAND: &str = "oxicl-validate";

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

fn main() -> ExitCode {
    let mut as_json = false;
    let mut only_files = false;
    let mut inputs = Vec::new();
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--") if !only_files => only_files = true,
            Some("--json") if !only_files => as_json = true,
            Some("--help" | "-h") if !only_files => return print(USAGE),
            Some("--version" | "-V") if !only_files => {
                return print(concat!("oxicl-validate ", env!("CARGO_PKG_VERSION"), "\n"));
            }
            Some(option) if !only_files && option.starts_with('-') && option != "-" => {
                return usage(&format!("unknown option {option}"));
            }
            _ if only_files => inputs.push(Input::File(argument)),
            _ => inputs.push(Input::named(argument)),
        }
    }
    if inputs.is_empty() {
        return usage("no FILE");
    }
    command::run(&Call { command: COMMAND, as_json, inputs })
}

fn print(text: &str) -> ExitCode {
    command::print(COMMAND, text.as_bytes(), ExitCode::SUCCESS)
}

fn usage(what: &str) -> ExitCode {
    eprint!("{COMMAND}: {what}\n{USAGE}");
    ExitCode::from(2)
}
