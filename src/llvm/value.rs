//! Values: what every constant, global, parameter and instruction has in common.
#![allow(unsafe_code, reason = "calls LLVM's C API")]

use std::fmt;
use std::marker::PhantomData;

use llvm_sys::LLVMValueKind;
use llvm_sys::core as sys;
use llvm_sys::prelude::LLVMValueRef;

use crate::block::Block;
use crate::context::Context;
use crate::error::{bytes_at, take_message};
use crate::types::Type;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// A parameter of a function.
    Parameter,
    /// A basic block as an operand.
    Block,
    /// A function.
    Function,
    /// A global variable.
    GlobalVariable,
    /// A constant that is no global: number, aggregate, expression, undef.
    Constant,
    /// An instruction.
    Instruction,
    /// Metadata as an operand.
    Metadata,
    /// Inline assembly, aliases and the like.
    Other,
}

/// A value that lives as long as `'a`: the context's if it is a constant, a borrow of the module otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'a> {
    pub(crate) raw: LLVMValueRef,
    owner: PhantomData<&'a Context>,
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the value is alive; the message is ours.
        f.write_str(unsafe { take_message(sys::LLVMPrintValueToString(self.raw)) }.trim())
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl<'a> Value<'a> {
    pub(crate) fn from_raw(raw: LLVMValueRef) -> Self {
        debug_assert!(!raw.is_null());
        Value { raw, owner: PhantomData }
    }

    pub(crate) fn from_nullable(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then_some(Value { raw, owner: PhantomData })
    }

    /// What it is.
    pub fn kind(self) -> ValueKind {
        use LLVMValueKind as K;
        // SAFETY: the value is alive.
        match unsafe { sys::LLVMGetValueKind(self.raw) } {
            K::LLVMArgumentValueKind => ValueKind::Parameter,
            K::LLVMBasicBlockValueKind => ValueKind::Block,
            K::LLVMFunctionValueKind => ValueKind::Function,
            K::LLVMGlobalVariableValueKind => ValueKind::GlobalVariable,
            K::LLVMConstantExprValueKind
            | K::LLVMConstantArrayValueKind
            | K::LLVMConstantStructValueKind
            | K::LLVMConstantVectorValueKind
            | K::LLVMUndefValueValueKind
            | K::LLVMPoisonValueKind
            | K::LLVMConstantAggregateZeroValueKind
            | K::LLVMConstantDataArrayValueKind
            | K::LLVMConstantDataVectorValueKind
            | K::LLVMConstantIntValueKind
            | K::LLVMConstantFPValueKind
            | K::LLVMConstantPointerNullValueKind
            | K::LLVMConstantTargetNoneValueKind => ValueKind::Constant,
            K::LLVMInstructionValueKind => ValueKind::Instruction,
            K::LLVMMetadataAsValueValueKind => ValueKind::Metadata,
            _ => ValueKind::Other,
        }
    }

    /// Its type; a pointer for functions and global variables.
    pub fn ty(self) -> Type<'a> {
        // SAFETY: the value is alive.
        Type::from_raw(unsafe { sys::LLVMTypeOf(self.raw) })
    }

    /// Its name; empty if it has none.
    pub fn name(self) -> String {
        let mut length = 0;
        // SAFETY: the value is alive; the name is copied at once.
        unsafe {
            let text = sys::LLVMGetValueName2(self.raw, &mut length);
            String::from_utf8_lossy(bytes_at(text, length)).into_owned()
        }
    }

    /// Gives it a name; LLVM appends a number if the name is taken.
    pub fn set_name(self, name: &str) {
        // SAFETY: the value is alive, the name has the length given.
        unsafe { sys::LLVMSetValueName2(self.raw, name.as_ptr().cast(), name.len()) }
    }

    /// Is it an instruction?
    pub fn is_instruction(self) -> bool {
        self.kind() == ValueKind::Instruction
    }

    /// Is it a constant, globals included?
    pub fn is_constant(self) -> bool {
        matches!(self.kind(), ValueKind::Constant | ValueKind::Function | ValueKind::GlobalVariable)
    }

    /// Number of operands of an instruction or constant.
    pub fn operand_count(self) -> u32 {
        match self.kind() {
            ValueKind::Instruction | ValueKind::Constant => {
                // SAFETY: both are users of values.
                u32::try_from(unsafe { sys::LLVMGetNumOperands(self.raw) }).unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// An operand. Blocks are operands of branches, the callee is the last operand of a call.
    pub fn operand(self, index: u32) -> Option<Value<'a>> {
        if index >= self.operand_count() {
            return None;
        }
        // SAFETY: there are that many operands.
        Value::from_nullable(unsafe { sys::LLVMGetOperand(self.raw, index) })
    }

    /// All operands.
    pub fn operands(self) -> Vec<Value<'a>> {
        (0..self.operand_count()).filter_map(|i| self.operand(i)).collect()
    }

    /// Puts `value` in place of an operand of an instruction.
    pub fn set_operand(self, index: u32, value: Value<'a>) {
        if self.is_instruction() && index < self.operand_count() {
            // SAFETY: an instruction with that many operands.
            unsafe { sys::LLVMSetOperand(self.raw, index, value.raw) }
        }
    }

    /// The instructions and constants that use this value, one entry per use.
    pub fn users(self) -> Vec<Value<'a>> {
        let mut users = Vec::new();
        // SAFETY: the value is alive, and nothing changes the list of uses meanwhile.
        unsafe {
            let mut next = sys::LLVMGetFirstUse(self.raw);
            while !next.is_null() {
                users.push(Value::from_raw(sys::LLVMGetUser(next)));
                next = sys::LLVMGetNextUse(next);
            }
        }
        users
    }

    /// Is it used at all?
    pub fn has_uses(self) -> bool {
        // SAFETY: the value is alive.
        unsafe { !sys::LLVMGetFirstUse(self.raw).is_null() }
    }

    /// Makes every user of this value use `other`.
    pub fn replace_uses_with(self, other: Value<'a>) {
        if self != other {
            // SAFETY: both are alive; that types agree is the caller's duty.
            unsafe { sys::LLVMReplaceAllUsesWith(self.raw, other.raw) }
        }
    }

    /// The block, if the value is one.
    pub fn as_block(self) -> Option<Block<'a>> {
        (self.kind() == ValueKind::Block)
            // SAFETY: the value is a block.
            .then(|| Block::from_raw(unsafe { sys::LLVMValueAsBasicBlock(self.raw) }))
    }
}
