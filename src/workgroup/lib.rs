//! Makes a function that runs work-groups of a function that says what one work-item does.
//!
//! - **Takes**: a module of scalar LLVM IR as `lower` and `prepare` leave it: kernels whose calls of barriers are
//!   inlined, with ids, barriers and collective operations as calls of named operations; the kernels' signatures.
//! - **Gives**: a function of type [`Entry`](oxicl_abi::Entry) for each kernel in the same module, named
//!   `oxicl.entry.<n>`, and its [`KernelFacts`].
//! - **Never**: edits an instruction in place, deletes tails that it then repeats without bound, or lets what is undefined
//!   hang or crash: work-items that disagree about a barrier are run to their own end.
//! - **Spec**: OpenCL C, work-group functions and barriers; OpenCL API, mapping work-items onto an ND-range, with
//!   non-uniform work-groups.
//!
//! A kernel is cut at its barriers and collective operations. The part behind one, up to the next, is a *region*, and runs
//! for all work-items before another does. What lives across is computed again if that is cheap, kept once if it is
//! uniform, and in the context block for each work-item otherwise. To a collective operation each work-item adds its value
//! when it arrives, in the order of linear local ids; sums and products of floats in sixteen parts, by the place along x.
//!
//! A region runs for one work-item at a time, or for a *gang* of neighbours in a row as lanes of vectors (`emit::widen`).
//!
//! `ir` reads a function into types of its own, `analyse` finds what is true of it, `recipe` says how each instruction is written
//! for a gang and what that costs, `plan` decides, and `emit` writes: none of them imports one that comes later. `prices` knows what
//! operations cost on the machine. Only it, the reader and `emit` ask LLVM.
#![forbid(unsafe_code)]

mod analyse;
mod bounds;
mod declined;
mod emit;
mod failure;
mod ir;
mod plan;
mod prices;
mod recipe;
mod remarks;
mod switches;

use oxicl_abi::{KernelFacts, KernelSignature};
use oxicl_llvm::{Linkage, Module};
use oxicl_protocol::{BuildFailure, CompileOptions, Diagnostic, Stage};
use oxicl_target::Target;

pub use bounds::liveness::LIMIT as MOST_VALUES_ACROSS_BARRIERS;
pub use emit::VersionName;

use failure::{Failure, failure};
use ir::{Buffers, Function};
use plan::Build;
use prices::Prices;
use switches::{Gate, OfFunction};

/// A kernel of the module.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    /// Name of the entry point.
    pub name: &'a str,
    /// Name of its function in the module.
    pub function: &'a str,
    /// Its arguments and their places.
    pub signature: &'a KernelSignature,
}

/// Writes `oxicl.entry.<n>` for the n-th kernel. Work-items of a row run together as lanes of vectors: as many as the options
/// ask for, where nothing speaks against it, or if they do not say, as many as pay on the machine; the remarks say what spoke
/// against it. Kernels that do something in sub-groups run each as a gang; what cannot be done so has sub-groups of one
/// work-item, and is an error if it requires a size. `KernelFacts::entry` and `stack_bytes` are left 0: both are known when
/// there is object code. The scalar functions become internal, so that unused ones go with the next clean-up.
pub fn build(
    module: &mut Module<'_>,
    kernels: &[Kernel<'_>],
    options: &CompileOptions,
    target: &Target,
) -> Result<Vec<KernelFacts>, BuildFailure> {
    let built = build_and_tell(module, kernels, options, target, false, None)?;
    Ok(built.into_iter().map(|built| built.code).collect())
}

/// A kernel that was written.
pub struct Built {
    /// What is known of its code.
    pub code: KernelFacts,
    /// The facts that callers are told, if they are not those of the code: for the baseline tier those of the full tier's plan, but for how
    /// its work-groups are given to it.
    pub planned: Option<KernelFacts>,
}

/// As [`build`]. If it `is_plain`, little is written, in little time: gangs have one register a value, and each region is written
/// once. The plan of each kernel as text comes behind what `plans` has, if it is wanted: for people.
///
/// # Errors
/// Those of [`build`].
pub fn build_and_tell(
    module: &mut Module<'_>,
    kernels: &[Kernel<'_>],
    options: &CompileOptions,
    target: &Target,
    is_plain: bool,
    mut plans: Option<&mut String>,
) -> Result<Vec<Built>, BuildFailure> {
    let mut built = Vec::with_capacity(kernels.len());
    for (number, kernel) in kernels.iter().enumerate() {
        match build_kernel(module, kernel, options, target, Way { number, is_plain }, plans.as_deref_mut()) {
            Ok(kernel) => built.push(kernel),
            Err(Failure(text)) => {
                let diagnostic = Diagnostic::error(format!("kernel {}: {text}", kernel.name));
                return Err(BuildFailure { stage: Stage::Workgroup, diagnostics: vec![diagnostic] });
            }
        }
    }
    for kernel in kernels {
        if let Some(function) = module.function(kernel.function) {
            function.set_linkage(Linkage::Internal);
        }
    }
    emit::machine::define(module);
    check(module)?;
    Ok(built)
}

/// Writes a version of a function of the module that kernels of other modules call by its name. The scalar function becomes
/// internal.
pub fn build_version(
    module: &mut Module<'_>,
    name: &VersionName,
    options: &CompileOptions,
    target: &Target,
) -> Result<(), BuildFailure> {
    let function = module.function(name.function()).filter(|function| !function.is_declaration());
    let written = match function {
        Some(function) => {
            let gate = Gate::new(&options.switches, &name.to_string(), false);
            let switches = OfFunction::new(gate.as_ref(), name.function());
            emit::emit_version(module, function, name, plan::vectors(options, target), switches, &Prices::of(target))
        }
        None => failure(format!("there is no function {}", name.function())),
    };
    emit::machine::define(module);
    written.map_err(|Failure(text)| BuildFailure::new(Stage::Workgroup, text))?;
    check(module)
}

/// Kernels as this crate reads them, as text: decisions are taken of these instructions.
pub fn text(module: &Module<'_>, kernels: &[Kernel<'_>], target: &Target) -> String {
    let prices = &Prices::of(target);
    let functions = kernels.iter().filter_map(|kernel| module.function(kernel.function));
    // What cannot be read is told where it is built.
    functions.filter_map(|function| ir::read(function, prices).ok()).map(|function| function.text()).collect()
}

/// Reads such a text, without LLVM, and writes it again.
///
/// # Errors
/// What is wrong with it, and in which line of which function.
pub fn text_again(text: &str, target: &Target) -> Result<String, String> {
    let prices = &Prices::of(target);
    const END: &str = "\n}\n";
    text.split_inclusive(END).map(|one| ir::parse(one, prices).map(|function| function.text())).collect()
}

/// LLVM's verifier. Release builds leave it out.
fn check(module: &Module<'_>) -> Result<(), BuildFailure> {
    if cfg!(debug_assertions)
        && let Err(error) = module.verify()
    {
        return Err(BuildFailure::new(Stage::Workgroup, format!("broken code was written: {error}")));
    }
    Ok(())
}

/// Which kernel of a module is written, and how.
#[derive(Clone, Copy)]
struct Way {
    number: usize,
    is_plain: bool,
}

fn build_kernel(
    module: &Module<'_>,
    kernel: &Kernel<'_>,
    options: &CompileOptions,
    target: &Target,
    way: Way,
    told: Option<&mut String>,
) -> Result<Built, Failure> {
    let Some(value) = module.function(kernel.function).filter(|f| !f.is_declaration()) else {
        return failure(format!("there is no function {}", kernel.function));
    };
    let gate = Gate::new(&options.switches, kernel.name, told.is_some());
    let prices = Prices::of(target);
    let read = || -> Result<Function<'_>, Failure> {
        let mut function = ir::read(value, &prices)?;
        function.buffers = if options.disjoint { Buffers::Disjoint } else { Buffers::AsPromised };
        function.switches = OfFunction::new(gate.as_ref(), &function.name);
        Ok(function)
    };
    let build = Build { signature: kernel.signature, options, target };
    let full = plan::plan_kernel(read()?, build)?;
    let baseline = way.is_plain.then(|| plan::plan_baseline(read()?, build, &full)).transpose()?;
    let written = baseline.as_ref().unwrap_or(&full);
    let emitted = emit::emit(module, written, kernel.signature, options.uniform_work_group_size, way.number)?;
    if let (Some(told), Some(gate)) = (told, &gate) {
        *told += &plan::print(kernel.name, written);
        gate.lines().iter().for_each(|line| *told += &format!("{line}\n"));
    }
    let planned = way.is_plain.then(|| emitted.facts(kernel.name, &full));
    Ok(Built { code: emitted.facts(kernel.name, written), planned })
}
