//! LLVM IR to an image.

use std::cell::RefCell;
use std::rc::Rc;

use oxicl_abi::{Image, KernelFacts};
use oxicl_llvm::{CodegenLevel, Context, Linkage, MachineOptions, Module, ObjectCode, PassOptions, TargetMachine};
use oxicl_ops::library;
use oxicl_protocol::{BuildFailure, Stage, Switches, Tier};
use oxicl_target::{Ability, Target, Vectors};

use crate::stack::Frames;
use crate::{apart, object};

pub(crate) fn failure(error: impl std::fmt::Display) -> BuildFailure {
    BuildFailure::new(Stage::Codegen, error.to_string())
}

/// What code is made for, and with how much effort.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Settings {
    /// The machine.
    pub target: Target,
    /// Effort.
    pub tier: Tier,
    /// `-cl-opt-disable`.
    pub opt_disable: bool,
    /// Which decisions are taken in functions that are compiled apart.
    pub switches: Switches,
}

/// The key of a machine: the target, the effort, and whether all of LLVM's passes run.
type Key = (Target, Tier, bool);

thread_local! {
    /// The machine of each tier's last request: to make one, with what it learns of its target, takes a good part of a
    /// millisecond.
    static MACHINES: RefCell<Vec<(Key, Rc<TargetMachine>)>> = const { RefCell::new(Vec::new()) };
}

/// The machine to generate code for: the tier's last one, if it is for the same target.
///
/// # Errors
/// LLVM cannot make a machine for the target.
pub fn machine(target: &Target, tier: Tier) -> Result<Rc<TargetMachine>, BuildFailure> {
    machine_with(target, tier, &Switches::default())
}

/// The same, with all of LLVM's passes if the switches ask for them.
///
/// # Errors
/// As above.
pub fn machine_with(target: &Target, tier: Tier, switches: &Switches) -> Result<Rc<TargetMachine>, BuildFailure> {
    let key = (target.clone(), tier, switches.all_passes);
    let last = |machines: &Vec<(Key, Rc<TargetMachine>)>| {
        machines.iter().find(|(of, _)| *of == key).map(|(_, machine)| Rc::clone(machine))
    };
    if let Some(machine) = MACHINES.with_borrow(last) {
        return Ok(machine);
    }
    let machine = new_machine(target, tier)?;
    let machine = Rc::new(if switches.all_passes { machine.with_all_passes() } else { machine });
    MACHINES.with_borrow_mut(|machines| {
        machines.retain(|((_, at, _), _)| *at != tier);
        machines.push((key, Rc::clone(&machine)));
    });
    Ok(machine)
}

/// The target that kernels are written for at a tier. The cheap one has no vectors, as gangs take longer to compile.
pub fn at_tier(target: &Target, tier: Tier) -> Target {
    match tier {
        Tier::Full | Tier::Baseline => target.clone(),
        Tier::Cheap => Target { vectors: Vectors::NONE, ..target.clone() },
    }
}

fn new_machine(target: &Target, tier: Tier) -> Result<TargetMachine, BuildFailure> {
    let level = match tier {
        Tier::Full => CodegenLevel::Default,
        Tier::Baseline | Tier::Cheap => CodegenLevel::Less,
    };
    TargetMachine::new(&MachineOptions {
        triple: target.triple.clone(),
        cpu: String::new(),
        features: target.features.clone(),
        level,
    })
    .map_err(failure)
}

/// Rewrites single instructions and attributes for the machine, before code is generated.
pub(crate) fn suit_machine(module: &Module<'_>, settings: &Settings) {
    let is_cleaned = settings.tier == Tier::Full && !settings.opt_disable;
    oxicl_prepare::suit_machine(module, &settings.target, is_cleaned);
}

/// Links the functions of the device library that the module calls, as internal ones. Nothing else of the library is
/// read.
///
/// # Errors
/// The embedded bitcode does not fit this LLVM.
pub fn link_library<'c>(context: &'c Context, module: &mut Module<'c>, target: &Target) -> Result<(), BuildFailure> {
    let called: Vec<_> = module.functions().iter().filter(|f| f.is_declaration()).map(|f| f.name()).collect();
    if called.iter().any(|name| library::is_of_images(name)) {
        apart::link_images(context, module)?;
    }
    if called.iter().any(|name| library::is_of_library(name) && !library::is_of_images(name)) {
        let has_fma = target.can(Ability::Fma);
        let library = if has_fma { oxicl_builtins::bitcode() } else { oxicl_builtins::bitcode_without_fma() };
        link_part(module, Module::parse_bitcode_lazily(context, library).map_err(failure)?)?;
    }
    if target.can(Ability::MachineOperations) {
        oxicl_prepare::use_instructions(module);
    } else {
        oxicl_prepare::use_no_instructions(module);
    }
    Ok(())
}

/// Links the functions of one part of the library that the module calls, as internal ones.
pub(crate) fn link_part<'c>(module: &mut Module<'c>, library: Module<'c>) -> Result<(), BuildFailure> {
    let names: Vec<String> = library.functions().iter().filter(|f| !f.is_declaration()).map(|f| f.name()).collect();
    if !names.iter().any(|name| module.function(name).is_some()) {
        return Ok(());
    }
    library.set_triple(&module.triple());
    library.set_data_layout(&module.data_layout());
    module.link(library).map_err(failure)?;
    for function in names.iter().filter_map(|name| module.function(name)).filter(|f| !f.is_declaration()) {
        function.set_linkage(Linkage::Internal);
    }
    Ok(())
}

/// Code of the runtime functions in `names`, which the code generator calls, and of those that they call in turn. Only
/// these are generated: all of them together take longer than many a kernel.
fn runtime(machine: &TargetMachine, names: &[String]) -> Result<ObjectCode, BuildFailure> {
    let context = Context::new();
    let mut runtime = Module::parse_bitcode(&context, oxicl_builtins::runtime_bitcode()).map_err(failure)?;
    machine.prepare(&runtime);
    for function in runtime.functions().iter().filter(|function| !function.is_declaration()) {
        if !names.contains(&function.name()) {
            function.set_linkage(Linkage::Internal);
        }
    }
    runtime.run_passes("globaldce", None, PassOptions::default()).map_err(failure)?;
    machine.emit_object(&mut runtime).map_err(failure)
}

/// Generates code and links it with the objects of what it calls. Each kernel comes with the name of its entry
/// function; the function's offset and stack are added to the kernel's facts.
///
/// # Errors
/// The code generator failed, or asks for something that an image cannot have, or a kernel needs more stack than there
/// is.
pub fn emit(
    machine: &TargetMachine,
    module: &mut Module<'_>,
    settings: &Settings,
    kernels: Vec<(String, KernelFacts)>,
) -> Result<Image, BuildFailure> {
    let own = machine.emit_object(module).map_err(failure)?;
    let mut called = object::undefined(&own.bytes).map_err(failure)?;
    let parts = apart::parts(machine, settings, &called)?;
    called.extend(parts.iter().flat_map(|part| part.called.iter().cloned()));
    called.retain(|name| oxicl_builtins::runtime_names().contains(&name.as_str()));
    let runtime = if called.is_empty() { None } else { Some(runtime(machine, &called)?) };
    let parts = parts.iter().map(|part| &part.object);
    let objects: Vec<&ObjectCode> = std::iter::once(&own).chain(parts).chain(&runtime).collect();
    let bytes: Vec<&[u8]> = objects.iter().map(|object| object.bytes.as_slice()).collect();
    let frames: Vec<_> = objects.iter().map(|object| object.frames.as_slice()).collect();
    let mut frames = Frames::new(&frames);
    let entries: Vec<String> = kernels.iter().map(|(entry, _)| entry.clone()).collect();
    let mut image = object::finish(&bytes, kernels).map_err(failure)?;
    for (kernel, entry) in image.kernels.iter_mut().zip(&entries) {
        let needed = frames.needed(entry);
        kernel.stack_bytes = needed.map_err(|error| failure(format!("kernel {}: {error}", kernel.name)))?;
    }
    Ok(image)
}
