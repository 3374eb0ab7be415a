//! Requests to compile OpenCL C, and their answers.

use std::path::PathBuf;

use oxicl_caps::config::Include;
use serde::{Deserialize, Serialize};

use crate::BuildFailure;
use crate::source_options::SourceOptions;

/// OpenCL C to be compiled to SPIR-V.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRequest {
    /// The program's text. Any bytes: what is no text gives diagnostics.
    pub text: Vec<u8>,
    /// Embedded headers of `clCompileProgram`, each with the name by which sources include it. They win over files.
    pub headers: Vec<(String, Vec<u8>)>,
    /// Options.
    pub options: SourceOptions,
    /// The application's current folder, absolute: relative include folders, and the program itself, are in it.
    pub folder: PathBuf,
    /// Which files the program may read.
    pub include: Include,
    /// Nothing will be linked with it: its functions are called by its kernels alone.
    pub whole: bool,
    /// Extensions that the device is to be without, by name.
    pub hidden: Vec<String>,
    /// The module may lack what its kernels do not reach. If modules that are linked with it call that, the rest is
    /// requested.
    pub defers: bool,
    /// The text is the [`rest`](SourceModule::rest) of a program, and the complete module is wanted.
    pub is_rest: bool,
}

impl SourceRequest {
    /// The work in instructions, which decides how much processor time the request may use: one for each line of usual
    /// length. The compiler raises it when it knows what the lines include.
    pub fn instruction_count(&self) -> u32 {
        const BYTES_PER_INSTRUCTION: usize = 32;
        let headers: usize = self.headers.iter().map(|(_, text)| text.len()).sum();
        u32::try_from((self.text.len() + headers) / BYTES_PER_INSTRUCTION).unwrap_or(u32::MAX)
    }
}

/// The compiler's answer to a [`SourceRequest`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SourceResponse {
    /// Success.
    Module(SourceModule),
    /// The source is wrong, or could not be compiled; this is the build log.
    Failure(BuildFailure),
}

/// A source, compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceModule {
    /// SPIR-V, not validated. It may have imports and exports.
    pub spirv: Vec<u32>,
    /// Warnings, as the compiler prints them; empty if there are none.
    pub log: String,
    /// Every path outside the request that the result depends on, in the order of first use: the same request gives the
    /// same module for as long as all of them are as they are here.
    pub files: Vec<FileSeen>,
    /// The result depends on the time of day (`__TIME__`), too: the next one may differ.
    pub has_time: bool,
    /// The whole program in a form of the compiler's own, if the module has only what its kernels reach; else empty. It
    /// is the text of a request for the complete module.
    pub rest: Vec<u8>,
}

/// A path that a compilation looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSeen {
    /// The path, absolute.
    pub path: PathBuf,
    /// BLAKE3 of the file's content; `None` if there was nothing at the path.
    pub content: Option<[u8; 32]>,
}
