//! The call graph, and the local memory along it.

use oxicl_spirv::grammar::{Op, StorageClass};
use oxicl_spirv::{Def, Module, Operand};

use super::addresses::Addresses;
use crate::at::Subject;

/// Calls and uses of Workgroup variables, by function number.
#[derive(Debug)]
pub(crate) struct Calls {
    /// Functions that each function calls, without duplicates.
    pub(crate) callees: Vec<Vec<u32>>,
    /// Workgroup variables that each function names, as numbers of module-scope variables, without duplicates.
    locals: Vec<Vec<u32>>,
    /// Any function names any Workgroup variable.
    has_locals: bool,
}

impl Calls {
    pub(crate) fn of(module: &Module, addresses: &Addresses) -> Calls {
        let mut calls = Calls { callees: Vec::new(), locals: Vec::new(), has_locals: false };
        for function in &module.functions {
            let (mut callees, mut locals) = (Vec::new(), Vec::new());
            for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                for operand in instruction.operands(module) {
                    let Operand::Id(id) = *operand else { continue };
                    match module.def(id) {
                        Def::Function(callee) if instruction.op == Op::FunctionCall => callees.push(callee),
                        Def::Global(number) => locals.push(number),
                        Def::Constant(_) => {
                            if let Some(Def::Global(number)) = addresses.variable_of(id).map(|v| module.def(v)) {
                                locals.push(number);
                            }
                        }
                        _ => {}
                    }
                }
            }
            callees.sort_unstable();
            callees.dedup();
            locals.retain(|number| {
                module.globals.get(*number as usize).is_some_and(|global| global.storage == StorageClass::Workgroup)
            });
            locals.sort_unstable();
            locals.dedup();
            calls.has_locals |= !locals.is_empty();
            calls.callees.push(callees);
            calls.locals.push(locals);
        }
        calls
    }

    /// Functions that `entry` reaches, itself included.
    pub(crate) fn reached(&self, entry: u32) -> Vec<u32> {
        let mut seen = vec![false; self.callees.len()];
        let mut stack = vec![entry];
        let mut found = Vec::new();
        while let Some(function) = stack.pop() {
            match seen.get_mut(function as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            found.push(function);
            stack.extend(self.callees.get(function as usize).into_iter().flatten());
        }
        found
    }

    /// Bytes of the Workgroup variables that `entry` reaches, laid out in module order. `budget` falls by the functions
    /// looked at; `None` when it is used up.
    pub(crate) fn local_bytes(&self, subject: Subject<'_>, entry: u32, budget: &mut usize) -> Option<u64> {
        if !self.has_locals {
            return Some(0);
        }
        let reached = self.reached(entry);
        *budget = budget.checked_sub(reached.len())?;
        let mut used: Vec<u32> =
            reached.iter().filter_map(|function| self.locals.get(*function as usize)).flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let mut size = 0u64;
        for number in used {
            let Some(variable) = subject.module.globals.get(number as usize) else { continue };
            let pointee = subject.pointer(variable.ty).map(|(_, pointee)| pointee);
            let Some(layout) = pointee.and_then(|pointee| subject.layouts.get(pointee)) else { continue };
            let align = layout.align.max(u64::from(subject.module.alignment(variable.id).unwrap_or(1)));
            size = size.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX).saturating_add(layout.size);
        }
        Some(size)
    }
}
