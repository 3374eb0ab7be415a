//! The price of a recipe for a gang, in cycles: the operations that `emit` writes, each at its price in `prices`.

use oxicl_target::Ability;

use crate::analyse::components::components_of;
use crate::analyse::idioms::divisor::is_signed;
use crate::analyse::idioms::speculated::Rows;
use crate::analyse::interleave::Units;
use crate::analyse::shape::Shape;
use crate::bounds::SEARCHED;
use crate::ir::{Inst, InstId, Kind, Opcode, Operand, Type, space};
use crate::prices::{Access as Direction, Move, Number, Operation, overrides};
use crate::recipe::memory::{Access, Elements, Form, Interleaved, Request, Scattered, UnitAccess, WORD, Way, is_whole};
use crate::recipe::operation::operation;
use crate::recipe::single::is_long;
use crate::recipe::{Division, Places, Quotient, Recipe, Recipes, RecordAccess, Transposition};

/// A frequency: how often the lanes of a speculated contiguous access turn out to lie apart. Nothing is known of that
/// before a launch, so half of the time.
const OFTEN_SCATTERED: f64 = 0.5;

/// How often lanes lie apart, by what their address tells; by [`OFTEN_SCATTERED`] if it tells nothing.
pub(crate) fn often_apart(rows: Rows, lanes: u32) -> f64 {
    rows.chance_of_several(lanes).unwrap_or(OFTEN_SCATTERED)
}

/// A frequency: how often some lanes, but not all, are missing behind a branch. Nothing is known of that before a
/// launch either.
const OFTEN_MISSING: f64 = 0.5;

/// A frequency: how often a lane has a 64-bit number too large for doubles, so that each lane divides.
const OFTEN_LARGE: f64 = 0.25;

/// Frequencies: the part of phis' edges that merge values of lanes from different blocks, as others only begin an iteration;
/// and the part of calls that each lane makes, as the function has no version for gangs.
const MERGES: f64 = 0.5;
const CALLED_BY_LANE: f64 = 0.3;

/// Bytes that a lane loads or stores at once where its elements are accessed whole: a register of every x86-64, and of
/// NEON.
pub(crate) const WHOLE: u64 = 16;

/// The price of an instruction for a gang, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Price {
    pub(crate) gang: f64,
    /// The extra cost where lanes may be missing.
    pub(crate) masked: f64,
    /// Each lane accesses a place of its own.
    pub(crate) scattered: bool,
    /// Lanes run it in turn, so that under a mask the missing ones take no time.
    pub(crate) in_turn: bool,
    /// How many numbers the record has, if the instruction is one of the accesses to a record that lanes access whole.
    pub(crate) numbers: Option<f64>,
}

/// How wide a value is in a gang: its vector registers, and its SoA components.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Width {
    pub(crate) registers: f64,
    pub(crate) parts: f64,
}

impl Price {
    pub(crate) fn of(gang: f64) -> Price {
        Price { gang, ..Price::default() }
    }

    fn scattered(gang: f64) -> Price {
        Price { gang, scattered: true, ..Price::default() }
    }

    fn and_masked(self, masked: f64) -> Price {
        Price { masked: masked.max(0.0), ..self }
    }
}

impl<'m> Recipes<'_, 'm> {
    /// The price of an instruction by its recipe.
    pub(crate) fn price(&self, id: InstId) -> Price {
        let inst = self.function.inst(id);
        let lanes = f64::from(self.lanes);
        let word = Number::Int(32);
        match &*self.of(id) {
            // All accesses to a record have the same price.
            Recipe::With(leader) => match &*self.of(*leader) {
                Recipe::Record(record) => self.record_price(record),
                _ => Price::default(),
            },
            Recipe::Shared | Recipe::Linear(_) | Recipe::UnlessWrapped | Recipe::PlaceInRow => {
                Price::of(self.by_itself(id))
            }
            Recipe::PrivateAddress { shared: true } => Price::of(self.by_itself(id)),
            Recipe::Phi if self.shapes.of(id) != Shape::Varying => Price::default(),
            Recipe::Phi => {
                let merged = MERGES * (inst.operands.len() as f64 - 1.0);
                Price::of(merged * self.values(id, Operation::Select, Number::of(&inst.ty)))
            }
            Recipe::Access(access) => self.access_price(access),
            Recipe::Record(record) => self.record_price(record),
            Recipe::Pair(pair) => Price::scattered(self.scattered_price(pair.request, pair.scattered))
                .and_masked(self.scattered_masked(pair.scattered)),
            Recipe::LookUp(table, permutes) => Price::of(self.look_up_price(table, *permutes)),
            Recipe::Atomic(atomic) => {
                Price::scattered(self.atomic_price(inst, atomic.places)).and_masked(self.branches(1))
            }
            // A multiplication.
            Recipe::PlaceInGroup(_) => {
                Price::of(self.lanes_of(Operation::Arithmetic(Opcode::Mul), word) + self.simple(word))
            }
            // Versions are planned for the gangs that were chosen, so it is not known yet whether there is one. Under a
            // mask, the call tests the mask first.
            Recipe::Call(_) => Price::of(overrides::CALL.cycles * (1.0 + CALLED_BY_LANE * (lanes - 1.0)))
                .and_masked(overrides::MASK_MADE.cycles),
            Recipe::Barrier | Recipe::NamedBarrier(..) | Recipe::Collective(..) | Recipe::Replicate(_) => {
                self.replicated_price(id)
            }
            Recipe::Division(division) => Price::of(self.division_price(id, division)),
            Recipe::HighProduct(_) => Price::of(self.high_product_price()),
            Recipe::ShortComparison(_) => Price::of(self.lanes_of(Operation::Compare, word)),
            Recipe::SubGroup(_) => Price::of(self.values(id, Operation::Move(Move::Permute), Number::of(&inst.ty))),
            Recipe::Vector
            | Recipe::Aos(_)
            | Recipe::Elementwise(_)
            | Recipe::PrivateAddress { shared: false }
            | Recipe::PlaceInSubGroup(_)
            | Recipe::Gathered(_) => Price::of(self.vector_price(id)),
        }
    }

    /// The price of an operation on vectors.
    fn vector_price(&self, id: InstId) -> f64 {
        use Opcode::{ExtractElement, ExtractValue, InsertElement, InsertValue, LShr, Mul, SExt, ShuffleVector, ZExt};
        let inst = self.function.inst(id);
        let number = Number::of(&inst.ty);
        match inst.opcode {
            // Part of a high product, and of its price.
            ZExt | SExt | Mul | LShr if is_long(inst) => 0.0,
            // Each SoA component is a value of its own, so nothing is moved; in AoS layout they share registers.
            ExtractElement | InsertElement | ShuffleVector if self.keeps_aos(id) => self.permuted_by_lane(id, number),
            ExtractElement | InsertElement | ShuffleVector | ExtractValue | InsertValue => 0.0,
            // LLVM makes a call for each lane.
            Opcode::FRem => self.each_lane(id),
            _ => match operation(self.function, inst) {
                Some(done) => done.times * self.values(id, done.operation, done.number),
                None if matches!(inst.kind, Kind::Plain) => 0.0,
                None => self.simple(number),
            },
        }
    }

    /// The price of an operation on all components of a value.
    fn values(&self, id: InstId, operation: Operation, number: Number) -> f64 {
        let parts = self.width(id).parts;
        let prices = &self.function.prices;
        match self.keeps_aos(id) {
            true => prices.of_lanes(operation, number, self.lanes * parts as u32),
            false => parts * prices.of_lanes(operation, number, self.lanes),
        }
    }

    /// The price of permuting each lane's elements among themselves, for a value in AoS layout.
    fn permuted_by_lane(&self, id: InstId, number: Number) -> f64 {
        let in_register = (self.vectors.bits / number.bits()).max(1);
        let all = self.lanes * self.width(id).parts as u32;
        let permute = Operation::Move(Move::Permute);
        f64::from(all.div_ceil(in_register)) * self.function.prices.of_lanes(permute, number, in_register.min(all))
    }

    /// The price of an operation on one number per lane.
    pub(crate) fn lanes_of(&self, operation: Operation, number: Number) -> f64 {
        self.function.prices.of_lanes(operation, number, self.lanes)
    }

    /// The price of a simple operation on one number per lane.
    pub(crate) fn simple(&self, number: Number) -> f64 {
        let number = Number::Int(number.bits());
        self.lanes_of(Operation::Arithmetic(Opcode::Add), number)
    }

    /// The price of inserting a number into each lane, or extracting one from each.
    fn moved(&self, to: Move, number: Number) -> f64 {
        f64::from(self.lanes) * self.lanes_of(Operation::Move(to), number)
    }

    /// The price of an instruction lane by lane: operands are computed by the lane or extracted from vectors, and the
    /// result is inserted into one. Atomic operations pass both through memory.
    fn each_lane(&self, id: InstId) -> f64 {
        let inst = self.function.inst(id);
        let slice = self.slice(id);
        let is_taken = |operand: &&Operand| {
            let is_own = matches!(operand, Operand::Inst(id) if slice.contains(id));
            self.shape(**operand) == Shape::Varying && !is_own
        };
        let number = Number::of(&inst.ty);
        let operands = inst.operands.iter().filter(is_taken).count() as f64;
        let own: f64 = slice.iter().map(|member| self.by_itself(*member)).sum();
        let one_way =
            |direction| f64::from(self.lanes) * self.function.prices.of_one(Operation::Contiguous(direction), number);
        let (taken, put) = match inst.opcode {
            Opcode::AtomicRmw | Opcode::AtomicCmpXchg => (one_way(Direction::Load), one_way(Direction::Store)),
            _ => (self.moved(Move::Extract, number), self.moved(Move::Insert, number)),
        };
        let result = if inst.ty == Type::Void || !self.function.is_used(id) { 0.0 } else { put };
        let moved = self.width(id).parts * (operands * taken + result);
        f64::from(self.lanes) * (self.by_itself(id) + own) + moved
    }

    /// The price of a replicated instruction.
    fn replicated_price(&self, id: InstId) -> Price {
        let inst = self.function.inst(id);
        let goes_apart =
            matches!(inst.opcode, Opcode::AtomicRmw | Opcode::AtomicCmpXchg | Opcode::Load | Opcode::Store)
                || (inst.opcode == Opcode::Call && inst.ty == Type::Void);
        let scattered = goes_apart && matches!(inst.kind, Kind::Plain);
        let price = Price { scattered, in_turn: true, ..Price::of(self.each_lane(id)) };
        if price.scattered { price.and_masked(self.branches(1)) } else { price }
    }

    /// The price of `count` branches for each lane, around what it does by itself.
    fn branches(&self, count: u32) -> f64 {
        overrides::LANE_BRANCH.cycles * f64::from(self.lanes * count)
    }

    /// Lanes that change one place combine their values first. Where they only may share a place, each changes memory
    /// by itself if they turn out not to.
    fn atomic_price(&self, inst: &Inst<'m>, places: Places) -> f64 {
        let word = Number::Int(32);
        let steps = f64::from(self.lanes).log2();
        let together = steps * (self.lanes_of(Operation::Move(Move::Permute), word) + self.simple(word));
        let atomic = self.atomic_by_itself(inst);
        match places {
            Places::One => together + atomic,
            Places::MaybeOne => together + OFTEN_SCATTERED * f64::from(self.lanes) * atomic,
        }
    }

    /// The price of the products of halves, and of the operations that put these together.
    fn high_product_price(&self) -> f64 {
        let long = Number::Int(64);
        4.0 * self.lanes_of(Operation::Arithmetic(Opcode::FMul), Number::Double) + 8.0 * self.simple(long)
    }

    /// Divides in floating point: the operands are converted, and the quotient is converted back. A remainder takes one
    /// more product, and so does the correction of an estimated 64-bit quotient.
    fn division_price(&self, id: InstId, division: &Division) -> f64 {
        let inst = self.function.inst(id);
        let number = Number::of(&inst.ty);
        let (quotient, is_shared) = match division {
            Division::Shared(_, quotient) => (*quotient, true),
            // TargetTransformInfo has such products by each lane.
            Division::Each { quotient, is_constant }
                if *is_constant && number.bits() == 64 && !quotient.estimates() =>
            {
                let remainder = self.lanes_of(Operation::Arithmetic(Opcode::Mul), number) + self.simple(number);
                return self.width(id).parts * (self.high_product_price() + remainder);
            }
            Division::Each { quotient, is_constant } if *is_constant && !quotient.estimates() => {
                return self.values(id, Operation::ByConstant(inst.opcode), number);
            }
            Division::Each { quotient, .. } => (*quotient, false),
        };
        let float = match quotient {
            Quotient::Float => Number::Float,
            Quotient::ByLane => return self.each_lane(id),
            _ => Number::Double,
        };
        let (to, from) =
            if is_signed(inst.opcode) { (Opcode::SIToFP, Opcode::FPToSI) } else { (Opcode::UIToFP, Opcode::FPToUI) };
        // Numbers of 8 and 16 bits are widened to words first.
        let held = if number.bits() < 32 { Number::Int(32) } else { number };
        let there = self.lanes_of(Operation::Cast(to, float), held);
        let back = self.lanes_of(Operation::Cast(from, held), float);
        let divided = match is_shared {
            true => self.lanes_of(Operation::Arithmetic(Opcode::FMul), float),
            false => there + self.lanes_of(Operation::Arithmetic(Opcode::FDiv), float),
        };
        let product = self.lanes_of(Operation::Arithmetic(Opcode::Mul), held) + self.simple(held);
        let is_remainder = matches!(inst.opcode, Opcode::URem | Opcode::SRem);
        let mended = if quotient.estimates() || is_remainder { product } else { 0.0 };
        // The comparison with zero or with what is too large, and the select.
        let chosen = self.lanes_of(Operation::Compare, held) + self.lanes_of(Operation::Select, held);
        let by_lane = match quotient {
            Quotient::DoubleUnlessLarge { estimates: false } => OFTEN_LARGE * self.each_lane(id),
            _ => 0.0,
        };
        self.width(id).parts * (there + divided + back + mended + chosen) + by_lane
    }

    /// How wide an instruction's value is in a gang; of a store or comparison, what it stores or compares.
    pub(crate) fn width(&self, id: InstId) -> Width {
        let width = self.usual_width(id);
        let is_compare = self.function.inst(id).opcode == Opcode::ICmp;
        match is_compare && matches!(*self.of(id), Recipe::ShortComparison(_)) {
            true => Width { registers: self.registers_of(32, 1), ..width },
            false => width,
        }
    }

    /// The same for what recipes are chosen by: it asks for no other recipe, whose choice may depend on this one.
    pub(super) fn usual_width(&self, id: InstId) -> Width {
        let inst = self.function.inst(id);
        let first = self.function.type_at(inst, 0).filter(|ty| !ty.is_pointer());
        let ty = match inst.opcode {
            Opcode::Store | Opcode::ICmp | Opcode::FCmp => first.unwrap_or(&inst.ty),
            _ => &inst.ty,
        };
        let parts = components_of(ty).map_or(1, |components| components.len()).max(1) as u32;
        Width { registers: self.registers_of(Number::of(ty).bits(), parts), parts: parts.into() }
    }

    /// Vector registers of a value with `parts` components of `bits` bits, each in registers of its own.
    fn registers_of(&self, bits: u32, parts: u32) -> f64 {
        let each = f64::from(bits * self.lanes) / f64::from(self.vectors.bits);
        f64::from(parts) * each.max(1.0).ceil()
    }

    pub(super) fn access_price(&self, access: &Access) -> Price {
        let request = access.request;
        let Elements { count, .. } = request.elements;
        match access.way {
            Way::Plain(form @ Form::Scattered(scattered)) => {
                let price = self.form_price(request, form);
                Price { gang: price.gang + self.addresses_price(access, scattered), ..price }
            }
            Way::Plain(form) => self.form_price(request, form),
            Way::UnlessWrapped { form, .. } => self.unless_wrapped(self.form_price(request, form)),
            Way::Speculated { form, apart, often, .. } => {
                let side_by_side = self.form_price(request, form).masked;
                let masked = often * self.scattered_masked(apart) + (1.0 - often) * side_by_side;
                let scattered = self.scattered_price(request, apart) + self.addresses_price(access, apart);
                Price::scattered(often * scattered).and_masked(masked)
            }
            Way::Private(Interleaved { units, access }) => {
                let part = self.unit_price(request.of_unit(), units, access);
                Price { gang: f64::from(count) * part.gang, ..part }.and_masked(f64::from(count) * part.masked)
            }
        }
    }

    /// The price of extracting the lanes' addresses from vectors, where the price of the access leaves it out.
    fn addresses_price(&self, access: &Access, scattered: Scattered) -> f64 {
        match self.takes_addresses(scattered) && !access.request.together && !self.is_index_in_memory(access.address) {
            true => self.lane_addresses(),
            false => 0.0,
        }
    }

    /// Does the price of an access leave the extraction of addresses out?
    pub(super) fn takes_addresses(&self, scattered: Scattered) -> bool {
        matches!(scattered, Scattered::ByLane) && self.vectors.can(Ability::Gather)
    }

    /// The price of extracting them.
    pub(super) fn lane_addresses(&self) -> f64 {
        overrides::LANE_ADDRESS.cycles * f64::from(self.lanes)
    }

    /// Does an address vary by nothing but a number that lanes load side by side? LLVM then loads each lane's number
    /// separately, so that no address is extracted.
    fn is_index_in_memory(&self, address: Operand) -> bool {
        let mut at = address;
        for _ in 0..SEARCHED {
            let Operand::Inst(id) = at else { return false };
            let inst = self.function.inst(id);
            match inst.opcode {
                Opcode::GetElementPtr | Opcode::ZExt | Opcode::SExt => {
                    let mut varying = inst.operands.iter().filter(|operand| self.shape(**operand) == Shape::Varying);
                    let (Some(only), None) = (varying.next(), varying.next()) else { return false };
                    at = *only;
                }
                Opcode::Load => {
                    return inst.address().is_some_and(|place| matches!(self.shape(place), Shape::Affine(_)));
                }
                _ => return false,
            }
        }
        false
    }

    /// Adds the test for wrapping to the price of an access: a comparison, and a branch that costs as much.
    fn unless_wrapped(&self, access: Price) -> Price {
        let asked = 2.0 * self.function.prices.of_one(Operation::Compare, Number::Int(32));
        Price { gang: access.gang + asked, ..access }
    }

    pub(super) fn form_price(&self, request: Request, form: Form) -> Price {
        let Elements { element, count, .. } = request.elements;
        let (number, access) = (Number::of_scalar(element), request.direction());
        let prices = &self.function.prices;
        let contiguous = Operation::Contiguous(access);
        match form {
            // A load broadcasts the number to all lanes.
            Form::Once => Price::of(f64::from(count) * prices.of_one(contiguous, number)),
            Form::Contiguous | Form::ContiguousOrByLane => {
                let gang = match count {
                    1 => self.lanes_of(contiguous, number),
                    _ if request.as_aos => prices.of_lanes(contiguous, number, self.lanes * count),
                    _ => self.interleaved(access, number, count, count),
                };
                Price::of(gang).and_masked(match form {
                    Form::Contiguous => self.masked_price(request),
                    _ => overrides::MASK_MADE.cycles + OFTEN_MISSING * self.branches(count),
                })
            }
            // A shift and a mask extract each number from its word or insert it there, mostly for less than shuffles
            // do.
            Form::ContiguousWords => {
                let word = Number::Int(8 * WORD as u32);
                let shifted = self.lanes_of(contiguous, word) + self.taken_out(count, word);
                let gang = shifted.min(self.interleaved(access, number, count, count));
                Price::of(gang).and_masked(self.masked(access, word))
            }
            // Numbers and masks are reversed.
            Form::Reversed => {
                let forwards = self.form_price(request.by_parts(), self.in_row(request).unwrap_or(Form::Contiguous));
                let turned = f64::from(count) * self.lanes_of(Operation::Move(Move::Permute), number);
                Price { gang: forwards.gang + turned, ..forwards }
                    .and_masked(forwards.masked + self.mask_of_parts(2, number))
            }
            // Under a mask, each lane's address has to be computed.
            Form::Strided { factor: Some(factor), scattered, .. } => {
                let gang = self.interleaved(access, number, factor, 1);
                Price::of(gang).and_masked(self.apart_price(request, scattered) - gang)
            }
            Form::Strided { walks: true, scattered, .. } => {
                let gang = self.walked_price(request);
                Price::scattered(gang).and_masked(self.apart_price(request, scattered) - gang)
            }
            // Unless lanes are missing, their addresses follow from the first lane's.
            Form::Strided { scattered, .. } => {
                let taken = if self.takes_addresses(scattered) { self.lane_addresses() } else { 0.0 };
                Price::scattered(self.scattered_price(request, scattered))
                    .and_masked(self.scattered_masked(scattered) + taken)
            }
            Form::Scattered(scattered) => {
                Price::scattered(self.scattered_price(request, scattered)).and_masked(self.scattered_masked(scattered))
            }
        }
    }

    /// The price of accessing one unit per lane in an interleaved private object.
    fn unit_price(&self, request: Request, units: Units, access: UnitAccess) -> Price {
        match access {
            UnitAccess::Placed { form, blends: true } => {
                self.form_price(request, form).and_masked(self.blend_price(request))
            }
            UnitAccess::Placed { form, blends: false } => self.form_price(request, form),
            // A store narrows each comparison to the mask.
            UnitAccess::Chosen { step } => {
                let count = units.count.div_ceil(step) as f64;
                let narrowed = if request.is_store { count * self.simple(Number::Int(32)) } else { 0.0 };
                Price::of(self.chosen_price(request, units, step)).and_masked(narrowed)
            }
            UnitAccess::Shifted => self.shifted_price(request, units),
            // The unit and the place within it are taken out of the offset, and added.
            UnitAccess::Within(scattered) => {
                let price = self.form_price(request, Form::Scattered(scattered));
                Price { gang: price.gang + 5.0 * self.simple(Number::Int(64)), ..price }
            }
        }
    }

    /// The price of accessing numbers that are shorter than their units, which are accessed as one vector. A store loads
    /// what is there, and puts the number in the place of what it removes.
    fn shifted_price(&self, request: Request, units: Units) -> Price {
        let (number, word) = (Number::of_scalar(request.elements.element), Number::of_scalar(units.word()));
        let access = |direction| self.lanes_of(Operation::Contiguous(direction), word);
        let cast = |to, from| {
            self.lanes_of(Operation::Cast(if request.is_store { Opcode::ZExt } else { Opcode::Trunc }, to), from)
        };
        let loaded = access(Direction::Load) + self.simple(word);
        match request.is_store {
            false => Price::of(loaded + cast(Number::Int(number.bits()), word)),
            true => Price::of(
                loaded + cast(word, Number::Int(number.bits())) + 2.0 * self.simple(word) + access(Direction::Store),
            )
            .and_masked(self.lanes_of(Operation::Select, word)),
        }
    }

    /// The extra cost of blending a contiguous store with what memory has: a load and a select.
    pub(super) fn blend_price(&self, request: Request) -> f64 {
        let number = Number::of_scalar(request.elements.element);
        self.lanes_of(Operation::Contiguous(Direction::Load), number) + self.lanes_of(Operation::Select, number)
    }

    /// The price of accessing one unit per lane by way of one in every `step` units of an object: each of these is loaded
    /// and selected by a comparison, and a store writes it back.
    pub(super) fn chosen_price(&self, request: Request, units: Units, step: u64) -> f64 {
        let number = Number::of_scalar(request.elements.element);
        let access = |direction| self.lanes_of(Operation::Contiguous(direction), number);
        let chosen = self.lanes_of(Operation::Compare, Number::Int(32)) + self.lanes_of(Operation::Select, number);
        let stored = if request.is_store { access(Direction::Store) } else { 0.0 };
        units.count.div_ceil(step) as f64 * (access(Direction::Load) + chosen + stored)
    }

    /// The price of accessing one number per lane one by one, where addresses follow from the first lane's.
    pub(super) fn walked_price(&self, request: Request) -> f64 {
        let (number, access) = (Number::of_scalar(request.elements.element), request.direction());
        let one = self.function.prices.of_one(Operation::Contiguous(access), number);
        let accessed = f64::from(self.lanes) * one;
        // An instruction that inserts a number into a vector can load it, too.
        match request.is_store {
            true => accessed + self.moved(Move::Extract, number),
            false => accessed.max(self.moved(Move::Insert, number)),
        }
    }

    /// The price of a gather or scatter under a mask.
    fn apart_price(&self, request: Request, scattered: Scattered) -> f64 {
        self.scattered_price(request, scattered) + self.scattered_masked(scattered)
    }

    /// The extra cost of a mask on a contiguous access to one number per lane.
    fn masked(&self, access: Direction, number: Number) -> f64 {
        self.lanes_of(Operation::Masked(access), number) - self.lanes_of(Operation::Contiguous(access), number)
    }

    /// The extra cost of a mask on a contiguous access. Each element takes a mask of its own, unless a lane's elements
    /// make a number that machines have masks for.
    fn masked_price(&self, request: Request) -> f64 {
        let Elements { element, bytes, count, .. } = request.elements;
        let access = request.direction();
        let (masked, number) = match request.elements.masked_as() {
            all if all > bytes => (1, Number::Int(8 * all as u32)),
            _ => (count, Number::of_scalar(element)),
        };
        f64::from(masked) * self.masked(access, number) + self.mask_of_parts(masked, number)
    }

    /// The price of repeating each lane's mask bit for its `count` numbers: the mask becomes numbers, which are
    /// permuted and compared.
    fn mask_of_parts(&self, count: u32, number: Number) -> f64 {
        let of = |operation| self.lanes_of(operation, Number::Int(number.bits()));
        match count {
            1 => 0.0,
            _ => {
                of(Operation::Select) + f64::from(count) * (of(Operation::Move(Move::Permute)) + of(Operation::Compare))
            }
        }
    }

    /// The extra cost of a mask on a gather or scatter: none for the machine's own, which have a mask anyway.
    fn scattered_masked(&self, scattered: Scattered) -> f64 {
        match scattered {
            // Lanes outside the mask access a place in the frame. The mask is extended to 64 bits, and selects the
            // address, which is then taken out of a vector. Without a mask, most addresses are known ahead of a loop.
            Scattered::ByLane => {
                let address = Number::Int(64);
                let taken = if self.takes_addresses(scattered) { 0.0 } else { self.lane_addresses() };
                self.lanes_of(Operation::Cast(Opcode::SExt, address), Number::Int(32))
                    + self.lanes_of(Operation::Select, address)
                    + taken
            }
            _ => 0.0,
        }
    }

    /// The price of accessing `used` of the `factor` numbers of each lane's record, where records lie side by side.
    fn interleaved(&self, access: Direction, number: Number, factor: u32, used: u32) -> f64 {
        let prices = &self.function.prices;
        match Transposition::of(access, self.vectors, number.bits(), self.lanes, factor) {
            Transposition::Unpacked(unpacking) if used == factor => {
                let register = self.vectors.bits / number.bits();
                prices.of_lanes(Operation::Contiguous(access), number, self.lanes * factor)
                    + f64::from(unpacking.shuffles()) * prices.of_lanes(Operation::Move(Move::Unpack), number, register)
            }
            _ => self.lanes_of(Operation::Interleaved { access, factor, used }, number),
        }
    }

    pub(super) fn scattered_price(&self, request: Request, scattered: Scattered) -> f64 {
        let Request { elements, space, .. } = request;
        let operation = Operation::Scattered(request.direction());
        let (count, number) = (f64::from(elements.count), Number::of_scalar(elements.element));
        // Private and local memory is in the nearest cache.
        let is_fast = self.vectors.can(Ability::FastGather) && !request.is_store;
        let each = match request.is_store {
            _ if !space::is_far(space) || !self.vectors.can(Ability::Gather) => 0.0,
            // Where gathers are fast, rows take no longer than single accesses.
            _ if request.along_rows && self.vectors.can(Ability::FastGather) => 0.0,
            _ if request.along_rows => overrides::ROW_GATHER.cycles,
            true => 0.0,
            false => overrides::FAR_GATHER.cycles,
        };
        let far = each * f64::from(self.lanes);
        let gathered = |number: Number| match is_fast {
            true => overrides::FAST_GATHER.cycles * f64::from(self.lanes) + far,
            false => self.lanes_of(operation, number) + far,
        };
        let word = Number::Int(8 * WORD as u32);
        match scattered {
            // A lane's elements are accessed at once, a register at a time, and de-interleaved unless they stay in AoS
            // layout.
            Scattered::ByLane => {
                let by_lane = match space {
                    _ if self.vectors.can(Ability::Gather) => {
                        // The shuffles run in parallel with the accesses.
                        let joined = if elements.all_bytes() >= WHOLE { self.joined() } else { 0.0 };
                        f64::max(f64::from(self.lanes) * overrides::BY_LANE.cycles, joined)
                    }
                    // What lanes store in a private object they mostly load again soon, and wait for.
                    space::PRIVATE => self.lanes_of(operation, number),
                    _ => f64::from(self.lanes) * overrides::EXTRACTED.cycles,
                };
                let all = elements.count;
                match elements.all_bytes() {
                    _ if elements.are_three_bytes() => by_lane + self.taken_out(elements.count, word),
                    _ if !is_whole(elements, self.lanes) => count * by_lane,
                    bytes if request.as_aos || all == 1 => bytes.div_ceil(WHOLE) as f64 * by_lane,
                    bytes => {
                        let apart = self.interleaved(request.direction(), number, all, all);
                        bytes.div_ceil(WHOLE) as f64 * by_lane + apart
                    }
                }
            }
            Scattered::Words(bytes) => {
                let words = elements.all_bytes() as f64 / bytes as f64;
                let word = Number::Int(8 * bytes as u32);
                let parts = if request.is_word(bytes) { 1 } else { (bytes / elements.bytes) as u32 };
                words * (gathered(word) + self.word_price(request, word, parts))
            }
            Scattered::Elements => count * gathered(number),
        }
    }

    /// The price of putting [`WHOLE`] bytes of each lane into the registers that lanes share, or of taking them out.
    fn joined(&self) -> f64 {
        let (word, in_register) = (Number::Int(32), self.vectors.bits / 32);
        let registers = (self.lanes * WHOLE as u32 / 4).div_ceil(in_register);
        let put = self.function.prices.of_lanes(Operation::Move(Move::PermuteTwo), word, in_register);
        f64::from(self.lanes.saturating_sub(registers)) * put
    }

    /// The price of taking `count` numbers out of a word by themselves: it is shifted to where a number begins, and the
    /// rest is cut off.
    fn taken_out(&self, count: u32, word: Number) -> f64 {
        2.0 * f64::from(count) * self.simple(word)
    }

    /// The price of taking `count` elements out of a word, or of putting them into one.
    fn word_price(&self, request: Request, word: Number, count: u32) -> f64 {
        let number = Number::of_scalar(request.elements.element);
        let part = Number::Int(number.bits());
        let each = match (count, request.is_store) {
            (1, _) => 0.0,
            (2, false) if request.elements.bytes >= WORD => self.lanes_of(Operation::Move(Move::PermuteTwo), number),
            (_, false) => self.simple(word) + self.lanes_of(Operation::Cast(Opcode::Trunc, part), word),
            (_, true) => 2.0 * self.simple(word) + self.lanes_of(Operation::Cast(Opcode::ZExt, word), part),
        };
        f64::from(count) * each
    }

    /// The price of one of the accesses to a record.
    pub(super) fn record_price(&self, record: &RecordAccess) -> Price {
        let numbers = f64::from(record.request.elements.count);
        let whole = self.form_price(record.request, record.form);
        let whole = if record.wrapped.is_some() { self.unless_wrapped(whole) } else { whole };
        Price { numbers: Some(numbers), ..Price::of(whole.gang / numbers) }.and_masked(whole.masked / numbers)
    }
}
