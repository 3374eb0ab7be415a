//! The grammar: rspirv's tables, indexed, and the names of instructions.

use std::sync::OnceLock;

use rspirv::dr::Operand;
use rspirv::grammar::{
    ExtendedInstruction, INSTRUCTION_TABLE, Instruction as Grammar, LogicalOperand, OPENCL_STD_100_INSTRUCTION_TABLE,
    OperandKind, OperandQuantifier,
};
use spirv::{
    AccessQualifier, AddressingModel, BuiltIn, Capability, Decoration, Dim, ExecutionMode, ExecutionModel,
    FPFastMathMode, FPRoundingMode, FunctionControl, FunctionParameterAttribute, GroupOperation, ImageFormat,
    LinkageType, LoopControl, MemoryModel, Op, PackedVectorFormat, SamplerAddressingMode, SamplerFilterMode,
    SelectionControl, StorageClass,
};

use crate::requirements::is_enumerant;

/// What the grammar says of an opcode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) grammar: &'static Grammar<'static>,
    /// It has a result type.
    pub(crate) typed: bool,
    /// It has a result id.
    pub(crate) result: bool,
    /// It declares a type.
    pub(crate) declares_type: bool,
    /// An operand is an enumerant or a mask.
    pub(crate) enumerants: bool,
}

/// Entries by opcode number.
fn table() -> &'static [Option<Entry>] {
    static TABLE: OnceLock<Vec<Option<Entry>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Vec::new();
        for grammar in INSTRUCTION_TABLE.iter() {
            let index = grammar.opcode as usize;
            if table.len() <= index {
                table.resize(index + 1, None);
            }
            let has = |kind| grammar.operands.iter().any(|operand| operand.kind == kind);
            let typed = has(OperandKind::IdResultType);
            let result = has(OperandKind::IdResult);
            let declares_type = result && !typed && grammar.opname.starts_with("Type");
            let enumerants = grammar.operands.iter().any(|operand| is_enumerant(operand.kind));
            table[index] = Some(Entry { grammar, typed, result, declares_type, enumerants });
        }
        table
    })
}

/// The entry of an opcode number.
pub(crate) fn entry(opcode: u32) -> Option<Entry> {
    table().get(opcode as usize).copied().flatten()
}

/// An OpType instruction with a result.
pub fn is_type_declaration(op: Op) -> bool {
    entry(op as u32).is_some_and(|entry| entry.declares_type)
}

/// The name of an opcode, such as `OpIAdd`.
pub fn op_name(op: Op) -> String {
    name_of_number(op as u32)
}

/// The name of an opcode number, known or not.
pub(crate) fn name_of_number(opcode: u32) -> String {
    match entry(opcode) {
        Some(entry) => format!("Op{}", entry.grammar.opname),
        None => format!("opcode {opcode}"),
    }
}

/// The parameters of an enumerant or mask of `kind`; `None` if `word` is none. Kinds that only instructions beyond
/// kernels have are not looked into.
pub(crate) fn enumerant_parameters(kind: OperandKind, word: u32) -> Option<Vec<LogicalOperand>> {
    // Most enumerants have no parameters, and none of these does.
    let plain = |known: bool| known.then(Vec::new);
    match kind {
        // The machine-readable grammar lacks its depth and whether the loops are independent.
        OperandKind::Decoration if word == Decoration::FuseLoopsInFunctionALTERA as u32 => {
            let literal =
                || LogicalOperand { kind: OperandKind::LiteralInteger, quantifier: OperandQuantifier::ZeroOrOne };
            Some(vec![literal(), literal()])
        }
        OperandKind::Decoration => Some(Operand::Decoration(Decoration::from_u32(word)?).additional_operands()),
        OperandKind::ExecutionMode => {
            Some(Operand::ExecutionMode(ExecutionMode::from_u32(word)?).additional_operands())
        }
        OperandKind::LoopControl => Some(Operand::LoopControl(LoopControl::from_bits(word)?).additional_operands()),
        OperandKind::SelectionControl => plain(SelectionControl::from_bits(word).is_some()),
        OperandKind::FunctionControl => plain(FunctionControl::from_bits(word).is_some()),
        OperandKind::FPFastMathMode => plain(FPFastMathMode::from_bits(word).is_some()),
        OperandKind::StorageClass => plain(StorageClass::from_u32(word).is_some()),
        OperandKind::ExecutionModel => plain(ExecutionModel::from_u32(word).is_some()),
        OperandKind::AddressingModel => plain(AddressingModel::from_u32(word).is_some()),
        OperandKind::MemoryModel => plain(MemoryModel::from_u32(word).is_some()),
        OperandKind::Capability => plain(Capability::from_u32(word).is_some()),
        OperandKind::BuiltIn => plain(BuiltIn::from_u32(word).is_some()),
        OperandKind::LinkageType => plain(LinkageType::from_u32(word).is_some()),
        OperandKind::FPRoundingMode => plain(FPRoundingMode::from_u32(word).is_some()),
        OperandKind::FunctionParameterAttribute => plain(FunctionParameterAttribute::from_u32(word).is_some()),
        OperandKind::GroupOperation => plain(GroupOperation::from_u32(word).is_some()),
        OperandKind::AccessQualifier => plain(AccessQualifier::from_u32(word).is_some()),
        OperandKind::Dim => plain(Dim::from_u32(word).is_some()),
        OperandKind::ImageFormat => plain(ImageFormat::from_u32(word).is_some()),
        OperandKind::SamplerAddressingMode => plain(SamplerAddressingMode::from_u32(word).is_some()),
        OperandKind::SamplerFilterMode => plain(SamplerFilterMode::from_u32(word).is_some()),
        OperandKind::PackedVectorFormat => plain(PackedVectorFormat::from_u32(word).is_some()),
        _ => Some(Vec::new()),
    }
}

/// Entries of OpenCL.std by instruction number.
fn opencl_std() -> &'static [Option<&'static ExtendedInstruction<'static>>] {
    static TABLE: OnceLock<Vec<Option<&'static ExtendedInstruction<'static>>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = Vec::new();
        for grammar in OPENCL_STD_100_INSTRUCTION_TABLE.iter() {
            let index = u32::from(grammar.opcode) as usize;
            if table.len() <= index {
                table.resize(index + 1, None);
            }
            table[index] = Some(grammar);
        }
        table
    })
}

/// The grammar of an OpenCL.std instruction.
pub(crate) fn opencl_std_entry(number: u32) -> Option<&'static ExtendedInstruction<'static>> {
    opencl_std().get(number as usize).copied().flatten()
}

/// The name of an OpenCL.std instruction, such as `fmin_common`.
pub fn opencl_std_name(number: u32) -> Option<&'static str> {
    opencl_std_entry(number).map(|entry| entry.opname)
}
