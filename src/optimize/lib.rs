//! Runs LLVM's passes before and behind `workgroup`, and decides what is inlined.
//!
//! - **Takes**: a module of scalar LLVM IR ([`before`]), or one with work-group functions ([`after`]).
//! - **Gives**: the same module, better.
//! - **Never**: changes what a function is called or how it is linked; has a pass of its own, but for what keeps LLVM from a
//!   fault.
//! - **Spec**: LLVM 22's pass names, as `opt -passes` takes them.
#![forbid(unsafe_code)]

mod inline;
mod narrow;
mod pipeline;

use oxicl_llvm::{Module, PassOptions, Place, TargetMachine};
use oxicl_protocol::{BuildFailure, CompileOptions, Stage, Tier};

use pipeline::Found;

/// A function with an attribute of this name has loops that are to run for several work-items together.
pub const TOGETHER: &str = "oxicl-together";

/// A function with an attribute of this name has loops beside those over work-items.
pub const LOOPS: &str = "oxicl-loops";

/// A function with an attribute of this name runs one work-item at a time.
pub const SINGLE: &str = "oxicl-single";

/// Prepares scalar code for `workgroup`: memory promoted, code simplified, calls inlined within a budget, one return.
///
/// Calls that reach a barrier or another collective operation are always inlined, or the build fails and names the
/// function.
pub fn before(
    module: &mut Module<'_>,
    machine: &TargetMachine,
    options: &CompileOptions,
    tier: Tier,
) -> Result<(), BuildFailure> {
    inline::mark(module)?;
    let passes = if tier == Tier::Full && !options.opt_disable { pipeline::BEFORE } else { pipeline::BEFORE_CHEAP };
    run(module, machine, passes)
}

/// Optimises work-group functions for the machine.
pub fn after(
    module: &mut Module<'_>,
    machine: &TargetMachine,
    options: &CompileOptions,
    tier: Tier,
) -> Result<(), BuildFailure> {
    if tier == Tier::Full && !options.opt_disable {
        let found = look(module);
        run(module, machine, &pipeline::before_vectors(found))?;
        narrow::hide(module, module.context());
        run(module, machine, &pipeline::vectors(found))
    } else {
        run(module, machine, pipeline::AFTER_CHEAP)
    }
}

/// Looks for what decides about passes.
fn look(module: &Module<'_>) -> Found {
    let mut found = Found { loops: false, single: false, together: false, vectors: false };
    for function in module.functions() {
        for (key, _) in function.attributes(Place::Function).into_iter().filter_map(|attribute| attribute.text()) {
            found.together |= key == TOGETHER;
            found.loops |= key == LOOPS;
            found.single |= key == SINGLE;
        }
        let instructions = || function.blocks().into_iter().flat_map(|block| block.instructions());
        found.vectors = found.vectors || found.single && instructions().any(|instruction| instruction.ty().is_vector());
    }
    found
}

fn run(module: &mut Module<'_>, machine: &TargetMachine, passes: &[&str]) -> Result<(), BuildFailure> {
    let pipeline = passes.join(",");
    module
        .run_passes(&pipeline, Some(machine), PassOptions::default())
        .map_err(|error| BuildFailure::new(Stage::Optimize, format!("LLVM refuses a pipeline: {error}")))
}
