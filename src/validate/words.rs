//! What keeps words from being a module, as broken rules.

use oxicl_spirv::{DecodeError, DecodeFault};

use crate::rule::Rule;

/// The rule that words break which do not decode.
pub(crate) fn rule(error: &DecodeError) -> Rule {
    match error.fault {
        DecodeFault::Physical => Rule::PhysicalLayout,
        DecodeFault::Grammar => Rule::Grammar,
        DecodeFault::SwitchLiteral => Rule::Switch,
        DecodeFault::Literal => Rule::NumberConstant,
        DecodeFault::String => Rule::LiteralString,
        DecodeFault::IdBound => Rule::IdBound,
        DecodeFault::IdTwice => Rule::IdUnique,
        DecodeFault::NoType | DecodeFault::InstructionSet => Rule::IdKind,
        DecodeFault::LateType => Rule::IdOrder,
        DecodeFault::ForwardPointer => Rule::ForwardPointer,
        DecodeFault::Layout => Rule::LogicalLayout,
        DecodeFault::MemoryModelTwice => Rule::MemoryModelDeclared,
        DecodeFault::DecorationGroup => Rule::DecorationGroup,
        DecodeFault::ConstantOperation => Rule::ConstantOperation,
        DecodeFault::Capacity => Rule::DeviceLimit,
    }
}
