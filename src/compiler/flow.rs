//! The stages of a compilation, in order.

use oxicl_llvm::Context;
use oxicl_protocol::{BuildFailure, CompileRequest, Diagnostic, Image, Progress, Stage, Tier};

use crate::codegen;

/// Modules with more instructions than this are compiled at the cheap tier.
const LARGEST_FOR_FULL_TIER: u32 = 200_000;

/// Is told what happens, and may look at what each stage made.
pub trait Observer {
    /// A stage begins.
    fn begin(&mut self, progress: Progress);

    /// A stage ended with `text()`.
    fn made(&mut self, _stage: Stage, _text: &dyn Fn() -> String) {}
}

/// Does once what every compilation needs, before workers are forked.
pub fn warm() {
    let _ = codegen::machine(
        &oxicl_protocol::Target { triple: oxicl_llvm::host_triple(), ..Default::default() },
        Tier::Full,
    );
}

/// Compiles.
///
/// # Errors
/// The build log.
pub fn compile(request: &CompileRequest, observer: &mut dyn Observer) -> Result<Image, BuildFailure> {
    let mut begin = |stage| observer.begin(Progress { stage, kernel: None });
    begin(Stage::Decode);
    let _module = oxicl_spirv::decode(&request.spirv).map_err(|error| BuildFailure {
        stage: Stage::Decode,
        diagnostics: vec![Diagnostic { word_offset: Some(error.word_offset), ..Diagnostic::error(error.message) }],
    })?;
    let _ = LARGEST_FOR_FULL_TIER;
    let _context = Context::new();
    Err(BuildFailure::new(Stage::Lower, "this build of the compiler ends after decoding"))
}
