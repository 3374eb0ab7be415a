//! Entry points and kernels.

use std::collections::HashSet;

use oxicl_spirv::grammar::{Capability, ExecutionModel, Op};
use oxicl_spirv::{EntryPoint, Type};

use crate::at::Subject;
use crate::facts::calls::Calls;
use crate::facts::kernels::signature;
use crate::opencl::modes;
use crate::rule::Rule;
use crate::violation::{Check, Location, Report, fault};
use oxicl_abi::KernelSignature;

/// Functions that all kernels together may reach, each counted for each kernel: it keeps the search linear in effect.
const MAX_REACHED: usize = 10_000_000;

/// Checks the entry points and gives the signatures of the kernels.
pub(crate) fn check(subject: Subject<'_>, calls: &Calls, report: &mut Report) -> Vec<KernelSignature> {
    let mut kernels = Vec::new();
    let mut names = HashSet::new();
    let mut budget = MAX_REACHED;
    for entry in &subject.module.entry_points {
        let location = Location { op: Some(Op::EntryPoint), result: None, offset: entry.offset };
        report.check(location, entry_point(subject, entry));
        if !names.insert(entry.name.as_str()) {
            let detail = format!("there are two entry points `{}`", entry.name);
            report.check(location, fault(Rule::EntryPointName, detail));
        }
        match signature(subject, calls, entry, &mut budget) {
            Ok(kernel) => kernels.push(kernel),
            Err(fault) => report.add(location, fault),
        }
        if report.is_full() {
            break;
        }
    }
    if subject.module.entry_points.is_empty() && !subject.declared.has(Capability::Linkage) {
        let location = Location { op: None, result: None, offset: 0 };
        report.check(location, fault(Rule::EntryPoint, "there is neither an entry point nor the capability Linkage"));
    }
    modes::check(subject, &mut kernels, report);
    entry_points_are_not_called(subject, report);
    kernels
}

fn entry_point(subject: Subject<'_>, entry: &EntryPoint) -> Check {
    if entry.model != ExecutionModel::Kernel {
        return fault(Rule::EnvironmentModel, format!("`{}` has the execution model {:?}", entry.name, entry.model));
    }
    let Some(function) = subject.module.function(entry.function) else {
        return fault(Rule::EntryPoint, format!("`{}` names {}, which is no function", entry.name, entry.function));
    };
    if entry.name.is_empty() {
        return fault(Rule::EntryPoint, "an entry point has no name");
    }
    if function.blocks.is_empty() {
        return fault(Rule::EntryPoint, format!("the kernel `{}` has no body", entry.name));
    }
    if subject.declaration(function.result) != Some(&Type::Void) {
        return fault(Rule::KernelResult, format!("the kernel `{}` has a result", entry.name));
    }
    Ok(())
}

fn entry_points_are_not_called(subject: Subject<'_>, report: &mut Report) {
    let entries: HashSet<_> = subject.module.entry_points.iter().map(|entry| entry.function).collect();
    let instructions =
        subject.module.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.instructions);
    for call in instructions.filter(|instruction| instruction.op == Op::FunctionCall) {
        let callee = call.id(subject.module, 0);
        if let Some(callee) = callee.filter(|callee| entries.contains(callee)) {
            report.check(
                subject.location(call),
                fault(Rule::EntryPointCall, format!("the entry point {callee} is called")),
            );
        }
    }
}
