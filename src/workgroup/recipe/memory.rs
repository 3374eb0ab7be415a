//! How lanes load and store: what the addresses of all lanes have in common, and the form of access that follows.

use crate::ir::{BlockId, Inst, InstId, Kind, Opcode, Operand, Scalar, Type, space};
use crate::prices::Access as Direction;
use oxicl_protocol::Decision;
use oxicl_target::{Ability, LINE};

use crate::analyse::components::word_of;
use crate::analyse::grid_stride::{GridStride, grid_stride};
use crate::analyse::idioms::speculated::{Rows, may_be_apart_by};
use crate::analyse::induction::advance;
use crate::analyse::interleave::Units;
use crate::analyse::shape::Shape;
use crate::bounds::{LONGEST_ACCESS, MOST_WALKED, WRITTEN};

use crate::recipe::{Recipes, often_apart};
use crate::switches::Subject;

/// Bytes of the word that a narrow number lies in: the shortest number that machines gather and scatter.
pub(crate) const WORD: u64 = 4;

/// Bytes of the longest number that machines have masks for.
const LONG: u64 = 8;

/// A cost: bytes of a gang's access above which the processor prefetches by itself.
const LONGEST_AHEAD: u64 = 1 << 10;
/// Costs: what is on its way while memory answers, in bytes, as many as it delivers meanwhile; and in results of vector
/// operations, of which processors have two or three a cycle.
const BYTES_AHEAD: u64 = 8 << 10;
const RESULTS_AHEAD: f64 = 1000.0;
/// Costs: the fewest and the most iterations to prefetch ahead.
const ITERATIONS_AHEAD: (u64, u64) = (4, 64);

/// A type as memory holds it: `count` equal elements without gaps.
#[derive(Clone, Copy)]
pub(crate) struct Elements {
    pub(crate) element: Scalar,
    /// Bytes of an element.
    pub(crate) bytes: u64,
    pub(crate) count: u32,
    pub(crate) is_vector: bool,
}

impl Elements {
    /// `None` for other types, whose accesses are replicated.
    pub(crate) fn of(ty: &Type) -> Option<Self> {
        let element = ty.scalar()?;
        let whole = !element.is_int() || element.bits().is_power_of_two() && element.bits() >= 8;
        whole.then(|| Elements { element, bytes: element.size(), count: ty.parts(), is_vector: ty.is_vector() })
    }

    /// One element.
    pub(crate) fn part(&self) -> Self {
        Elements { count: 1, is_vector: false, ..*self }
    }

    /// The type.
    pub(crate) fn ty(&self) -> Type {
        if self.is_vector { Type::Vector(self.element, self.count) } else { self.element.into() }
    }

    /// Bytes of all elements.
    pub(crate) fn all_bytes(&self) -> u64 {
        self.bytes * u64::from(self.count)
    }

    /// Bytes of the numbers that a contiguous access masks: narrow elements that together make a longer number are
    /// masked as that.
    pub(crate) fn masked_as(&self) -> u64 {
        if self.bytes < WORD && matches!(self.all_bytes(), WORD | LONG) { self.all_bytes() } else { self.bytes }
    }

    /// Are they three bytes together? A processor accesses two and one in less time than each from its place in a
    /// vector.
    pub(crate) fn are_three_bytes(&self) -> bool {
        self.all_bytes() == WORD - 1
    }

    /// The stride in elements, if it is two to four: such numbers are picked from one vector that holds those between
    /// as well.
    fn factor(&self, stride: i64) -> Option<u32> {
        let is_it = |factor: &u32| self.count == 1 && stride == (u64::from(*factor) * self.bytes) as i64;
        (2..=4).find(is_it)
    }
}

/// How lanes gather and scatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scattered {
    /// Lane after lane, each accessing at once what makes a number or a register. Missing lanes access a place in the
    /// frame, since a branch for each lane is mispredicted where data decide.
    ByLane,
    /// In words of this many bytes, which a lane's elements fill.
    Words(u64),
    /// Element by element.
    Elements,
}

/// How lanes access memory, under their mask where lanes may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Once: a load broadcasts to all lanes, a store is the last lane's.
    Once,
    /// As one vector, from the first lane on.
    Contiguous,
    /// The same for numbers that the machine has no masked accesses of: lane after lane if lanes are missing.
    ContiguousOrByLane,
    /// As one vector of words, each of which holds a lane's narrow numbers.
    ContiguousWords,
    /// As one vector or several, in reverse: the last lane comes first in memory.
    Reversed,
    /// At a constant stride. If no lane is missing, the lanes' numbers are picked from one vector that is `factor`
    /// times as long, or accessed one by one (`walks`). Otherwise lanes are scattered.
    Strided { stride: i64, factor: Option<u32>, walks: bool, scattered: Scattered },
    /// Each lane at its own place.
    Scattered(Scattered),
}

/// How an access finds the places of lanes.
pub(crate) enum Way {
    /// By the address as it is.
    Plain(Form),
    /// In an interleaved private object, one SoA component after the other.
    Private(Interleaved),
    /// As `form` if a number that the address is computed from does not wrap in the gang; else each lane's place is
    /// computed.
    UnlessWrapped { form: Form, wrapped: Scattered },
    /// A speculated contiguous access: as `form` if lanes turn out to lie side by side, else as `apart`, which happens
    /// in a part `often` of all cases.
    Speculated { form: Form, apart: Scattered, index: Option<ShortIndex>, often: f64 },
}

/// An access to an interleaved private object.
#[derive(Clone, Copy)]
pub(crate) struct Interleaved {
    pub(crate) units: Units,
    pub(crate) access: UnitAccess,
}

/// How the lanes' units in an interleaved object are accessed.
#[derive(Clone, Copy)]
pub(crate) enum UnitAccess {
    /// At their addresses.
    Placed {
        form: Form,
        /// A store writes back what memory has for missing lanes, as nobody else sees the object.
        blends: bool,
    },
    /// All units of the object are accessed, each as one vector, and comparisons choose each lane's own. LLVM keeps an
    /// object in registers if all accesses to it are contiguous.
    Chosen {
        /// The first element of an aligned access of several lies in one of every `step` units.
        step: u64,
    },
    /// All lanes' units are accessed as one vector, and numbers that are shorter than their units are shifted out of
    /// them, or into them.
    Shifted,
    /// Each lane accesses a number that is shorter than its unit by itself.
    Within(Scattered),
}

/// An index that is extended from a 32-bit number: lanes are side by side if the number advances by `step` and does not
/// wrap.
pub(crate) struct ShortIndex {
    /// The address computation.
    pub(crate) address: InstId,
    pub(crate) base: Operand,
    /// How far the index advances from lane to lane if lanes lie side by side.
    pub(crate) step: u64,
    pub(crate) extension: Opcode,
    /// What the index is extended to.
    pub(crate) ty: Scalar,
    /// The number without what lanes share of it, which is `more`. Whether lanes are side by side does not depend on
    /// that, so accesses that differ only by it share the test.
    pub(crate) number: InstId,
    pub(crate) more: Option<Operand>,
}

/// A load or store for a gang.
pub(crate) struct Access {
    pub(crate) request: Request,
    pub(crate) address: Operand,
    pub(crate) way: Way,
    pub(crate) prefetch: Option<Prefetch>,
}

/// What is loaded so many iterations later is prefetched.
pub(crate) struct Prefetch {
    pub(crate) stride: GridStride,
    pub(crate) iterations: u64,
}

/// What is accessed, and where, as far as the form of an access depends on it.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    pub(crate) elements: Elements,
    pub(crate) is_store: bool,
    /// In AoS layout: all parts of the first lane's vector are followed by the second lane's.
    pub(crate) as_aos: bool,
    /// The address space.
    pub(crate) space: u32,
    pub(crate) align: u32,
    /// A contiguous store of all lanes is a streaming store if the launch is large.
    pub(crate) streams: bool,
    /// Each lane goes along a row of its own, if lanes are apart.
    pub(crate) along_rows: bool,
    /// All do so by the same steps, so that their addresses follow from those before the loop.
    pub(crate) together: bool,
}

impl Request {
    /// Is it loaded, or stored?
    pub(crate) fn direction(&self) -> Direction {
        if self.is_store { Direction::Store } else { Direction::Load }
    }

    /// The request for one number per lane of an interleaved object.
    pub(crate) fn of_unit(&self) -> Self {
        let elements = self.elements.part();
        Request { elements, as_aos: false, align: elements.bytes as u32, ..*self }
    }

    /// The request for the word of each lane that such a number lies in.
    pub(crate) fn of_word(&self, units: Units) -> Self {
        let elements = Elements { element: units.word(), bytes: units.bytes, count: 1, is_vector: false };
        Request { elements, ..*self }.of_unit()
    }

    /// The same request for a value that is kept as SoA components.
    pub(crate) fn by_parts(self) -> Self {
        Request { as_aos: false, ..self }
    }

    /// Is a value in AoS layout one word of so many bytes for each lane?
    pub(crate) fn is_word(&self, bytes: u64) -> bool {
        self.as_aos && self.elements.all_bytes() == bytes
    }

    /// A load from generic memory.
    pub(crate) fn load(elements: Elements, as_aos: bool, align: u32) -> Self {
        Request {
            elements,
            is_store: false,
            as_aos,
            space: 0,
            align,
            streams: false,
            along_rows: false,
            together: false,
        }
    }

    /// A store to generic memory.
    pub(crate) fn store(elements: Elements, as_aos: bool, align: u32) -> Self {
        Request { is_store: true, ..Request::load(elements, as_aos, align) }
    }
}

/// Are all elements of a lane accessed at once where lanes are accessed one by one?
pub(crate) fn is_whole(elements: Elements, lanes: u32) -> bool {
    elements.count.is_power_of_two() && u64::from(elements.count) * u64::from(lanes) <= LONGEST_ACCESS
}

impl<'m> Recipes<'_, 'm> {
    /// The type that a load or store accesses, and the address.
    fn accessed<'t>(&'t self, inst: &'t Inst<'m>) -> Option<(&'t Type, Operand)> {
        let address = inst.address().filter(|_| matches!(inst.kind, Kind::Plain))?;
        Some((self.function.moved_type(inst), address))
    }

    /// How a load or store is written; `None` if it is replicated.
    pub(crate) fn access(&self, id: InstId) -> Option<Access> {
        let inst = self.function.inst(id);
        let (ty, address) = self.accessed(inst).filter(|_| self.is_for_all(inst))?;
        let elements = Elements::of(ty)?;
        let is_store = inst.opcode == Opcode::Store;
        let as_aos = match (is_store, inst.operands[0]) {
            (false, _) => self.keeps_aos(id),
            (true, Operand::Inst(stored)) => self.keeps_aos(stored),
            _ => false,
        };
        let (align, space) = (inst.alignment(), self.address_space(inst, is_store));
        let streams = is_store && self.streams(id, elements);
        let advances = |counts: &dyn Fn(InstId) -> bool| {
            advance(self.function, self.shapes, address, counts).is_some_and(|bytes| (1..LINE).contains(&bytes))
        };
        let along_rows = space::is_far(space) && advances(&|_| true);
        let together = along_rows && advances(&|counter| self.shapes.of(counter).is_row_uniform());
        let request = Request { elements, is_store, as_aos, space, align, streams, along_rows, together };
        let way = self.way(id, request, address);
        // An interleaved object has the same element of all lanes side by side, whatever the layout of values.
        let request = Request { as_aos: request.as_aos && !matches!(way, Way::Private(_)), ..request };
        let prefetch = if is_store { None } else { self.prefetch(inst, ty, address) };
        Some(Access { request, address, way, prefetch })
    }

    /// May one access serve all lanes? A volatile access to local memory may, too: only work-items of the group see it,
    /// and they share a thread.
    fn is_for_all(&self, inst: &Inst<'m>) -> bool {
        let is_local = self.address_space(inst, inst.opcode == Opcode::Store) == space::LOCAL;
        inst.is_ordinary() || (is_local && !inst.is_atomic())
    }

    fn address_space(&self, inst: &Inst<'m>, is_store: bool) -> u32 {
        self.function.type_at(inst, usize::from(is_store)).map_or(0, Type::address_space)
    }

    fn way(&self, id: InstId, request: Request, address: Operand) -> Way {
        let shape = self.shape(address);
        if let Some(units) = self.shapes.units(address) {
            return Way::Private(Interleaved { units, access: self.unit_access(id, request, shape, units) });
        }
        let scattered = || self.scattered(request);
        match shape {
            Shape::Wrapping(stride) if self.is_dense(request.elements, stride) => {
                Way::UnlessWrapped { form: self.form(request, Shape::Affine(stride)), wrapped: scattered() }
            }
            shape => match self.may_be_side_by_side(request.elements, request.align, address) {
                Some(rows) => {
                    let often = often_apart(rows, self.lanes);
                    let form = self.form(request, Shape::Affine(request.elements.all_bytes() as i64));
                    let index = self.short_index(self.function.inst(id), request.elements, address);
                    Way::Speculated { form, apart: scattered(), index, often }
                }
                None => Way::Plain(self.form(request, shape)),
            },
        }
    }

    fn unit_access(&self, id: InstId, request: Request, shape: Shape, units: Units) -> UnitAccess {
        let part = request.of_unit();
        if request.elements.bytes < units.bytes {
            let are_aligned = matches!(shape, Shape::Affine(_));
            return if are_aligned { UnitAccess::Shifted } else { UnitAccess::Within(self.scattered(part)) };
        }
        let step = self.step(request, units);
        match self.form(part, shape) {
            Form::Scattered(scattered) if self.chooses(id, request, scattered, units, step) => {
                UnitAccess::Chosen { step }
            }
            Form::Contiguous | Form::ContiguousOrByLane if self.blends(id, part) => {
                UnitAccess::Placed { form: Form::Contiguous, blends: true }
            }
            form => UnitAccess::Placed { form, blends: false },
        }
    }

    /// Every how many units of an object an access may begin.
    fn step(&self, Request { elements, align, .. }: Request, units: Units) -> u64 {
        let is_aligned = u64::from(align.min(self.function.inst(units.object).alignment())) >= elements.all_bytes();
        if is_aligned && elements.count.is_power_of_two() { elements.count.into() } else { 1 }
    }

    /// Is it cheaper to access all units of an object than each lane's own?
    fn chooses(&self, id: InstId, request: Request, scattered: Scattered, units: Units, step: u64) -> bool {
        let (part, count) = (request.of_unit(), f64::from(request.elements.count));
        let taken = if self.takes_addresses(scattered) { self.lane_addresses() } else { 0.0 };
        let is_cheaper =
            count * self.chosen_price(part, units, step) < count * self.scattered_price(part, scattered) + taken;
        is_cheaper && self.function.allows(Decision::Choices, id)
    }

    /// Is one unit per lane stored by a load, a select and a store for all lanes? Processors do not forward a store under
    /// a mask to the load behind it, which most private objects see at once: 15 cycles in place of 7 on Emerald Rapids.
    fn blends(&self, id: InstId, part: Request) -> bool {
        part.is_store && self.function.allows(Decision::Blends, id)
    }

    /// The form of an access to addresses of a shape.
    pub(crate) fn form(&self, request: Request, shape: Shape) -> Form {
        let elements = request.elements;
        let bytes = elements.all_bytes() as i64;
        match (shape, self.in_row(request)) {
            (Shape::Uniform | Shape::Row, _) => Form::Once,
            (Shape::Wrapping(_) | Shape::Varying, _) => Form::Scattered(self.scattered(request)),
            (Shape::Affine(stride), _) if stride == bytes && request.as_aos => self.contiguous(elements),
            (Shape::Affine(stride), Some(form)) if stride == bytes => form,
            (Shape::Affine(stride), Some(_)) if stride == -bytes => Form::Reversed,
            (Shape::Affine(stride), _) => Form::Strided {
                stride,
                factor: elements.factor(stride).filter(|_| !request.is_store),
                walks: self.walks(request),
                scattered: self.scattered(request),
            },
        }
    }

    /// Are strided lanes accessed one by one? A machine without gathers would have to do so anyway, after computing the
    /// addresses. On others it takes a few times the code, so the longer the function is, the more it has to save.
    fn walks(&self, request: Request) -> bool {
        let is_cheaper = || {
            let written = f64::from(2 * self.lanes) * WRITTEN * self.function.insts.len() as f64;
            self.walked_price(request) + written < self.scattered_price(request, self.scattered(request))
        };
        request.elements.count == 1
            && self.lanes <= MOST_WALKED
            && (matches!(self.scattered(request), Scattered::ByLane) || is_cheaper())
            && self.function.allows(Decision::Walks, Subject::Function)
    }

    /// The form of a contiguous access to SoA components, whichever lane comes first; `None` if vectors get too long.
    pub(crate) fn in_row(&self, request: Request) -> Option<Form> {
        let elements = request.elements;
        // Narrow numbers that make a word are cheaper to extract in registers of words than by shuffles.
        let words = elements.bytes < WORD && elements.all_bytes() == WORD && self.takes_words();
        let is_short = u64::from(elements.count) * u64::from(self.lanes) <= LONGEST_ACCESS;
        is_short.then(|| if words { Form::ContiguousWords } else { self.contiguous(elements) })
    }

    fn contiguous(&self, elements: Elements) -> Form {
        let masks = if elements.masked_as() < WORD { Ability::LongMasks } else { Ability::MaskedWords };
        if self.vectors.can(masks) { Form::Contiguous } else { Form::ContiguousOrByLane }
    }

    /// How lanes gather or scatter: in words or element by element where the machine has gathers of these, else lane by
    /// lane.
    pub(crate) fn scattered(&self, request: Request) -> Scattered {
        let Elements { bytes, count, .. } = request.elements;
        let word = word_of(bytes, u64::from(count)).filter(|_| self.takes_words());
        let gathered = match word {
            Some(word) => Scattered::Words(word),
            None if bytes >= WORD && self.vectors.can(Ability::Gather) => Scattered::Elements,
            None => return Scattered::ByLane,
        };
        // Each lane's address is taken out of a vector.
        let taken = if request.together { 0.0 } else { self.lane_addresses() };
        let by_lane = self.scattered_price(request, Scattered::ByLane) + taken;
        if by_lane < self.scattered_price(request, gathered) { Scattered::ByLane } else { gathered }
    }

    /// Does the machine gather, and may it do so by words?
    fn takes_words(&self) -> bool {
        self.vectors.can(Ability::Gather) && self.function.allows(Decision::Words, Subject::Function)
    }

    /// Are lanes at this stride side by side, or nearly so?
    fn is_dense(&self, elements: Elements, stride: i64) -> bool {
        stride.unsigned_abs() == elements.all_bytes() || elements.factor(stride).is_some()
    }

    /// May a contiguous access be speculated? Lanes cannot lie side by side if each is aligned to more bytes than it
    /// has. Gives what the address tells of rows.
    pub(super) fn may_be_side_by_side(&self, elements: Elements, align: u32, address: Operand) -> Option<Rows> {
        let fits = elements.all_bytes().is_multiple_of(u64::from(align.max(1)))
            && u64::from(elements.count) * u64::from(self.lanes) <= LONGEST_ACCESS;
        fits.then(|| may_be_apart_by(self.function, self.shapes, address, elements.all_bytes() as i64))?
    }

    /// The 32-bit number that an address's index is extended from. Testing it takes half the registers, and the
    /// addresses of all lanes are needed only if lanes lie apart. `None` if the address has another form, or the number
    /// is not available.
    fn short_index(&self, inst: &Inst<'m>, elements: Elements, address: Operand) -> Option<ShortIndex> {
        let Operand::Inst(address) = address else { return None };
        let sum = self.function.inst(address);
        let (Some(source), [base, Operand::Inst(index)]) = (sum.source_type(), &sum.operands[..]) else { return None };
        let index = self.function.inst(*index);
        let [Operand::Inst(number)] = index.operands[..] else { return None };
        let shared = |operand: Operand| self.shape(operand).is_row_uniform() && self.is_at_hand(operand, inst.block);
        let fits = matches!(index.opcode, Opcode::SExt | Opcode::ZExt)
            && elements.all_bytes().is_multiple_of(source.size().max(1))
            && self.function.inst(number).ty.int_width() == 32
            && shared(*base)
            && self.shape(Operand::Inst(number)) == Shape::Varying;
        let sum = self.function.inst(number);
        let parts = |own: Operand, more: Operand| {
            own.inst().filter(|own| self.has_lanes(*own, inst.block) && shared(more)).map(|own| (own, Some(more)))
        };
        let (number, more) = match sum.operands[..] {
            [left, right] if sum.opcode == Opcode::Add => parts(left, right).or_else(|| parts(right, left)),
            _ => None,
        }
        .unwrap_or((number, None));
        let ty = index.ty.single()?;
        (fits && self.has_lanes(number, inst.block)).then_some(ShortIndex {
            address,
            base: *base,
            step: elements.all_bytes() / source.size().max(1),
            extension: index.opcode,
            ty,
            number,
            more,
        })
    }

    /// Is a number available in a block as a vector of lanes?
    fn has_lanes(&self, id: InstId, block: BlockId) -> bool {
        !self.is_variable(id)
            && self.shape(Operand::Inst(id)) == Shape::Varying
            && self.is_at_hand(Operand::Inst(id), block)
    }

    /// Are contiguous stores streaming stores if the launch is large? Of whole cache lines only, as processors write parts
    /// of a line piece by piece. And of memory that the kernel does not read, and writes once: in no loop, or in one that
    /// advances by as much as the launch has work-items.
    fn streams(&self, id: InstId, elements: Elements) -> bool {
        let inst = self.function.inst(id);
        let (Some(streams), Some(at_entry), Some(address)) = (self.basis.streams, &self.at_entry, inst.address())
        else {
            return false;
        };
        let length = elements.all_bytes() * u64::from(self.lanes);
        let graph = at_entry.graph;
        let in_loop = graph.numbers.get(&inst.block).is_some_and(|node| graph.innermost(*node).is_some());
        streams.contain(self.function, inst)
            && length.is_multiple_of(LINE)
            && (!in_loop || grid_stride(self.function, self.shapes, graph, inst.block, address).is_some())
            && self.function.allows(Decision::Streams, id)
    }

    /// What a load prefetches if it is in a grid-stride loop.
    fn prefetch(&self, inst: &Inst<'m>, ty: &Type, address: Operand) -> Option<Prefetch> {
        let bytes = ty.size();
        let length = bytes * u64::from(self.lanes);
        let steps = matches!(self.shape(address), Shape::Affine(by) | Shape::Wrapping(by) if by == bytes as i64);
        let graph = self.at_entry.as_ref()?.graph;
        if !steps || length > LONGEST_AHEAD || self.shapes.units(address).is_some() {
            return None;
        }
        let may = matches!(address, Operand::Inst(id) if self.function.allows(Decision::Prefetch, id));
        let stride = grid_stride(self.function, self.shapes, graph, inst.block, address).filter(|_| may)?;
        let varying = graph.insts(self.function, stride.number).filter(|id| self.shapes.of(*id) == Shape::Varying);
        let results: f64 = varying.map(|id| self.usual_width(id).registers).sum();
        // An access to part of a cache line fetches the whole line, which is evicted before the other parts are used.
        let of_bytes = BYTES_AHEAD / length.max(LINE);
        let of_results = (RESULTS_AHEAD / results.max(1.0)).ceil() as u64;
        let iterations = of_bytes.min(of_results).clamp(ITERATIONS_AHEAD.0, ITERATIONS_AHEAD.1);
        Some(Prefetch { stride, iterations })
    }
}
