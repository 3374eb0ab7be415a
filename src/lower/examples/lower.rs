//! Prints the scalar IR of a SPIR-V file: `cargo run -p oxicl-lower --example lower -- module.spv [kernel...]`.

use std::process::ExitCode;

use oxicl_caps::DeviceCaps;
use oxicl_llvm::Context;
use oxicl_protocol::CompileOptions;
use oxicl_target::Target;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: lower module.spv [kernel...]");
        return ExitCode::FAILURE;
    };
    match print(&path, &arguments.collect::<Vec<_>>()) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{path}: {message}");
            ExitCode::FAILURE
        }
    }
}

fn print(path: &str, kernels: &[String]) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let words = oxicl_spirv::words_from_bytes(&bytes).map_err(|e| format!("{e:?}"))?;
    let module = oxicl_spirv::decode(&words).map_err(|e| format!("{e:?}"))?;
    let valid = oxicl_validate::validate(module, DeviceCaps::host()).map_err(|v| format!("{v:#?}"))?;
    let context = Context::new();
    let target = Target::host();
    let lowered = oxicl_lower::lower(&context, &valid, kernels, &CompileOptions::default(), &target)
        .map_err(|e| e.to_string())?;
    Ok(lowered.module.to_text())
}
