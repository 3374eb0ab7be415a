//! The stages of a compilation, in order.

use std::cell::RefCell;
use std::rc::Rc;

use oxicl_abi::{Image, KernelFacts};
use oxicl_caps::{DeviceCaps, DumpPart};
use oxicl_llvm::{Context, Module, TargetMachine};
use oxicl_lower::{Lowered, LoweredKernel};
use oxicl_ops::symbol;
use oxicl_protocol::{BuildFailure, CompileRequest, Progress, Proof, Stage, Switches, Tier};
use oxicl_spirv::Module as SpirvModule;
use oxicl_validate::{ValidModule, Violation};
use oxicl_workgroup::Kernel;

use crate::codegen::{self, Settings};
use crate::proof::{self, Decided};

/// Modules with more instructions than this are compiled at the cheap tier.
const LARGEST_FOR_FULL_TIER: usize = 200_000;

/// Is told what happens, and may look at what each stage made.
pub trait Observer {
    /// A stage begins.
    fn begin(&mut self, progress: Progress);

    /// Does it want this text? If it wants any, values keep their names.
    fn wants(&self, _part: DumpPart) -> bool {
        false
    }

    /// Nothing about the program can make the build of the kernels fail any more.
    fn proved(&mut self) {}

    /// The work-group compiler is done with the kernels. Their offsets in the code and their stack are not known yet.
    fn planned(&mut self, _facts: &[KernelFacts]) {}

    /// A stage has made something that it wants: `text()`.
    fn made(&mut self, _part: DumpPart, _text: &dyn Fn() -> String) {}
}

/// Shows an observer what it wants to see.
fn show(observer: &mut dyn Observer, part: DumpPart, text: &dyn Fn() -> String) {
    if observer.wants(part) {
        observer.made(part, text);
    }
}

/// Compiles.
///
/// # Errors
/// The build log.
pub fn compile(request: &CompileRequest, observer: &mut dyn Observer) -> Result<Image, BuildFailure> {
    let context = Context::new();
    let Ready { machine, mut module, settings, facts, planned } = generate(&context, request, observer)?;
    if !request.target.has_images() {
        let message = format!("code for {} can be looked at, but no image is made of it", request.target.triple);
        return Err(BuildFailure::new(Stage::Codegen, message));
    }
    let entries = facts.into_iter().enumerate().map(|(n, facts)| (symbol::entry(n), facts)).collect();
    let image = codegen::emit(&machine, &mut module, &settings, entries)?;
    Ok(Image { planned, tier: settings.tier, ..image })
}

/// What is known of the kernels before the code generator runs, for machines that no images are made for.
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

/// Finds out whether kernels can be compiled, as far as their program decides that. No stage after `lower` runs.
///
/// # Errors
/// The build log.
pub fn prove(request: &CompileRequest, observer: &mut dyn Observer) -> Result<Proof, BuildFailure> {
    let context = Context::new();
    let valid = front(request, observer)?;
    let scalar = scalar(&context, &valid, request, observer)?;
    let all = scalar.kernels.into_iter().zip(scalar.decided);
    let undecided = all.filter(|(_, decided)| *decided != Decided::Now).map(|(kernel, _)| kernel.name).collect();
    Ok(Proof { undecided })
}

/// Kernels and what they call, before LLVM's passes.
struct Scalar<'c> {
    machine: Rc<TargetMachine>,
    module: Module<'c>,
    kernels: Vec<LoweredKernel>,
    /// Parallel to the kernels.
    decided: Vec<Decided>,
    tier: Tier,
}

/// Makes scalar code of a valid module, and fails for whatever can be refused by then.
fn scalar<'c>(
    context: &'c Context,
    valid: &ValidModule,
    request: &CompileRequest,
    observer: &mut dyn Observer,
) -> Result<Scalar<'c>, BuildFailure> {
    let tier = tier_for(request, valid.module());
    if !DumpPart::ALL.iter().any(|part| observer.wants(*part)) {
        context.discard_names();
    }
    let machine = codegen::machine_with(&request.target, tier, &request.options.switches)?;
    observer.begin(at(Stage::Lower, tier));
    let Lowered { mut module, kernels } =
        oxicl_lower::lower(context, valid, &request.kernels, &request.options, &request.target)?;
    machine.prepare(&module);
    codegen::link_library(context, &mut module, &request.target)?;
    check(&module, Stage::Lower)?;
    show(observer, DumpPart::Lower, &|| module.to_text());
    let decided = proof::decided(&module, &kernels)?;
    Ok(Scalar { machine, module, kernels, decided, tier })
}

/// What the code generator works on.
struct Ready<'c> {
    machine: Rc<TargetMachine>,
    module: Module<'c>,
    settings: Settings,
    /// Facts of the kernels, in the order of their entry functions.
    facts: Vec<KernelFacts>,
    /// Facts that callers are told instead, if these are others; else empty.
    planned: Vec<KernelFacts>,
}

/// The stages before the code generator.
fn generate<'c>(
    context: &'c Context,
    request: &CompileRequest,
    observer: &mut dyn Observer,
) -> Result<Ready<'c>, BuildFailure> {
    let valid = front(request, observer)?;
    let options = &request.options;
    let Scalar { machine, mut module, kernels, decided, tier } = scalar(context, &valid, request, observer)?;
    let decided = decided.into_iter().max().unwrap_or(Decided::Now);
    if decided == Decided::Now {
        observer.proved();
    }

    observer.begin(at(Stage::Optimize, tier));
    oxicl_prepare::for_workgroup(&mut module, &machine, options, tier)?;
    show(observer, DumpPart::Optimize, &|| module.to_text());

    observer.begin(at(Stage::Workgroup, tier));
    let units: Vec<Kernel<'_>> = kernels
        .iter()
        .map(|kernel| Kernel { name: &kernel.name, function: &kernel.function_name, signature: &kernel.signature })
        .collect();
    show(observer, DumpPart::Ir, &|| oxicl_workgroup::text(&module, &units, &request.target));
    let target = codegen::at_tier(&request.target, tier);
    let mut plans = observer.wants(DumpPart::Plan).then(String::new);
    let is_plain = tier == Tier::Baseline;
    let built = oxicl_workgroup::build_and_tell(&mut module, &units, options, &target, is_plain, plans.as_mut());
    // If a kernel cannot be built, its plan up to there is shown.
    show(observer, DumpPart::Plan, &|| plans.clone().unwrap_or_default());
    let (facts, planned): (Vec<_>, Vec<_>) = built?.into_iter().map(|kernel| (kernel.code, kernel.planned)).unzip();
    let planned: Vec<KernelFacts> = planned.into_iter().flatten().collect();
    check(&module, Stage::Workgroup)?;
    show(observer, DumpPart::Workgroup, &|| module.to_text());
    if decided == Decided::ByPlan {
        observer.proved();
    }
    let told = if planned.is_empty() { &facts } else { &planned };
    observer.planned(&told.iter().map(KernelFacts::planned).collect::<Vec<_>>());

    observer.begin(at(Stage::Optimize, tier));
    oxicl_prepare::for_codegen(&mut module, &machine, &request.target, options, tier)?;

    observer.begin(at(Stage::Codegen, tier));
    // Limits count decisions for kernels, not for functions that are compiled apart.
    let switches = Switches { limit: None, wrong_in: None, ..options.switches.clone() };
    let settings = Settings { target: request.target.clone(), tier, opt_disable: options.opt_disable, switches };
    codegen::suit_machine(&module, &settings);
    show(observer, DumpPart::Codegen, &|| module.to_text());
    if observer.wants(DumpPart::Assembly) {
        let text = text_of_code(&machine, &module, &facts)?;
        observer.made(DumpPart::Assembly, &|| text.clone());
    }
    Ok(Ready { machine, module, settings, facts, planned })
}

/// The code of a module as assembly, headed by the names of the kernels. It is made of a copy, as code generation
/// changes a module.
fn text_of_code(machine: &TargetMachine, module: &Module<'_>, facts: &[KernelFacts]) -> Result<String, BuildFailure> {
    let mut copy = Module::parse_bitcode(module.context(), &module.to_bitcode()).map_err(codegen::failure)?;
    let names =
        facts.iter().enumerate().map(|(n, facts)| format!("# oxicl.entry.{n} runs the kernel {}\n", facts.name));
    Ok(names.collect::<String>() + &machine.emit_assembly(&mut copy).map_err(codegen::failure)?)
}

thread_local! {
    /// The words of the last request, and the module that they are: requests for the kernels of a program follow one
    /// another, each with the whole module.
    static LAST: RefCell<Option<(Vec<u32>, Rc<ValidModule>)>> = const { RefCell::new(None) };
}

/// The stages that need no LLVM: words to a valid module.
fn front(request: &CompileRequest, observer: &mut dyn Observer) -> Result<Rc<ValidModule>, BuildFailure> {
    observer.begin(at(Stage::Decode, request.tier));
    if let Some((words, valid)) = LAST.take()
        && words == request.spirv
    {
        observer.begin(at(Stage::Validate, request.tier));
        LAST.set(Some((words, Rc::clone(&valid))));
        return Ok(valid);
    }
    let module = oxicl_spirv::decode(&request.spirv).map_err(|error| BuildFailure {
        stage: Stage::Decode,
        diagnostics: vec![Violation::from(&error).to_diagnostic()],
    })?;
    observer.begin(at(Stage::Validate, request.tier));
    let valid = oxicl_validate::validate(module, DeviceCaps::anywhere()).map_err(|violations| BuildFailure {
        stage: Stage::Validate,
        diagnostics: violations.iter().map(Violation::to_diagnostic).collect(),
    })?;
    let valid = Rc::new(valid);
    LAST.set(Some((request.spirv.clone(), Rc::clone(&valid))));
    Ok(valid)
}

fn at(stage: Stage, tier: Tier) -> Progress {
    Progress { stage, kernel: None, tier }
}

/// Huge modules are compiled at the cheap tier: by their size, never by the clock, so that results repeat.
fn tier_for(request: &CompileRequest, module: &SpirvModule) -> Tier {
    let instructions: usize = module.functions.iter().flat_map(|f| &f.blocks).map(|b| b.instructions.len()).sum();
    if instructions > LARGEST_FOR_FULL_TIER { Tier::Cheap } else { request.tier }
}

/// Runs LLVM's verifier, after the stages that write IR by hand. Release builds leave it out.
fn check(module: &Module<'_>, stage: Stage) -> Result<(), BuildFailure> {
    if cfg!(debug_assertions) {
        module.verify().map_err(|error| BuildFailure::new(stage, format!("invalid LLVM IR: {error}")))?;
    }
    Ok(())
}
