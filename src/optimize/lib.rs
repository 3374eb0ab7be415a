//! Runs LLVM's passes before and behind `workgroup`, and decides what is inlined.
//!
//! - **Takes**: a module of scalar LLVM IR ([`before`]), or one with work-group functions ([`after`]).
//! - **Gives**: the same module, better.
//! - **Never**: changes what a function is called or how it is linked; has a pass of its own.
//! - **Spec**: LLVM 22's pass names, as `opt -passes` takes them.
#![forbid(unsafe_code)]

mod inline;
mod pipeline;

use oxicl_llvm::{Module, PassOptions, TargetMachine};
use oxicl_protocol::{BuildFailure, CompileOptions, Stage, Tier};

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
    let passes = if tier == Tier::Full && !options.opt_disable { pipeline::AFTER } else { pipeline::AFTER_CHEAP };
    run(module, machine, passes)
}

fn run(module: &mut Module<'_>, machine: &TargetMachine, passes: &[&str]) -> Result<(), BuildFailure> {
    let pipeline = passes.join(",");
    module
        .run_passes(&pipeline, Some(machine), PassOptions::default())
        .map_err(|error| BuildFailure::new(Stage::Optimize, format!("LLVM refuses a pipeline: {error}")))
}
