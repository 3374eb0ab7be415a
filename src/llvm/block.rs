//! Basic blocks.
#![allow(unsafe_code, reason = "calls LLVM's C API")]

use std::marker::PhantomData;

use llvm_sys::core as sys;
use llvm_sys::prelude::LLVMBasicBlockRef;

use crate::context::Context;
use crate::value::Value;

/// A basic block of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block<'a> {
    pub(crate) raw: LLVMBasicBlockRef,
    owner: PhantomData<&'a Context>,
}

impl<'a> Block<'a> {
    pub(crate) fn from_raw(raw: LLVMBasicBlockRef) -> Self {
        debug_assert!(!raw.is_null());
        Block { raw, owner: PhantomData }
    }

    pub(crate) fn from_nullable(raw: LLVMBasicBlockRef) -> Option<Self> {
        (!raw.is_null()).then_some(Block { raw, owner: PhantomData })
    }

    /// The function that it belongs to.
    pub fn function(self) -> Option<Value<'a>> {
        // SAFETY: the block is alive.
        Value::from_nullable(unsafe { sys::LLVMGetBasicBlockParent(self.raw) })
    }

    /// Its last instruction, if that ends a block.
    pub fn terminator(self) -> Option<Value<'a>> {
        // SAFETY: the block is alive.
        Value::from_nullable(unsafe { sys::LLVMGetBasicBlockTerminator(self.raw) })
    }

    /// Its instructions in order.
    pub fn instructions(self) -> impl Iterator<Item = Value<'a>> {
        // SAFETY: the block is alive, and so are its instructions while handles exist.
        let first = Value::from_nullable(unsafe { sys::LLVMGetFirstInstruction(self.raw) });
        std::iter::successors(first, |i| {
            // SAFETY: an instruction of a block.
            Value::from_nullable(unsafe { sys::LLVMGetNextInstruction(i.raw) })
        })
    }

    /// The last of its instructions.
    pub fn last_instruction(self) -> Option<Value<'a>> {
        // SAFETY: the block is alive.
        Value::from_nullable(unsafe { sys::LLVMGetLastInstruction(self.raw) })
    }

    /// Blocks that its terminator may go to, in the terminator's order.
    pub fn successors(self) -> Vec<Block<'a>> {
        self.terminator().map(Value::successors).unwrap_or_default()
    }

    /// Its name.
    pub fn name(self) -> String {
        // SAFETY: a block is a value.
        Value::from_raw(unsafe { sys::LLVMBasicBlockAsValue(self.raw) }).name()
    }
}
