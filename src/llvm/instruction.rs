//! Reading instructions, and setting what a builder does not.
#![allow(unsafe_code, reason = "calls LLVM's C API")]

use llvm_sys::core as sys;
use llvm_sys::prelude::LLVMValueRef;

use crate::block::Block;
use crate::context::{Context, Metadata};
use crate::kinds::{IntPredicate, Opcode, Ordering, RealPredicate, RmwOp};
use crate::types::Type;
use crate::value::{Value, ValueKind};

/// What the compiler may assume of a floating-point operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FastMath(pub u32);

impl FastMath {
    /// Operations may be regrouped.
    pub const REASSOC: FastMath = FastMath(1);
    /// No operand or result is a NaN.
    pub const NO_NANS: FastMath = FastMath(1 << 1);
    /// No operand or result is infinite.
    pub const NO_INFS: FastMath = FastMath(1 << 2);
    /// The sign of a zero does not matter.
    pub const NO_SIGNED_ZEROS: FastMath = FastMath(1 << 3);
    /// A division may become a multiplication by the reciprocal.
    pub const RECIPROCAL: FastMath = FastMath(1 << 4);
    /// A product and a sum may become one fused operation.
    pub const CONTRACT: FastMath = FastMath(1 << 5);
    /// Functions may be approximated.
    pub const APPROX: FastMath = FastMath(1 << 6);
    /// All of them.
    pub const ALL: FastMath = FastMath((1 << 7) - 1);

    /// Both sets.
    pub const fn union(self, other: FastMath) -> FastMath {
        FastMath(self.0 | other.0)
    }

    /// Whether all flags of `other` are set.
    pub const fn contains(self, other: FastMath) -> bool {
        self.0 & other.0 == other.0
    }
}

/// What the compiler may assume of an address computation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GepFlags(pub u32);

impl GepFlags {
    /// Nothing.
    pub const NONE: GepFlags = GepFlags(0);
    /// Base and result lie in one object; implies [`GepFlags::NUSW`].
    pub const IN_BOUNDS: GepFlags = GepFlags(0b11);
    /// Signed offsets added to the unsigned address do not wrap.
    pub const NUSW: GepFlags = GepFlags(0b10);
    /// Unsigned offsets do not wrap.
    pub const NUW: GepFlags = GepFlags(0b100);
}

impl<'a> Value<'a> {
    fn instruction(self) -> Option<Value<'a>> {
        (self.kind() == ValueKind::Instruction).then_some(self)
    }

    fn is(self, opcode: Opcode) -> bool {
        self.opcode() == Some(opcode)
    }

    /// Opcode of an instruction.
    pub fn opcode(self) -> Option<Opcode> {
        // SAFETY: an instruction.
        self.instruction().map(|i| Opcode::from_raw(unsafe { sys::LLVMGetInstructionOpcode(i.raw) }))
    }

    /// The block of an instruction.
    pub fn block(self) -> Option<Block<'a>> {
        // SAFETY: an instruction.
        self.instruction().and_then(|i| Block::from_nullable(unsafe { sys::LLVMGetInstructionParent(i.raw) }))
    }

    /// The instruction after this one in its block.
    pub fn next_instruction(self) -> Option<Value<'a>> {
        // SAFETY: an instruction.
        self.instruction().and_then(|i| Value::from_nullable(unsafe { sys::LLVMGetNextInstruction(i.raw) }))
    }

    /// Does the instruction end its block?
    pub fn is_terminator(self) -> bool {
        // SAFETY: an instruction.
        self.instruction().is_some_and(|i| unsafe { !sys::LLVMIsATerminatorInst(i.raw).is_null() })
    }

    /// Is it a call?
    pub fn is_call(self) -> bool {
        self.is(Opcode::Call)
    }

    /// A copy of an instruction with the same operands, flags and metadata, in no block yet: give it to
    /// [`Builder::insert`](crate::Builder::insert).
    pub fn clone_instruction(self) -> Option<Value<'a>> {
        // SAFETY: an instruction.
        self.instruction().and_then(|i| Value::from_nullable(unsafe { sys::LLVMInstructionClone(i.raw) }))
    }

    /// Predicate of an integer comparison.
    pub fn int_predicate(self) -> Option<IntPredicate> {
        // SAFETY: an integer comparison.
        self.is(Opcode::ICmp).then(|| IntPredicate::from_raw(unsafe { sys::LLVMGetICmpPredicate(self.raw) }))
    }

    /// Predicate of a floating-point comparison.
    pub fn real_predicate(self) -> Option<RealPredicate> {
        // SAFETY: a floating-point comparison.
        self.is(Opcode::FCmp).then(|| RealPredicate::from_raw(unsafe { sys::LLVMGetFCmpPredicate(self.raw) }))
    }

    /// Values and blocks that come into a phi.
    pub fn incoming(self) -> Vec<(Value<'a>, Block<'a>)> {
        if !self.is(Opcode::Phi) {
            return Vec::new();
        }
        // SAFETY: a phi with that many entries.
        unsafe {
            (0..sys::LLVMCountIncoming(self.raw))
                .map(|i| {
                    let value = Value::from_raw(sys::LLVMGetIncomingValue(self.raw, i));
                    (value, Block::from_raw(sys::LLVMGetIncomingBlock(self.raw, i)))
                })
                .collect()
        }
    }

    /// Adds an entry to a phi.
    pub fn add_incoming(self, value: Value<'a>, block: Block<'a>) {
        if self.is(Opcode::Phi) {
            let (mut values, mut blocks) = ([value.raw], [block.raw]);
            // SAFETY: a phi; one entry in each array.
            unsafe { sys::LLVMAddIncoming(self.raw, values.as_mut_ptr(), blocks.as_mut_ptr(), 1) }
        }
    }

    /// Blocks that a terminator may go to; for a switch the default comes first.
    pub fn successors(self) -> Vec<Block<'a>> {
        if !self.is_terminator() {
            return Vec::new();
        }
        // SAFETY: a terminator with that many successors.
        unsafe {
            (0..sys::LLVMGetNumSuccessors(self.raw))
                .map(|i| Block::from_raw(sys::LLVMGetSuccessor(self.raw, i)))
                .collect()
        }
    }

    /// Makes a terminator go to another block.
    pub fn set_successor(self, index: u32, block: Block<'a>) {
        // SAFETY: a terminator with that many successors.
        if self.is_terminator() && index < unsafe { sys::LLVMGetNumSuccessors(self.raw) } {
            // SAFETY: as above.
            unsafe { sys::LLVMSetSuccessor(self.raw, index, block.raw) }
        }
    }

    /// The condition of a branch that has one.
    pub fn condition(self) -> Option<Value<'a>> {
        // SAFETY: a branch.
        (self.is(Opcode::Br) && unsafe { sys::LLVMIsConditional(self.raw) != 0 })
            .then(|| Value::from_raw(unsafe { sys::LLVMGetCondition(self.raw) }))
    }

    /// Value and block of each case of a switch, without the default.
    pub fn switch_cases(self) -> Vec<(Value<'a>, Block<'a>)> {
        if !self.is(Opcode::Switch) {
            return Vec::new();
        }
        let successors = self.successors();
        (1u32..)
            .zip(successors.into_iter().skip(1))
            // SAFETY: successor i of a switch is its case i, counted from 1.
            .map(|(i, block)| (Value::from_raw(unsafe { sys::LLVMGetSwitchCaseValue(self.raw, i) }), block))
            .collect()
    }

    /// Adds a case to a switch.
    pub fn add_case(self, value: Value<'a>, block: Block<'a>) {
        if self.is(Opcode::Switch) {
            // SAFETY: a switch.
            unsafe { sys::LLVMAddCase(self.raw, value.raw, block.raw) }
        }
    }

    fn has_alignment(self) -> bool {
        match self.kind() {
            ValueKind::Instruction => matches!(
                self.opcode(),
                Some(Opcode::Alloca | Opcode::Load | Opcode::Store | Opcode::AtomicRmw | Opcode::AtomicCmpXchg)
            ),
            ValueKind::GlobalVariable | ValueKind::Function => true,
            _ => false,
        }
    }

    /// Alignment, in bytes, of a memory instruction, alloca or global; 0 if none is given.
    pub fn alignment(self) -> u32 {
        // SAFETY: asked only of what has an alignment.
        if self.has_alignment() { unsafe { sys::LLVMGetAlignment(self.raw) } } else { 0 }
    }

    /// Sets the alignment, in bytes, a power of two.
    pub fn set_alignment(self, bytes: u32) {
        if self.has_alignment() && bytes.is_power_of_two() {
            // SAFETY: set only on what has an alignment.
            unsafe { sys::LLVMSetAlignment(self.raw, bytes) }
        }
    }

    fn is_access(self) -> bool {
        matches!(self.opcode(), Some(Opcode::Load | Opcode::Store | Opcode::AtomicRmw | Opcode::AtomicCmpXchg))
    }

    /// Is a memory instruction volatile?
    pub fn is_volatile(self) -> bool {
        // SAFETY: asked of memory instructions only.
        self.is_access() && unsafe { sys::LLVMGetVolatile(self.raw) != 0 }
    }

    /// Says whether a memory instruction is volatile.
    pub fn set_volatile(self, volatile: bool) {
        if self.is_access() {
            // SAFETY: a memory instruction.
            unsafe { sys::LLVMSetVolatile(self.raw, volatile.into()) }
        }
    }

    /// Ordering of a load, store, fence or `atomicrmw`; of a compare-exchange, that of success.
    pub fn ordering(self) -> Ordering {
        match self.opcode() {
            Some(Opcode::Load | Opcode::Store | Opcode::Fence | Opcode::AtomicRmw) => {
                // SAFETY: an instruction with an ordering.
                Ordering::from_raw(unsafe { sys::LLVMGetOrdering(self.raw) })
            }
            Some(Opcode::AtomicCmpXchg) => {
                // SAFETY: a compare-exchange.
                Ordering::from_raw(unsafe { sys::LLVMGetCmpXchgSuccessOrdering(self.raw) })
            }
            _ => Ordering::NotAtomic,
        }
    }

    /// Ordering of a compare-exchange that fails.
    pub fn failure_ordering(self) -> Ordering {
        if !self.is(Opcode::AtomicCmpXchg) {
            return Ordering::NotAtomic;
        }
        // SAFETY: a compare-exchange.
        Ordering::from_raw(unsafe { sys::LLVMGetCmpXchgFailureOrdering(self.raw) })
    }

    /// Makes a load or store atomic. Give it an alignment too.
    pub fn set_ordering(self, ordering: Ordering, sync_scope: u32) {
        if matches!(self.opcode(), Some(Opcode::Load | Opcode::Store)) {
            // SAFETY: a load or store; the scope is set once it is atomic.
            unsafe {
                sys::LLVMSetOrdering(self.raw, ordering.to_raw());
                if ordering != Ordering::NotAtomic {
                    sys::LLVMSetAtomicSyncScopeID(self.raw, sync_scope);
                }
            }
        }
    }

    /// The synchronisation scope of an atomic instruction or fence.
    pub fn sync_scope(self) -> u32 {
        let atomic = matches!(self.opcode(), Some(Opcode::Fence | Opcode::AtomicRmw | Opcode::AtomicCmpXchg))
            || (matches!(self.opcode(), Some(Opcode::Load | Opcode::Store)) && self.ordering() != Ordering::NotAtomic);
        // SAFETY: asked of atomic instructions only.
        if atomic { unsafe { sys::LLVMGetAtomicSyncScopeID(self.raw) } } else { 0 }
    }

    /// Operation of an `atomicrmw`.
    pub fn rmw_op(self) -> Option<RmwOp> {
        // SAFETY: an atomicrmw.
        self.is(Opcode::AtomicRmw).then(|| RmwOp::from_raw(unsafe { sys::LLVMGetAtomicRMWBinOp(self.raw) }))
    }

    /// May a compare-exchange fail without a reason?
    pub fn is_weak(self) -> bool {
        // SAFETY: a compare-exchange.
        self.is(Opcode::AtomicCmpXchg) && unsafe { sys::LLVMGetWeak(self.raw) != 0 }
    }

    /// Type that an alloca makes room for.
    pub fn allocated_type(self) -> Option<Type<'a>> {
        // SAFETY: an alloca.
        self.is(Opcode::Alloca).then(|| Type::from_raw(unsafe { sys::LLVMGetAllocatedType(self.raw) }))
    }

    /// Type that the indices of an address computation walk through.
    pub fn gep_source_type(self) -> Option<Type<'a>> {
        let gep = self.is(Opcode::GetElementPtr) || self.expression_opcode() == Some(Opcode::GetElementPtr);
        // SAFETY: an address computation.
        gep.then(|| Type::from_raw(unsafe { sys::LLVMGetGEPSourceElementType(self.raw) }))
    }

    /// Flags of an address computation.
    pub fn gep_flags(self) -> GepFlags {
        if !self.is(Opcode::GetElementPtr) {
            return GepFlags::NONE;
        }
        // SAFETY: an address computation.
        GepFlags(unsafe { sys::LLVMGEPGetNoWrapFlags(self.raw) })
    }

    /// The function that a call calls, if it is known.
    pub fn called_function(self) -> Option<Value<'a>> {
        if !self.is_call() {
            return None;
        }
        // SAFETY: a call.
        Value::from_nullable(unsafe { sys::LLVMGetCalledValue(self.raw) }).filter(|f| f.is_function())
    }

    /// Function type of a call.
    pub fn called_type(self) -> Option<Type<'a>> {
        // SAFETY: a call.
        self.is_call().then(|| Type::from_raw(unsafe { sys::LLVMGetCalledFunctionType(self.raw) }))
    }

    /// Arguments of a call.
    pub fn arguments(self) -> Vec<Value<'a>> {
        if !self.is_call() {
            return Vec::new();
        }
        // SAFETY: a call; its first operands are the arguments.
        let count = unsafe { sys::LLVMGetNumArgOperands(self.raw) };
        (0..count).filter_map(|i| self.operand(i)).collect()
    }

    /// Indices of an `extractvalue` or `insertvalue`.
    pub fn indices(self) -> Vec<u32> {
        if !self.is(Opcode::ExtractValue) && !self.is(Opcode::InsertValue) {
            return Vec::new();
        }
        // SAFETY: an instruction with indices; LLVM keeps as many as it says.
        unsafe {
            let count = sys::LLVMGetNumIndices(self.raw) as usize;
            std::slice::from_raw_parts(sys::LLVMGetIndices(self.raw), count).to_vec()
        }
    }

    /// The mask of a `shufflevector`; `None` where the result does not matter.
    pub fn shuffle_mask(self) -> Vec<Option<u32>> {
        if !self.is(Opcode::ShuffleVector) {
            return Vec::new();
        }
        // SAFETY: a shuffle with that many mask elements.
        unsafe {
            (0..sys::LLVMGetNumMaskElements(self.raw))
                .map(|i| u32::try_from(sys::LLVMGetMaskValue(self.raw, i)).ok())
                .collect()
        }
    }

    /// Is it a `shufflevector` that spreads the first element over all others?
    pub fn is_spread(self) -> bool {
        let from = self.shuffle_mask();
        !from.is_empty() && from.iter().all(|lane| *lane == Some(0))
    }

    /// Fast-math flags; none for what has none.
    pub fn fast_math(self) -> FastMath {
        // SAFETY: asked of what may have flags only.
        unsafe {
            if self.is_instruction() && sys::LLVMCanValueUseFastMathFlags(self.raw) != 0 {
                FastMath(sys::LLVMGetFastMathFlags(self.raw))
            } else {
                FastMath::default()
            }
        }
    }

    /// Sets fast-math flags on what may have them.
    pub fn set_fast_math(self, flags: FastMath) {
        // SAFETY: set on what may have flags only.
        unsafe {
            if self.is_instruction() && sys::LLVMCanValueUseFastMathFlags(self.raw) != 0 {
                sys::LLVMSetFastMathFlags(self.raw, flags.0);
            }
        }
    }

    fn may_wrap(self) -> bool {
        matches!(self.opcode(), Some(Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl))
    }

    fn may_be_exact(self) -> bool {
        matches!(self.opcode(), Some(Opcode::UDiv | Opcode::SDiv | Opcode::LShr | Opcode::AShr))
    }

    /// `nsw` and `nuw` of an integer operation.
    pub fn no_wrap(self) -> (bool, bool) {
        if !self.may_wrap() {
            return (false, false);
        }
        // SAFETY: an operation that has the flags.
        unsafe { (sys::LLVMGetNSW(self.raw) != 0, sys::LLVMGetNUW(self.raw) != 0) }
    }

    /// Is it a `zext` or `uitofp` of a number that is not negative, which is its `sext` or `sitofp`?
    pub fn is_nonnegative(self) -> bool {
        let has_flag = matches!(self.opcode(), Some(Opcode::ZExt | Opcode::UIToFP));
        // SAFETY: an instruction that has the flag.
        has_flag && unsafe { sys::LLVMGetNNeg(self.raw) != 0 }
    }

    /// Is it an `or` of numbers that have no bit in common, which is their sum?
    pub fn is_disjoint(self) -> bool {
        // SAFETY: an `or`, which has the flag.
        self.opcode() == Some(Opcode::Or) && unsafe { sys::LLVMGetIsDisjoint(self.raw) != 0 }
    }

    /// Sets `nsw` and `nuw` of an integer operation; nothing happens to others.
    pub fn set_no_wrap(self, signed: bool, unsigned: bool) {
        if self.may_wrap() {
            // SAFETY: an operation that has the flags.
            unsafe {
                sys::LLVMSetNSW(self.raw, signed.into());
                sys::LLVMSetNUW(self.raw, unsigned.into());
            }
        }
    }

    /// Is a division or shift without remainder?
    pub fn is_exact(self) -> bool {
        // SAFETY: an operation that has the flag.
        self.may_be_exact() && unsafe { sys::LLVMGetExact(self.raw) != 0 }
    }

    /// Sets `exact` of a division or shift; nothing happens to others.
    pub fn set_exact(self, exact: bool) {
        if self.may_be_exact() {
            // SAFETY: an operation that has the flag.
            unsafe { sys::LLVMSetExact(self.raw, exact.into()) }
        }
    }

    /// Puts metadata on an instruction.
    pub fn set_metadata(self, context: &'a Context, kind: u32, metadata: Metadata<'a>) {
        if self.is_instruction() {
            // SAFETY: an instruction; the node is wrapped as the C API wants it.
            unsafe {
                let value = sys::LLVMMetadataAsValue(context.raw, metadata.raw);
                sys::LLVMSetMetadata(self.raw, kind, value);
            }
        }
    }

    /// Takes metadata of a kind off an instruction.
    pub fn clear_metadata(self, kind: u32) {
        if self.is_instruction() {
            // SAFETY: an instruction; null means none.
            unsafe { sys::LLVMSetMetadata(self.raw, kind, std::ptr::null_mut()) }
        }
    }

    /// Has an instruction metadata of a kind?
    pub fn has_metadata(self, kind: u32) -> bool {
        // SAFETY: an instruction.
        self.is_instruction() && unsafe { !sys::LLVMGetMetadata(self.raw, kind).is_null() }
    }

    /// The text that metadata of a kind on an instruction is made of, if it is a node of one string.
    pub fn metadata_text(self, kind: &str) -> Option<String> {
        if !self.is_instruction() {
            return None;
        }
        // SAFETY: an instruction, whose context is alive; what is read of a node is what the node is asked for before: a
        // single operand, and of that its text only if it is a string.
        unsafe {
            let context = sys::LLVMGetTypeContext(sys::LLVMTypeOf(self.raw));
            let kind = sys::LLVMGetMDKindIDInContext(context, kind.as_ptr().cast(), kind.len() as u32);
            let node = sys::LLVMGetMetadata(self.raw, kind);
            if node.is_null() || sys::LLVMGetMDNodeNumOperands(node) != 1 {
                return None;
            }
            let mut operand = std::ptr::null_mut();
            sys::LLVMGetMDNodeOperands(node, &mut operand);
            let mut length = 0;
            let text = if operand.is_null() { std::ptr::null() } else { sys::LLVMGetMDString(operand, &mut length) };
            if text.is_null() {
                return None;
            }
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }

    /// How often a branch or switch goes to each of its successors, in proportion; empty if it does not say.
    pub fn branch_weights(self) -> Vec<u32> {
        if !self.is_instruction() {
            return Vec::new();
        }
        // SAFETY: an instruction, whose context is alive; a node is asked for as many operands as it has, and these for their
        // numbers only if they are constant integers (what comes in front is text: what the numbers are, and whose).
        let weights: Vec<u32> = unsafe {
            let context = sys::LLVMGetTypeContext(sys::LLVMTypeOf(self.raw));
            let kind = sys::LLVMGetMDKindIDInContext(context, c"prof".as_ptr(), 4);
            let node = sys::LLVMGetMetadata(self.raw, kind);
            let count = if node.is_null() { 0 } else { sys::LLVMGetMDNodeNumOperands(node) };
            let mut operands = vec![std::ptr::null_mut(); count as usize];
            if count > 0 {
                sys::LLVMGetMDNodeOperands(node, operands.as_mut_ptr());
            }
            let is_number = |operand: &LLVMValueRef| !operand.is_null() && !sys::LLVMIsAConstantInt(*operand).is_null();
            let numbers = operands.into_iter().filter(is_number);
            numbers.map(|number| u32::try_from(sys::LLVMConstIntGetZExtValue(number)).unwrap_or(u32::MAX)).collect()
        };
        if weights.len() == self.successors().len() { weights } else { Vec::new() }
    }

    /// Says how often a branch or switch goes to each of its successors, in proportion.
    pub fn set_branch_weights(self, context: &'a Context, weights: &[u32]) {
        let number = |weight: &u32| Metadata::from_constant(context.int_type(32).const_int(u64::from(*weight)));
        let name = context.metadata_string("branch_weights");
        let operands: Vec<_> = [name].into_iter().chain(weights.iter().map(number)).collect();
        self.set_metadata(context, context.metadata_kind("prof"), context.metadata_node(&operands));
    }

    /// Metadata of a kind on an instruction.
    pub fn metadata(self, kind: u32) -> Option<Metadata<'a>> {
        if !self.has_metadata(kind) {
            return None;
        }
        // SAFETY: an instruction with that metadata, which is a metadata-as-value that unwraps to the node.
        Some(Metadata::from_raw(unsafe { sys::LLVMValueAsMetadata(sys::LLVMGetMetadata(self.raw, kind)) }))
    }
}
