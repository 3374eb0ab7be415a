//! Functions, their blocks and the instructions in them.

use spirv::Op;

use super::{Decoder, error, id_at, index, word_at};
use crate::error::{DecodeError, DecodeFault};
use crate::instruction::{Instruction, Operand};
use crate::module::{Block, BlockRef, Def, Function, Parameter};
use crate::parse::Parsed;
use crate::syntax;

impl Decoder {
    pub(super) fn function(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        if self.in_function {
            return Err(error(at, "stands inside another function").of(DecodeFault::Layout));
        }
        let id = Self::result(at)?;
        let result = self.result_type(at)?;
        let control = word_at(at, operands, 0)?;
        let ty = self.declared_type(at, id_at(at, operands, 1)?)?;
        self.define(at, id, Def::Function(index(self.module.functions.len())))?;
        self.module.functions.push(Function {
            id,
            control,
            result,
            ty,
            parameters: Vec::new(),
            blocks: Vec::new(),
            offset: at.offset,
        });
        self.in_function = true;
        Ok(())
    }

    /// An instruction after OpFunction, OpFunctionEnd included.
    pub(super) fn function_part(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        match at.op {
            Op::FunctionEnd => {
                self.in_function = false;
                Ok(())
            }
            Op::FunctionParameter => self.parameter(at),
            Op::Label => self.label(at),
            op if belongs_at_module_level(op) => Err(error(at, "stands inside a function").of(DecodeFault::Layout)),
            _ => self.body_instruction(at, operands),
        }
    }

    fn parameter(&mut self, at: &Parsed) -> Result<(), DecodeError> {
        let id = Self::result(at)?;
        let ty = self.result_type(at)?;
        let number = index(self.module.functions.len().saturating_sub(1));
        let Some(function) = self.module.functions.last_mut() else {
            return Err(error(at, "stands outside a function").of(DecodeFault::Layout));
        };
        if !function.blocks.is_empty() {
            return Err(error(at, "stands after the first block of its function").of(DecodeFault::Layout));
        }
        let def = Def::Parameter { function: number, index: index(function.parameters.len()) };
        function.parameters.push(Parameter { id, ty, offset: at.offset });
        self.define(at, id, def)
    }

    fn label(&mut self, at: &Parsed) -> Result<(), DecodeError> {
        let label = Self::result(at)?;
        let number = index(self.module.functions.len().saturating_sub(1));
        let Some(function) = self.module.functions.last_mut() else {
            return Err(error(at, "stands outside a function").of(DecodeFault::Layout));
        };
        let block = index(function.blocks.len());
        function.blocks.push(Block { label, instructions: Vec::new(), offset: at.offset });
        self.define(at, label, Def::Block(BlockRef { function: number, block }))
    }

    fn body_instruction(&mut self, at: &Parsed, operands: &[Operand]) -> Result<(), DecodeError> {
        let result_type = at.result_type.map(|id| self.declared_type(at, id)).transpose()?;
        let operands = self.keep(operands);
        let number = index(self.module.functions.len().saturating_sub(1));
        let function = self.module.functions.last_mut();
        let block_count = function.as_ref().map_or(0, |function| function.blocks.len());
        let Some(block) = function.and_then(|function| function.blocks.last_mut()) else {
            return Err(error(at, "stands before the first block of its function").of(DecodeFault::Layout));
        };
        let position = index(block.instructions.len());
        block.instructions.push(Instruction { op: at.op, result_type, result: at.result, operands, offset: at.offset });
        match at.result {
            Some(result) => {
                let block = BlockRef { function: number, block: index(block_count.saturating_sub(1)) };
                self.define(at, result, Def::Instruction { block, index: position })
            }
            None => Ok(()),
        }
    }
}

/// Instructions that no function can hold; the body would give them no meaning.
fn belongs_at_module_level(op: Op) -> bool {
    let constant = super::constants::is_constant(op) && op != Op::Undef;
    let declares_type = syntax::entry(op as u32).is_some_and(|entry| entry.declares_type);
    constant
        || declares_type
        || matches!(
            op,
            Op::Capability
                | Op::Extension
                | Op::ExtInstImport
                | Op::MemoryModel
                | Op::EntryPoint
                | Op::ExecutionMode
                | Op::ExecutionModeId
                | Op::String
                | Op::Name
                | Op::Decorate
                | Op::DecorateId
                | Op::DecorateString
                | Op::MemberDecorate
                | Op::MemberDecorateString
                | Op::DecorationGroup
                | Op::GroupDecorate
                | Op::GroupMemberDecorate
                | Op::TypeForwardPointer
        )
}
