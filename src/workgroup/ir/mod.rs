//! A scalar function in a form of our own: read once and never changed. After that nobody asks LLVM what a value is.
//!
//! Blocks are those of the function, split at each barrier and collective operation. These end a block, as a
//! [`Terminator::Cut`]. The block behind is reached from nowhere else, so that work-items can start there again; it
//! begins with the result of the operation, if it has one.
//!
//! `read` takes LLVM's IR; `print` writes a function as text, `parse` reads that, and `verify` checks a function. What
//! was read from LLVM stays beside it as a [`Handle`], for `emit` to copy. Enumerations with LLVM's names are those of
//! the crate that calls LLVM, and hold none of LLVM's values.

pub(crate) mod call_tree;
mod callee;
mod constant;
mod instruction;
mod names;
pub(crate) mod order;
mod parse;
mod print;
mod read;
mod switches;
#[cfg(test)]
mod tests;
mod types;
mod verify;

use std::collections::BTreeSet;
use std::rc::Rc;

use oxicl_ops::{Collective, Query};

use crate::prices::Prices;
use crate::switches::OfFunction;

pub(crate) use callee::{Call, Callee, Elementwise, Intrinsic};
pub(crate) use constant::{Constant, ConstantKind};
pub(crate) use instruction::{Detail, Handle, Inst, Kind, Operand};
pub(crate) use names::listed;
pub(crate) use oxicl_llvm::{FastMath, GepFlags, IntPredicate, Opcode, Ordering, RealPredicate, RmwOp};
pub(crate) use oxicl_ops::space;
pub(crate) use parse::parse;
pub(crate) use read::{is_apart, read, type_of};
pub(crate) use types::{Scalar, Type};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) struct $name(pub(crate) u32);

        impl $name {
            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<$name> for usize {
            fn from(id: $name) -> usize {
                id.index()
            }
        })+
    };
}

ids! {
    /// An instruction.
    InstId,
    /// A block.
    BlockId,
    /// A constant.
    ConstantId,
    /// A place where work-items may start: 0 is the function's entry, others are behind a cut.
    StateId
}

/// How a block ends.
#[derive(Clone, Debug)]
pub(crate) enum Terminator<'m> {
    /// A branch or switch on an operand; `None` if it goes one way. Successors are in LLVM's order, a default first.
    Branch {
        condition: Option<Operand>,
        successors: Vec<BlockId>,
        cases: Vec<ConstantId>,
        /// Branch weights, one for each successor; empty if there are none.
        weights: Vec<u32>,
        llvm: Handle<'m>,
    },
    /// The end of the work-item, or of a called function with its result.
    Return(Option<Operand>),
    /// Control does not come here.
    Unreachable,
    /// A barrier or collective operation: the work-item waits and starts again as `state`.
    Cut { state: StateId, gather: Option<Gather>, llvm: Handle<'m> },
}

impl Terminator<'_> {
    /// Its place in the source, written as that of an instruction.
    pub(crate) fn place(&self) -> String {
        match self {
            Terminator::Branch { llvm, .. } | Terminator::Cut { llvm, .. } => llvm.place(),
            Terminator::Return(_) | Terminator::Unreachable => String::new(),
        }
    }
}

/// What work-items give to a collective operation.
#[derive(Clone, Debug)]
pub(crate) struct Gather {
    pub(crate) collective: Collective,
    pub(crate) operands: Vec<Operand>,
    /// The instruction that stands for the result.
    pub(crate) result: InstId,
}

/// A block.
#[derive(Clone, Debug)]
pub(crate) struct Block<'m> {
    pub(crate) insts: Vec<InstId>,
    pub(crate) terminator: Terminator<'m>,
}

/// What a value is called in the text that it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    Number(u32),
    Name(Box<str>),
    /// It has no value.
    None,
}

/// What is known of the buffers that a kernel is launched with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Buffers {
    /// As the kernel promises: what a `noalias` parameter leads to overlaps nothing else.
    AsPromised,
    /// No two of its parameters lead to the same memory.
    Disjoint,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub(crate) struct Parameter<'m> {
    pub(crate) ty: Type,
    pub(crate) label: Label,
    /// Nothing else leads to what it points to.
    pub(crate) is_noalias: bool,
    /// What it points to is an argument by value, of this type.
    pub(crate) by_value: Option<Type>,
    /// The function gives its result back there (`sret`).
    pub(crate) is_result: bool,
    /// The alignment that it promises; 0 if it promises none.
    pub(crate) align: u64,
    /// Bytes that are dereferenceable for certain.
    pub(crate) dereferenceable: u64,
    /// The parameter that was read, for `emit` alone.
    pub(crate) llvm: Handle<'m>,
}

/// A function that was read.
pub(crate) struct Function<'m> {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter<'m>>,
    /// The type of its result.
    pub(crate) result: Type,
    pub(crate) insts: Vec<Inst<'m>>,
    pub(crate) blocks: Vec<Block<'m>>,
    pub(crate) constants: Vec<Constant>,
    /// First block of each state.
    pub(crate) states: Vec<BlockId>,
    /// Blocks that can be reached from the entry, cuts crossed.
    pub(crate) reachable: Vec<bool>,
    /// The place of each such block in reverse post-order.
    pub(crate) rank: Vec<u32>,
    /// How many uses the result of each instruction has.
    pub(crate) uses: Vec<u32>,
    /// What is known of the buffers that its parameters lead to.
    pub(crate) buffers: Buffers,
    /// Fibers run it: barriers are no cuts.
    pub(crate) in_fibers: bool,
    /// Others call it, in the middle of their regions.
    pub(crate) is_called: bool,
    /// Does anything in its module ask for the storage class of a pointer?
    pub(crate) asks_storage_class: bool,
    /// Latches of loops that wait for other work-items.
    pub(crate) yields: BTreeSet<BlockId>,
    /// Which decisions may be taken for it.
    pub(crate) switches: OfFunction,
    /// What operations cost on the machine that it is for.
    pub(crate) prices: Rc<Prices>,
    /// The function that was read, and each of the constants, for `emit` alone.
    pub(crate) llvm: Handle<'m>,
    pub(crate) llvm_constants: Vec<Handle<'m>>,
}

impl<'m> Function<'m> {
    /// An empty function, for a reader to fill.
    fn empty(prices: &Rc<Prices>, llvm: Handle<'m>) -> Self {
        Function {
            name: String::new(),
            parameters: Vec::new(),
            result: Type::Void,
            insts: Vec::new(),
            blocks: Vec::new(),
            constants: Vec::new(),
            states: vec![BlockId(0)],
            reachable: Vec::new(),
            rank: Vec::new(),
            uses: Vec::new(),
            buffers: Buffers::AsPromised,
            in_fibers: false,
            is_called: false,
            asks_storage_class: false,
            yields: BTreeSet::new(),
            switches: OfFunction::default(),
            prices: Rc::clone(prices),
            llvm,
            llvm_constants: Vec::new(),
        }
    }

    pub(crate) fn inst(&self, id: InstId) -> &Inst<'m> {
        &self.insts[id.index()]
    }

    /// The instructions, each with its number.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (InstId, &Inst<'m>)> {
        (0..).map(InstId).zip(&self.insts)
    }

    pub(crate) fn block_ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    pub(crate) fn block(&self, id: BlockId) -> &Block<'m> {
        &self.blocks[id.index()]
    }

    pub(crate) fn constant(&self, id: ConstantId) -> &Constant {
        &self.constants[id.index()]
    }

    /// The instruction whose result an operand is.
    pub(crate) fn made_by(&self, operand: Operand) -> Option<&Inst<'m>> {
        operand.inst().map(|id| self.inst(id))
    }

    /// The constant that an operand is.
    pub(crate) fn as_constant(&self, operand: Operand) -> Option<&Constant> {
        if let Operand::Constant(id) = operand { Some(self.constant(id)) } else { None }
    }

    /// The integer of at most 64 bits that an operand is, zero-extended.
    pub(crate) fn as_u64(&self, operand: Operand) -> Option<u64> {
        self.as_constant(operand)?.as_u64()
    }

    /// The same, sign-extended.
    pub(crate) fn as_i64(&self, operand: Operand) -> Option<i64> {
        self.as_constant(operand)?.as_i64()
    }

    /// The integer that an operand of an instruction is, by its number.
    pub(crate) fn u64_at(&self, inst: &Inst<'_>, number: usize) -> Option<u64> {
        self.as_u64(*inst.operands.get(number)?)
    }

    /// The same, sign-extended.
    pub(crate) fn i64_at(&self, inst: &Inst<'_>, number: usize) -> Option<i64> {
        self.as_i64(*inst.operands.get(number)?)
    }

    /// Does an instruction compute -1 minus a number, which LLVM writes as a `xor` with -1?
    pub(crate) fn is_complement(&self, inst: &Inst<'_>) -> bool {
        inst.opcode == Opcode::Xor && self.i64_at(inst, 1) == Some(-1)
    }

    /// Does anything use the result of an instruction?
    pub(crate) fn is_used(&self, id: InstId) -> bool {
        self.uses(id) > 0
    }

    /// How many uses the result of an instruction has.
    pub(crate) fn uses(&self, id: InstId) -> u32 {
        self.uses[id.index()]
    }

    /// The type of an operand.
    pub(crate) fn type_of(&self, operand: Operand) -> &Type {
        match operand {
            Operand::Inst(id) => &self.inst(id).ty,
            Operand::Parameter(index) => &self.parameters[index as usize].ty,
            Operand::Constant(id) => &self.constant(id).ty,
            Operand::Opaque => &Type::Void,
        }
    }

    /// The type of an operand of an instruction, by its number.
    pub(crate) fn type_at(&self, inst: &Inst<'_>, number: usize) -> Option<&Type> {
        Some(self.type_of(*inst.operands.get(number)?))
    }

    /// The indices of an address computation, each with the bytes that it counts by, if these are known.
    pub(crate) fn indices(&self, address: &Inst<'_>) -> Vec<(Operand, Option<i64>)> {
        let mut ty = address.source_type().cloned();
        let of = |(number, index): (usize, &Operand)| {
            if number > 0 {
                ty = ty.as_ref().and_then(|ty| self.inside(ty, *index));
            }
            (*index, ty.as_ref().and_then(|ty| i64::try_from(ty.size()).ok()))
        };
        address.operands.iter().skip(1).enumerate().map(of).collect()
    }

    /// The type of what an index leads to in a value of a type.
    fn inside(&self, ty: &Type, index: Operand) -> Option<Type> {
        if let Type::Struct(_) = ty { ty.member(self.as_u64(index)?) } else { ty.element() }
    }

    /// The type that a load or store moves; of anything else, that of its result.
    pub(crate) fn moved_type<'t>(&'t self, inst: &'t Inst<'_>) -> &'t Type {
        if inst.opcode == Opcode::Store { self.type_of(inst.operands[0]) } else { &inst.ty }
    }

    /// Successors by branch: a cut has none.
    pub(crate) fn successors(&self, id: BlockId) -> &[BlockId] {
        match &self.block(id).terminator {
            Terminator::Branch { successors, .. } => successors,
            _ => &[],
        }
    }

    /// Successors, including the block behind a cut.
    pub(crate) fn successors_through_cuts(&self, id: BlockId) -> Vec<BlockId> {
        match &self.block(id).terminator {
            Terminator::Branch { successors, .. } => successors.clone(),
            Terminator::Cut { state, .. } => vec![self.states[state.index()]],
            Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
        }
    }

    /// The condition of the branch at a block's end.
    pub(crate) fn condition(&self, id: BlockId) -> Option<Operand> {
        if let Terminator::Branch { condition, .. } = &self.block(id).terminator { *condition } else { None }
    }

    /// The instruction whose result a terminator uses.
    pub(crate) fn terminator_use(&self, id: BlockId) -> Option<InstId> {
        let returned = if let Terminator::Return(operand) = self.block(id).terminator { operand } else { None };
        self.condition(id).or(returned)?.inst()
    }

    /// What the end of a block uses: its condition, what it returns, or what it gives to a collective operation.
    pub(crate) fn used_at_end(&self, id: BlockId) -> &[Operand] {
        match &self.block(id).terminator {
            Terminator::Branch { condition, .. } => condition.as_slice(),
            Terminator::Return(operand) => operand.as_slice(),
            Terminator::Cut { gather: Some(gather), .. } => &gather.operands,
            _ => &[],
        }
    }

    /// An address, and those that it is computed from by address computations, from the last one back.
    pub(crate) fn bases(&self, address: Operand) -> impl Iterator<Item = Operand> {
        std::iter::successors(Some(address), |at| {
            let made_by = self.made_by(*at).filter(|inst| inst.opcode == Opcode::GetElementPtr)?;
            made_by.operands.first().copied()
        })
    }

    /// What an address is derived from by address computations alone.
    pub(crate) fn base(&self, address: Operand) -> Operand {
        self.bases(address).last().unwrap_or(address)
    }

    /// The collective operations in order, each with the state behind it and the instruction that is its result.
    pub(crate) fn collectives(&self) -> impl Iterator<Item = (StateId, Collective, &Inst<'m>)> {
        let cuts = self.blocks.iter().filter_map(|block| match &block.terminator {
            Terminator::Cut { state, gather: Some(gather), .. } => {
                Some((*state, gather.collective, self.inst(gather.result)))
            }
            _ => None,
        });
        let of_fibers = self.insts.iter().filter_map(|inst| match inst.kind {
            Kind::Collective(state, collective) => Some((state, collective, inst)),
            _ => None,
        });
        cuts.chain(of_fibers)
    }

    /// Has it a query of which this is true?
    pub(crate) fn asks(&self, is_it: impl Fn(Query) -> bool) -> bool {
        self.insts.iter().any(|inst| matches!(inst.kind, Kind::Query(query) if is_it(query)))
    }

    /// Has a function without cuts a loop?
    pub(crate) fn has_loops(&self) -> bool {
        let rank = |block: BlockId| self.rank[block.index()];
        let reachable = self.block_ids().filter(|block| self.reachable[block.index()]);
        reachable.into_iter().any(|block| self.successors(block).iter().any(|next| rank(*next) <= rank(block)))
    }

    /// Has it an operation of the sub-group?
    pub(crate) fn has_sub_group_operations(&self) -> bool {
        self.insts.iter().any(|inst| matches!(inst.kind, Kind::SubGroup(_) | Kind::NamedBarrier(_)))
    }

    /// Has it a barrier for some of the sub-groups?
    pub(crate) fn has_named_barriers(&self) -> bool {
        self.insts.iter().any(|inst| matches!(inst.kind, Kind::NamedBarrier(_)))
    }

    /// Has it a barrier or a collective operation?
    pub(crate) fn has_cuts(&self) -> bool {
        self.states.len() > 1
    }
}

/// Finds which blocks are reachable and in which order, and how many uses results have.
fn finish(function: &mut Function<'_>) {
    let count = function.blocks.len();
    let backwards = |block| {
        let mut next = function.successors_through_cuts(block);
        next.reverse();
        next
    };
    let successors: Vec<_> = function.block_ids().map(backwards).collect();
    let order = order::reverse_post_order([BlockId(0)], count, |block: BlockId| &successors[block.index()]);
    let (mut reachable, mut rank) = (vec![false; count], vec![u32::MAX; count]);
    for (place, block) in (0..).zip(order) {
        (reachable[block.index()], rank[block.index()]) = (true, place);
    }
    let mut uses = vec![0; function.insts.len()];
    let ends = function.block_ids().flat_map(|block| function.used_at_end(block));
    for operand in function.insts.iter().flat_map(|inst| &inst.operands).chain(ends) {
        // A text that is still to be verified may name any number.
        if let Operand::Inst(id) = operand
            && let Some(uses) = uses.get_mut(id.index())
        {
            *uses += 1;
        }
    }
    function.uses = uses;
    function.reachable = reachable;
    function.rank = rank;
}
