//! Runs LLVM's passes.
//!
//! - **Takes**: a module of LLVM IR, and one of the [`pipeline`]s.
//! - **Gives**: the same module, optimised.
//! - **Never**: renames a function or changes its linkage; edits IR itself (`prepare` does, and says when which
//!   pipeline runs).
//! - **Spec**: LLVM 22's pass names, as `opt -passes` takes them.
#![forbid(unsafe_code)]

pub mod pipeline;

use oxicl_llvm::{Error, Module, PassOptions, Place, TargetMachine, Value};
use oxicl_ops::attribute;
use oxicl_protocol::{BuildFailure, Stage};

use pipeline::Found;

/// Runs passes on a module.
///
/// # Errors
/// LLVM does not know a pass.
pub fn run(module: &mut Module<'_>, machine: &TargetMachine, passes: &[&str]) -> Result<(), BuildFailure> {
    module.run_passes(&passes.join(","), Some(machine), PassOptions::default()).map_err(refused)
}

/// Runs on each function the passes that `passes` gives for it, and none on functions that are `optnone`, as entries
/// are.
///
/// # Errors
/// As for [`run`].
pub fn run_by_function(
    module: &mut Module<'_>,
    machine: &TargetMachine,
    passes: fn(Found) -> Vec<&'static str>,
) -> Result<(), BuildFailure> {
    let choose = |function: Value<'_>| {
        let wanted = function.attribute(Place::Function, "optnone").is_none();
        wanted.then(|| passes(look(function)).join(",")).filter(|pipeline| !pipeline.is_empty())
    };
    module.run_function_passes(choose, machine).map_err(refused)
}

fn refused(error: Error) -> BuildFailure {
    BuildFailure::new(Stage::Optimize, format!("LLVM refuses a pipeline: {error}"))
}

/// Finds what decides which passes run on a function.
fn look(function: Value<'_>) -> Found {
    let mut found = Found { rare: false, loops: true, nested: false, gangs: false, together: false, vectors: false };
    for (key, value) in function.attributes(Place::Function).into_iter().filter_map(|attribute| attribute.text()) {
        match key.as_str() {
            attribute::TOGETHER => found.together = true,
            attribute::STRAIGHT => found.loops = false,
            attribute::GANGS => (found.gangs, found.nested) = (true, value == attribute::NESTED),
            attribute::RARE => found.rare = true,
            _ => {}
        }
    }
    let instructions = || function.blocks().into_iter().flat_map(|block| block.instructions());
    found.vectors = !found.gangs && instructions().any(|instruction| instruction.ty().is_vector());
    found
}
