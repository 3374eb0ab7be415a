//! Execution modes: which instruction sets them, on what, with which operands.

use std::collections::{HashMap, HashSet};

use oxicl_spirv::grammar::{ExecutionMode as Mode, Op};
use oxicl_spirv::{ExecutionMode, Operand};

use crate::at::{Scalar, Subject};
use crate::facts::kernels::{check_promises, take_mode};
use crate::rule::Rule;
use crate::violation::{Check, Location, Report, fault};
use oxicl_abi::KernelSignature;

/// Checks the execution modes, and notes in the kernels what they say.
pub(crate) fn check(subject: Subject<'_>, kernels: &mut [KernelSignature], report: &mut Report) {
    let entries: HashSet<_> = subject.module.entry_points.iter().map(|entry| entry.function).collect();
    let mut seen = HashSet::new();
    for mode in &subject.module.execution_modes {
        let op = subject.module.words.get(mode.offset as usize).and_then(|word| Op::from_u32(word & 0xffff));
        let location = Location { op, result: None, offset: mode.offset };
        if !entries.contains(&mode.entry) {
            let detail = format!("{} is no entry point", mode.entry);
            report.check(location, fault(Rule::KernelModeTarget, detail));
        }
        report.check(location, operands(subject, mode, op));
        // Modes of floating-point widths stand once for each width.
        let width = if is_of_width(mode.mode) { mode.operands.first().copied() } else { None };
        let width = width.and_then(|operand| if let Operand::Word(word) = operand { Some(word) } else { None });
        if !seen.insert((mode.entry, mode.mode, width)) {
            let detail = format!("{} has the execution mode {:?} twice", mode.entry, mode.mode);
            report.check(location, fault(Rule::KernelModeRepeated, detail));
        }
        for kernel in kernels.iter_mut().filter(|kernel| kernel.function == mode.entry) {
            report.check(location, take_mode(subject, mode, kernel));
        }
    }
    let offsets: HashMap<_, _> =
        subject.module.entry_points.iter().map(|entry| (entry.function, entry.offset)).collect();
    for kernel in kernels.iter() {
        let offset = offsets.get(&kernel.function).copied().unwrap_or_default();
        let location = Location { op: Some(Op::EntryPoint), result: None, offset };
        report.check(location, check_promises(kernel));
    }
}

/// Modes whose first operand is a width of floating-point numbers.
fn is_of_width(mode: Mode) -> bool {
    matches!(
        mode,
        Mode::DenormPreserve
            | Mode::DenormFlushToZero
            | Mode::SignedZeroInfNanPreserve
            | Mode::RoundingModeRTE
            | Mode::RoundingModeRTZ
            | Mode::RoundingModeRTPINTEL
            | Mode::RoundingModeRTNINTEL
            | Mode::FloatingPointModeALTINTEL
            | Mode::FloatingPointModeIEEEINTEL
    )
}

/// Modes whose operands are ids, which OpExecutionModeId sets.
fn has_ids(mode: Mode) -> bool {
    matches!(
        mode,
        Mode::LocalSizeId
            | Mode::LocalSizeHintId
            | Mode::SubgroupsPerWorkgroupId
            | Mode::FPFastMathDefault
            | Mode::MaximumRegistersIdINTEL
    )
}

fn operands(subject: Subject<'_>, mode: &ExecutionMode, op: Option<Op>) -> Check {
    let name = mode.mode;
    match (op, has_ids(name)) {
        (Some(Op::ExecutionMode), true) => {
            return fault(Rule::KernelMode, format!("{name:?} is set by OpExecutionModeId"));
        }
        (Some(Op::ExecutionModeId), false) => {
            return fault(Rule::KernelMode, format!("{name:?} is set by OpExecutionMode"));
        }
        _ => {}
    }
    match (name, mode.operands.as_slice()) {
        (Mode::VecTypeHint, [Operand::Word(hint)]) => vector_type(*hint),
        (Mode::SubgroupsPerWorkgroup | Mode::SubgroupSize, [Operand::Word(0)]) => {
            fault(Rule::KernelMode, format!("{name:?} is 0"))
        }
        (Mode::LocalSizeId | Mode::LocalSizeHintId | Mode::SubgroupsPerWorkgroupId, ids) => {
            ids.iter().try_for_each(|operand| size(subject, name, operand))
        }
        (_, [Operand::Word(width), ..]) if is_of_width(name) && !matches!(width, 16 | 32 | 64) => {
            fault(Rule::KernelMode, format!("{name:?} is for floats of {width} bits, which there are not"))
        }
        _ => Ok(()),
    }
}

/// An id is a constant 32-bit integer.
fn size(subject: Subject<'_>, name: Mode, operand: &Operand) -> Check {
    let Operand::Id(id) = operand else { return Ok(()) };
    let ty = subject.module.type_of(*id).and_then(|ty| subject.scalar(ty));
    match (ty, subject.module.constant_bits(*id)) {
        (Some(Scalar::Int(32)), Some(_)) => Ok(()),
        _ => fault(Rule::KernelMode, format!("{name:?} names {id}, which is no constant 32-bit integer")),
    }
}

/// The operand of VecTypeHint: the number of components in its high half, the kind of number in its low half.
fn vector_type(hint: u32) -> Check {
    match (hint >> 16, hint & 0xffff) {
        (0 | 1 | 2 | 3 | 4 | 8 | 16, 0..=6) => Ok(()),
        _ => fault(Rule::KernelMode, format!("VecTypeHint is {hint:#x}, which names no type")),
    }
}
