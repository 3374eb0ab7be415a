//! How each instruction is written for a gang. Only this module decides that: from the function, the shapes of its
//! values, the machine's abilities and the number of lanes. What an instruction costs and what `emit` writes both
//! follow from its recipe.

mod aos;
mod atomic;
mod call;
mod cost;
mod describe;
mod division;
mod exchange;
mod look_up;
mod memory;
mod operation;
mod phrase;
mod region_entry;
mod single;
mod slice;
#[cfg(test)]
mod tests;
mod together;
mod transpose;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use crate::ir::{BlockId, Elementwise, Function, Inst, InstId, Kind, Opcode, Operand, Scalar, StateId};
use oxicl_ops::{NamedBarrier, Query};
use oxicl_target::Vectors;

use crate::analyse::coalescing::is_place_in_row;
use crate::analyse::components::components_of;
use crate::analyse::course::Course;
use crate::analyse::idioms::comparison::{Comparison, comparison};
use crate::analyse::idioms::live_out::{LiveOut, live_outs};
use crate::analyse::idioms::product::{HighProduct, high_product};
use crate::analyse::idioms::table::Table;
use crate::analyse::instructions::{is_binary, is_cast, is_division};
use crate::analyse::shape::{Layout, Shape, Shapes};
use crate::analyse::streams::Streams;
use crate::bounds::LONGEST_AOS;
use crate::declined::Declined;

pub(crate) use aos::Aos;
pub(crate) use atomic::{Atomic, Change, Places, is_plain};
pub(crate) use call::{Argument, CallOfGang, Calls, VersionId};
pub(crate) use cost::{Price, WHOLE, Width, often_apart};
pub(crate) use division::{Division, Quotient};
pub(crate) use exchange::{Alone, Arrival, Exchange, SubGroupRecipe, Whose};
pub(crate) use look_up::{Permutes, REGISTER};
pub(crate) use memory::{
    Access, Elements, Form, Interleaved, Prefetch, Request, Scattered, ShortIndex, UnitAccess, WORD, Way, is_whole,
};
pub(crate) use region_entry::RegionEntry;
pub(crate) use together::{PairAccess, RecordAccess};
pub(crate) use transpose::{Transposition, Unpacking};

use phrase::Phrase;

/// How an instruction is written.
pub(crate) enum Recipe {
    /// With another instruction: as one access, or by each lane for a replicated instruction.
    With(InstId),
    /// Once for all lanes.
    Shared,
    /// By its first lane's value: the others follow at this stride.
    Linear(i64),
    /// By its first lane's value, and by whether a number that it is computed from wraps within the gang.
    UnlessWrapped,
    /// By its first lane's place in a row of coalesced work-groups.
    PlaceInRow,
    /// The address in an interleaved private object: the first lane's (`shared`), or each lane's.
    PrivateAddress {
        shared: bool,
    },
    /// A phi: the values that lanes bring from the blocks that they come from.
    Phi,
    /// The same operation on a vector of lanes for each SoA component.
    Vector,
    /// On one vector in AoS layout.
    Aos(Aos),
    /// The vector form of an intrinsic.
    Elementwise(&'static Elementwise),
    /// The upper half of a product.
    HighProduct(HighProduct),
    /// A comparison of 64-bit numbers, by the 32-bit distances of lanes from the first.
    ShortComparison(Comparison),
    Division(Division),
    /// A load or store by itself.
    Access(Access),
    /// Accesses to all numbers of a record (an interleave group), as one.
    Record(RecordAccess),
    /// A paired gather: two neighbouring numbers of each lane at once.
    Pair(PairAccess),
    /// An in-register look-up in a table.
    LookUp(Table, Permutes),
    /// An atomic operation of lanes that change one place, or may.
    Atomic(Atomic),
    /// Where lanes are in their sub-groups.
    PlaceInSubGroup(Query),
    /// Where lanes are in their work-groups, of which several are coalesced.
    PlaceInGroup(Query),
    SubGroup(SubGroupRecipe),
    /// A collective operation of fibers: the state that stands for it, and how lanes arrive.
    Collective(StateId, Arrival),
    /// The result of a collective operation.
    Gathered(StateId),
    Barrier,
    /// Makes a named barrier, or waits at one: for the sub-group, all lanes of which name the same one.
    NamedBarrier(NamedBarrier, Whose),
    /// One call for all lanes, of a version of the function; `None` until versions are planned.
    Call(Option<VersionId>),
    /// Lane by lane.
    Replicate(Why),
}

/// Why an instruction is replicated, that is done lane by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It has no vector form.
    NoForm(Phrase),
    /// It calls a function that has no version for gangs.
    NoVersion(Declined),
}

/// The length of a gang, and the vector registers that hold its values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes {
    pub(crate) lanes: u32,
    pub(crate) vectors: Vectors,
}

impl Lanes {
    /// Assumes at least the shortest registers that there are, also where the options disable vectors.
    pub(crate) fn of(lanes: u32, mut vectors: Vectors) -> Lanes {
        const SHORTEST: u32 = 128;
        vectors.bits = vectors.bits.max(SHORTEST);
        Lanes { lanes, vectors }
    }
}

/// What the choice of recipes depends on.
#[derive(Clone, Copy)]
pub(crate) struct Basis<'r, 'm> {
    pub(crate) function: &'r Function<'m>,
    pub(crate) shapes: &'r Shapes,
    /// Which values are kept in AoS layout; empty if none are, or if that is not known yet.
    pub(crate) aos: &'r [bool],
    pub(crate) vectors: Vectors,
    pub(crate) lanes: u32,
    /// The versions that calls use; `None` before they are planned.
    pub(crate) calls: Option<&'r Calls>,
    /// Where stores are streaming stores in large launches; `None` where only costs are asked for.
    pub(crate) streams: Option<&'r Streams>,
}

/// The recipes of a body.
pub(crate) struct Recipes<'r, 'm> {
    basis: Basis<'r, 'm>,
    /// The region that the body belongs to; `None` where all values of the function count as available.
    at_entry: Option<RegionEntry<'r>>,
    /// Loads that are paired, by block.
    together: RefCell<HashMap<BlockId, Rc<together::Pairs>>>,
    /// What lanes compute by themselves for replicated instructions, by block.
    slices: RefCell<HashMap<BlockId, Rc<slice::Slices>>>,
    chosen: Vec<OnceCell<Rc<Recipe>>>,
    /// Instructions that LLVM packs into vectors for a single work-item, with the lengths of these vectors.
    packed: OnceCell<HashMap<InstId, u32>>,
}

impl<'r, 'm> std::ops::Deref for Recipes<'r, 'm> {
    type Target = Basis<'r, 'm>;

    fn deref(&self) -> &Self::Target {
        &self.basis
    }
}

impl<'r, 'm> Recipes<'r, 'm> {
    pub(crate) fn new(basis: Basis<'r, 'm>, at_entry: Option<RegionEntry<'r>>) -> Self {
        let chosen = basis.function.insts.iter().map(|_| OnceCell::new()).collect();
        let (together, slices) = (RefCell::default(), RefCell::default());
        Recipes { basis, at_entry, together, slices, chosen, packed: OnceCell::new() }
    }

    /// The recipe of an instruction.
    pub(crate) fn of(&self, id: InstId) -> Rc<Recipe> {
        self.chosen[id.index()].get_or_init(|| Rc::new(self.select(id))).clone()
    }

    fn select(&self, id: InstId) -> Recipe {
        let inst = self.function.inst(id);
        match inst.kind {
            Kind::Phi(_) => return Recipe::Phi,
            Kind::SubGroup(operation) => return Recipe::SubGroup(self.sub_group(id, operation)),
            Kind::Barrier => return Recipe::Barrier,
            Kind::NamedBarrier(operation) => {
                return Recipe::NamedBarrier(operation, self.named_by_all(inst.operands[0]));
            }
            Kind::Collective(state, collective) => {
                return Recipe::Collective(state, self.arrival(collective, &inst.ty));
            }
            _ => {}
        }
        let shape = self.shape_of(id);
        if inst.opcode == Opcode::GetElementPtr && self.shapes.units(Operand::Inst(id)).is_some() {
            return Recipe::PrivateAddress { shared: shape != Shape::Varying };
        }
        if shape != Shape::Varying && self.is_linear(id) {
            return match shape {
                Shape::Affine(_) if self.shapes.coalescing.is_some() && is_place_in_row(self.function, id) => {
                    Recipe::PlaceInRow
                }
                Shape::Affine(stride) => Recipe::Linear(stride),
                Shape::Wrapping(_) => Recipe::UnlessWrapped,
                _ => Recipe::Shared,
            };
        }
        match inst.kind {
            Kind::Query(query) if query.is_of_sub_group() && self.shapes.layout == Layout::Rows => {
                Recipe::PlaceInSubGroup(query)
            }
            Kind::Query(query) if query.tells_groups_apart() && self.shapes.coalescing.is_some() => {
                Recipe::PlaceInGroup(query)
            }
            Kind::Gathered(state) => Recipe::Gathered(state),
            Kind::Call => self.call(id),
            // The address of each lane's object.
            Kind::Alloca => Recipe::Vector,
            Kind::Plain => self
                .in_slice(id)
                .or_else(|| self.plain(id))
                .unwrap_or_else(|| Recipe::Replicate(self.why_replicated(inst))),
            _ => Recipe::Replicate(self.why_replicated(inst)),
        }
    }

    /// The recipe of a varying instruction of LLVM's own; `None` if it is replicated.
    fn plain(&self, id: InstId) -> Option<Recipe> {
        let inst = self.function.inst(id);
        match inst.opcode {
            Opcode::Load | Opcode::Store => self.memory(id),
            Opcode::AtomicRmw | Opcode::AtomicCmpXchg => self.atomic(id).map(Recipe::Atomic),
            _ if self.keeps_aos(id) => self.as_aos(id),
            opcode if is_division(opcode) => Some(Recipe::Division(self.division(id))),
            Opcode::Trunc => Some(high_product(self.function, id).map_or(Recipe::Vector, Recipe::HighProduct)),
            Opcode::ICmp => {
                Some(comparison(self.function, self.shapes, id).map_or(Recipe::Vector, Recipe::ShortComparison))
            }
            Opcode::Call if inst.is_machine_call() => Some(Recipe::Vector),
            Opcode::Call => inst.elementwise().map(Recipe::Elementwise),
            _ => self.has_vector_form(inst).then_some(Recipe::Vector),
        }
    }

    /// The recipe of a load or store.
    fn memory(&self, id: InstId) -> Option<Recipe> {
        if self.keeps_aos(id) {
            return self.access(id).map(Recipe::Access);
        }
        if let Some(together) = self.in_record(id).or_else(|| self.in_pair(id)) {
            return Some(together);
        }
        let access = self.access(id);
        match self.look_up(id, access.as_ref()) {
            Some((table, permutes)) => Some(Recipe::LookUp(table, permutes)),
            None => access.map(Recipe::Access),
        }
    }

    /// Does an instruction without a special recipe do the same on vectors as on scalars?
    fn has_vector_form(&self, inst: &Inst<'m>) -> bool {
        use Opcode::{
            BitCast, ExtractElement, ExtractValue, FCmp, FNeg, Fence, Freeze, GetElementPtr, InsertElement,
            InsertValue, Select, ShuffleVector,
        };
        match inst.opcode {
            BitCast => self.casts_bits(inst),
            GetElementPtr => inst.ty.is_pointer() && inst.source_type().is_some(),
            FNeg | Freeze | FCmp | Select | ExtractElement | InsertElement | ShuffleVector | ExtractValue
            | InsertValue | Fence => true,
            opcode => is_binary(opcode) || is_cast(opcode),
        }
    }

    /// Why an instruction that has no other recipe is replicated.
    fn why_replicated(&self, inst: &Inst<'m>) -> Why {
        Why::NoForm(match (&inst.kind, inst.opcode) {
            (Kind::Print, _) => Phrase::Prints,
            (Kind::Query(_), _) => Phrase::Place,
            (Kind::StorageClass, _) => Phrase::StorageClass,
            // The type is not made of equal elements without gaps.
            (_, Opcode::Load | Opcode::Store) if inst.is_ordinary() => Phrase::Type,
            (_, Opcode::Load | Opcode::Store) => Phrase::Ordered,
            (_, Opcode::AtomicRmw | Opcode::AtomicCmpXchg) if inst.is_volatile() => Phrase::Ordered,
            (_, Opcode::AtomicRmw | Opcode::AtomicCmpXchg) => Phrase::OwnPlace,
            _ => Phrase::Operation,
        })
    }

    /// Can this bitcast be done on vectors? The number of parts may change, unless parts are shorter than a byte.
    fn casts_bits(&self, inst: &Inst<'m>) -> bool {
        let parts = |ty| components_of(ty).unwrap_or_default();
        let Some(from) = self.function.type_at(inst, 0).map(parts) else { return false };
        let to = parts(&inst.ty);
        let (Some(first), Some(element)) = (from.first(), to.first()) else { return false };
        let is_short = |component: &Scalar| component.is_int() && component.bits() < 8;
        let as_aos = matches!(inst.operands[0], Operand::Inst(id) if self.keeps_aos(id));
        as_aos || from.len() == to.len() || !(is_short(first) || is_short(element))
    }

    /// The induction live-outs of the body: phis that take counters of loops that lanes leave one by one.
    pub(crate) fn live_outs(&self, course: &Course) -> Vec<LiveOut> {
        self.at_entry
            .as_ref()
            .map_or_else(Vec::new, |at_entry| live_outs(self.function, self.shapes, at_entry.graph, course))
    }

    /// Do all lanes agree on a condition in this body, whatever its shape elsewhere?
    pub(crate) fn agree_on(&self, id: InstId) -> bool {
        self.at_entry.as_ref().and_then(|at_entry| at_entry.agreed).is_some_and(|agreed| agreed.contains(&id))
    }

    /// The shape of an instruction in the body.
    pub(crate) fn shape_of(&self, id: InstId) -> Shape {
        if self.agree_on(id) { Shape::Row } else { self.shapes.of(id) }
    }

    /// The shape of an operand in the body.
    pub(crate) fn shape(&self, operand: Operand) -> Shape {
        match operand {
            Operand::Inst(id) => match self.shape_of(id) {
                // Whether a number wraps that was computed elsewhere is not known, as slots hold each lane's own value.
                Shape::Wrapping(_) if !self.computes(id) || !self.is_linear(id) => Shape::Varying,
                shape => shape,
            },
            _ => self.shapes.of_operand(operand),
        }
    }

    /// Does the body compute an instruction, and nothing else its result?
    fn computes(&self, id: InstId) -> bool {
        self.at_entry.as_ref().is_none_or(|at_entry| {
            at_entry.computes(self.function, id) && !at_entry.given.contains(&id) && !at_entry.variables.contains(&id)
        })
    }

    /// Can the first lane stand for all, as the shape says? Not if the value, or an operand of it, was loaded from
    /// slots that hold each lane's own value.
    pub(crate) fn is_linear(&self, id: InstId) -> bool {
        if !matches!(self.shapes.of(id), Shape::Wrapping(_)) {
            return true;
        }
        // Shape analysis bounds how far this goes back.
        !self.is_variable(id)
            && self.function.inst(id).operands.iter().all(|operand| self.shape(*operand) != Shape::Varying)
    }

    /// Is the result of an instruction kept in AoS layout?
    pub(crate) fn keeps_aos(&self, id: InstId) -> bool {
        let ty = &self.function.inst(id).ty;
        self.aos.get(id.index()).is_some_and(|keeps| *keeps)
            && self.shape(Operand::Inst(id)) == Shape::Varying
            && ty.parts() * self.lanes <= LONGEST_AOS
    }

    /// Is a value one of the region's [`variables`](RegionEntry::variables)?
    fn is_variable(&self, id: InstId) -> bool {
        self.at_entry.as_ref().is_some_and(|at_entry| at_entry.variables.contains(&id))
    }

    /// Is an operand available in a block?
    fn is_at_hand(&self, operand: Operand, block: BlockId) -> bool {
        match (operand, &self.at_entry) {
            (Operand::Inst(id), Some(at_entry)) => at_entry.has(self.function, id, block),
            _ => true,
        }
    }
}
