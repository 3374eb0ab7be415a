//! What is said of a kernel, and what is written for it.

use oxicl_abi::{Argument, ArgumentKind, KernelSignature};
use oxicl_llvm::{Context, Module};
use oxicl_protocol::CompileOptions;
use oxicl_target::Target;
use oxicl_workgroup::Kernel;

const LAYOUT: &str = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// A kernel with a global pointer and a number.
fn signature() -> KernelSignature {
    let argument = |index: u32, kind| Argument { kind, size: 8, align: 8, offset: index * 8 };
    let arguments = vec![argument(0, ArgumentKind::Global), argument(1, ArgumentKind::Value)];
    KernelSignature::new(oxicl_spirv::Id(std::num::NonZeroU32::MIN), "k", arguments)
}

/// The remarks and the code of a kernel for a level of x86-64: a body with a pointer, its own place there, and a number. `more` stands in
/// front of it.
pub fn written_for(level: &str, more: &str, body: &str) -> (String, String) {
    written_at(level, more, body, false)
}

/// The same as the baseline tier has it, if it `is_plain`.
pub fn written_at(level: &str, more: &str, body: &str, is_plain: bool) -> (String, String) {
    let text = format!(
        "{more}\ndeclare i64 @oxicl.global_id(i32) memory(none) nounwind willreturn speculatable\n\
         declare i64 @oxicl.global_size(i32) memory(none) nounwind willreturn speculatable\n\
         declare float @llvm.fmuladd.f32(float, float, float)\n\
         define void @k(ptr addrspace(1) %out, i32 %n) {{\n\
         entry:\n  %gid = call i64 @oxicl.global_id(i32 0)\n  %id = trunc i64 %gid to i32\n\
         %place = getelementptr inbounds i32, ptr addrspace(1) %out, i64 %gid\n{body}\n}}\n"
    );
    let context = Context::new();
    let mut module = Module::parse_text(&context, &text).expect("valid");
    module.set_data_layout(LAYOUT);
    let signature = signature();
    let kernels = [Kernel { name: "k", function: "k", signature: &signature }];
    let target = Target::named(level).expect("a level");
    let options = CompileOptions { verbose: true, ..CompileOptions::default() };
    let built = oxicl_workgroup::build_and_tell(&mut module, &kernels, &options, &target, is_plain, None);
    let built = built.expect("a kernel that builds");
    module.verify().expect("valid code");
    let functions = module.functions();
    let code = functions.iter().filter(|f| f.name().starts_with("oxicl.group")).map(|f| format!("{f}\n")).collect();
    (built[0].code.remarks.join("\n"), code)
}
