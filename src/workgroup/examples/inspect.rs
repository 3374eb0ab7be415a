//! Shows what becomes of scalar kernels: `cargo run -p oxicl-workgroup --example inspect -- kernels.ll [plain|ir|asm]`.
//! Kernels are the functions with external linkage.

use std::time::Instant;

use oxicl_abi::{Argument, ArgumentKind, KernelSignature};
use oxicl_llvm::{CodegenLevel, Context, Linkage, MachineOptions, Module, TargetMachine, Value};
use oxicl_protocol::{CompileOptions, Tier};
use oxicl_target::Target;
use oxicl_workgroup::Kernel;

fn signature(function: Value<'_>) -> KernelSignature {
    let mut offset = 0u32;
    let mut arguments = Vec::new();
    for parameter in function.parameters() {
        let ty = parameter.ty();
        let (kind, size) = match (ty.is_pointer(), ty.address_space()) {
            (true, 3) => (ArgumentKind::Local { align: 16 }, 8),
            (true, _) => (ArgumentKind::Global, 8),
            (false, _) => (ArgumentKind::Value, 16),
        };
        offset = offset.next_multiple_of(size);
        arguments.push(Argument { kind, size, align: size, offset });
        offset += size;
    }
    KernelSignature {
        function: oxicl_spirv::Id(std::num::NonZeroU32::MIN),
        name: function.name(),
        arguments,
        argument_bytes: offset,
        required_work_group_size: None,
        launch: oxicl_abi::LaunchPromise::default(),
        work_group_size_hint: None,
        vec_type_hint: None,
        required_sub_group_size: None,
        required_sub_groups: None,
        local_bytes: 0,
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("a file, please")?;
    let what = arguments.next().unwrap_or_default();
    let lanes = arguments.next().map_or(Ok(0), |lanes| lanes.parse())?;
    let context = Context::new();
    let mut module = Module::parse_text(&context, &std::fs::read_to_string(path)?)?;
    let target = Target::host();
    let machine = TargetMachine::new(&MachineOptions {
        triple: target.triple.clone(),
        cpu: String::new(),
        features: target.features.clone(),
        level: CodegenLevel::Default,
    })?;
    machine.prepare(&module);
    let kernels: Vec<_> = module
        .functions()
        .into_iter()
        .filter(|f| !f.is_declaration() && f.linkage() == Linkage::External)
        .map(signature)
        .collect();
    let kernels: Vec<_> = kernels.iter().map(|s| Kernel { name: &s.name, function: &s.name, signature: s }).collect();
    let options = CompileOptions { lanes, ..CompileOptions::default() };
    let start = Instant::now();
    oxicl_prepare::for_workgroup(&mut module, &machine, &options, Tier::Full)?;
    if what == "scalar" {
        println!("{}", module.to_text());
        return Ok(());
    }
    let before = start.elapsed();
    let facts = oxicl_workgroup::build(&mut module, &kernels, &options, &target)?;
    let built = start.elapsed();
    if what == "plain" {
        println!("{}", module.to_text());
        return Ok(());
    }
    oxicl_prepare::for_codegen(&mut module, &machine, &options, Tier::Full)?;
    let after = start.elapsed();
    let text = if what == "ir" { module.to_text() } else { machine.emit_assembly(&mut module)? };
    println!("{text}");
    for kernel in facts {
        eprintln!("{kernel:#?}");
    }
    eprintln!(
        "before {before:?}, workgroup {:?}, after {:?}, code {:?}",
        built - before,
        after - built,
        start.elapsed() - after
    );
    Ok(())
}
