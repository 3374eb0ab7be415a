//! Functions: their parameters and blocks.
#![allow(unsafe_code, reason = "calls LLVM's C API")]

use llvm_sys::core as sys;

use crate::block::Block;
use crate::context::Context;
use crate::error::c_string;
use crate::module::declare_intrinsic;
use crate::types::Type;
use crate::value::{Value, ValueKind};

/// Calling conventions that we use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallConv {
    /// C.
    C,
    /// LLVM's fast convention for internal functions.
    Fast,
    /// For calls that hardly happen.
    Cold,
}

impl CallConv {
    fn number(self) -> u32 {
        match self {
            CallConv::C => 0,
            CallConv::Fast => 8,
            CallConv::Cold => 9,
        }
    }
}

impl<'a> Value<'a> {
    /// Is it a function?
    pub fn is_function(self) -> bool {
        self.kind() == ValueKind::Function
    }

    /// Parameters of a function.
    pub fn parameters(self) -> Vec<Value<'a>> {
        if !self.is_function() {
            return Vec::new();
        }
        // SAFETY: a function; the buffer holds as many as LLVM says that it writes.
        unsafe {
            let mut raw = vec![std::ptr::null_mut(); sys::LLVMCountParams(self.raw) as usize];
            sys::LLVMGetParams(self.raw, raw.as_mut_ptr());
            raw.into_iter().map(Value::from_raw).collect()
        }
    }

    /// One parameter of a function.
    pub fn parameter(self, index: u32) -> Option<Value<'a>> {
        // SAFETY: a function with that many parameters.
        (self.is_function() && index < unsafe { sys::LLVMCountParams(self.raw) })
            .then(|| Value::from_raw(unsafe { sys::LLVMGetParam(self.raw, index) }))
    }

    /// Blocks of a function in order; the first is the entry.
    pub fn blocks(self) -> Vec<Block<'a>> {
        if !self.is_function() {
            return Vec::new();
        }
        // SAFETY: a function; the buffer holds as many as LLVM says that it writes.
        unsafe {
            let mut raw = vec![std::ptr::null_mut(); sys::LLVMCountBasicBlocks(self.raw) as usize];
            sys::LLVMGetBasicBlocks(self.raw, raw.as_mut_ptr());
            raw.into_iter().map(Block::from_raw).collect()
        }
    }

    /// Appends an empty block to a function.
    ///
    /// # Panics
    /// If this is no function.
    pub fn append_block(self, context: &'a Context, name: &str) -> Block<'a> {
        assert!(self.is_function(), "only functions have blocks");
        let name = c_string(name);
        // SAFETY: a function; the name is NUL-terminated.
        Block::from_raw(unsafe { sys::LLVMAppendBasicBlockInContext(context.raw, self.raw, name.as_ptr()) })
    }

    /// Sets the calling convention of a function or call.
    pub fn set_call_conv(self, convention: CallConv) {
        // SAFETY: the value is of the kind that each function takes.
        unsafe {
            if self.is_function() {
                sys::LLVMSetFunctionCallConv(self.raw, convention.number());
            } else if self.is_call() {
                sys::LLVMSetInstructionCallConv(self.raw, convention.number());
            }
        }
    }

    /// Declares an intrinsic in the module of this function, as `Module::intrinsic` does.
    pub fn intrinsic_beside(self, name: &str, overloads: &[Type<'a>]) -> Option<Value<'a>> {
        // SAFETY: a function is in a module, which is alive as long as it is.
        unsafe { declare_intrinsic(sys::LLVMGetGlobalParent(self.raw), name, overloads) }
    }

    /// The function of a name in the module of this function.
    pub fn function_beside(self, name: &str) -> Option<Value<'a>> {
        let name = c_string(name);
        // SAFETY: a function is in a module, which is alive as long as it is; the name is NUL-terminated.
        self.is_function().then(|| unsafe {
            Value::from_nullable(sys::LLVMGetNamedFunction(sys::LLVMGetGlobalParent(self.raw), name.as_ptr()))
        })?
    }

    /// Number of the intrinsic that a function is; 0 for other functions.
    pub fn intrinsic_id(self) -> u32 {
        // SAFETY: asked of functions only.
        if self.is_function() { unsafe { sys::LLVMGetIntrinsicID(self.raw) } } else { 0 }
    }
}
