//! Instructions: what each does, works on and promises.

use oxicl_llvm::Value;
use oxicl_ops::attribute::PLACE_METADATA;
use oxicl_ops::{Collective, NamedBarrier, Query, SubGroup};

use crate::ir::callee::{Call, Callee, Elementwise, Intrinsic};
use crate::ir::types::Type;
use crate::ir::{BlockId, ConstantId, InstId, Label, StateId};
use crate::ir::{FastMath, GepFlags, IntPredicate, Opcode, Ordering, RealPredicate, RmwOp};

/// What an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    /// The result of an instruction.
    Inst(InstId),
    /// A parameter of the function.
    Parameter(u32),
    /// A constant or a global.
    Constant(ConstantId),
    /// Something that is copied as it is: metadata, inline assembly.
    Opaque,
}

impl Operand {
    /// The instruction whose result it is.
    pub(crate) fn inst(self) -> Option<InstId> {
        if let Operand::Inst(id) = self { Some(id) } else { None }
    }
}

/// What sort of instruction it is, as far as this crate treats it differently.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Copied with new operands.
    Plain,
    /// A phi; the operands belong to these blocks, in order.
    Phi(Vec<BlockId>),
    /// A question about the work-item's place.
    Query(Query),
    /// The question which storage class a pointer points to.
    StorageClass,
    /// What the work-items of a sub-group do together.
    SubGroup(SubGroup),
    /// Printing: format, shapes, values.
    Print,
    /// A private object.
    Alloca,
    /// A call of a function of this module, or of one that is compiled apart.
    Call,
    /// The result of the collective operation before this state. Its operands are the cut's.
    Gathered(StateId),
    /// A barrier at which a fiber waits. Without fibers, barriers are cuts.
    Barrier,
    /// An operation on a barrier for some of the sub-groups, which fibers run.
    NamedBarrier(NamedBarrier),
    /// A collective operation of fibers, by a number of its own in place of the state that a cut would have behind it.
    Collective(StateId, Collective),
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) struct Inst<'m> {
    pub(crate) opcode: Opcode,
    pub(crate) kind: Kind,
    pub(crate) block: BlockId,
    /// The callee of a call is the last.
    pub(crate) operands: Vec<Operand>,
    /// The type of its result.
    pub(crate) ty: Type,
    /// What it has beside its operands, by its opcode.
    pub(crate) detail: Detail,
    pub(crate) label: Label,
    /// The LLVM instruction that was read, for `emit` alone.
    pub(crate) llvm: Handle<'m>,
}

/// The LLVM value that was read, for `emit` to copy. Nothing else is asked of it but its place in the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handle<'m>(Option<Value<'m>>);

impl<'m> Handle<'m> {
    /// The handle of what was parsed from our own text.
    pub(crate) const NONE: Handle<'m> = Handle(None);

    pub(crate) fn new(value: Value<'m>) -> Handle<'m> {
        Handle(Some(value))
    }

    /// Its place in the source, ` at file:line`, or nothing if the module does not say.
    pub(super) fn place(&self) -> String {
        self.metadata_text(PLACE_METADATA).map(|place| format!(" at {place}")).unwrap_or_default()
    }
}

impl<'m> std::ops::Deref for Handle<'m> {
    type Target = Value<'m>;

    fn deref(&self) -> &Value<'m> {
        self.0.as_ref().expect("only what was read from LLVM is written")
    }
}

/// What an instruction has beside its operands, by its opcode.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Detail {
    None,
    /// Arithmetic and extensions of integers.
    Promises(Promises),
    /// Arithmetic of floating-point numbers.
    FastMath(FastMath),
    ICmp(IntPredicate),
    FCmp(RealPredicate, FastMath),
    /// The type of an object, and its alignment.
    Alloca(Type, u32),
    /// A load, store, fence or atomic operation.
    Access(Memory),
    /// The source element type of an address computation, and its flags.
    Address(Type, GepFlags),
    /// The mask of a shuffle: the element that each one is taken from, `None` if it does not matter.
    Shuffle(Vec<Option<u32>>),
    /// The member of an aggregate that is taken or put in.
    Indices(Vec<u32>),
    Call(Box<Call>),
}

/// The poison-generating flags of an operation on integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Promises {
    /// Does it not wrap, as signed and as unsigned numbers?
    pub(crate) no_signed_wrap: bool,
    pub(crate) no_unsigned_wrap: bool,
    /// A division or shift without a remainder.
    pub(crate) exact: bool,
    /// An `or` of numbers that have no bit in common.
    pub(crate) disjoint: bool,
    /// A `zext` of what is not negative.
    pub(crate) nonnegative: bool,
}

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) align: u32,
    pub(crate) is_volatile: bool,
    pub(crate) ordering: Ordering,
    /// The operation of an `atomicrmw`.
    pub(crate) operation: Option<RmwOp>,
    /// The ordering of an exchange that fails.
    pub(crate) of_failure: Ordering,
}

impl Memory {
    /// The usual access: neither volatile nor atomic.
    pub(crate) const ORDINARY: Memory = Memory {
        align: 0,
        is_volatile: false,
        ordering: Ordering::NotAtomic,
        operation: None,
        of_failure: Ordering::NotAtomic,
    };
}

impl Inst<'_> {
    /// Its place in the source, ` at file:line`, or nothing if the module does not say.
    pub(crate) fn place(&self) -> String {
        self.llvm.place()
    }

    /// Is it a query of the work-item's place that advances by one along x?
    pub(crate) fn is_place(&self) -> bool {
        matches!(&self.kind, Kind::Query(query) if query.has_unit_stride())
    }

    /// What it uses, each with the block that it uses it in: a phi at the ends of those that it comes from.
    pub(crate) fn uses(&self) -> impl Iterator<Item = (Operand, BlockId)> {
        let from = if let Kind::Phi(from) = &self.kind { &from[..] } else { &[] };
        let block = move |place: usize| from.get(place).copied().unwrap_or(self.block);
        self.operands.iter().enumerate().map(move |(place, operand)| (*operand, block(place)))
    }

    /// The address of a load or store.
    pub(crate) fn address(&self) -> Option<Operand> {
        match self.opcode {
            Opcode::Load => self.operands.first().copied(),
            Opcode::Store => self.operands.get(1).copied(),
            _ => None,
        }
    }

    /// The address of a load, a store or an atomic operation.
    pub(crate) fn accessed(&self) -> Option<Operand> {
        match self.opcode {
            Opcode::AtomicRmw | Opcode::AtomicCmpXchg => self.operands.first().copied(),
            _ => self.address(),
        }
    }

    /// The poison-generating flags of an operation on integers; none for other instructions.
    pub(crate) fn promises(&self) -> Promises {
        if let Detail::Promises(promises) = self.detail { promises } else { Promises::default() }
    }

    /// Is it an `or` of numbers that have no bit in common, which is their sum?
    pub(crate) fn is_disjoint(&self) -> bool {
        self.promises().disjoint
    }

    /// The fast-math flags of an operation on floating-point numbers.
    pub(crate) fn fast_math(&self) -> FastMath {
        match &self.detail {
            Detail::FastMath(flags) | Detail::FCmp(_, flags) => *flags,
            Detail::Call(call) => call.fast_math,
            _ => FastMath::default(),
        }
    }

    /// Predicate of a comparison of integers or pointers.
    pub(crate) fn int_predicate(&self) -> Option<IntPredicate> {
        if let Detail::ICmp(predicate) = self.detail { Some(predicate) } else { None }
    }

    /// How it accesses memory.
    pub(crate) fn memory(&self) -> Memory {
        if let Detail::Access(memory) = self.detail { memory } else { Memory::ORDINARY }
    }

    /// Alignment, in bytes, of an access or object; 0 if none is given.
    pub(crate) fn alignment(&self) -> u32 {
        match self.detail {
            Detail::Access(memory) => memory.align,
            Detail::Alloca(_, align) => align,
            _ => 0,
        }
    }

    pub(crate) fn is_volatile(&self) -> bool {
        self.memory().is_volatile
    }

    pub(crate) fn is_atomic(&self) -> bool {
        self.memory().ordering != Ordering::NotAtomic
    }

    /// Does it order no memory accesses for other threads, as atomic and volatile accesses and fences do?
    pub(crate) fn is_ordinary(&self) -> bool {
        !self.is_volatile() && !self.is_atomic()
    }

    /// The source element type of an address computation.
    pub(crate) fn source_type(&self) -> Option<&Type> {
        if let Detail::Address(source, _) = &self.detail { Some(source) } else { None }
    }

    /// The mask of a shuffle.
    pub(crate) fn shuffle_mask(&self) -> &[Option<u32>] {
        if let Detail::Shuffle(mask) = &self.detail { mask } else { &[] }
    }

    /// What a call has beside its operands.
    pub(crate) fn call(&self) -> Option<&Call> {
        if let Detail::Call(call) = &self.detail { Some(call) } else { None }
    }

    /// The arguments of a call.
    pub(crate) fn arguments(&self) -> &[Operand] {
        let count = self.call().map_or(0, |call| call.arguments);
        &self.operands[..count.min(self.operands.len())]
    }

    /// Does a call neither read nor write memory?
    pub(crate) fn is_pure(&self) -> bool {
        self.call().is_some_and(|call| call.is_pure)
    }

    /// Is it a call of an intrinsic of which this is true?
    pub(crate) fn calls(&self, is_it: fn(Intrinsic) -> bool) -> bool {
        self.intrinsic().is_some_and(is_it)
    }

    /// Is it a call of an operation that some machines have an instruction for?
    pub(crate) fn is_machine_call(&self) -> bool {
        self.call().is_some_and(|call| matches!(call.callee, Callee::Machine(_)))
    }

    /// The intrinsic that it calls.
    pub(crate) fn intrinsic(&self) -> Option<Intrinsic> {
        self.call().and_then(Call::intrinsic)
    }

    /// The intrinsic that it calls, if that does the same to each element of a vector.
    pub(crate) fn elementwise(&self) -> Option<&'static Elementwise> {
        self.intrinsic().and_then(Intrinsic::elementwise)
    }
}
