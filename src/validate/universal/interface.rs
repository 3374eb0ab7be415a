//! The interface of entry points: which module-scope variables it lists, and has to list.

use std::collections::HashSet;

use oxicl_spirv::grammar::{Op, StorageClass};
use oxicl_spirv::{Def, EntryPoint, GlobalVariable, Id, Operand};

use crate::at::Subject;
use crate::facts::addresses::Addresses;
use crate::facts::calls::Calls;
use crate::rule::Rule;
use crate::violation::{Check, Location, Report, fault};

/// Functions and variables that all kernels together may reach, each counted for each kernel: it keeps the search linear
/// in effect. Kernels beyond it are not searched.
const MAX_REACHED: usize = 10_000_000;

/// Checks the interfaces of all entry points.
pub(crate) fn check(subject: Subject<'_>, calls: &Calls, addresses: &Addresses, report: &mut Report) {
    let used = used_variables(subject, addresses);
    let mut search = Search { calls, used: &used, seen: vec![0; calls.callees.len()], stamp: 0, budget: MAX_REACHED };
    for entry in &subject.module.entry_points {
        let location = Location { op: Some(Op::EntryPoint), result: None, offset: entry.offset };
        report.check(location, listed(subject, entry));
        report.check(location, search.complete(subject, entry));
        if report.is_full() {
            return;
        }
    }
}

/// Whether an interface lists variables of this storage class: all from SPIR-V 1.4 on, before that only input and output.
fn belongs(subject: Subject<'_>, storage: StorageClass) -> bool {
    subject.module.version >= (1, 4) || matches!(storage, StorageClass::Input | StorageClass::Output)
}

/// What the interface lists are variables of the module, each once.
fn listed(subject: Subject<'_>, entry: &EntryPoint) -> Check {
    let mut listed = HashSet::new();
    for id in &entry.interface {
        let variable = match subject.module.def(*id) {
            Def::Global(_) => subject.module.global(*id),
            Def::None => return fault(Rule::IdDefined, format!("the interface variable {id} is not defined")),
            _ => None,
        };
        let Some(variable) = variable else {
            return fault(Rule::EntryPointInterface, format!("the interface names {id}, which is no variable"));
        };
        if !belongs(subject, variable.storage) {
            let detail =
                format!("the interface names {id} in {:?}, which interfaces list from 1.4 on", variable.storage);
            return fault(Rule::EntryPointInterface, detail);
        }
        if !listed.insert(id) && subject.module.version >= (1, 4) {
            return fault(Rule::EntryPointInterface, format!("the interface names {id} twice"));
        }
    }
    Ok(())
}

/// The variables that each function names and interfaces have to list, as numbers of module-scope variables.
fn used_variables(subject: Subject<'_>, addresses: &Addresses) -> Vec<Vec<u32>> {
    let module = subject.module;
    let number = |id: Id| match module.def(id) {
        Def::Global(number) => Some(number),
        Def::Constant(_) => match addresses.variable_of(id).map(|variable| module.def(variable)) {
            Some(Def::Global(number)) => Some(number),
            _ => None,
        },
        _ => None,
    };
    let variable = |number: u32| module.globals.get(number as usize);
    let mut used = Vec::with_capacity(module.functions.len());
    for function in &module.functions {
        let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
        let operands = instructions.flat_map(|instruction| instruction.operands(module));
        let mut of_function: Vec<u32> = operands
            .filter_map(|operand| match operand {
                Operand::Id(id) => number(*id),
                Operand::Word(_) => None,
            })
            .filter(|number| variable(*number).is_some_and(|variable| belongs(subject, variable.storage)))
            .collect();
        of_function.sort_unstable();
        of_function.dedup();
        used.push(of_function);
    }
    used
}

/// The walk of each entry point's functions.
struct Search<'s> {
    calls: &'s Calls,
    used: &'s [Vec<u32>],
    /// The entry point, counted from 1, that reached each function last.
    seen: Vec<u32>,
    stamp: u32,
    budget: usize,
}

impl Search<'_> {
    /// The interface lists every variable that the functions of the entry point name.
    fn complete(&mut self, subject: Subject<'_>, entry: &EntryPoint) -> Check {
        let Def::Function(root) = subject.module.def(entry.function) else { return Ok(()) };
        let listed: HashSet<Id> = entry.interface.iter().copied().collect();
        self.stamp += 1;
        let mut stack = vec![root];
        while let Some(function) = stack.pop() {
            match self.seen.get_mut(function as usize) {
                Some(seen) if *seen != self.stamp => *seen = self.stamp,
                _ => continue,
            }
            let used = self.used.get(function as usize).map_or(&[][..], Vec::as_slice);
            let Some(budget) = self.budget.checked_sub(used.len() + 1) else { return Ok(()) };
            self.budget = budget;
            let variables = used.iter().filter_map(|number| subject.module.globals.get(*number as usize));
            for GlobalVariable { id, .. } in variables {
                if !listed.contains(id) {
                    let detail = format!("`{}` uses {id}, which its interface does not list", entry.name);
                    return fault(Rule::EntryPointInterface, detail);
                }
            }
            stack.extend(self.calls.callees.get(function as usize).into_iter().flatten());
        }
        Ok(())
    }
}
