//! The grammar: rspirv's tables, indexed, and the names of instructions.

use std::sync::OnceLock;

use rspirv::grammar::{
    ExtendedInstruction, INSTRUCTION_TABLE, Instruction as Grammar, OPENCL_STD_100_INSTRUCTION_TABLE, OperandKind,
};
use spirv::{Capability, Op};

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
            table[index] = Some(Entry { grammar, typed, result, declares_type });
        }
        table
    })
}

/// The entry of an opcode number.
pub(crate) fn entry(opcode: u32) -> Option<Entry> {
    table().get(opcode as usize).copied().flatten()
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

/// The capabilities of which an instruction needs one; empty if it needs none.
pub fn capabilities_of(op: Op) -> &'static [Capability] {
    entry(op as u32).map_or(&[], |entry| entry.grammar.capabilities)
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
