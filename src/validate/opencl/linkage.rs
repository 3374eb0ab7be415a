//! Linkage: names that other modules see.

use std::collections::{HashMap, HashSet};

use oxicl_spirv::grammar::{LinkageType, Op};
use oxicl_spirv::{Function, GlobalVariable, Id};

use crate::at::Subject;
use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::violation::{Check, Location, Report, fault};

/// Checks what functions and variables export.
pub(crate) fn check(subject: Subject<'_>, report: &mut Report) {
    let mut exported: HashMap<String, Id> = HashMap::new();
    let entries: HashSet<Id> = subject.module.entry_points.iter().map(|entry| entry.function).collect();
    let functions = subject.module.functions.iter().map(|function| (function.id, function.offset, Op::Function));
    let variables = subject.module.globals.iter().map(|variable| (variable.id, variable.offset, Op::Variable));
    for (id, offset, op) in functions.chain(variables) {
        let Some((name, linkage)) = subject.module.linkage(id) else { continue };
        let location = Location { op: Some(op), result: Some(id), offset };
        if name.is_empty() {
            report.check(location, fault(Rule::Linkage, format!("{id} has linkage under an empty name")));
        }
        if entries.contains(&id) {
            let detail = format!("the kernel {id} has linkage as `{name}`");
            subject.warnings.add(Quirk::KernelLinkage, location, detail);
        }
        if linkage == LinkageType::Import {
            continue;
        }
        if let Some(function) = subject.module.function(id) {
            report.check(location, exported_function(function, &name));
        }
        if let Some(variable) = subject.module.global(id) {
            report.check(location, exported_variable(variable, &name));
        }
        // Kernels and functions share names with nothing; what is exported twice cannot be told apart.
        if let Some(other) = exported.insert(name.clone(), id) {
            let detail = format!("{id} and {other} are both exported as `{name}`");
            report.check(location, fault(Rule::LinkageUnique, detail));
        }
    }
}

fn exported_function(function: &Function, name: &str) -> Check {
    if function.blocks.is_empty() {
        return fault(Rule::Linkage, format!("the exported function `{name}` has no body"));
    }
    Ok(())
}

fn exported_variable(variable: &GlobalVariable, name: &str) -> Check {
    use oxicl_spirv::grammar::StorageClass;
    match variable.storage {
        StorageClass::CrossWorkgroup | StorageClass::UniformConstant | StorageClass::Workgroup => Ok(()),
        other => fault(Rule::Linkage, format!("the variable `{name}` in {other:?} is exported")),
    }
}
