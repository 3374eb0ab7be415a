//! How lanes exchange values: in operations of a sub-group, whose lanes are those of a gang, and in collective
//! operations of the work-group, at which they arrive all at once where that gives the same bits as one after the
//! other.

use oxicl_ops::{Collective, Combine, Query, SubGroup};

use crate::analyse::shape::{Layout, Shape};
use crate::bounds::CHAIN;
use crate::ir::{Inst, InstId, Kind, Opcode, Operand, Scalar, Type};
use crate::recipe::phrase::Phrase;
use crate::recipe::{Elements, Recipes};

/// How an operation of the sub-group is done.
pub(crate) struct SubGroupRecipe {
    pub(crate) how: Exchange,
    /// Do lanes share the result, so that it is kept once?
    pub(crate) is_shared: bool,
}

/// How lanes exchange values.
pub(crate) enum Exchange {
    /// There is nothing to wait for: all lanes run one instruction before the next.
    Barrier,
    /// Each lane is a sub-group by itself.
    Alone(Alone),
    /// Each lane's boolean is a bit of a number.
    Ballot,
    /// One value for all.
    Broadcast(Whose),
    /// The value that another lane has.
    Shuffle(Whose),
    /// All values combined.
    Reduce(Combine),
    /// The values of the lanes up to each, or before it, combined.
    Scan { by: Combine, is_inclusive: bool },
    /// The values of `size` neighbours combined.
    Clustered { by: Combine, size: u32 },
}

/// What a sub-group of one work-item gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alone {
    /// Its own value.
    Own,
    /// Its own boolean, as a number.
    OwnBit,
    /// The operation's identity, which an exclusive scan gives the first lane.
    Identity(Combine),
}

/// The lane whose value others receive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Any: all have the same.
    Any,
    /// For each lane, one whose number is known.
    Known(Vec<u32>),
    /// One whose number lanes share.
    Shared(Operand),
    /// One whose number all lanes name alike, as the program promises, though its shape varies.
    Agreed(Operand),
    /// Each lane names its own.
    Each(Operand),
}

impl Exchange {
    pub(super) fn phrase(&self) -> Phrase {
        match self {
            Exchange::Barrier => Phrase::NothingToWaitFor,
            Exchange::Alone(Alone::Own) => Phrase::OwnValue,
            Exchange::Alone(Alone::OwnBit) => Phrase::OwnTruth,
            Exchange::Alone(Alone::Identity(_)) => Phrase::BeforeFirst,
            Exchange::Ballot => Phrase::Ballot,
            Exchange::Broadcast(whose) | Exchange::Shuffle(whose) => match whose {
                Whose::Any => Phrase::FromAny,
                Whose::Known(_) => Phrase::FromKnown,
                Whose::Shared(_) => Phrase::FromShared,
                Whose::Agreed(_) => Phrase::FromAgreed,
                Whose::Each(_) => Phrase::FromEach,
            },
            Exchange::Reduce(_) => Phrase::LanesCombined,
            Exchange::Scan { .. } => Phrase::LanesScanned,
            Exchange::Clustered { .. } => Phrase::NeighboursCombined,
        }
    }
}

impl<'m> Recipes<'_, 'm> {
    /// How an operation of the sub-group is done.
    pub(super) fn sub_group(&self, id: InstId, operation: SubGroup) -> SubGroupRecipe {
        let inst = self.function.inst(id);
        let how = match operation {
            SubGroup::Barrier => Exchange::Barrier,
            _ if self.shapes.sub_group_size == 1 => Exchange::Alone(match operation {
                SubGroup::Ballot => Alone::OwnBit,
                SubGroup::Exclusive(by) => Alone::Identity(by),
                _ => Alone::Own,
            }),
            SubGroup::Ballot => Exchange::Ballot,
            SubGroup::Broadcast if self.shape(inst.operands[0]).is_row_uniform() => Exchange::Broadcast(Whose::Any),
            SubGroup::Broadcast => Exchange::Broadcast(self.named_by_all(inst.operands[1])),
            SubGroup::Shuffle => Exchange::Shuffle(self.shuffles(inst)),
            SubGroup::Reduce(by) => Exchange::Reduce(by),
            SubGroup::Inclusive(by) => Exchange::Scan { by, is_inclusive: true },
            SubGroup::Exclusive(by) => Exchange::Scan { by, is_inclusive: false },
            SubGroup::Clustered(by) => Exchange::Clustered { by, size: self.cluster(inst) },
        };
        let is_shared = !matches!(how, Exchange::Alone(_)) && self.shapes.of(id) != Shape::Varying;
        SubGroupRecipe { how, is_shared }
    }

    /// The lane whose number all lanes name alike, as the program promises.
    pub(super) fn named_by_all(&self, whose: Operand) -> Whose {
        if self.shape(whose).is_row_uniform() { Whose::Shared(whose) } else { Whose::Agreed(whose) }
    }

    fn shuffles(&self, inst: &Inst<'m>) -> Whose {
        let (value, whose) = (inst.operands[0], inst.operands[1]);
        if self.shape(value).is_row_uniform() {
            return Whose::Any;
        }
        match self.numbers(whose, CHAIN) {
            Some(numbers) => Whose::Known(numbers.into_iter().map(|number| number as u32 & (self.lanes - 1)).collect()),
            None => Whose::Each(whose),
        }
    }

    /// Lanes of a cluster. Its size is a constant; if it were not, each lane would be a cluster.
    fn cluster(&self, inst: &Inst<'m>) -> u32 {
        let size = inst.operands.get(1).and_then(|size| self.numbers(*size, CHAIN));
        let size = size.and_then(|size| size.first().copied()).unwrap_or(1);
        size.clamp(1, u64::from(self.lanes)).next_power_of_two() as u32
    }

    /// The value of an operand in each lane, if it is known.
    fn numbers(&self, operand: Operand, far: usize) -> Option<Vec<u64>> {
        let id = match operand {
            Operand::Constant(_) => return Some(vec![self.function.as_u64(operand)?; self.lanes as usize]),
            Operand::Inst(id) => id,
            _ => return None,
        };
        let inst = self.function.inst(id);
        match inst.kind {
            Kind::Query(Query::SubGroupMaxSize) => {
                return Some(vec![u64::from(self.shapes.sub_group_size); self.lanes as usize]);
            }
            Kind::Plain if far > 0 && inst.ty.is_int_up_to(64) => {}
            _ => return None,
        }
        let most = u64::MAX >> (64 - inst.ty.int_width());
        let numbers = |operand: &Operand| self.numbers(*operand, far - 1);
        let both = |operation: fn(u64, u64) -> u64| {
            let [left, right] = &inst.operands[..] else { return None };
            let each = numbers(left)?.into_iter().zip(numbers(right)?);
            Some(each.map(|(left, right)| operation(left, right) & most).collect())
        };
        match inst.opcode {
            Opcode::Add => both(u64::wrapping_add),
            Opcode::Sub => both(u64::wrapping_sub),
            Opcode::Mul => both(u64::wrapping_mul),
            Opcode::And => both(|left, right| left & right),
            Opcode::Or => both(|left, right| left | right),
            Opcode::Xor => both(|left, right| left ^ right),
            Opcode::Trunc | Opcode::ZExt => Some(numbers(&inst.operands[0])?.into_iter().map(|n| n & most).collect()),
            _ => None,
        }
    }

    /// How lanes arrive at an operation on values of a type.
    pub(crate) fn arrival(&self, collective: Collective, ty: &Type) -> Arrival {
        let is_int = ty.is_int_up_to(64);
        // The lanes of a line are of several rows.
        let is_row = self.shapes.layout != Layout::Line;
        match collective {
            _ if !is_int && !ty.single().is_some_and(Scalar::is_float) => Arrival::OneByOne,
            Collective::Broadcast if is_row => Arrival::Broadcast,
            Collective::Reduce(by) if !by.rounds() => Arrival::Reduce(by),
            Collective::Reduce(by) if is_row => Arrival::Parts(by),
            // Results of a scan are stored side by side, if their type allows it. One that rounds goes lane by lane.
            Collective::Inclusive(by) | Collective::Exclusive(by) if is_int && Elements::of(ty).is_some() => {
                Arrival::Scan { by, is_inclusive: matches!(collective, Collective::Inclusive(_)) }
            }
            _ => Arrival::OneByOne,
        }
    }
}

/// How lanes give their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// Their values are combined among themselves, neighbours first, then with what was gathered before.
    Reduce(Combine),
    /// Each lane adds to the part that its place along x belongs to: for sums and products that round.
    Parts(Combine),
    /// Each lane receives what was gathered before, combined with the values of the lanes up to it, or before it.
    Scan { by: Combine, is_inclusive: bool },
    /// The lane whose place is asked for gives its value.
    Broadcast,
    /// One after the other.
    OneByOne,
}

impl Arrival {
    pub(crate) fn phrase(self) -> Phrase {
        match self {
            Arrival::Reduce(_) => Phrase::Reduce,
            Arrival::Parts(_) => Phrase::Parts,
            Arrival::Scan { .. } => Phrase::Scan,
            Arrival::Broadcast => Phrase::Broadcast,
            Arrival::OneByOne => Phrase::OneByOne,
        }
    }
}
