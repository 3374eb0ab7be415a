//! Copies instructions of a scalar function into another function, with other operands.

use core::mem::offset_of;
use std::collections::HashMap;

use oxicl_abi::Services;
use oxicl_llvm::{Block as LlvmBlock, Builder, ConstantKind, GepFlags, Metadata, Opcode, Ordering, Place, Value};
use oxicl_ops::{NamedBarrier, SubGroup};

use crate::bounds::DEEPEST_CONSTANT;
use crate::emit::atomic;
use crate::emit::collective::{self, Outcome};
use crate::emit::combine::identity_of;
use crate::emit::machine;
use crate::emit::places::Places;
use crate::emit::private::InterleavedObjects;
use crate::emit::saturate::saturated_call;
use crate::failure::{OrFail, Result, failure};
use crate::ir::{BlockId, Function, Inst, InstId, Kind, Operand, StateId, Terminator, Type, space};

/// What stands for the result of a copied instruction.
#[derive(Clone, Copy)]
pub(crate) enum Mapped<'m> {
    Value(Value<'m>),
    /// A place in the frame: the value has several definitions. LLVM's mem2reg makes phis of it.
    Variable(Value<'m>),
}

/// What is the same in all copies for one kernel.
pub(crate) struct Surroundings<'m> {
    /// Addresses of the local variables, as offsets in the context block.
    pub(crate) locals: HashMap<Value<'m>, u64>,
    /// Called functions that need the hidden block, and their copies that take it.
    pub(crate) callees: HashMap<Value<'m>, Value<'m>>,
    /// Fibers run the kernel.
    pub(crate) in_fibers: bool,
}

/// Copies blocks of one scalar function to one place.
pub(crate) struct Copier<'e, 'm> {
    pub(crate) b: &'e Builder<'m>,
    pub(crate) function: &'e Function<'m>,
    pub(crate) around: &'e Surroundings<'m>,
    pub(crate) places: Places<'m>,
    pub(crate) parameters: Vec<Value<'m>>,
    /// The hidden block for calls that need it.
    pub(crate) hidden: Option<Value<'m>>,
    pub(crate) values: HashMap<InstId, Mapped<'m>>,
    pub(crate) blocks: HashMap<BlockId, LlvmBlock<'m>>,
    /// Phis whose entries are still to be filled in.
    pub(crate) phis: Vec<(InstId, Value<'m>)>,
    /// Marks accesses whose order among work-items does not matter.
    pub(crate) access_group: Option<(u32, Metadata<'m>)>,
    /// Results of collective operations, by the state behind each.
    pub(crate) outcomes: HashMap<StateId, Outcome<'m>>,
    /// The private objects that are interleaved, where there may be any.
    pub(crate) interleaved: Option<InterleavedObjects<'e, 'm>>,
}

impl<'e, 'm> Copier<'e, 'm> {
    /// A copier with no values yet, for the work-item at `places`.
    pub(crate) fn new(
        b: &'e Builder<'m>,
        function: &'e Function<'m>,
        around: &'e Surroundings<'m>,
        places: Places<'m>,
        parameters: Vec<Value<'m>>,
        hidden: Option<Value<'m>>,
    ) -> Self {
        let (values, blocks, phis, outcomes) = (HashMap::new(), HashMap::new(), Vec::new(), HashMap::new());
        Copier {
            b,
            function,
            around,
            places,
            parameters,
            hidden,
            values,
            blocks,
            phis,
            access_group: None,
            outcomes,
            interleaved: None,
        }
    }

    /// The value of an operand, where the builder is; `None` if it is opaque.
    pub(crate) fn operand(&self, operand: Operand) -> Result<Option<Value<'m>>> {
        Ok(match operand {
            Operand::Inst(id) => Some(self.result(id)?),
            Operand::Parameter(index) => Some(self.parameters[index as usize]),
            Operand::Constant(id) => Some(self.constant(*self.function.llvm_constants[id.index()], DEEPEST_CONSTANT)?),
            Operand::Opaque => None,
        })
    }

    /// The value of an operand that is not opaque.
    pub(crate) fn value(&self, operand: Operand) -> Result<Value<'m>> {
        self.operand(operand)?.or_fail("the value of what is none")
    }

    /// The values of operands, without opaque ones.
    pub(crate) fn values(&self, operands: &[Operand]) -> Result<Vec<Value<'m>>> {
        operands.iter().filter_map(|operand| self.operand(*operand).transpose()).collect()
    }

    /// The value of an instruction's result, where the builder is.
    pub(crate) fn result(&self, id: InstId) -> Result<Value<'m>> {
        match self.values.get(&id) {
            Some(Mapped::Value(value)) => Ok(*value),
            Some(Mapped::Variable(place)) => Ok(self.b.load(self.function.inst(id).llvm.ty(), *place, 0)),
            None => failure(format!("{} is used where it has no value", *self.function.inst(id).llvm)),
        }
    }

    /// A constant, with local variables in it replaced by their places in the context block.
    fn constant(&self, value: Value<'m>, depth: u32) -> Result<Value<'m>> {
        if depth == 0 {
            return failure("a constant expression is nested too deep");
        }
        if let Some(offset) = self.around.locals.get(&value) {
            let offset = self.b.context().int_type(64).const_int(*offset);
            let address = self.b.gep(self.b.context().int_type(8), self.places.context, &[offset], GepFlags::IN_BOUNDS);
            return Ok(self.b.addrspace_cast(address, value.ty()));
        }
        if value.constant_kind() != Some(ConstantKind::Expression) {
            return Ok(value);
        }
        let operands = value.operands();
        let new: Result<Vec<_>, _> = operands.iter().map(|o| self.constant(*o, depth - 1)).collect();
        let new = new?;
        if new == operands {
            return Ok(value);
        }
        let opcode = value.expression_opcode().or_fail("a constant expression without opcode")?;
        match (opcode, new.as_slice(), value.gep_source_type()) {
            (Opcode::GetElementPtr, [base, indices @ ..], Some(ty)) => {
                Ok(self.b.gep(ty, *base, indices, GepFlags::NONE))
            }
            (
                Opcode::AddrSpaceCast
                | Opcode::BitCast
                | Opcode::PtrToInt
                | Opcode::PtrToAddr
                | Opcode::IntToPtr
                | Opcode::Trunc,
                [operand],
                _,
            ) => Ok(self.b.cast(opcode, *operand, value.ty())),
            (Opcode::Add | Opcode::Sub | Opcode::Xor, [left, right], _) => Ok(self.b.binary(opcode, *left, *right)),
            _ => failure(format!("the constant expression {value} holds the address of a local variable")),
        }
    }

    /// Copies a block's instructions and, where it branches, its end. The builder is left at the end of the copy.
    pub(crate) fn copy_block(&mut self, block: BlockId) -> Result<()> {
        self.b.position_at_end(self.blocks[&block]);
        let insts = &self.function.block(block).insts;
        let is_phi = |id: &InstId| matches!(self.function.inst(*id).kind, Kind::Phi(_));
        let last_phi = insts.iter().rposition(is_phi);
        let mut late = Vec::new();
        for (number, id) in insts.iter().enumerate() {
            match self.values.get(id).copied() {
                Some(Mapped::Value(_)) => {}
                Some(Mapped::Variable(place)) => late.push((place, self.copy(*id)?)),
                None => {
                    let value = self.copy(*id)?;
                    self.values.insert(*id, Mapped::Value(value));
                }
            }
            // Variables of phis are written behind the last phi.
            if last_phi.is_none_or(|last| number >= last) {
                for (place, value) in late.drain(..) {
                    self.b.store(value, place, 0);
                }
            }
        }
        self.yields(block);
        if let Terminator::Branch { llvm, condition, successors, .. } = &self.function.block(block).terminator {
            let condition = condition.map(|c| self.operand(c)).transpose()?.flatten();
            let copy = llvm.clone_instruction().or_fail("a branch that is no instruction")?;
            for (index, successor) in (0u32..).zip(successors) {
                copy.set_successor(index, self.blocks[successor]);
            }
            if let Some(condition) = condition {
                copy.set_operand(0, condition);
            }
            self.b.insert(copy);
        }
        if matches!(self.function.block(block).terminator, Terminator::Unreachable) {
            self.b.unreachable();
        }
        Ok(())
    }

    /// Copies one instruction to where the builder is.
    pub(crate) fn copy(&mut self, id: InstId) -> Result<Value<'m>> {
        let inst = self.function.inst(id);
        match &inst.kind {
            Kind::Phi(_) => {
                let phi = self.b.phi(inst.llvm.ty());
                phi.set_fast_math(inst.llvm.fast_math());
                self.phis.push((id, phi));
                Ok(phi)
            }
            Kind::Query(query) => Ok(self.places.answer(self.b, *query)),
            Kind::Gathered(state) => match self.outcomes.get(state) {
                Some(outcome) => Ok(collective::outcome(self, *outcome, inst.llvm.ty())),
                None => failure("the result of a collective operation where there was none"),
            },
            Kind::StorageClass => Ok(self.places.storage_class(self.b, self.value(inst.operands[0])?)),
            Kind::SubGroup(operation) => self.copy_alone(inst, *operation),
            Kind::Print => self.copy_print(inst),
            Kind::Collective(state, _) => match self.outcomes.get(state) {
                Some(outcome @ Outcome::Waits(store, scans)) => {
                    collective::meet(self, store);
                    collective::arrive_with(self, store, *scans, &inst.operands)?;
                    self.pause(1);
                    Ok(collective::outcome(self, *outcome, inst.llvm.ty()))
                }
                _ => failure("a collective operation where there are no fibers"),
            },
            Kind::Barrier => {
                if let Some(ordering) = fence(*inst.llvm) {
                    self.b.fence(ordering, self.b.context().sync_scope(""));
                }
                self.pause(1);
                Ok(*inst.llvm)
            }
            Kind::NamedBarrier(operation) => Ok(self.named_barrier(inst, *operation, self.value(inst.operands[0])?)),
            Kind::Call => match inst.llvm.called_function().and_then(|f| self.around.callees.get(&f)) {
                Some(callee) => self.copy_call(inst, *callee),
                None => self.copy_plain(inst),
            },
            Kind::Alloca | Kind::Plain => match self.copy_interleaved(inst)? {
                Some(value) => Ok(value),
                None => self.copy_plain(inst),
            },
        }
    }

    /// The result of a sub-group operation in a sub-group of one work-item.
    fn copy_alone(&self, inst: &Inst<'m>, operation: SubGroup) -> Result<Value<'m>> {
        let own = match inst.operands.first() {
            Some(operand) if operation != SubGroup::Barrier => self.value(*operand)?,
            _ => return Ok(*inst.llvm),
        };
        Ok(match operation {
            SubGroup::Ballot => self.b.zext(own, inst.llvm.ty()),
            SubGroup::Exclusive(combine) => identity_of(self.b, combine, own.ty()),
            _ => own,
        })
    }

    fn copy_plain(&self, inst: &Inst<'m>) -> Result<Value<'m>> {
        let operands = inst.operands.iter().map(|o| self.operand(*o)).collect::<Result<Vec<_>, _>>()?;
        let values: Vec<_> = operands.iter().copied().flatten().collect();
        if let Some(value) = atomic::copy_local(self.b, *inst.llvm, &values) {
            return Ok(value);
        }
        if inst.opcode == Opcode::Call
            && let Some(value) =
                machine::write(self.b, *inst.llvm, &values).or_else(|| saturated_call(self.b, *inst.llvm, &values))
        {
            return Ok(value);
        }
        let copy = inst.llvm.clone_instruction().or_fail("a value that is no instruction")?;
        for (index, operand) in (0u32..).zip(operands) {
            if let Some(operand) = operand {
                copy.set_operand(index, operand);
            }
        }
        self.b.insert(copy);
        if let Some((kind, group)) = self.access_group.filter(|_| is_independent(self.function, inst)) {
            copy.set_metadata(self.b.context(), kind, group);
        }
        Ok(copy)
    }

    /// Lets other fibers go on at the end of a block from which a loop that waits starts another iteration.
    pub(crate) fn yields(&self, block: BlockId) {
        if self.around.in_fibers && self.function.yields.contains(&block) {
            self.pause(0);
        }
    }

    /// A call of the service that lets other fibers go on: for a while if `barrier` is 0, else up to a barrier.
    pub(crate) fn pause(&self, barrier: u64) {
        let context = self.b.context();
        let service = self.service(offset_of!(Services, pause));
        let ty = context.void_type().function(&[context.pointer_type(0), context.int_type(32)]);
        self.b.call_pointer(ty, service, &[self.places.fibers, context.int_type(32).const_int(barrier)]);
    }

    /// A call of the service that makes a named barrier of `operand` sub-groups, or waits at the barrier `operand`.
    pub(crate) fn named_barrier(&self, inst: &Inst<'m>, operation: NamedBarrier, operand: Value<'m>) -> Value<'m> {
        let (b, context) = (self.b, self.b.context());
        let service = match operation {
            NamedBarrier::Make => self.service(offset_of!(Services, make_named_barrier)),
            NamedBarrier::Wait => {
                if let Some(ordering) = fence(*inst.llvm) {
                    b.fence(ordering, context.sync_scope(""));
                }
                self.service(offset_of!(Services, wait_at_named_barrier))
            }
        };
        let ty = inst.llvm.ty().function(&[context.pointer_type(0), operand.ty()]);
        b.call_pointer(ty, service, &[self.places.fibers, operand])
    }

    /// A service, by the offset of its address in [`Services`].
    fn service(&self, offset: usize) -> Value<'m> {
        let (b, context) = (self.b, self.b.context());
        let offset = context.int_type(64).const_int(offset as u64);
        let address = b.gep(context.int_type(8), self.places.services, &[offset], GepFlags::IN_BOUNDS);
        b.load(context.pointer_type(0), address, 8)
    }

    /// A call of the service that prints.
    fn copy_print(&self, inst: &Inst<'m>) -> Result<Value<'m>> {
        let ty = inst.llvm.called_type().or_fail("a call without type")?;
        let service = self.service(offset_of!(Services, printf));
        Ok(self.b.call_pointer(ty, service, &self.values(&inst.operands[..inst.llvm.arguments().len()])?))
    }

    /// A call of a function that takes the hidden block as its last argument.
    fn copy_call(&self, inst: &Inst<'m>, callee: Value<'m>) -> Result<Value<'m>> {
        let hidden = self.hidden.or_fail("a call needs the hidden block where there is none")?;
        let count = inst.llvm.arguments().len();
        let mut arguments = self.values(&inst.operands[..count])?;
        arguments.push(hidden);
        let call = self.b.call(callee, &arguments);
        call.set_fast_math(inst.llvm.fast_math());
        for index in 0..count as u32 {
            for attribute in inst.llvm.attributes(Place::Parameter(index)) {
                call.add_attribute(Place::Parameter(index), attribute);
            }
        }
        Ok(call)
    }

    /// Gives the phis their entries, once all blocks are copied.
    pub(crate) fn fill_phis(&mut self) -> Result<()> {
        for (id, phi) in std::mem::take(&mut self.phis) {
            let inst = self.function.inst(id);
            let Kind::Phi(from) = &inst.kind else { continue };
            // A switch may lead here from a block several times, each with the same value: a variable is loaded once.
            let mut known = HashMap::new();
            for (block, operand) in from.iter().zip(&inst.operands) {
                let Some(copy) = self.blocks.get(block) else { continue };
                let end = copy.terminator().or_fail("a copied block without end")?;
                if let Some(value) = known.get(block) {
                    phi.add_incoming(*value, *copy);
                    continue;
                }
                self.b.position_before(end);
                if let Some(value) = self.operand(*operand)? {
                    known.insert(*block, value);
                    phi.add_incoming(value, *copy);
                }
            }
        }
        Ok(())
    }
}

/// What an instruction computes from other operands, without the flags that promise something (`nsw`, `inbounds`): not
/// all whose operands these are keep the promise. `None` for an instruction that is not computed so.
pub(crate) fn without_promises<'m>(b: &Builder<'m>, inst: &Inst<'m>, operands: &[Value<'m>]) -> Option<Value<'m>> {
    let old = *inst.llvm;
    Some(match (inst.opcode, operands) {
        // It is the sum, but perhaps not for whoever breaks the promise.
        (Opcode::Or, [left, right]) if inst.is_disjoint() => b.add(*left, *right),
        (Opcode::ICmp, [left, right]) => b.icmp(old.int_predicate()?, *left, *right),
        (Opcode::Trunc | Opcode::ZExt | Opcode::SExt, [operand]) => b.cast(inst.opcode, *operand, old.ty()),
        (Opcode::Select, [condition, then, otherwise]) => b.select(*condition, *then, *otherwise),
        (Opcode::Freeze, [operand]) => b.freeze(*operand),
        // Memory may hold undef or poison.
        (Opcode::Load, [address]) => b.freeze(b.load(old.ty(), *address, old.alignment())),
        (Opcode::GetElementPtr, [base, indices @ ..]) => b.gep(old.gep_source_type()?, *base, indices, GepFlags::NONE),
        (Opcode::Call, arguments) => b.call(old.called_function()?, arguments),
        (opcode, [left, right]) => b.binary(opcode, *left, *right),
        _ => return None,
    })
}

/// The fence of a barrier, if its scope is wider than a work-group, whose work-items share a thread anyway.
pub(crate) fn fence(barrier: Value<'_>) -> Option<Ordering> {
    /// SPIR-V's memory scopes up to this one reach beyond the work-group.
    const DEVICE: u64 = 1;
    /// SPIR-V's memory semantics: sequentially consistent.
    const SEQUENTIALLY_CONSISTENT: u64 = 0x10;
    let arguments: Vec<_> = barrier.arguments().iter().map(|a| a.as_u64()).collect();
    let [_, Some(scope), Some(semantics)] = arguments[..] else { return None };
    let strong = semantics & SEQUENTIALLY_CONSISTENT != 0;
    let ordering = if strong { Ordering::SequentiallyConsistent } else { Ordering::AcquireRelease };
    (scope <= DEVICE && semantics != 0).then_some(ordering)
}

/// Is it an access to memory that work-items share? Between barriers nothing orders these among work-items. Private
/// objects in the frame are not meant: work-items use them one after the other.
fn is_independent(function: &Function<'_>, inst: &Inst<'_>) -> bool {
    let pointer = match inst.opcode {
        Opcode::Load => function.type_at(inst, 0),
        Opcode::Store => function.type_at(inst, 1),
        _ => None,
    };
    let is_shared = |ty: &Type| (space::GLOBAL..=space::LOCAL).contains(&ty.address_space());
    pointer.is_some_and(is_shared) && inst.is_ordinary()
}
