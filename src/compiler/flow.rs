//! The stages of a compilation, in order.

use std::rc::Rc;

use oxicl_caps::DeviceCaps;
use oxicl_llvm::{Context, Module, TargetMachine};
use oxicl_lower::Lowered;
use oxicl_protocol::{BuildFailure, CompileRequest, Image, KernelFacts, Progress, Stage, Tier};
use oxicl_spirv::Module as SpirvModule;
use oxicl_validate::{ValidModule, Violation};
use oxicl_workgroup::Kernel;

use crate::codegen::{self, Settings};

/// Modules with more instructions than this are compiled at the cheap tier.
const LARGEST_FOR_FULL_TIER: usize = 200_000;

/// Is told what happens, and may look at what each stage made.
pub trait Observer {
    /// A stage begins.
    fn begin(&mut self, progress: Progress);

    /// Does it look at text? Values have names then.
    fn reads(&self) -> bool {
        false
    }

    /// A stage ended with `text()`.
    fn made(&mut self, _stage: Stage, _text: &dyn Fn() -> String) {}
}

/// Compiles.
///
/// # Errors
/// The build log.
pub fn compile(request: &CompileRequest, observer: &mut dyn Observer) -> Result<Image, BuildFailure> {
    let context = Context::new();
    let Ready { machine, mut module, settings, facts } = generate(&context, request, observer)?;
    if !request.target.has_images() {
        let message = format!("code for {} can be looked at, but no image is made of it", request.target.triple);
        return Err(BuildFailure::new(Stage::Codegen, message));
    }
    let entries = facts.into_iter().enumerate().map(|(n, facts)| (format!("oxicl.entry.{n}"), facts)).collect();
    codegen::emit(&machine, &mut module, &settings, entries)
}

/// What is known of the kernels in front of the code generator, for machines that no images are made for.
///
/// # Errors
/// The build log.
pub fn facts(request: &CompileRequest, observer: &mut dyn Observer) -> Result<Vec<KernelFacts>, BuildFailure> {
    let context = Context::new();
    Ok(generate(&context, request, observer)?.facts)
}

/// The code of a compilation as assembly, for people.
///
/// # Errors
/// The build log.
pub fn assembly(request: &CompileRequest, observer: &mut dyn Observer) -> Result<String, BuildFailure> {
    let context = Context::new();
    let Ready { machine, mut module, .. } = generate(&context, request, observer)?;
    machine.emit_assembly(&mut module).map_err(|error| BuildFailure::new(Stage::Codegen, error.to_string()))
}

/// What the code generator works on.
struct Ready<'c> {
    machine: Rc<TargetMachine>,
    module: Module<'c>,
    settings: Settings,
    /// Of its kernels, in the order of their entry functions.
    facts: Vec<KernelFacts>,
}

/// The stages in front of the code generator.
fn generate<'c>(
    context: &'c Context,
    request: &CompileRequest,
    observer: &mut dyn Observer,
) -> Result<Ready<'c>, BuildFailure> {
    let valid = front(request, observer)?;
    let options = &request.options;
    let tier = tier_for(request, valid.module());
    if !observer.reads() {
        context.discard_names();
    }
    let machine = codegen::machine(&request.target, tier)?;

    observer.begin(at(Stage::Lower, tier));
    let Lowered { mut module, kernels } =
        oxicl_lower::lower(context, &valid, &request.kernels, options, &request.target)?;
    machine.prepare(&module);
    codegen::link_library(context, &mut module, &request.target)?;
    check(&module, Stage::Lower)?;
    observer.made(Stage::Lower, &|| module.to_text());

    observer.begin(at(Stage::Optimize, tier));
    oxicl_optimize::before(&mut module, &machine, options, tier)?;
    observer.made(Stage::Optimize, &|| module.to_text());

    observer.begin(at(Stage::Workgroup, tier));
    let units: Vec<Kernel<'_>> = kernels
        .iter()
        .map(|kernel| Kernel { name: &kernel.name, function: &kernel.function_name, signature: &kernel.signature })
        .collect();
    let facts = oxicl_workgroup::build(&mut module, &units, options, &codegen::at_tier(&request.target, tier))?;
    check(&module, Stage::Workgroup)?;
    observer.made(Stage::Workgroup, &|| module.to_text());

    observer.begin(at(Stage::Optimize, tier));
    oxicl_optimize::after(&mut module, &machine, options, tier)?;

    observer.begin(at(Stage::Codegen, tier));
    let settings = Settings { target: request.target.clone(), tier, opt_disable: options.opt_disable };
    codegen::suit_machine(&module, &settings);
    observer.made(Stage::Codegen, &|| module.to_text());
    Ok(Ready { machine, module, settings, facts })
}

/// The stages that need no LLVM: words to a valid module.
fn front(request: &CompileRequest, observer: &mut dyn Observer) -> Result<ValidModule, BuildFailure> {
    observer.begin(at(Stage::Decode, request.tier));
    let module = oxicl_spirv::decode(&request.spirv).map_err(|error| BuildFailure {
        stage: Stage::Decode,
        diagnostics: vec![Violation::from(&error).to_diagnostic()],
    })?;
    observer.begin(at(Stage::Validate, request.tier));
    oxicl_validate::validate(module, DeviceCaps::anywhere()).map_err(|violations| BuildFailure {
        stage: Stage::Validate,
        diagnostics: violations.iter().map(Violation::to_diagnostic).collect(),
    })
}

fn at(stage: Stage, tier: Tier) -> Progress {
    Progress { stage, kernel: None, tier }
}

/// Huge modules are compiled at the cheap tier: by their size, never by the clock, so that results repeat.
fn tier_for(request: &CompileRequest, module: &SpirvModule) -> Tier {
    let instructions: usize = module.functions.iter().flat_map(|f| &f.blocks).map(|b| b.instructions.len()).sum();
    if instructions > LARGEST_FOR_FULL_TIER { Tier::Cheap } else { request.tier }
}

/// LLVM's verifier, behind the stages that write IR by hand. Release builds leave it out.
fn check(module: &Module<'_>, stage: Stage) -> Result<(), BuildFailure> {
    if cfg!(debug_assertions) {
        module.verify().map_err(|error| BuildFailure::new(stage, format!("invalid LLVM IR: {error}")))?;
    }
    Ok(())
}
