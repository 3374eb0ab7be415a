//! The compiler process, as the library starts it.

use std::path::PathBuf;

use oxicl_compiler_client::Settings;

/// This build's compiler without a cache and without anything that the environment asks for.
pub fn settings() -> Settings {
    Settings {
        compiler: Some(PathBuf::from(env!("CARGO_BIN_EXE_oxicl-compiler"))),
        build: oxicl_compiler::command_line::build(),
        fault: None,
        dump: None,
        cache: None,
        workers: 2,
        ..Settings::default()
    }
}
