//! Built-in Variables.

use oxicl_spirv::grammar::{BuiltIn, Decoration, Op, StorageClass};
use oxicl_spirv::{Def, GlobalVariable};

use crate::at::{Scalar, Shape, Subject};
use crate::rule::Rule;
use crate::violation::{Check, Location, Report, fault};

/// The type that the environment lists for a built-in; `None` if it lists none.
fn required(built_in: BuiltIn) -> Option<Shape> {
    let scalar = |width| Some(Shape { scalar: Scalar::Int(width), count: 1 });
    match built_in {
        BuiltIn::GlobalSize
        | BuiltIn::GlobalInvocationId
        | BuiltIn::WorkgroupSize
        | BuiltIn::EnqueuedWorkgroupSize
        | BuiltIn::LocalInvocationId
        | BuiltIn::NumWorkgroups
        | BuiltIn::WorkgroupId
        | BuiltIn::GlobalOffset => Some(Shape { scalar: Scalar::Int(64), count: 3 }),
        BuiltIn::GlobalLinearId | BuiltIn::LocalInvocationIndex => scalar(64),
        BuiltIn::WorkDim
        | BuiltIn::SubgroupSize
        | BuiltIn::SubgroupMaxSize
        | BuiltIn::NumSubgroups
        | BuiltIn::NumEnqueuedSubgroups
        | BuiltIn::SubgroupId
        | BuiltIn::SubgroupLocalInvocationId => scalar(32),
        BuiltIn::SubgroupEqMask
        | BuiltIn::SubgroupGeMask
        | BuiltIn::SubgroupGtMask
        | BuiltIn::SubgroupLeMask
        | BuiltIn::SubgroupLtMask => Some(Shape { scalar: Scalar::Int(32), count: 4 }),
        _ => None,
    }
}

/// Checks all variables decorated as built-ins.
pub(crate) fn check(subject: Subject<'_>, report: &mut Report) {
    for variable in &subject.module.globals {
        let location = Location { op: Some(Op::Variable), result: Some(variable.id), offset: variable.offset };
        if let Some(built_in) = subject.module.built_in(variable.id) {
            report.check(location, built_in_variable(subject, variable, built_in));
        }
    }
    for constant in &subject.module.constants {
        let decorated = subject.module.has_decoration(constant.id, Decoration::BuiltIn);
        if decorated && matches!(subject.module.def(constant.id), Def::Constant(_)) {
            let location = Location { op: Some(Op::Decorate), result: Some(constant.id), offset: constant.offset };
            let detail = "a constant is decorated as a built-in, which only shaders have";
            report.check(location, fault(Rule::BuiltInVariable, detail));
        }
    }
}

fn built_in_variable(subject: Subject<'_>, variable: &GlobalVariable, built_in: BuiltIn) -> Check {
    if variable.storage != StorageClass::Input {
        return fault(Rule::BuiltInVariable, format!("{built_in:?} is in {:?}, not in Input", variable.storage));
    }
    let Some(wanted) = required(built_in) else {
        return fault(Rule::NotSupported, format!("the built-in {built_in:?} is not supported by this device"));
    };
    let found = subject.pointer(variable.ty).and_then(|(_, pointee)| subject.shape(pointee));
    if found == Some(wanted) {
        return Ok(());
    }
    fault(Rule::BuiltInVariable, format!("{built_in:?} is not {}", crate::at::shape_name(wanted)))
}
