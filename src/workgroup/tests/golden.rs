//! What is written for `cases/*.ll` is what `cases/*.expected` says. `OXICL_BLESS=1` writes these anew: look at what
//! changes before you keep it.

use std::fs;
use std::path::{Path, PathBuf};

use oxicl_llvm::{Context, Linkage, Module, Value};
use oxicl_protocol::CompileOptions;
use oxicl_target::{Target, Vectors};
use oxicl_validate::{Argument, ArgumentKind, KernelSignature};
use oxicl_workgroup::Kernel;

/// x86-64's data layout; the cases need no target.
const LAYOUT: &str = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// Every argument is 8 bytes here.
fn signature(function: Value<'_>) -> KernelSignature {
    let argument = |(index, parameter): (usize, Value<'_>)| Argument {
        kind: match (parameter.ty().is_pointer(), parameter.ty().address_space()) {
            (true, 3) => ArgumentKind::Local { align: 4 },
            (true, _) => ArgumentKind::Global,
            (false, _) => ArgumentKind::Value,
        },
        size: 8,
        align: 8,
        offset: index as u32 * 8,
    };
    let arguments: Vec<_> = function.parameters().into_iter().enumerate().map(argument).collect();
    KernelSignature {
        function: oxicl_spirv::Id(std::num::NonZeroU32::MIN),
        name: function.name(),
        argument_bytes: arguments.len() as u32 * 8,
        arguments,
        required_work_group_size: None,
        work_group_size_hint: None,
        vec_type_hint: None,
        required_sub_group_size: None,
        required_sub_groups: None,
        launch: oxicl_validate::LaunchPromise::default(),
        local_bytes: 0,
    }
}

/// Facts, and the functions that were written.
fn written(text: &str) -> String {
    let context = Context::new();
    let mut module = Module::parse_text(&context, text).expect("a case is valid");
    module.set_data_layout(LAYOUT);
    let signatures: Vec<_> = module
        .functions()
        .into_iter()
        .filter(|f| !f.is_declaration() && f.linkage() == Linkage::External)
        .map(signature)
        .collect();
    let kernels: Vec<_> =
        signatures.iter().map(|s| Kernel { name: &s.name, function: &s.name, signature: s }).collect();
    let mut target = Target::named("x86-64-v2").expect("a level");
    (target.vectors, target.limits.sub_group_size) = (Vectors::NONE, 1);
    let facts =
        oxicl_workgroup::build(&mut module, &kernels, &CompileOptions::default(), &target).expect("a case builds");
    let mut result = String::new();
    for fact in &facts {
        result += &format!(
            "; {}: {} bytes of local memory, {} of state, {} of state for each work-item\n",
            fact.name, fact.local_bytes, fact.state_bytes_per_group, fact.state_bytes_per_gang
        );
        for remark in &fact.remarks {
            result += &format!("; {remark}\n");
        }
    }
    for function in module.functions().iter().filter(|f| f.name().starts_with("oxicl.group")) {
        result += &format!("\n{function}\n");
    }
    result
}

/// The paths and texts of all cases.
fn cases() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let paths = fs::read_dir(&folder).expect("the folder is there").map(|entry| entry.expect("readable").path());
    let cases: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "ll"))
        .map(|path| (path.clone(), fs::read_to_string(path).expect("readable")))
        .collect();
    assert!(cases.len() >= 5, "the cases are there");
    cases
}

#[test]
fn work_group_functions_are_written_as_before() {
    for (path, text) in cases() {
        let result = written(&text);
        let expected = path.with_extension("expected");
        if std::env::var_os("OXICL_BLESS").is_some() {
            fs::write(&expected, &result).expect("writable");
        }
        let old = fs::read_to_string(&expected).unwrap_or_default();
        assert!(old == result, "{} is written otherwise now:\n{result}", path.display());
    }
}

#[test]
fn what_is_written_is_the_same_each_time() {
    for (path, text) in cases() {
        let first = written(&text);
        assert!((0..8).all(|_| written(&text) == first), "{} is written in several ways", path.display());
    }
}
