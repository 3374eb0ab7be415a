//! Validates SPIR-V files against this machine's device: `cargo run -p oxicl-validate --example validate -- FILE...`.

use std::process::ExitCode;
use std::time::Instant;

use oxicl_caps::DeviceCaps;

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for path in std::env::args().skip(1) {
        if let Err(message) = validate(&path) {
            println!("{path}: {message}");
            code = ExitCode::FAILURE;
        }
    }
    code
}

fn validate(path: &str) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let start = Instant::now();
    let words = oxicl_spirv::words_from_bytes(&bytes).map_err(|error| error.to_string())?;
    let module = oxicl_spirv::decode(&words).map_err(|error| error.to_string())?;
    let decoded = start.elapsed();
    let module = oxicl_validate::validate(module, DeviceCaps::host()).map_err(|violations| {
        let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
        format!("{} violations\n{}", lines.len(), lines.join("\n"))
    })?;
    let facts = module.facts();
    println!("{path}: valid; decoded in {decoded:?}, all in {:?}", start.elapsed());
    for kernel in &facts.kernels {
        println!(
            "  {}: {} arguments, {} bytes; {} bytes local",
            kernel.name,
            kernel.arguments.len(),
            kernel.argument_bytes,
            kernel.local_bytes
        );
    }
    if !facts.program_block.initial.is_empty() {
        println!(
            "  program block: {} bytes, pointers {:?}",
            facts.program_block.initial.len(),
            facts.program_block.pointers
        );
    }
    Ok(())
}
