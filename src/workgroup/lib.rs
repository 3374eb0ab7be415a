//! Turns a function that describes one work-item into a function that runs a whole work-group.
//!
//! - **Takes**: a module of scalar LLVM IR as `lower` and `prepare` leave it: kernels into which every function that
//!   reaches a barrier is inlined, with ids, barriers and collective operations as calls of named operations; and the
//!   kernels' signatures.
//! - **Gives**: for each kernel a function of type [`Entry`](oxicl_abi::Entry) in the same module, named
//!   `oxicl.entry.<n>`, and its [`KernelFacts`].
//! - **Never**: edits an instruction in place, duplicates the code behind barriers without bound, or lets undefined
//!   behaviour hang or crash: work-items that disagree about a barrier each run to their own end.
//! - **Spec**: OpenCL C, work-group functions and barriers; OpenCL API, mapping work-items onto an ND-range, with
//!   non-uniform work-groups.
//!
//! A kernel is cut at its barriers and collective operations. The code from one cut to the next is a *region*; all
//! work-items run it before any runs the next region. A value that lives across a cut is rematerialised if that is
//! cheap, kept once if it is uniform, and kept for each work-item in the context block otherwise. Work-items give their
//! values to a collective operation as they arrive, in the order of linear local ids; sums and products of floats are
//! gathered in sixteen parts, by the place along x.
//!
//! A region runs one work-item at a time, or a *gang* of neighbours in a row as the lanes of vectors (`emit::widen`).
//!
//! `ir` reads a function into types of its own, `analyse` finds facts about it, `recipe` says how each instruction is
//! written for a gang and what that costs, `plan` decides, and `emit` writes the code. None of them imports a later
//! one. `prices` knows what operations cost on the machine. Only `prices`, the reader in `ir` and `emit` ask LLVM.
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
mod switches;

use oxicl_abi::{KernelFacts, KernelSignature};
use oxicl_llvm::{Linkage, Module};
use oxicl_protocol::{BuildFailure, CompileOptions, Diagnostic, Stage};
use oxicl_target::Target;

pub use bounds::MOST_VALUES_ACROSS_BARRIERS;
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

/// Writes `oxicl.entry.<n>` for the n-th kernel. Work-items of a row run together as lanes of vectors: as many as the
/// options ask for where that is possible, or as many as pay on the machine if the options leave it open. The remarks
/// say what prevents it. In kernels with sub-group operations each sub-group is a gang; where gangs cannot run them,
/// sub-groups have one work-item, which is an error if the kernel requires a size. `KernelFacts::entry` and
/// `stack_bytes` are left 0 until there is object code. The scalar functions become internal, so that the next clean-up
/// removes unused ones.
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
    /// The facts of its code.
    pub code: KernelFacts,
    /// The facts that callers are told, where they differ from those of the code: the baseline tier tells those of the
    /// full tier's plan, except for how work-groups are given to its code.
    pub planned: Option<KernelFacts>,
}

/// Like [`build`]. If `is_plain`, little code is written in little time: gangs have one register a value, and each
/// region is written once. If `plans` is given, the plan of each kernel is appended to it, as text for people.
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
        match build_kernel(module, kernel, options, target, number, is_plain, plans.as_deref_mut()) {
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

/// Writes a gang version of a function, for kernels of other modules. The scalar function becomes internal.
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

/// The kernels as text, in the form in which this crate reads them and decides about them.
pub fn text(module: &Module<'_>, kernels: &[Kernel<'_>], target: &Target) -> String {
    let prices = &Prices::of(target);
    let functions = kernels.iter().filter_map(|kernel| module.function(kernel.function));
    // Building the kernel reports what cannot be read.
    functions.filter_map(|function| ir::read(function, prices).ok()).map(|function| function.text()).collect()
}

/// Reads the output of [`text`], without LLVM, and writes it again.
///
/// # Errors
/// What is wrong in the first function that cannot be read; a line number counts from the start of that function.
pub fn text_again(text: &str, target: &Target) -> Result<String, String> {
    let prices = &Prices::of(target);
    const END: &str = "\n}\n";
    text.split_inclusive(END).map(|one| ir::parse(one, prices).map(|function| function.text())).collect()
}

/// Runs LLVM's verifier, in debug builds only.
fn check(module: &Module<'_>) -> Result<(), BuildFailure> {
    if cfg!(debug_assertions)
        && let Err(error) = module.verify()
    {
        return Err(BuildFailure::new(Stage::Workgroup, format!("broken code was written: {error}")));
    }
    Ok(())
}

/// Writes the kernel with this number.
fn build_kernel(
    module: &Module<'_>,
    kernel: &Kernel<'_>,
    options: &CompileOptions,
    target: &Target,
    number: usize,
    is_plain: bool,
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
    let baseline = is_plain.then(|| plan::plan_baseline(read()?, build, &full)).transpose()?;
    let written = baseline.as_ref().unwrap_or(&full);
    let emitted = emit::emit(module, written, kernel.signature, options.uniform_work_group_size, number)?;
    if let (Some(told), Some(gate)) = (told, &gate) {
        *told += &plan::print(kernel.name, written);
        gate.lines().iter().for_each(|line| *told += &format!("{line}\n"));
    }
    let planned = is_plain.then(|| emitted.facts(kernel.name, &full));
    Ok(Built { code: emitted.facts(kernel.name, written), planned })
}
