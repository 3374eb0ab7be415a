//! Accesses that are written as one: to all numbers of a record (an interleave group), and two loads of neighbouring
//! numbers (a paired gather).

use std::collections::HashMap;

use crate::ir::{BlockId, InstId, Opcode, Type};

use crate::analyse::idioms::pair::{Pair, pair};
use crate::analyse::idioms::record::{Record, record};
use crate::analyse::idioms::table::table;
use crate::analyse::shape::Shape;
use crate::recipe::memory::{Elements, Form, Request, Scattered, is_whole};
use crate::recipe::{Recipe, Recipes};

/// A tolerance needed for correctness: sums of the same prices in another order count as equal.
const ROUNDED: f64 = 1.0 + 1e-9;

/// Accesses to all numbers of a record, as one: lanes whose records lie side by side load or store these whole.
pub(crate) struct RecordAccess {
    pub(crate) record: Record,
    /// The whole record.
    pub(crate) request: Request,
    pub(crate) form: Form,
    /// How lanes access their records if the number wraps that the address is computed from; `None` if it cannot.
    pub(crate) wrapped: Option<Scattered>,
}

/// Two loads of neighbouring numbers, as one load of both.
pub(crate) struct PairAccess {
    pub(crate) pair: Pair,
    /// Both numbers.
    pub(crate) request: Request,
    pub(crate) scattered: Scattered,
}

/// The pairs of a block: the later load by the earlier one (`leads`), and the reverse (`follows`).
#[derive(Default)]
pub(super) struct Pairs {
    leads: HashMap<InstId, InstId>,
    follows: HashMap<InstId, InstId>,
}

impl<'m> Recipes<'_, 'm> {
    /// The recipe of an access to a number of a record, which is loaded with the first one and stored with the last.
    pub(super) fn in_record(&self, id: InstId) -> Option<Recipe> {
        let function = self.function;
        let record = record(function, self.shapes, id, u64::from(self.lanes))?;
        let is_store = function.inst(id).opcode == Opcode::Store;
        let is_variable = |id: &InstId| self.is_variable(*id);
        if self.shapes.units(record.address).is_some() || (!is_store && record.members.iter().any(is_variable)) {
            return None;
        }
        let block = &function.block(function.inst(id).block).insts;
        let mut members = block.iter().filter(|other| record.members.contains(other));
        let leader = *if is_store { members.next_back() } else { members.next() }?;
        if leader != id {
            return self.in_record(leader).map(|_| Recipe::With(leader));
        }
        let whole = Type::Vector(record.element, record.members.len() as u32);
        let request = Request { is_store, ..Request::load(Elements::of(&whole)?, false, record.align) };
        let (form, wrapped) = match self.shape(record.address) {
            Shape::Wrapping(stride) => (self.form(request, Shape::Affine(stride)), Some(self.scattered(request))),
            shape @ Shape::Affine(_) => (self.form(request, shape), None),
            _ => return None,
        };
        let whole = RecordAccess { record, request, form, wrapped };
        self.is_cheaper_whole(&whole).then_some(Recipe::Record(whole))
    }

    /// Does a record cost no more as a whole than number by number?
    fn is_cheaper_whole(&self, whole: &RecordAccess) -> bool {
        let members = &whole.record.members;
        let by_itself = |id: &InstId| self.access(*id).map_or(f64::INFINITY, |access| self.access_price(&access).gang);
        let apart: f64 = members.iter().map(by_itself).sum();
        self.record_price(whole).gang * (members.len() as f64) <= apart * ROUNDED
    }

    /// The recipe of a load of a pair: both numbers are loaded where the earlier load is.
    pub(super) fn in_pair(&self, id: InstId) -> Option<Recipe> {
        if self.function.inst(id).opcode != Opcode::Load {
            return None;
        }
        let block = self.function.inst(id).block;
        let pairs = self.together.borrow().get(&block).cloned();
        let pairs = pairs.unwrap_or_else(|| {
            let pairs = std::rc::Rc::new(self.pairs(block));
            self.together.borrow_mut().insert(block, pairs.clone());
            pairs
        });
        if let Some(leader) = pairs.follows.get(&id) {
            return Some(Recipe::With(*leader));
        }
        pairs.leads.contains_key(&id).then(|| self.pair(id).map(Recipe::Pair)).flatten()
    }

    /// The pairs of a block: each load that is in no pair yet takes the later load of its neighbouring number, unless
    /// that is in one.
    fn pairs(&self, block: BlockId) -> Pairs {
        let mut pairs = Pairs::default();
        for id in self.function.block(block).insts.iter().copied() {
            let is_load = self.function.inst(id).opcode == Opcode::Load && self.shape_of(id) == Shape::Varying;
            if !is_load || pairs.follows.contains_key(&id) {
                continue;
            }
            let later = self.pair(id).map(|found| found.pair.later);
            if let Some(later) =
                later.filter(|later| !pairs.follows.contains_key(later) && self.in_record(id).is_none())
            {
                pairs.leads.insert(id, later);
                pairs.follows.insert(later, id);
            }
        }
        pairs
    }

    /// The pair that a load is the earlier part of, if lanes gather it.
    fn pair(&self, id: InstId) -> Option<PairAccess> {
        let inst = self.function.inst(id);
        // An address with a stride needs no gather, even if it may wrap; neither does its neighbour's.
        if self.shape(*inst.operands.first()?) != Shape::Varying {
            return None;
        }
        let pair = pair(self.function, id)?;
        if self.is_variable(pair.later) || table(self.function, id).is_some() {
            return None;
        }
        let address = pair.address;
        let one = Elements::of(&inst.ty)?;
        let apart = self.shape(address) == Shape::Varying
            && self.shapes.units(address).is_none()
            && self.may_be_side_by_side(one, 1, address).is_none();
        let align = inst.alignment().min(self.function.inst(pair.later).alignment());
        let both = Elements { count: 2, is_vector: true, ..one };
        let request = Request::load(both, false, align);
        let scattered = self.scattered(request);
        let at_once = matches!(scattered, Scattered::Words(_) | Scattered::ByLane) && is_whole(both, self.lanes);
        (apart && at_once).then_some(PairAccess { pair, request, scattered })
    }
}
