//! Module-scope variables.

use oxicl_spirv::grammar::{Decoration, LinkageType, Op, StorageClass};
use oxicl_spirv::{ConstantKind, Def, GlobalVariable};

use crate::at::Subject;
use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::violation::{Check, Location, Report, fault};

/// The largest variable, in bytes. Larger ones are mistakes, and cost the compiler more than they are worth.
pub(crate) const MAX_VARIABLE: u64 = 1 << 30;

/// Module-scope variables of a module.
const MAX_VARIABLES: usize = 65_535;

/// Checks all module-scope variables.
pub(crate) fn check(subject: Subject<'_>, report: &mut Report) {
    for (index, variable) in subject.module.globals.iter().enumerate() {
        let location = Location { op: Some(Op::Variable), result: Some(variable.id), offset: variable.offset };
        if index == MAX_VARIABLES {
            report
                .check(location, fault(Rule::UniversalLimit, format!("there are more than {MAX_VARIABLES} variables")));
        }
        report.check(location, declaration(subject, variable));
        report.check(location, initializer(subject, variable));
        if report.is_full() {
            return;
        }
    }
}

fn declaration(subject: Subject<'_>, variable: &GlobalVariable) -> Check {
    let Some((storage, pointee)) = subject.pointer(variable.ty) else {
        return fault(Rule::VariableType, "a variable's type is no pointer");
    };
    if storage != variable.storage {
        return fault(Rule::VariableType, format!("a variable in {:?} has a pointer to {storage:?}", variable.storage));
    }
    match storage {
        StorageClass::CrossWorkgroup | StorageClass::UniformConstant | StorageClass::Workgroup => {}
        StorageClass::Input if subject.module.has_decoration(variable.id, Decoration::BuiltIn) => {}
        StorageClass::Input => return fault(Rule::StorageClass, "an Input variable is no built-in"),
        other => return fault(Rule::StorageClass, format!("a module-scope variable is in {other:?}")),
    }
    match subject.layouts.size_of(pointee) {
        Some(size) if size <= MAX_VARIABLE => Ok(()),
        Some(size) => fault(Rule::DeviceLimit, format!("a variable has {size} bytes, more than {MAX_VARIABLE}")),
        None => {
            fault(Rule::VariableType, format!("a variable holds a {}, which has no size", subject.describe(pointee)))
        }
    }
}

fn initializer(subject: Subject<'_>, variable: &GlobalVariable) -> Check {
    let imported = matches!(subject.module.linkage(variable.id), Some((_, LinkageType::Import)));
    let built_in = subject.module.has_decoration(variable.id, Decoration::BuiltIn);
    let Some(initializer) = variable.initializer else {
        if imported && !built_in && !subject.is_object {
            let name = subject.module.linkage(variable.id).map(|(name, _)| name).unwrap_or_default();
            return fault(Rule::Linkage, format!("the variable `{name}` is imported, and no module gives it"));
        }
        return Ok(());
    };
    if imported {
        return fault(Rule::Linkage, "an imported variable has an initialiser");
    }
    let offset = match subject.module.def(initializer) {
        Def::Constant(_) => subject.module.constant(initializer).map(|constant| constant.offset),
        Def::Global(_) => subject.module.global(initializer).map(|global| global.offset),
        Def::None => return fault(Rule::IdDefined, format!("the initialiser {initializer} is not defined")),
        _ => None,
    };
    let Some(offset) = offset else {
        return fault(Rule::VariableInitializer, format!("the initialiser {initializer} is no constant or variable"));
    };
    if offset >= variable.offset {
        return fault(Rule::IdOrder, format!("the initialiser {initializer} is declared later"));
    }
    let pointee = subject.pointer(variable.ty).map(|(_, pointee)| pointee);
    if subject.module.type_of(initializer) != pointee {
        return fault(Rule::VariableInitializer, "the initialiser has another type than the variable");
    }
    let kind = subject.module.constant(initializer).map(|constant| &constant.kind);
    match (variable.storage, kind) {
        (StorageClass::Workgroup | StorageClass::Input, Some(ConstantKind::Undef)) => Ok(()),
        (StorageClass::Workgroup, Some(ConstantKind::Null)) => {
            let location = Location { op: Some(Op::Variable), result: Some(variable.id), offset: variable.offset };
            let detail = format!("the variable {} in Workgroup is initialised with null", variable.id);
            subject.warnings.add(Quirk::WorkgroupNull, location, detail);
            Ok(())
        }
        (StorageClass::Workgroup | StorageClass::Input, _) => {
            fault(Rule::VariableInitializer, format!("a variable in {:?} has an initialiser", variable.storage))
        }
        _ => Ok(()),
    }
}
