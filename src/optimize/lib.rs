//! Runs LLVM's passes before and behind `workgroup`, and decides what is inlined.
//!
//! - **Takes**: a module of scalar LLVM IR ([`before`]), or one with work-group functions ([`after`]).
//! - **Gives**: the same module, better.
//! - **Never**: changes what a function is called or how it is linked; has a pass of its own, but for what keeps LLVM from a
//!   fault, and for fills and copies that `workgroup` would not widen.
//! - **Spec**: LLVM 22's pass names, as `opt -passes` takes them.
#![forbid(unsafe_code)]

mod copies;
mod inline;
mod narrow;
mod pipeline;
mod unroll;

use oxicl_llvm::{Error, Module, PassOptions, Place, TargetMachine, Value};
use oxicl_ops::attribute;
use oxicl_protocol::{BuildFailure, CompileOptions, Stage, Tier};

use pipeline::Found;

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
    if tier != Tier::Full || options.opt_disable {
        return run(module, machine, pipeline::BEFORE_CHEAP);
    }
    run(module, machine, pipeline::BEFORE)?;
    if unroll::mark(module) {
        run(module, machine, pipeline::UNROLL_ARRAYS)?;
    }
    if copies::write_out(module, module.context()) {
        run(module, machine, pipeline::WRITTEN_OUT)?;
    }
    Ok(())
}

/// Prepares functions of the device library for `workgroup` as [`before`] does. They were optimised when it was built, and what they
/// call stays a function.
pub fn before_library(module: &mut Module<'_>, machine: &TargetMachine) -> Result<(), BuildFailure> {
    run(module, machine, pipeline::BEFORE_LIBRARY)
}

/// What [`before`] would refuse of modules that have one of these kernels each, by the names of their functions.
///
/// # Errors
/// What it refuses.
pub fn check(module: &Module<'_>, kernels: &[&str]) -> Result<(), BuildFailure> {
    inline::check(module, kernels)
}

/// The functions of a module that are defined, each behind those that it calls.
///
/// # Errors
/// One calls itself, as [`before`] says, too.
pub fn callees_first<'m>(module: &'m Module<'_>) -> Result<Vec<Value<'m>>, BuildFailure> {
    inline::callees_first(module)
}

/// Optimises work-group functions for the machine.
pub fn after(
    module: &mut Module<'_>,
    machine: &TargetMachine,
    options: &CompileOptions,
    tier: Tier,
) -> Result<(), BuildFailure> {
    if tier != Tier::Full || options.opt_disable {
        return run(module, machine, pipeline::AFTER_CHEAP);
    }
    // The scalar functions that the work-group functions came from.
    run(module, machine, &["globaldce"])?;
    run_by_function(module, machine, pipeline::before_vectors)?;
    narrow::hide(module, module.context());
    run_by_function(module, machine, pipeline::vectors)?;
    spare_rare(module);
    Ok(())
}

/// Has the code generator do little for what hardly ever runs: it selects instructions one by one, in less than half the time.
/// (Not for what has very many pieces: to find the next piece by comparing with each takes longer than a piece.)
fn spare_rare(module: &Module<'_>) {
    let hardly_runs = |function: &Value<'_>| {
        let rare = function.attribute_text(Place::Function, attribute::RARE);
        rare.is_some_and(|why| why != attribute::MANY_PIECES)
    };
    for function in module.functions().into_iter().filter(hardly_runs) {
        for name in ["noinline", "optnone"] {
            if let Some(attribute) = module.context().attribute(name, 0) {
                function.add_attribute(Place::Function, attribute);
            }
        }
    }
}

/// Looks for what decides about passes.
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

fn run(module: &mut Module<'_>, machine: &TargetMachine, passes: &[&str]) -> Result<(), BuildFailure> {
    module.run_passes(&passes.join(","), Some(machine), PassOptions::default()).map_err(refused)
}

/// Runs on each function the passes that suit it; on entries none.
fn run_by_function(
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
