//! Building instructions. Operations on constants fold, so a result need not be an instruction.
#![allow(unsafe_code, reason = "calls LLVM's C API")]

use std::marker::PhantomData;

use llvm_sys::core as sys;
use llvm_sys::prelude::LLVMBuilderRef;

use crate::block::Block;
use crate::context::Context;
use crate::instruction::GepFlags;
use crate::kinds::{IntPredicate, Opcode, Ordering, RealPredicate, RmwOp};
use crate::types::Type;
use crate::value::Value;

/// The name of an unnamed result.
const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

/// Inserts instructions at a place in a block.
pub struct Builder<'a> {
    raw: LLVMBuilderRef,
    context: &'a Context,
    owner: PhantomData<Block<'a>>,
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: disposed of once.
        unsafe { sys::LLVMDisposeBuilder(self.raw) }
    }
}

/// Methods that build from two values.
macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $opcode:ident;)+) => {
        $($(#[$doc])*
        pub fn $name(&self, left: Value<'a>, right: Value<'a>) -> Value<'a> {
            self.binary(Opcode::$opcode, left, right)
        })+
    };
}

/// Methods that build from a value and a type.
macro_rules! cast {
    ($($(#[$doc:meta])* $name:ident = $opcode:ident;)+) => {
        $($(#[$doc])*
        pub fn $name(&self, value: Value<'a>, ty: Type<'a>) -> Value<'a> {
            self.cast(Opcode::$opcode, value, ty)
        })+
    };
}

impl<'a> Builder<'a> {
    /// A builder that is nowhere yet.
    pub fn new(context: &'a Context) -> Self {
        // SAFETY: the context is alive and outlives the builder.
        Builder { raw: unsafe { sys::LLVMCreateBuilderInContext(context.raw) }, context, owner: PhantomData }
    }

    /// The context.
    pub fn context(&self) -> &'a Context {
        self.context
    }

    /// Goes to the end of a block.
    pub fn position_at_end(&self, block: Block<'a>) {
        // SAFETY: the block is alive.
        unsafe { sys::LLVMPositionBuilderAtEnd(self.raw, block.raw) }
    }

    /// Goes before an instruction.
    pub fn position_before(&self, instruction: Value<'a>) {
        if instruction.is_instruction() {
            // SAFETY: an instruction in a block.
            unsafe { sys::LLVMPositionBuilderBefore(self.raw, instruction.raw) }
        }
    }

    /// The block that the builder is in.
    pub fn block(&self) -> Option<Block<'a>> {
        // SAFETY: the builder is alive.
        Block::from_nullable(unsafe { sys::LLVMGetInsertBlock(self.raw) })
    }

    /// Inserts a copy made by [`Value::clone_instruction`].
    pub fn insert(&self, instruction: Value<'a>) {
        if instruction.is_instruction() && instruction.block().is_none() {
            // SAFETY: an instruction that is in no block.
            unsafe { sys::LLVMInsertIntoBuilder(self.raw, instruction.raw) }
        }
    }

    /// A binary operation. `opcode` must be one.
    pub fn binary(&self, opcode: Opcode, left: Value<'a>, right: Value<'a>) -> Value<'a> {
        let raw = opcode.to_raw().expect("a binary operation");
        // SAFETY: the builder is in a block; that types fit is the caller's duty.
        Value::from_raw(unsafe { sys::LLVMBuildBinOp(self.raw, raw, left.raw, right.raw, NO_NAME) })
    }

    /// A conversion. `opcode` must be one.
    pub fn cast(&self, opcode: Opcode, value: Value<'a>, ty: Type<'a>) -> Value<'a> {
        let raw = opcode.to_raw().expect("a conversion");
        // SAFETY: the builder is in a block; that types fit is the caller's duty.
        Value::from_raw(unsafe { sys::LLVMBuildCast(self.raw, raw, value.raw, ty.raw, NO_NAME) })
    }

    binary! {
        /// Integer sum.
        add = Add;
        /// Integer difference.
        sub = Sub;
        /// Integer product.
        mul = Mul;
        /// Unsigned quotient.
        udiv = UDiv;
        /// Signed quotient.
        sdiv = SDiv;
        /// Unsigned remainder.
        urem = URem;
        /// Signed remainder.
        srem = SRem;
        /// Shift to the left.
        shl = Shl;
        /// Shift to the right, filling with zeros.
        lshr = LShr;
        /// Shift to the right, filling with the sign.
        ashr = AShr;
        /// Bitwise and.
        and = And;
        /// Bitwise or.
        or = Or;
        /// Bitwise exclusive or.
        xor = Xor;
        /// Floating-point sum.
        fadd = FAdd;
        /// Floating-point difference.
        fsub = FSub;
        /// Floating-point product.
        fmul = FMul;
        /// Floating-point quotient.
        fdiv = FDiv;
        /// Floating-point remainder.
        frem = FRem;
    }

    cast! {
        /// To fewer bits.
        trunc = Trunc;
        /// To more bits, filling with zeros.
        zext = ZExt;
        /// To more bits, filling with the sign.
        sext = SExt;
        /// Floating point to unsigned.
        fp_to_ui = FPToUI;
        /// Floating point to signed.
        fp_to_si = FPToSI;
        /// Unsigned to floating point.
        ui_to_fp = UIToFP;
        /// Signed to floating point.
        si_to_fp = SIToFP;
        /// To a narrower floating-point type.
        fp_trunc = FPTrunc;
        /// To a wider floating-point type.
        fp_ext = FPExt;
        /// Address of a pointer.
        ptr_to_int = PtrToInt;
        /// Pointer from an address.
        int_to_ptr = IntToPtr;
        /// The same bits as another type.
        bit_cast = BitCast;
        /// The pointer in another address space.
        addrspace_cast = AddrSpaceCast;
    }

    /// Zero minus an integer.
    pub fn neg(&self, value: Value<'a>) -> Value<'a> {
        self.sub(value.ty().zero(), value)
    }

    /// All bits flipped.
    pub fn not(&self, value: Value<'a>) -> Value<'a> {
        self.xor(value, value.ty().all_ones())
    }

    /// Sign of a floating-point number flipped.
    pub fn fneg(&self, value: Value<'a>) -> Value<'a> {
        // SAFETY: the builder is in a block; that the type fits is the caller's duty.
        Value::from_raw(unsafe { sys::LLVMBuildFNeg(self.raw, value.raw, NO_NAME) })
    }

    /// Integer or pointer comparison.
    pub fn icmp(&self, predicate: IntPredicate, left: Value<'a>, right: Value<'a>) -> Value<'a> {
        // SAFETY: the builder is in a block; that types fit is the caller's duty.
        Value::from_raw(unsafe { sys::LLVMBuildICmp(self.raw, predicate.to_raw(), left.raw, right.raw, NO_NAME) })
    }

    /// Floating-point comparison.
    pub fn fcmp(&self, predicate: RealPredicate, left: Value<'a>, right: Value<'a>) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildFCmp(self.raw, predicate.to_raw(), left.raw, right.raw, NO_NAME) })
    }

    /// `then` or `otherwise`.
    pub fn select(&self, condition: Value<'a>, then: Value<'a>, otherwise: Value<'a>) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildSelect(self.raw, condition.raw, then.raw, otherwise.raw, NO_NAME) })
    }

    /// The value, with poison and undef made some one value.
    pub fn freeze(&self, value: Value<'a>) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildFreeze(self.raw, value.raw, NO_NAME) })
    }

    /// Room for a value in the function's frame.
    pub fn alloca(&self, ty: Type<'a>, align: u32) -> Value<'a> {
        // SAFETY: as above.
        let value = Value::from_raw(unsafe { sys::LLVMBuildAlloca(self.raw, ty.raw, NO_NAME) });
        value.set_alignment(align);
        value
    }

    /// Reads memory; `align` in bytes, 0 for the type's own.
    pub fn load(&self, ty: Type<'a>, pointer: Value<'a>, align: u32) -> Value<'a> {
        // SAFETY: as above.
        let value = Value::from_raw(unsafe { sys::LLVMBuildLoad2(self.raw, ty.raw, pointer.raw, NO_NAME) });
        value.set_alignment(align);
        value
    }

    /// Writes memory; `align` in bytes, 0 for the type's own.
    pub fn store(&self, value: Value<'a>, pointer: Value<'a>, align: u32) -> Value<'a> {
        // SAFETY: as above.
        let store = Value::from_raw(unsafe { sys::LLVMBuildStore(self.raw, value.raw, pointer.raw) });
        store.set_alignment(align);
        store
    }

    /// An address computation.
    pub fn gep(&self, source: Type<'a>, pointer: Value<'a>, indices: &[Value<'a>], flags: GepFlags) -> Value<'a> {
        let mut raw: Vec<_> = indices.iter().map(|v| v.raw).collect();
        // SAFETY: as above.
        Value::from_raw(unsafe {
            sys::LLVMBuildGEPWithNoWrapFlags(
                self.raw,
                source.raw,
                pointer.raw,
                raw.as_mut_ptr(),
                raw.len() as u32,
                NO_NAME,
                flags.0,
            )
        })
    }

    /// An address some bytes further.
    pub fn byte_offset(&self, pointer: Value<'a>, bytes: Value<'a>) -> Value<'a> {
        self.gep(self.context.int_type(8), pointer, &[bytes], GepFlags::NONE)
    }

    /// A phi without entries.
    pub fn phi(&self, ty: Type<'a>) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildPhi(self.raw, ty.raw, NO_NAME) })
    }

    /// A call of a function with its own type and calling convention C.
    pub fn call(&self, function: Value<'a>, arguments: &[Value<'a>]) -> Value<'a> {
        let ty = function.value_type().expect("a function");
        let mut raw: Vec<_> = arguments.iter().map(|v| v.raw).collect();
        // SAFETY: as above; the type is the function's.
        let call = Value::from_raw(unsafe {
            sys::LLVMBuildCall2(self.raw, ty.raw, function.raw, raw.as_mut_ptr(), raw.len() as u32, NO_NAME)
        });
        // SAFETY: both are what the functions take.
        unsafe { sys::LLVMSetInstructionCallConv(call.raw, sys::LLVMGetFunctionCallConv(function.raw)) };
        call
    }

    /// A call of the function of type `ty` at an address, with calling convention C.
    pub fn call_pointer(&self, ty: Type<'a>, function: Value<'a>, arguments: &[Value<'a>]) -> Value<'a> {
        let mut raw: Vec<_> = arguments.iter().map(|v| v.raw).collect();
        // SAFETY: as above; type and arguments fit by the caller's duty.
        Value::from_raw(unsafe {
            sys::LLVMBuildCall2(self.raw, ty.raw, function.raw, raw.as_mut_ptr(), raw.len() as u32, NO_NAME)
        })
    }

    /// An element of a vector.
    pub fn extract_element(&self, vector: Value<'a>, index: Value<'a>) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildExtractElement(self.raw, vector.raw, index.raw, NO_NAME) })
    }

    /// A vector with one element replaced.
    pub fn insert_element(&self, vector: Value<'a>, element: Value<'a>, index: Value<'a>) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildInsertElement(self.raw, vector.raw, element.raw, index.raw, NO_NAME) })
    }

    /// Elements of two vectors in the order of `mask`; `None` where the result does not matter.
    pub fn shuffle(&self, left: Value<'a>, right: Value<'a>, mask: &[Option<u32>]) -> Value<'a> {
        let i32_type = self.context.int_type(32);
        let elements: Vec<_> =
            mask.iter().map(|m| m.map_or_else(|| i32_type.poison(), |i| i32_type.const_int(u64::from(i)))).collect();
        let mask = self.context.const_vector(&elements);
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildShuffleVector(self.raw, left.raw, right.raw, mask.raw, NO_NAME) })
    }

    /// A member of an aggregate.
    pub fn extract_value(&self, aggregate: Value<'a>, index: u32) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildExtractValue(self.raw, aggregate.raw, index, NO_NAME) })
    }

    /// An aggregate with one member replaced.
    pub fn insert_value(&self, aggregate: Value<'a>, member: Value<'a>, index: u32) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildInsertValue(self.raw, aggregate.raw, member.raw, index, NO_NAME) })
    }

    /// A fence.
    pub fn fence(&self, ordering: Ordering, sync_scope: u32) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildFenceSyncScope(self.raw, ordering.to_raw(), sync_scope, NO_NAME) })
    }

    /// Reads, changes and writes memory at once; gives the old value.
    pub fn atomic_rmw(
        &self,
        op: RmwOp,
        pointer: Value<'a>,
        value: Value<'a>,
        ordering: Ordering,
        sync_scope: u32,
    ) -> Value<'a> {
        let raw = op.to_raw().expect("an operation that we name");
        // SAFETY: as above.
        Value::from_raw(unsafe {
            sys::LLVMBuildAtomicRMWSyncScope(self.raw, raw, pointer.raw, value.raw, ordering.to_raw(), sync_scope)
        })
    }

    /// Compares and exchanges; gives the old value and whether it was exchanged.
    pub fn atomic_cmpxchg(
        &self,
        pointer: Value<'a>,
        expected: Value<'a>,
        new: Value<'a>,
        orderings: (Ordering, Ordering),
        sync_scope: u32,
    ) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe {
            sys::LLVMBuildAtomicCmpXchgSyncScope(
                self.raw,
                pointer.raw,
                expected.raw,
                new.raw,
                orderings.0.to_raw(),
                orderings.1.to_raw(),
                sync_scope,
            )
        })
    }

    /// Copies `bytes` bytes between objects that do not overlap; alignments in bytes.
    pub fn memcpy(&self, to: (Value<'a>, u32), from: (Value<'a>, u32), bytes: Value<'a>) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe {
            sys::LLVMBuildMemCpy(self.raw, to.0.raw, to.1.max(1), from.0.raw, from.1.max(1), bytes.raw)
        })
    }

    /// Copies `bytes` bytes between objects that may overlap; alignments in bytes.
    pub fn memmove(&self, to: (Value<'a>, u32), from: (Value<'a>, u32), bytes: Value<'a>) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe {
            sys::LLVMBuildMemMove(self.raw, to.0.raw, to.1.max(1), from.0.raw, from.1.max(1), bytes.raw)
        })
    }

    /// Fills `bytes` bytes with a byte; alignment in bytes.
    pub fn memset(&self, to: (Value<'a>, u32), byte: Value<'a>, bytes: Value<'a>) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildMemSet(self.raw, to.0.raw, byte.raw, bytes.raw, to.1.max(1)) })
    }

    /// Goes to a block.
    pub fn br(&self, block: Block<'a>) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildBr(self.raw, block.raw) })
    }

    /// Goes to one of two blocks.
    pub fn cond_br(&self, condition: Value<'a>, then: Block<'a>, otherwise: Block<'a>) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildCondBr(self.raw, condition.raw, then.raw, otherwise.raw) })
    }

    /// Goes to the block of the case that `value` is; add cases with [`Value::add_case`].
    pub fn switch(&self, value: Value<'a>, otherwise: Block<'a>, cases: u32) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildSwitch(self.raw, value.raw, otherwise.raw, cases) })
    }

    /// Returns nothing.
    pub fn ret_void(&self) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildRetVoid(self.raw) })
    }

    /// Returns a value.
    pub fn ret(&self, value: Value<'a>) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildRet(self.raw, value.raw) })
    }

    /// Says that control does not come here.
    pub fn unreachable(&self) -> Value<'a> {
        // SAFETY: as above.
        Value::from_raw(unsafe { sys::LLVMBuildUnreachable(self.raw) })
    }
}
