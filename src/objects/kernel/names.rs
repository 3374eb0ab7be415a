//! Names and types of arguments, as producers of SPIR-V leave them behind.
//!
//! The core of SPIR-V has no place for the types of the source. By a convention of the Khronos translator, two OpStrings
//! list them: `kernel_arg_type.<kernel>.<type>,<type>,` and `kernel_arg_type_qual.<kernel>.<qualifiers>,`. The compiler of
//! this library adds `kernel_attributes.<kernel>.<attribute> <attribute>`.

use std::num::NonZeroU32;

use oxicl_spirv::grammar::{Decoration, FunctionParameterAttribute};
use oxicl_spirv::{Id, Module};

/// The entries of the list with this name, if the producer left one with `count` of them.
pub(super) fn list<'m>(module: &'m Module, what: &str, kernel: &str, count: usize) -> Option<Vec<&'m str>> {
    let entries = text(module, what, kernel)?;
    let entries: Vec<&str> = entries.strip_suffix(',').unwrap_or(entries).split(',').collect();
    (entries.len() == count).then_some(entries)
}

/// The attributes that the source gave to a kernel.
pub(super) fn attributes<'m>(module: &'m Module, kernel: &str) -> Option<&'m str> {
    text(module, "kernel_attributes", kernel)
}

/// What the string about a kernel says.
fn text<'m>(module: &'m Module, what: &str, kernel: &str) -> Option<&'m str> {
    module.strings.iter().find_map(|(_, text)| {
        let text = text.strip_prefix(what)?.strip_prefix('.')?;
        text.strip_prefix(kernel)?.strip_prefix('.')
    })
}

/// The parameter of a kernel's function.
pub(super) fn parameter(module: &Module, function: Id, index: usize) -> Option<Id> {
    Some(module.function(function)?.parameters.get(index)?.id)
}

/// The most bytes that a pointer parameter may be given, if the module sets a limit.
pub(super) fn most_bytes(module: &Module, parameter: Id) -> Option<u64> {
    let operand = |wanted| module.decoration(parameter, wanted)?.operands.first().copied();
    let constant = || module.constant_bits(Id(NonZeroU32::new(operand(Decoration::MaxByteOffsetId)?)?));
    operand(Decoration::MaxByteOffset).map(u64::from).or_else(constant)
}

/// The source's qualifiers that decorations of a parameter tell of: const, restrict, volatile.
pub(super) fn decorated(module: &Module, parameter: Id) -> (bool, bool, bool) {
    let decorations = module.decorations_of(parameter);
    let has = |decoration: Decoration| decorations.iter().any(|found| found.decoration == decoration);
    let attribute = |wanted: FunctionParameterAttribute| {
        decorations.iter().any(|found| {
            found.decoration == Decoration::FuncParamAttr && found.operands.first() == Some(&(wanted as u32))
        })
    };
    (
        attribute(FunctionParameterAttribute::NoWrite),
        has(Decoration::Restrict) || attribute(FunctionParameterAttribute::NoAlias),
        has(Decoration::Volatile),
    )
}
