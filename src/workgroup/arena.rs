//! A scalar function in our own typed form: read once, never changed.
//!
//! Blocks are those of the function, split behind each barrier and collective operation. These are the end of a block,
//! [`Terminator::Cut`]; the block behind is reached from nowhere else, so that it can be entered anew. It starts with the
//! result of the operation, if it has one.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use oxicl_llvm::{Block as LlvmBlock, Opcode, Place, Value};
use oxicl_ops::attribute;
use oxicl_ops::{Collective, NamedBarrier, NotAnOperation, Operation, Query, SubGroup};

use crate::failure::{Failure, failure};
use crate::prices::Prices;
use crate::switches::OfFunction;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) struct $name(pub(crate) u32);

        impl $name {
            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        })+
    };
}

ids! {
    /// An instruction.
    InstId,
    /// A block.
    BlockId,
    /// A place where a work-item may start: 0 is the function's entry, others are behind a barrier.
    StateId
}

/// What an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand<'m> {
    /// The result of an instruction.
    Inst(InstId),
    /// A parameter of the function.
    Parameter(u32),
    /// A constant or a global.
    Constant(Value<'m>),
    /// Something that is copied as it is: metadata, inline assembly.
    Opaque,
}

/// What sort of instruction it is, as far as this crate treats it differently.
#[derive(Clone, Debug)]
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
    /// A barrier at which a fiber waits. Elsewhere they are cuts.
    Barrier,
    /// What sub-groups do with a barrier for some of them, which fibers serve.
    NamedBarrier(NamedBarrier),
    /// A collective operation of fibers, by a number of its own that stands for the state that there would be behind it.
    Collective(StateId, Collective),
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) struct Inst<'m> {
    /// The instruction that was read.
    pub(crate) value: Value<'m>,
    pub(crate) opcode: Opcode,
    pub(crate) kind: Kind,
    pub(crate) block: BlockId,
    pub(crate) operands: Vec<Operand<'m>>,
}

impl Inst<'_> {
    /// Is it the work-item's place, which advances by one along x?
    pub(crate) fn is_place(&self) -> bool {
        matches!(&self.kind, Kind::Query(query) if query.has_unit_stride())
    }
}

/// How a block ends.
#[derive(Clone, Debug)]
pub(crate) enum Terminator<'m> {
    /// A branch or switch on an operand; `None` if it goes to one block only. Successors are in LLVM's order.
    Branch { value: Value<'m>, condition: Option<Operand<'m>>, successors: Vec<BlockId> },
    /// The end of the work-item, or of a called function with its result.
    Return(Option<Operand<'m>>),
    /// Control does not come here.
    Unreachable,
    /// A barrier or collective operation, `call`: the work-item waits and starts again as `state`.
    Cut { call: Value<'m>, state: StateId, gather: Option<Gather<'m>> },
}

/// What work-items give to a collective operation.
#[derive(Clone, Debug)]
pub(crate) struct Gather<'m> {
    pub(crate) collective: Collective,
    pub(crate) operands: Vec<Operand<'m>>,
}

/// A block.
#[derive(Clone, Debug)]
pub(crate) struct Block<'m> {
    pub(crate) insts: Vec<InstId>,
    pub(crate) terminator: Terminator<'m>,
}

/// A function that was read.
pub(crate) struct Function<'m> {
    pub(crate) value: Value<'m>,
    pub(crate) parameters: Vec<Value<'m>>,
    pub(crate) insts: Vec<Inst<'m>>,
    pub(crate) blocks: Vec<Block<'m>>,
    /// First block of each state.
    pub(crate) states: Vec<BlockId>,
    /// Blocks that can be reached from the entry, cuts crossed.
    pub(crate) reachable: Vec<bool>,
    /// The place of each such block in reverse post-order.
    pub(crate) rank: Vec<u32>,
    /// It is run by fibers: barriers are no cuts.
    pub(crate) in_fibers: bool,
    /// Blocks from which loops that wait go into another iteration.
    pub(crate) yields: BTreeSet<BlockId>,
    /// Which decisions may be taken for it.
    pub(crate) switches: OfFunction,
    /// What operations cost on the machine that it is for.
    pub(crate) prices: Rc<Prices>,
}

impl<'m> Function<'m> {
    pub(crate) fn inst(&self, id: InstId) -> &Inst<'m> {
        &self.insts[id.index()]
    }

    pub(crate) fn block(&self, id: BlockId) -> &Block<'m> {
        &self.blocks[id.index()]
    }

    /// Successors by branch: a cut has none.
    pub(crate) fn successors(&self, id: BlockId) -> &[BlockId] {
        match &self.block(id).terminator {
            Terminator::Branch { successors, .. } => successors,
            _ => &[],
        }
    }

    /// Successors, with the block behind a cut among them.
    pub(crate) fn successors_through_cuts(&self, id: BlockId) -> Vec<BlockId> {
        match &self.block(id).terminator {
            Terminator::Branch { successors, .. } => successors.clone(),
            Terminator::Cut { state, .. } => vec![self.states[state.index()]],
            Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
        }
    }

    /// Operands of a terminator that are results of instructions.
    pub(crate) fn terminator_use(&self, id: BlockId) -> Option<InstId> {
        match &self.block(id).terminator {
            Terminator::Branch { condition: Some(Operand::Inst(inst)), .. } => Some(*inst),
            Terminator::Return(Some(Operand::Inst(inst))) => Some(*inst),
            _ => None,
        }
    }

    /// Operands that a collective operation at a block's end takes.
    pub(crate) fn gathered(&self, id: BlockId) -> &[Operand<'m>] {
        match &self.block(id).terminator {
            Terminator::Cut { gather: Some(gather), .. } => &gather.operands,
            _ => &[],
        }
    }

    /// The collective operations, each with the state behind it, in order.
    pub(crate) fn collectives(&self) -> impl Iterator<Item = (StateId, Collective, Value<'m>)> {
        let cuts = self.blocks.iter().filter_map(|block| match &block.terminator {
            Terminator::Cut { call, state, gather: Some(gather) } => Some((*state, gather.collective, *call)),
            _ => None,
        });
        let of_fibers = self.insts.iter().filter_map(|inst| match inst.kind {
            Kind::Collective(state, collective) => Some((state, collective, inst.value)),
            _ => None,
        });
        cuts.chain(of_fibers)
    }

    /// Blocks that are reached without a cut, each behind those that dominate it.
    pub(crate) fn definitions_first(&self) -> Vec<BlockId> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::new();
        let mut stack = vec![(BlockId(0), 0)];
        seen[0] = true;
        while let Some((block, next)) = stack.last_mut() {
            match self.successors(*block).get(*next) {
                Some(successor) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[successor.index()], true) {
                        stack.push((*successor, 0));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    /// Does it ask for something of which this is true?
    pub(crate) fn asks(&self, is_it: impl Fn(Query) -> bool) -> bool {
        self.insts.iter().any(|inst| matches!(inst.kind, Kind::Query(query) if is_it(query)))
    }

    /// Has a function without cuts a loop?
    pub(crate) fn has_loops(&self) -> bool {
        let order = self.definitions_first();
        let mut places = vec![0; self.blocks.len()];
        for (place, block) in order.iter().enumerate() {
            places[block.index()] = place;
        }
        order.iter().any(|b| self.successors(*b).iter().any(|next| places[next.index()] <= places[b.index()]))
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

struct Reader<'m> {
    ids: HashMap<Value<'m>, InstId>,
    /// First block of ours for each of LLVM's.
    first: HashMap<LlvmBlock<'m>, BlockId>,
    /// Last block of ours for each of LLVM's.
    last: HashMap<LlvmBlock<'m>, BlockId>,
    parameters: HashMap<Value<'m>, u32>,
    insts: Vec<Inst<'m>>,
    blocks: Vec<Block<'m>>,
    states: Vec<BlockId>,
    in_fibers: bool,
    /// Collective operations of fibers so far.
    collectives: u32,
}

/// Reads a function.
pub(crate) fn read<'m>(function: Value<'m>, prices: &Rc<Prices>) -> Result<Function<'m>, Failure> {
    read_as(function, prices, false)
}

/// Reads a function that fibers run.
pub(crate) fn read_for_fibers<'m>(function: Value<'m>, prices: &Rc<Prices>) -> Result<Function<'m>, Failure> {
    read_as(function, prices, true)
}

fn read_as<'m>(function: Value<'m>, prices: &Rc<Prices>, in_fibers: bool) -> Result<Function<'m>, Failure> {
    let parameters = function.parameters();
    let mut reader = Reader {
        ids: HashMap::new(),
        first: HashMap::new(),
        last: HashMap::new(),
        parameters: (0..).zip(&parameters).map(|(i, p)| (*p, i)).collect(),
        insts: Vec::new(),
        blocks: Vec::new(),
        states: vec![BlockId(0)],
        in_fibers,
        collectives: 0,
    };
    let blocks = function.blocks();
    for block in &blocks {
        reader.split(*block)?;
    }
    for block in &blocks {
        reader.connect(*block)?;
    }
    reader.resolve()?;
    let Reader { insts, blocks, states, .. } = reader;
    let mut function = Function {
        value: function,
        parameters,
        insts,
        blocks,
        states,
        reachable: Vec::new(),
        rank: Vec::new(),
        in_fibers,
        yields: BTreeSet::new(),
        switches: OfFunction::default(),
        prices: Rc::clone(prices),
    };
    finish(&mut function);
    Ok(function)
}

impl<'m> Reader<'m> {
    fn new_block(&mut self) -> BlockId {
        let id = BlockId(self.blocks.len() as u32);
        self.blocks.push(Block { insts: Vec::new(), terminator: Terminator::Unreachable });
        id
    }

    /// Makes blocks and instructions of one of LLVM's blocks, without operands and successors.
    fn split(&mut self, block: LlvmBlock<'m>) -> Result<(), Failure> {
        let mut current = self.new_block();
        self.first.insert(block, current);
        for value in block.instructions() {
            let Some(opcode) = value.opcode() else { continue };
            if value.is_terminator() {
                continue;
            }
            let kind = match classify(value, opcode)? {
                Class::Keep(kind) => kind,
                Class::Drop => continue,
                Class::Cut(None) if self.in_fibers => Kind::Barrier,
                Class::Cut(Some(collective)) if self.in_fibers => {
                    self.collectives += 1;
                    Kind::Collective(StateId(self.collectives), collective)
                }
                Class::Cut(collective) => {
                    let state = StateId(self.states.len() as u32);
                    let gather = collective.map(|collective| Gather { collective, operands: Vec::new() });
                    self.blocks[current.index()].terminator = Terminator::Cut { call: value, state, gather };
                    current = self.new_block();
                    self.states.push(current);
                    if collective.is_none() {
                        continue;
                    }
                    Kind::Gathered(state)
                }
            };
            let id = InstId(self.insts.len() as u32);
            self.insts.push(Inst { value, opcode, kind, block: current, operands: Vec::new() });
            self.blocks[current.index()].insts.push(id);
            self.ids.insert(value, id);
        }
        self.last.insert(block, current);
        Ok(())
    }

    /// Reads the terminator of one of LLVM's blocks.
    fn connect(&mut self, block: LlvmBlock<'m>) -> Result<(), Failure> {
        let Some(value) = block.terminator() else { return failure("a block without end") };
        let last = self.last[&block];
        let terminator = match value.opcode() {
            Some(Opcode::Ret) => match value.operand(0) {
                Some(result) => Terminator::Return(Some(self.operand(result)?)),
                None => Terminator::Return(None),
            },
            Some(Opcode::Unreachable) => Terminator::Unreachable,
            Some(Opcode::Br | Opcode::Switch) => {
                let condition = match value.opcode() {
                    Some(Opcode::Switch) => value.operand(0),
                    _ => value.condition(),
                };
                let condition = condition.map(|c| self.operand(c)).transpose()?;
                let successors = value.successors().iter().map(|s| self.first[s]).collect();
                Terminator::Branch { value, condition, successors }
            }
            other => return failure(format!("a terminator {other:?}")),
        };
        self.blocks[last.index()].terminator = terminator;
        Ok(())
    }

    fn operand(&self, value: Value<'m>) -> Result<Operand<'m>, Failure> {
        use oxicl_llvm::ValueKind as V;
        Ok(match value.kind() {
            V::Instruction => match self.ids.get(&value) {
                Some(id) => Operand::Inst(*id),
                None => return failure(format!("a use of {value}, which is no value")),
            },
            V::Parameter => Operand::Parameter(self.parameters[&value]),
            V::Constant | V::Function | V::GlobalVariable => Operand::Constant(value),
            V::Block | V::Metadata | V::Other => Operand::Opaque,
        })
    }

    /// Fills in the operands of all instructions.
    fn resolve(&mut self) -> Result<(), Failure> {
        for index in 0..self.insts.len() {
            let value = self.insts[index].value;
            let operands: Result<Vec<_>, _> = match &self.insts[index].kind {
                Kind::Phi(_) => value.incoming().into_iter().map(|(v, _)| self.operand(v)).collect(),
                Kind::Gathered(_) => Ok(Vec::new()),
                Kind::Collective(..) => value.arguments().into_iter().map(|v| self.operand(v)).collect(),
                _ => value.operands().into_iter().map(|v| self.operand(v)).collect(),
            };
            let operands = operands?;
            self.insts[index].operands = operands;
            if matches!(self.insts[index].kind, Kind::Phi(_)) {
                let blocks = value.incoming().iter().map(|(_, b)| self.last[b]).collect();
                self.insts[index].kind = Kind::Phi(blocks);
            }
        }
        for index in 0..self.blocks.len() {
            let Terminator::Cut { call, gather: Some(_), .. } = &self.blocks[index].terminator else { continue };
            let given: Result<Vec<_>, _> = call.arguments().into_iter().map(|v| self.operand(v)).collect();
            let given = given?;
            if let Terminator::Cut { gather: Some(gather), .. } = &mut self.blocks[index].terminator {
                gather.operands = given;
            }
        }
        Ok(())
    }
}

enum Class {
    Keep(Kind),
    Drop,
    Cut(Option<Collective>),
}

fn classify(value: Value<'_>, opcode: Opcode) -> Result<Class, Failure> {
    Ok(match opcode {
        Opcode::Phi => Class::Keep(Kind::Phi(Vec::new())),
        Opcode::Alloca => match value.operand(0).and_then(|count| count.as_u64()) {
            Some(_) => Class::Keep(Kind::Alloca),
            None => return failure("a private variable of variable size"),
        },
        Opcode::Call => classify_call(value)?,
        Opcode::Other => return failure(format!("the instruction {value}")),
        _ => Class::Keep(Kind::Plain),
    })
}

fn classify_call(value: Value<'_>) -> Result<Class, Failure> {
    let Some(callee) = value.called_function() else { return Ok(Class::Keep(Kind::Plain)) };
    let name = callee.name();
    // A private object may become a part of a larger block, of which these cannot speak.
    if name.starts_with("llvm.lifetime.") || name.starts_with("llvm.dbg.") {
        return Ok(Class::Drop);
    }
    let argument = value.arguments().first().and_then(|a| a.as_u64());
    Ok(match Operation::parse(&name, argument) {
        Ok(Operation::Barrier) => Class::Cut(None),
        Ok(Operation::Collective(collective)) => Class::Cut(Some(collective)),
        Ok(Operation::SubGroup(operation)) => Class::Keep(Kind::SubGroup(operation)),
        Ok(Operation::NamedBarrier(operation)) => Class::Keep(Kind::NamedBarrier(operation)),
        Ok(Operation::Print) => Class::Keep(Kind::Print),
        Ok(Operation::StorageClass) => Class::Keep(Kind::StorageClass),
        Ok(Operation::Query(query)) => Class::Keep(Kind::Query(query)),
        Err(NotAnOperation::WithoutDimension) => {
            return failure(format!("the call of {name} needs a constant dimension from 0 to 2"));
        }
        Err(NotAnOperation::Unknown) => return failure(format!("the operation {name} is not supported yet")),
        Err(NotAnOperation::Other) if callee.is_declaration() && !is_apart(callee) => Class::Keep(Kind::Plain),
        Err(NotAnOperation::Other) => Class::Keep(Kind::Call),
    })
}

/// Is a function compiled apart from what calls it?
pub(crate) fn is_apart(function: Value<'_>) -> bool {
    function.is_declaration() && function.attribute_text(Place::Function, attribute::APART).is_some()
}

/// Finds what can be reached, and in which order.
fn finish(function: &mut Function<'_>) {
    let mut reachable = vec![false; function.blocks.len()];
    let mut rank = vec![u32::MAX; function.blocks.len()];
    let mut left = function.blocks.len() as u32;
    let mut stack = vec![(BlockId(0), function.successors_through_cuts(BlockId(0)))];
    reachable[0] = true;
    while let Some((block, successors)) = stack.last_mut() {
        match successors.pop() {
            Some(next) if std::mem::replace(&mut reachable[next.index()], true) => {}
            Some(next) => {
                let successors = function.successors_through_cuts(next);
                stack.push((next, successors));
            }
            None => {
                left -= 1;
                rank[block.index()] = left;
                stack.pop();
            }
        }
    }
    function.reachable = reachable;
    function.rank = rank;
}
