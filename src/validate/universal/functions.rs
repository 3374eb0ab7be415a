//! Functions: their signature and their bodies.

use oxicl_spirv::grammar::{LinkageType, Op, StorageClass};
use oxicl_spirv::{Function, Intrinsic, Type};

use super::blocks;
use super::{control_flow, uses};
use crate::at::{At, Subject};
use crate::rule::Rule;
use crate::supported;
use crate::violation::{Check, Fault, Location, Report, fault};

/// Variables of a function.
const MAX_LOCAL_VARIABLES: usize = 524_287;

/// The most bytes that the variables of a function may have together.
const MAX_FUNCTION_VARIABLES: u64 = 1 << 30;

/// Checks all functions.
pub(crate) fn check(subject: Subject<'_>, report: &mut Report) {
    for (number, function) in subject.module.functions.iter().enumerate() {
        let location = Location { op: Some(Op::Function), result: Some(function.id), offset: function.offset };
        report.check(location, signature(subject, function));
        if function.blocks.is_empty() {
            report.check(location, imported(subject, function));
            continue;
        }
        if let Some((name, LinkageType::Import)) = subject.module.linkage(function.id) {
            report.check(location, fault(Rule::Linkage, format!("the imported function `{name}` has a body")));
        }
        if let Some(graph) = blocks::check(subject, number as u32, function, report) {
            uses::check(subject, number as u32, &graph, report);
        }
        body(subject, function, report);
        report.check(location, variables(subject, function));
        if report.is_full() {
            return;
        }
    }
}

fn signature(subject: Subject<'_>, function: &Function) -> Check {
    let Some(Type::Function { result, parameters }) = subject.declaration(function.ty) else {
        return fault(Rule::FunctionStructure, "the function type is none");
    };
    if *result != function.result {
        return fault(Rule::FunctionStructure, "the result type is not that of the function type");
    }
    if parameters.len() != function.parameters.len() {
        return fault(
            Rule::FunctionStructure,
            format!("the function has {} parameters, its type {}", function.parameters.len(), parameters.len()),
        );
    }
    for (parameter, ty) in function.parameters.iter().zip(parameters) {
        if parameter.ty != *ty {
            return fault(
                Rule::FunctionStructure,
                format!("the parameter {} has another type than in the function type", parameter.id),
            );
        }
        // A named barrier is in no memory, but callers hand it on.
        if subject.layouts.get(*ty).is_none() && subject.declaration(*ty) != Some(&Type::NamedBarrier) {
            return fault(Rule::FunctionStructure, format!("the parameter {} has no size", parameter.id));
        }
    }
    Ok(())
}

/// A function without a body is imported, and every import has been resolved by linking.
fn imported(subject: Subject<'_>, function: &Function) -> Check {
    match subject.module.linkage(function.id) {
        Some((_, LinkageType::Import)) if subject.is_object => Ok(()),
        // DPC++ leaves intrinsics of its compiler as imports.
        Some((_, LinkageType::Import)) if Intrinsic::of(subject.module, function.id).is_some() => Ok(()),
        Some((name, LinkageType::Import)) => {
            fault(Rule::Linkage, format!("the function `{name}` is imported, and no module gives it"))
        }
        _ => fault(Rule::Linkage, format!("the function {} has no body and is not imported", function.id)),
    }
}

/// Each instruction is supported, has its capabilities, and operands of the right types.
fn body(subject: Subject<'_>, function: &Function, report: &mut Report) {
    for block in &function.blocks {
        for instruction in &block.instructions {
            let location = subject.location(instruction);
            let Some((rule, operands)) = supported::instruction(instruction.op) else {
                let name = oxicl_spirv::op_name(instruction.op);
                report.check(location, fault(Rule::NotSupported, format!("{name} is not supported by this device")));
                continue;
            };
            let at = At { subject, instruction, rule };
            let check = match instruction.op {
                Op::Return => control_flow::return_void(&at, subject.declaration(function.result)),
                Op::ReturnValue => control_flow::return_value(&at, function.result),
                _ => operands(&at),
            };
            report.check(location, check);
            if report.is_full() {
                return;
            }
        }
    }
}

/// The variables of a function are not absurdly large together.
fn variables(subject: Subject<'_>, function: &Function) -> Check {
    let Some(entry) = function.blocks.first() else { return Ok(()) };
    let count = entry.instructions.iter().filter(|instruction| instruction.op == Op::Variable).count();
    if count > MAX_LOCAL_VARIABLES {
        return fault(
            Rule::UniversalLimit,
            format!("the function has {count} variables, more than {MAX_LOCAL_VARIABLES}"),
        );
    }
    let mut total = 0u64;
    for instruction in entry.instructions.iter().filter(|instruction| instruction.op == Op::Variable) {
        let pointee = instruction
            .result_type
            .and_then(|ty| subject.pointer(ty))
            .filter(|(storage, _)| *storage == StorageClass::Function);
        let size = pointee.and_then(|(_, pointee)| subject.layouts.size_of(pointee)).unwrap_or_default();
        total = total.saturating_add(size);
    }
    if total > MAX_FUNCTION_VARIABLES {
        return Err(Fault {
            rule: Rule::DeviceLimit,
            detail: format!("the variables of the function have {total} bytes, more than {MAX_FUNCTION_VARIABLES}"),
        });
    }
    Ok(())
}
