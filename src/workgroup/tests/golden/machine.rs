//! The machines that every case is built for, whichever one runs the tests, and what is built.

use oxicl_abi::{Argument, ArgumentKind, KernelFacts, KernelSignature};
use oxicl_llvm::{CodegenLevel, Context, Linkage, MachineOptions, Module, TargetMachine, Value};
use oxicl_protocol::{CompileOptions, Tier};
use oxicl_target::{Target, Vectors};
use oxicl_workgroup::Kernel;

use crate::case::{Case, With};

const X86_64_LAYOUT: &str = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";
const AARCH64_LAYOUT: &str =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32";

/// A machine, by the name that expectations have for it.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub name: &'static str,
    target: &'static str,
    /// Whether work-items may be lanes: the cheap tier has none.
    has_lanes: bool,
    /// Whether cases are built for it that do not say which machines they are for.
    pub is_usual: bool,
}

/// `SCALAR` is what the cheap tier builds for: work-items one by one, on any machine.
pub const MACHINES: [Machine; 6] = [
    Machine { name: "SCALAR", target: "x86-64-v2", has_lanes: false, is_usual: true },
    Machine { name: "V2", target: "x86-64-v2", has_lanes: true, is_usual: true },
    Machine { name: "V3", target: "x86-64-v3", has_lanes: true, is_usual: true },
    Machine { name: "V4", target: "x86-64-v4", has_lanes: true, is_usual: true },
    Machine { name: "VBMI", target: "x86-64-v4,+avx512vbmi", has_lanes: true, is_usual: false },
    Machine { name: "NEON", target: "aarch64", has_lanes: true, is_usual: true },
];

/// What a case becomes on a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// A line of what the runtime needs for each kernel, and the plans.
    pub plan: String,
    /// The work-group functions as they are written, before any pass.
    pub ir: String,
    /// The machine code, where it was asked for.
    pub assembly: String,
}

impl Machine {
    /// Whether LLVM makes machine code for it. Archives that are linked into the executable have that for x86-64 alone; shared,
    /// LLVM has all that the cases are for, and what it lacks is a failure.
    pub fn has_code(&self) -> bool {
        let is_static = option_env!("OXICL_LINK_LLVM") == Some("static");
        !is_static || self.target().is_ok_and(|target| target_machine(&target).is_ok())
    }

    /// Builds a case, with machine code if `assembles`.
    ///
    /// # Errors
    /// Why it does not build.
    pub fn build(&self, case: &Case, assembles: bool) -> Result<Output, String> {
        let context = Context::new();
        let mut module = Module::parse_text(&context, &case.ir).map_err(|error| error.to_string())?;
        let target = self.target()?;
        module.set_data_layout(if target.triple.starts_with("aarch64") { AARCH64_LAYOUT } else { X86_64_LAYOUT });
        module.set_triple(&target.triple);
        let is_kernel = |f: &Value<'_>| !f.is_declaration() && f.linkage() == Linkage::External;
        let signatures: Vec<_> =
            module.functions().into_iter().filter(is_kernel).map(|f| signature(f, &case.with)).collect();
        let kernels: Vec<_> =
            signatures.iter().map(|s| Kernel { name: &s.name, function: &s.name, signature: s }).collect();
        let switches = case.with.switches.clone();
        let options = CompileOptions { verbose: true, lanes: case.with.lanes, switches, ..CompileOptions::default() };
        let mut plans = String::new();
        let built = oxicl_workgroup::build_and_tell(&mut module, &kernels, &options, &target, false, Some(&mut plans));
        let built = built.map_err(|failure| failure.to_string())?;
        let functions = module.functions();
        let written = functions.iter().filter(|f| f.name().starts_with("oxicl.group"));
        let ir = written.map(|function| format!("{function}\n")).collect();
        let assembly = if assembles { assembly(&mut module, &target, &options)? } else { String::new() };
        let plan = built.iter().map(|built| facts(&built.code)).collect::<String>() + &plans;
        Ok(Output { plan, ir, assembly })
    }

    fn target(&self) -> Result<Target, String> {
        let target = Target::named(self.target)?;
        Ok(if self.has_lanes { target } else { Target { vectors: Vectors::NONE, ..target } })
    }
}

fn target_machine(target: &Target) -> Result<TargetMachine, String> {
    let options = MachineOptions {
        triple: target.triple.clone(),
        cpu: String::new(),
        features: target.features.clone(),
        level: CodegenLevel::Default,
    };
    TargetMachine::new(&options).map_err(|error| error.to_string())
}

fn assembly(module: &mut Module<'_>, target: &Target, options: &CompileOptions) -> Result<String, String> {
    let machine = target_machine(target)?;
    oxicl_prepare::for_codegen(module, &machine, target, options, Tier::Full).map_err(|failure| failure.to_string())?;
    oxicl_prepare::suit_machine(module, target, true);
    machine.emit_assembly(module).map_err(|error| error.to_string())
}

/// What the runtime needs of a kernel.
fn facts(facts: &KernelFacts) -> String {
    format!(
        "{}: {} bytes of local memory, {} of state, {} of state for each gang; short for gangs are up to {} work-items\n",
        facts.name,
        facts.local_bytes,
        facts.state_bytes_per_group,
        facts.state_bytes_per_gang,
        facts.style.most_coalesced
    )
}

/// Every argument is as large as an argument may be that is no structure: what they are is of no interest here.
fn signature(function: Value<'_>, with: &With) -> KernelSignature {
    const BYTES: u32 = 16;
    let argument = |(index, parameter): (usize, Value<'_>)| Argument {
        kind: match (parameter.ty().is_pointer(), parameter.ty().address_space()) {
            (true, 3) => ArgumentKind::Local { align: 4 },
            (true, _) => ArgumentKind::Global,
            (false, _) => ArgumentKind::Value,
        },
        size: if parameter.ty().is_vector() { BYTES } else { 8 },
        align: 8,
        offset: index as u32 * BYTES,
    };
    let arguments: Vec<_> = function.parameters().into_iter().enumerate().map(argument).collect();
    KernelSignature {
        argument_bytes: arguments.len() as u32 * BYTES,
        required_work_group_size: with.group,
        required_sub_group_size: with.sub_group,
        ..KernelSignature::new(oxicl_spirv::Id(std::num::NonZeroU32::MIN), function.name(), arguments)
    }
}
