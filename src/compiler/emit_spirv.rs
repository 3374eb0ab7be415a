//! `--emit-spirv`: the front end as a command, also in the form in which the conformance suite calls an offline
//! compiler.

use std::fs;
use std::path::{Path, PathBuf};

use oxicl_caps::DeviceCaps;
use oxicl_caps::config::Config;
use oxicl_protocol::{SourceOptions, SourceRequest};

use crate::build_options::build_options;

/// How it is called.
pub const USAGE: &str = "usage: oxicl-compiler --emit-spirv FILE.cl -o FILE.spv [--whole] [-- BUILD-OPTION...]
       oxicl-compiler --mode spir-v --source FILE.cl --output FILE.spv [--cl-device-info FILE] [-- BUILD-OPTION...]";

/// What to compile, and where to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct EmitSpirv {
    source: PathBuf,
    output: PathBuf,
    /// Drops what no kernel reaches, as `clBuildProgram` does.
    whole: bool,
    options: SourceOptions,
}

/// Whether `argument` begins a call of the conformance suite.
pub fn is_offline_call(argument: &str) -> bool {
    let name = argument.split('=').next().unwrap_or_default();
    ["--mode", "--source", "--output", "--cl-device-info"].contains(&name)
}

/// Reads what follows `--emit-spirv`, or a call of the conformance suite.
///
/// # Errors
/// What is wrong, and the usage.
pub fn parse(arguments: &[String]) -> Result<EmitSpirv, String> {
    let (own, build) = match arguments.iter().position(|argument| argument == "--") {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (arguments, &[][..]),
    };
    let mut call = EmitSpirv::default();
    let mut own = own.iter().map(String::as_str);
    while let Some(argument) = own.next() {
        if !argument.starts_with('-') {
            call.source = argument.into();
            continue;
        }
        if argument == "--whole" {
            call.whole = true;
            continue;
        }
        let (name, value) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (argument, own.next()),
        };
        let value = value.ok_or_else(|| format!("{name} needs a value\n{USAGE}"))?;
        match name {
            "-o" | "--output" => call.output = value.into(),
            "--source" => call.source = value.into(),
            "--mode" if value == "spir-v" => {}
            // The program is compiled for the device of this driver, whatever the file says.
            "--cl-device-info" => {}
            "--mode" => return Err(format!("'{value}' is no mode: there is spir-v\n{USAGE}")),
            _ => return Err(format!("'{name}' is no option\n{USAGE}")),
        }
    }
    if call.source.as_os_str().is_empty() || call.output.as_os_str().is_empty() {
        return Err(format!("a source and an output are needed\n{USAGE}"));
    }
    call.options = build_options(build)?.source;
    Ok(call)
}

/// Compiles, and writes the module. Warnings go to standard error.
///
/// # Errors
/// The build log, or what could not be read or written.
pub fn emit_spirv(call: &EmitSpirv) -> Result<(), String> {
    let bytes: Vec<u8> =
        front_end(&call.source, &call.options, call.whole)?.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(&call.output, bytes).map_err(|error| at(&call.output, error))
}

/// Compiles a program to a module; if `whole`, without what no kernel reaches. Warnings go to standard error.
///
/// # Errors
/// The build log, or that the program cannot be read.
pub fn front_end(source: &Path, options: &SourceOptions, whole: bool) -> Result<Vec<u32>, String> {
    let text = fs::read(source).map_err(|error| at(source, error))?;
    let folder = std::env::current_dir().map_err(|error| error.to_string())?;
    let include = Config::get().include;
    let request = SourceRequest { text, options: options.clone(), folder, whole, include, ..SourceRequest::default() };
    let module = oxicl_opencl_c::compile(&request, DeviceCaps::host()).map_err(|failure| failure.to_string())?;
    eprint!("{}", module.log);
    Ok(module.spirv)
}

fn at(path: &Path, error: std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(text: &str) -> Result<EmitSpirv, String> {
        parse(&text.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn both_forms_mean_the_same() {
        let short = call("in.cl -o out.spv -- -DA -cl-std=CL3.0").expect("valid");
        let suite = call("--mode=spir-v --source=in.cl --output=out.spv --cl-device-info=i.txt -- -DA -cl-std=CL3.0");
        assert_eq!(short, suite.expect("valid"));
        assert_eq!(short.options.defines, ["A"]);
        assert!(!short.whole);
        assert!(call("in.cl -o out.spv --whole -- -DA").expect("valid").whole);
    }

    #[test]
    fn what_is_missing_or_unknown_is_named() {
        for (bad, named) in [
            ("in.cl", "output"),
            ("in.cl -o", "-o"),
            ("--mode=binary --source=a --output=b", "binary"),
            ("in.cl -o out --optimise=1", "--optimise"),
            ("in.cl -o out -- word", "word"),
        ] {
            let message = call(bad).expect_err(bad);
            assert!(message.contains(named), "{bad}: {message}");
        }
    }
}
