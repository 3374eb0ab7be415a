//! What a product of matrices in vectors of four becomes: machine code that moves no number from one place of a register to
//! another.

use std::collections::BTreeSet;

use oxicl_abi::{Argument, ArgumentKind, KernelSignature};
use oxicl_llvm::{CodegenLevel, Context, MachineOptions, Module, TargetMachine};
use oxicl_protocol::{CompileOptions, Tier};
use oxicl_target::Target;
use oxicl_workgroup::Kernel;

/// Each work-item has four numbers of a row; what one row of the first matrix has is the same for all.
const PRODUCT: &str = "
define void @k(ptr addrspace(1) %c, ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) {
start:
  %x = call i64 @oxicl.global_id(i32 0)
  br label %turn
turn:
  %i = phi i64 [ 0, %start ], [ %next, %turn ]
  %sum = phi <4 x float> [ zeroinitializer, %start ], [ %more, %turn ]
  %p = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %i
  %left = load <4 x float>, ptr addrspace(1) %p, align 4
  %row = mul nsw i64 %i, %n
  %at = add nsw i64 %row, %x
  %q = getelementptr <4 x float>, ptr addrspace(1) %b, i64 %at
  %upper = load <4 x float>, ptr addrspace(1) %q, align 4
  %r = getelementptr <4 x float>, ptr addrspace(1) %q, i64 %n
  %lower = load <4 x float>, ptr addrspace(1) %r, align 4
  %first = shufflevector <4 x float> %left, <4 x float> poison, <4 x i32> zeroinitializer
  %third = shufflevector <4 x float> %left, <4 x float> poison, <4 x i32> <i32 2, i32 2, i32 2, i32 2>
  %half = call <4 x float> @llvm.fma.v4f32(<4 x float> %first, <4 x float> %upper, <4 x float> %sum)
  %more = call <4 x float> @llvm.fma.v4f32(<4 x float> %third, <4 x float> %lower, <4 x float> %half)
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %turn, label %end
end:
  %to = getelementptr <4 x float>, ptr addrspace(1) %c, i64 %x
  store <4 x float> %more, ptr addrspace(1) %to, align 4
  ret void
}
declare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable
declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)
";

fn signature() -> KernelSignature {
    let argument = |index: u32| Argument {
        kind: if index < 3 { ArgumentKind::Global } else { ArgumentKind::Value },
        size: 8,
        align: 8,
        offset: index * 8,
    };
    KernelSignature::new(oxicl_spirv::Id(std::num::NonZeroU32::MIN), "k", (0..4).map(argument).collect())
}

/// The names of the machine's instructions in the loops of a kernel that multiply, where no lane is missing: masks have shuffles
/// of their own.
fn instructions(text: &str, name: &str) -> BTreeSet<String> {
    let context = Context::new();
    let mut module = Module::parse_text(&context, text).expect("a valid module");
    let target = Target::named(name).expect(name);
    let machine = TargetMachine::new(&MachineOptions {
        triple: target.triple.clone(),
        cpu: String::new(),
        features: target.features.clone(),
        level: CodegenLevel::Default,
    })
    .expect("a target");
    machine.prepare(&module);
    let options = CompileOptions { lanes: target.vectors.lanes(), ..CompileOptions::default() };
    oxicl_prepare::for_workgroup(&mut module, &machine, &options, Tier::Full).expect("passes");
    let signature = signature();
    let kernels = [Kernel { name: "k", function: "k", signature: &signature }];
    let facts = oxicl_workgroup::build(&mut module, &kernels, &options, &target).expect("a kernel that builds");
    assert_eq!(facts[0].lanes, options.lanes, "{facts:?}");
    oxicl_prepare::for_codegen(&mut module, &machine, &target, &options, Tier::Full).expect("passes");
    let text = machine.emit_assembly(&mut module).expect("code");
    let is_label = |line: &&str| !line.starts_with(['\t', '#']) && line.contains(':');
    let mut blocks = vec![Vec::new()];
    for line in text.lines() {
        if is_label(&line) {
            blocks.push(Vec::new());
        }
        let name = line.strip_prefix('\t').and_then(|line| line.split_whitespace().next());
        blocks.last_mut().expect("a block").extend(name.map(str::to_owned));
    }
    let has = |block: &[String], start: &str| block.iter().any(|name| name.starts_with(start));
    blocks.retain(|block| has(block, "vfmadd") && !has(block, "vmaskmov"));
    blocks.into_iter().flatten().collect()
}

#[test]
fn a_product_in_vectors_of_four_has_no_shuffles() {
    for level in ["x86-64-v4", "x86-64-v3"] {
        let names = instructions(PRODUCT, level);
        let is_shuffle = |name: &&String| {
            ["vperm", "vunpck", "vshuf", "vinsert", "vextract", "vblend", "vpblend", "valign", "vpshuf", "vpunpck"]
                .iter()
                .any(|shuffle| name.starts_with(shuffle))
        };
        let shuffles: Vec<_> = names.iter().filter(is_shuffle).collect();
        assert!(shuffles.is_empty(), "{level}: {shuffles:?}");
        assert!(names.iter().any(|name| name.starts_with("vfmadd")), "{level}: {names:?}");
    }
}
