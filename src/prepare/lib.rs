//! Prepares code for the stage that comes next: scalar code for `workgroup`, work-group functions for the code
//! generator.
//!
//! - **Takes**: a module of scalar LLVM IR, as `lower` and the device library make it, or one with work-group
//!   functions.
//! - **Gives**: the same module. For `workgroup`: calls are inlined within a budget, short loops unrolled where that
//!   tells analyses more, fills and copies of private arrays replaced by loads and stores, and calls marked that the
//!   machine has instructions for. For the code generator: LLVM's passes have run, their bugs are worked around, and
//!   peephole rewrites for the machine are made.
//! - **Never**: renames a function or changes its linkage; lists LLVM's passes (`optimize` does, and runs them).
//! - **Spec**: none; LLVM's language reference.
#![forbid(unsafe_code)]

mod classes;
mod contract;
mod copies;
mod features;
mod generic;
mod inline;
mod instructions;
mod masks;
mod narrow;
mod offsets;
mod peephole;
mod spaces;
mod streams;
mod unroll;

use oxicl_llvm::{Module, Place, TargetMachine, Value};
use oxicl_ops::attribute;
use oxicl_optimize::{pipeline, run, run_by_function};
use oxicl_protocol::{BuildFailure, CompileOptions, Tier};
use oxicl_target::Target;

pub use instructions::{use_instructions, use_no_instructions};

/// Prepares scalar code for `workgroup`: promotes memory, simplifies code, inlines calls within a budget, and leaves
/// one return.
///
/// Calls that reach a barrier or another collective operation are always inlined, or the build fails and names the
/// function.
///
/// # Errors
/// Such a function is too large, a function calls itself, or LLVM rejects a pipeline.
pub fn for_workgroup(
    module: &mut Module<'_>,
    machine: &TargetMachine,
    options: &CompileOptions,
    tier: Tier,
) -> Result<(), BuildFailure> {
    inline::mark(module)?;
    if tier == Tier::Cheap || options.opt_disable {
        return run(module, machine, pipeline::BEFORE_CHEAP);
    }
    run(module, machine, pipeline::INLINE)?;
    generic::narrow(module, module.context());
    // Which parameter an access goes through is known only once variables are values: after `BEFORE`.
    if !options.disjoint {
        spaces::mark(module, module.context(), false);
    }
    run(module, machine, pipeline::BEFORE)?;
    if options.disjoint && spaces::mark(module, module.context(), true) {
        run(module, machine, pipeline::DISJOINT)?;
    }
    if offsets::split(module, module.context()) {
        run(module, machine, pipeline::SPLIT)?;
    }
    if unroll::mark(module) {
        run(module, machine, pipeline::UNROLL_ARRAYS)?;
    }
    if copies::write_out(module, module.context()) {
        run(module, machine, pipeline::WRITTEN_OUT)?;
    }
    if contract::fuse(module) {
        run(module, machine, pipeline::FUSED)?;
    }
    peephole::convert_as_signed(module);
    Ok(())
}

/// Prepares functions of the device library for `workgroup`. They were optimised when the library was built, and
/// nothing is inlined into them.
///
/// # Errors
/// LLVM rejects the pipeline.
pub fn library_for_workgroup(module: &mut Module<'_>, machine: &TargetMachine) -> Result<(), BuildFailure> {
    run(module, machine, pipeline::BEFORE_LIBRARY)
}

/// Checks what [`for_workgroup`] would refuse if each of these kernels, named by its function, were in a module of its
/// own.
///
/// # Errors
/// What [`for_workgroup`] would return.
pub fn check(module: &Module<'_>, kernels: &[&str]) -> Result<(), BuildFailure> {
    inline::check(module, kernels)
}

/// The defined functions of a module, callees before callers.
///
/// # Errors
/// A function calls itself, which [`for_workgroup`] refuses, too.
pub fn callees_first<'m>(module: &'m Module<'_>) -> Result<Vec<Value<'m>>, BuildFailure> {
    inline::callees_first(module)
}

/// Optimises work-group functions for the machine.
///
/// # Errors
/// LLVM rejects a pipeline.
pub fn for_codegen(
    module: &mut Module<'_>,
    machine: &TargetMachine,
    target: &Target,
    options: &CompileOptions,
    tier: Tier,
) -> Result<(), BuildFailure> {
    let is_full = tier == Tier::Full && !options.opt_disable;
    if is_full {
        features::access_one_by_one(module, target);
        run(module, machine, pipeline::AFTER)?;
        peephole::freeze_masked_loads(module);
        run_by_function(module, machine, pipeline::before_vectors)?;
        narrow::hide(module, module.context());
        run_by_function(module, machine, pipeline::vectorise)?;
        peephole::freeze_masked_loads(module);
        run_by_function(module, machine, pipeline::behind_vectors)?;
    } else {
        run(module, machine, pipeline::AFTER_CHEAP)?;
    }
    if streams::define(module) {
        run(module, machine, pipeline::STREAMS)?;
    }
    if is_full {
        spare(module, |function| why_rare(function).is_some_and(|why| why != attribute::MANY_REGIONS));
    } else if tier == Tier::Baseline {
        spare(module, |function| why_rare(function).is_none_or(|why| why != attribute::MANY_REGIONS));
    }
    Ok(())
}

/// Peephole rewrites and attributes, after [`for_codegen`]. `is_cleaned` says whether LLVM's clean-up passes ran in it.
pub fn suit_machine(module: &Module<'_>, target: &Target, is_cleaned: bool) {
    classes::compare_bits(module, target);
    features::keep_masks_apart(module, target);
    peephole::suit_machine(module, target);
    peephole::convert_as_signed(module);
    peephole::convert_halves(module);
    if !is_cleaned {
        peephole::negate_elements(module);
        peephole::guard_rotations(module, target);
    }
    masks::keep_as_words(module, target);
}

/// The text of a module after a rewrite.
#[cfg(test)]
fn rewritten(text: &str, rewrite: impl FnOnce(&Module<'_>)) -> String {
    let context = oxicl_llvm::Context::new();
    let module = Module::parse_text(&context, text).expect("valid");
    rewrite(&module);
    module.verify().expect("valid code");
    module.to_text()
}

/// The functions that have the text attribute `name`.
fn functions_with<'m>(module: &'m Module<'_>, name: &str) -> impl Iterator<Item = Value<'m>> {
    module.functions().into_iter().filter(move |function| function.attribute_text(Place::Function, name).is_some())
}

/// The value of a function's attribute [`attribute::RARE`], if it has it.
fn why_rare(function: Value<'_>) -> Option<String> {
    function.attribute_text(Place::Function, attribute::RARE)
}

/// Marks functions `optnone`: the code generator then selects instructions one by one, in less than half the time. (Not
/// for functions that have very many regions and do run: without optimisation, the next region is found by comparing
/// with one after the other, which takes longer than a region.)
fn spare(module: &Module<'_>, is_meant: fn(Value<'_>) -> bool) {
    let functions = module.functions().into_iter().filter(|function| !function.is_declaration());
    for function in functions.filter(|function| is_meant(*function)) {
        for name in ["noinline", "optnone"] {
            if let Some(attribute) = module.context().attribute(name, 0) {
                function.add_attribute(Place::Function, attribute);
            }
        }
    }
}
