//! The scalar cost of instructions: what they cost a work-item that runs by itself.

use crate::analyse::components::components_of;
use crate::analyse::idioms::divisor::is_signed;
use crate::analyse::idioms::packed::packed;
use crate::analyse::instructions::is_division;
use crate::analyse::shape::Shape;
use crate::ir::{Inst, InstId, Kind, Opcode, Operand, Scalar, Type, space};
use crate::prices::{Access as Direction, Move, Number, Operation, overrides};
use crate::recipe::operation::operation;
use crate::recipe::{Recipe, Recipes};

/// A frequency: how much of the work that work-items share LLVM cannot hoist out of the loop over them.
const LEFT_IN_LOOP: f64 = 0.3;

impl<'m> Recipes<'_, 'm> {
    /// The scalar cost of an instruction for each of several work-items that run one after the other.
    pub(crate) fn single(&self, id: InstId) -> f64 {
        let inst = self.function.inst(id);
        let is_access = matches!(inst.opcode, Opcode::Load | Opcode::Store | Opcode::AtomicRmw | Opcode::AtomicCmpXchg);
        let part = if self.shapes.of(id) == Shape::Varying || is_access { 1.0 } else { LEFT_IN_LOOP };
        part * self.by_itself(id)
    }

    /// The scalar cost of an instruction that runs once.
    pub(super) fn by_itself(&self, id: InstId) -> f64 {
        let inst = self.function.inst(id);
        let packed = self.packed.get_or_init(|| packed(self.function, self.shapes));
        match (packed.get(&id), inst.opcode) {
            // A shuffle of two registers moves at least two numbers into place.
            (Some(_), Opcode::InsertElement) => {
                self.of_values(Operation::Move(Move::PermuteTwo), Values::of(&inst.ty)) / 2.0
            }
            (Some(_), Opcode::ExtractElement) => 0.0,
            (Some(length), _) => self.unpacked(id) / f64::from(*length),
            (None, _) => self.unpacked(id),
        }
    }

    /// The same for an instruction that LLVM does not pack with others.
    fn unpacked(&self, id: InstId) -> f64 {
        let inst = self.function.inst(id);
        let of_value = Values::of(&inst.ty);
        match (&inst.kind, inst.opcode) {
            (_, Opcode::Load) => self.access_to(&inst.ty, Direction::Load),
            (_, Opcode::Store) => self.access_to(self.function.moved_type(inst), Direction::Store),
            (_, Opcode::AtomicRmw | Opcode::AtomicCmpXchg) => self.atomic_by_itself(inst),
            // The value stays in its register.
            (Kind::Phi(_), _) => 0.0,
            (Kind::Query(query), _) if query.tells_groups_apart() => {
                self.one(Operation::Contiguous(Direction::Load), Number::Int(64))
            }
            (Kind::Query(_) | Kind::Alloca, _) => self.one(Operation::Arithmetic(Opcode::Add), Number::Int(64)),
            (Kind::Plain, Opcode::Trunc) if matches!(*self.of(id), Recipe::HighProduct(_)) => {
                self.one(Operation::Arithmetic(Opcode::Mul), Number::Int(64))
            }
            // Part of a high product, and of its price.
            (Kind::Plain, Opcode::ZExt | Opcode::SExt | Opcode::Mul | Opcode::LShr) if is_long(inst) => 0.0,
            (Kind::Plain, Opcode::ExtractValue | Opcode::InsertValue) => 0.0,
            // A move from its register.
            (Kind::Plain, opcode) if is_division(opcode) && self.is_divided_before(id) => {
                self.of_values(Operation::Arithmetic(Opcode::Add), of_value)
            }
            (Kind::Plain, Opcode::ExtractElement) => {
                let from = self.function.type_at(inst, 0).unwrap_or(&inst.ty);
                self.of_values(Operation::Move(Move::Extract), Values::of(from))
            }
            (Kind::Plain, Opcode::InsertElement) => self.of_values(Operation::Move(Move::Insert), of_value),
            (Kind::Plain, Opcode::ShuffleVector) if leaves_in_place(inst.shuffle_mask()) => 0.0,
            (Kind::Plain, Opcode::ShuffleVector) => self.of_values(Operation::Move(Move::Permute), of_value),
            (Kind::Plain, opcode) => match operation(self.function, inst) {
                Some(done) => done.times * self.of_values(done.operation, Values { number: done.number, ..of_value }),
                None if matches!(opcode, Opcode::Call | Opcode::Other) => overrides::CALL.cycles,
                None => 0.0,
            },
            // Services of the runtime, functions, and work-items that wait.
            _ => overrides::CALL.cycles,
        }
    }

    /// Does an earlier instruction of the block divide the same numbers? One division gives both quotient and remainder.
    fn is_divided_before(&self, id: InstId) -> bool {
        let inst = self.function.inst(id);
        let before = self.function.block(inst.block).insts.iter().take_while(|other| **other != id);
        before.map(|other| self.function.inst(*other)).any(|other| {
            is_division(other.opcode)
                && is_signed(other.opcode) == is_signed(inst.opcode)
                && other.operands == inst.operands
        })
    }

    /// The scalar cost of an atomic operation: no lock in local memory, as a work-group never leaves its thread.
    pub(super) fn atomic_by_itself(&self, inst: &Inst<'m>) -> f64 {
        let is_local = self.function.type_at(inst, 0).is_some_and(|address| address.address_space() == space::LOCAL);
        if !is_local && self.is_of_launch(inst.operands[0]) {
            return overrides::CONTENDED.cycles;
        }
        if !is_local || inst.is_volatile() {
            return overrides::ATOMIC.cycles;
        }
        let number = Number::of(self.function.type_at(inst, 1).unwrap_or(&inst.ty));
        let memory = self.one(Operation::Contiguous(Direction::Load), number)
            + self.one(Operation::Contiguous(Direction::Store), number);
        memory + self.one(Operation::Arithmetic(Opcode::Add), Number::Int(number.bits()))
    }

    /// Is an address the same for all work-items of a launch, so that all threads access one cache line?
    fn is_of_launch(&self, address: Operand) -> bool {
        let is_fixed = |index: &Operand| matches!(index, Operand::Parameter(_) | Operand::Constant(_));
        self.function.bases(address).all(|at| match self.function.made_by(at) {
            Some(inst) => inst.opcode == Opcode::GetElementPtr && inst.operands.iter().skip(1).all(is_fixed),
            None => at != Operand::Opaque,
        })
    }

    fn one(&self, operation: Operation, number: Number) -> f64 {
        self.function.prices.of_one(operation, number)
    }

    /// A load or store of a value.
    fn access_to(&self, ty: &Type, direction: Direction) -> f64 {
        self.of_values(Operation::Contiguous(direction), Values::of(ty))
    }

    fn of_values(&self, operation: Operation, Values { number, length, count }: Values) -> f64 {
        f64::from(count) * self.function.prices.of_lanes(operation, number, length)
    }
}

/// A type as a single work-item holds it: vectors of the language are vectors, and aggregates several numbers.
#[derive(Clone, Copy)]
struct Values {
    number: Number,
    length: u32,
    count: u32,
}

impl Values {
    fn of(ty: &Type) -> Values {
        let number = Number::of(ty);
        match ty {
            Type::Vector(_, length) => Values { number, length: *length, count: 1 },
            _ => {
                let count = components_of(ty).map_or(1, |components| components.len()).max(1) as u32;
                Values { number, length: 1, count }
            }
        }
    }
}

/// Is it an integer of more bits than a register has?
pub(super) fn is_long(inst: &Inst<'_>) -> bool {
    matches!(inst.ty.scalar(), Some(Scalar::Int(65..)))
}

/// Does a shuffle leave all elements that it picks in place? Such shuffles make vectors longer or shorter.
fn leaves_in_place(picked: &[Option<u32>]) -> bool {
    (0..).zip(picked).all(|(place, from)| from.is_none_or(|from| from == place))
}
