//! LLVM IR to an image.

use oxicl_llvm::{CodegenLevel, Context, Linkage, MachineOptions, Module, PassOptions, TargetMachine};
use oxicl_protocol::{BuildFailure, Image, KernelFacts, Stage, Target, Tier};

use crate::object;

fn failure(error: impl std::fmt::Display) -> BuildFailure {
    BuildFailure::new(Stage::Codegen, error.to_string())
}

/// The machine to generate code for.
///
/// # Errors
/// The target is not the kind of machine that we run on.
pub fn machine(target: &Target, tier: Tier) -> Result<TargetMachine, BuildFailure> {
    let level = match tier {
        Tier::Full => CodegenLevel::Default,
        Tier::Cheap => CodegenLevel::Less,
    };
    TargetMachine::new(&MachineOptions {
        triple: target.triple.clone(),
        cpu: String::new(),
        features: target.features.clone(),
        level,
    })
    .map_err(failure)
}

/// Adds the device library, if the module calls it, as functions of its own: what is not called goes at once.
///
/// # Errors
/// The embedded bitcode does not fit this LLVM.
pub fn link_library<'c>(context: &'c Context, module: &mut Module<'c>) -> Result<(), BuildFailure> {
    let library = Module::parse_bitcode(context, oxicl_builtins::bitcode()).map_err(failure)?;
    let names: Vec<String> = library.functions().iter().filter(|f| !f.is_declaration()).map(|f| f.name()).collect();
    if !names.iter().any(|name| module.function(name).is_some()) {
        return Ok(());
    }
    library.set_triple(&module.triple());
    library.set_data_layout(&module.data_layout());
    module.link(library).map_err(failure)?;
    for name in &names {
        if let Some(function) = module.function(name) {
            function.set_linkage(Linkage::Internal);
        }
    }
    module.run_passes("globaldce", None, PassOptions::default()).map_err(failure)
}

/// Adds the functions that the code generator may call. Those that it does not call are dropped with their sections.
///
/// # Errors
/// The embedded bitcode does not fit this LLVM.
pub fn link_runtime<'c>(context: &'c Context, module: &mut Module<'c>) -> Result<(), BuildFailure> {
    let runtime = Module::parse_bitcode(context, oxicl_builtins::runtime_bitcode()).map_err(failure)?;
    runtime.set_triple(&module.triple());
    runtime.set_data_layout(&module.data_layout());
    module.link(runtime).map_err(failure)
}

/// Generates code and finishes it. Each kernel comes with the name of its entry function.
///
/// # Errors
/// The code generator failed, or asks for something that an image cannot have.
pub fn emit(
    machine: &TargetMachine,
    module: &mut Module<'_>,
    kernels: Vec<(String, KernelFacts)>,
) -> Result<Image, BuildFailure> {
    let bytes = machine.emit_object(module).map_err(failure)?;
    object::finish(&bytes, kernels).map_err(failure)
}
