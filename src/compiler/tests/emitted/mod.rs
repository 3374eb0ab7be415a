//! LLVM IR to an image, past the stages in front of code generation.

use oxicl_abi::{Image, KernelFacts};
use oxicl_compiler::codegen::{self, Settings};
use oxicl_llvm::{Context, Module};
use oxicl_protocol::{BuildFailure, Tier};
use oxicl_target::Target;

/// The image of a module whose kernel `k` has the entry `oxicl.entry.0`.
pub fn compile(text: &str) -> Result<Image, BuildFailure> {
    let context = Context::new();
    let mut module = Module::parse_text(&context, text).expect("the test's IR");
    let target = Target::with_features(oxicl_llvm::host_triple(), Vec::new());
    let machine = codegen::machine(&target, Tier::Full)?;
    machine.prepare(&module);
    let facts = KernelFacts { name: "k".into(), lanes: 1, sub_group_size: 1, ..KernelFacts::default() };
    let settings = Settings { target, ..Settings::default() };
    codegen::emit(&machine, &mut module, &settings, vec![("oxicl.entry.0".into(), facts)])
}
