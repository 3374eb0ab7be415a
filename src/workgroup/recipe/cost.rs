//! What a recipe costs a gang, in cycles: as many of the operations that emission writes as `prices` says that each takes.

use oxicl_target::Ability;

use crate::analyse::components::components_of;
use crate::analyse::idioms::divisor::is_signed;
use crate::analyse::idioms::speculated::Rows;
use crate::analyse::interleave::Units;
use crate::analyse::shape::Shape;
use crate::bounds::estimate::FAR;
use crate::ir::{Inst, InstId, Kind, Opcode, Operand, Type, space};
use crate::prices::{Access as Direction, Move, Number, Operation, overrides};
use crate::recipe::memory::{Access, Elements, Form, Interleaved, Request, Scattered, UnitAccess, WORD, Way, is_whole};
use crate::recipe::operation::operation;
use crate::recipe::single::is_long;
use crate::recipe::{Division, Places, Quotient, Recipe, Recipes, RecordAccess};

/// A frequency: how often lanes that may lie side by side do not. Nothing is known of that before a launch: as often as not.
const OFTEN_SCATTERED: f64 = 0.5;

/// How often lanes lie apart whose address tells so much.
pub(crate) fn often_apart(rows: Rows, lanes: u32) -> f64 {
    rows.chance_of_several(lanes).unwrap_or(OFTEN_SCATTERED)
}

/// A frequency: how often lanes are missing behind a branch, in part. Nothing is known of that before a launch either.
const OFTEN_MISSING: f64 = 0.5;

/// Frequencies: phis that lanes bring their values to from several sides, where others only begin an iteration; and functions
/// that have no version for lanes, but are called by each.
const MERGES: f64 = 0.5;
const CALLED_BY_LANE: f64 = 0.3;

/// Bytes that a lane loads or stores as one where its elements are accessed whole: a register of every x86-64, and of NEON. And
/// those of the longest number that is asked for in their stead.
const WHOLE: u64 = 16;
const LONGEST_NUMBER: u64 = 8;

/// What an instruction costs a gang.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Price {
    pub(crate) gang: f64,
    /// What it costs more where lanes may be missing.
    pub(crate) masked: f64,
    /// Each lane goes to a place of its own.
    pub(crate) scattered: bool,
    /// Of how many numbers the record has that lanes access whole, if it is an access to one of them.
    pub(crate) numbers: Option<f64>,
}

/// How wide a value is in a gang: its vector registers, and its parts.
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
    /// What an instruction costs by its recipe.
    pub(crate) fn price(&self, id: InstId) -> Price {
        let inst = self.function.inst(id);
        let lanes = f64::from(self.lanes);
        let word = Number::Int(32);
        match &*self.of(id) {
            // One of the accesses to a record has the price of any.
            Recipe::With(leader) => match &*self.of(*leader) {
                Recipe::Record(record) => self.record_price(record),
                _ => Price::default(),
            },
            Recipe::Shared | Recipe::Linear(_) | Recipe::UnlessWrapped | Recipe::PlaceInRow => {
                Price::of(self.by_itself(id))
            }
            Recipe::PrivateAddress { shared: true } => Price::of(self.by_itself(id)),
            Recipe::Phi if self.shapes.of(id) != Shape::Varying => Price::default(),
            Recipe::Phi => Price::of(MERGES * self.values(id, Operation::Select, Number::of(&inst.ty))),
            Recipe::Access(access) => self.access_price(access),
            Recipe::Record(record) => self.record_price(record),
            Recipe::Pair(pair) => Price::scattered(self.scattered_price(pair.request, pair.scattered))
                .and_masked(self.scattered_masked(pair.scattered)),
            Recipe::LookUp(_) => Price::of(self.look_up_price() + self.simple(word)),
            Recipe::Atomic(atomic) => {
                Price::scattered(self.atomic_price(inst, atomic.places)).and_masked(self.branches(1))
            }
            // By a product.
            Recipe::PlaceInGroup(_) => {
                Price::of(self.lanes_of(Operation::Arithmetic(Opcode::Mul), word) + self.simple(word))
            }
            // Versions are planned for the gangs that were chosen, so that it is not known yet whether there is one. Under a mask, it has to
            // look at that.
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

    /// What an operation of vectors costs.
    fn vector_price(&self, id: InstId) -> f64 {
        use Opcode::{ExtractElement, ExtractValue, InsertElement, InsertValue, LShr, Mul, SExt, ShuffleVector, ZExt};
        let inst = self.function.inst(id);
        let number = Number::of(&inst.ty);
        match inst.opcode {
            // What high products are made of.
            ZExt | SExt | Mul | LShr if is_long(inst) => 0.0,
            // Components of a value have names of their own in a gang, unless they lie together.
            ExtractElement | InsertElement | ShuffleVector if self.keeps_aos(id) => self.permuted_by_lane(id, number),
            ExtractElement | InsertElement | ShuffleVector | ExtractValue | InsertValue => 0.0,
            // LLVM has a call for each lane.
            Opcode::FRem => self.each_lane(id),
            _ => match operation(self.function, inst) {
                Some(done) => done.times * self.values(id, done.operation, done.number),
                None if matches!(inst.kind, Kind::Plain) => 0.0,
                None => self.simple(number),
            },
        }
    }

    /// An operation on all components of a value.
    fn values(&self, id: InstId, operation: Operation, number: Number) -> f64 {
        let parts = self.width(id).parts;
        let prices = &self.function.prices;
        match self.keeps_aos(id) {
            true => prices.of_lanes(operation, number, self.lanes * parts as u32),
            false => parts * prices.of_lanes(operation, number, self.lanes),
        }
    }

    /// What it costs to permute the elements of each lane among themselves, where the elements of all lanes lie in registers one after the
    /// other.
    fn permuted_by_lane(&self, id: InstId, number: Number) -> f64 {
        let in_register = (self.vectors.bits / number.bits()).max(1);
        let all = self.lanes * self.width(id).parts as u32;
        let permute = Operation::Move(Move::Permute);
        f64::from(all.div_ceil(in_register)) * self.function.prices.of_lanes(permute, number, in_register.min(all))
    }

    /// An operation on a number of each lane.
    pub(crate) fn lanes_of(&self, operation: Operation, number: Number) -> f64 {
        self.function.prices.of_lanes(operation, number, self.lanes)
    }

    /// A simple operation on a number of each lane.
    pub(crate) fn simple(&self, number: Number) -> f64 {
        let number = Number::Int(number.bits());
        self.lanes_of(Operation::Arithmetic(Opcode::Add), number)
    }

    /// Each register of words from the halves of a table, which are registers.
    fn look_up_price(&self) -> f64 {
        let word = Number::Int(32);
        let register = (self.vectors.bits / word.bits()).min(self.lanes).max(1);
        let halves = self.function.prices.of_lanes(Operation::Move(Move::PermuteTwo), word, register);
        f64::from(self.lanes.div_ceil(register)) * halves
    }

    /// A number into each lane, or out of each.
    fn moved(&self, to: Move, number: Number) -> f64 {
        f64::from(self.lanes) * self.lanes_of(Operation::Move(to), number)
    }

    /// What each lane does by itself: its operands are taken out of vectors, and its result put into one; by way of memory, where it
    /// changes memory.
    fn each_lane(&self, id: InstId) -> f64 {
        let inst = self.function.inst(id);
        let varies = |operand: &&Operand| self.shape(**operand) == Shape::Varying;
        let number = Number::of(&inst.ty);
        let operands = inst.operands.iter().filter(varies).count() as f64;
        let one_way =
            |direction| f64::from(self.lanes) * self.function.prices.of_one(Operation::Contiguous(direction), number);
        let (taken, put) = match inst.opcode {
            Opcode::AtomicRmw | Opcode::AtomicCmpXchg => (one_way(Direction::Load), one_way(Direction::Store)),
            _ => (self.moved(Move::Extract, number), self.moved(Move::Insert, number)),
        };
        let result = if inst.ty == Type::Void || !self.function.is_used(id) { 0.0 } else { put };
        let moved = self.width(id).parts * (operands * taken + result);
        f64::from(self.lanes) * self.by_itself(id) + moved
    }

    /// What an instruction costs that is done lane by lane.
    fn replicated_price(&self, id: InstId) -> Price {
        let inst = self.function.inst(id);
        let goes_apart =
            matches!(inst.opcode, Opcode::AtomicRmw | Opcode::AtomicCmpXchg | Opcode::Load | Opcode::Store)
                || (inst.opcode == Opcode::Call && inst.ty == Type::Void);
        let price =
            Price { scattered: goes_apart && matches!(inst.kind, Kind::Plain), ..Price::of(self.each_lane(id)) };
        if price.scattered { price.and_masked(self.branches(1)) } else { price }
    }

    /// Branches around what each lane does by itself.
    fn branches(&self, count: u32) -> f64 {
        overrides::LANE_BRANCH.cycles * f64::from(self.lanes * count)
    }

    /// Lanes that change one place have their numbers put together first; those that may are put together as far as they do.
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

    /// Products of halves, and what puts them together.
    fn high_product_price(&self) -> f64 {
        let long = Number::Int(64);
        4.0 * self.lanes_of(Operation::Arithmetic(Opcode::FMul), Number::Double) + 8.0 * self.simple(long)
    }

    /// By way of floating-point numbers: both operands are converted, and the quotient is converted back. A remainder takes a product
    /// more, and an estimate of a long quotient twice as much.
    fn division_price(&self, id: InstId, division: &Division) -> f64 {
        let inst = self.function.inst(id);
        let number = Number::of(&inst.ty);
        let (quotient, is_shared) = match division {
            Division::Shared(_, quotient) => (*quotient, true),
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
        // Numbers of 8 and 16 bits become words on their way.
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
        // The comparison with zero or with what is too large, and the choice.
        let chosen = self.lanes_of(Operation::Compare, held) + self.lanes_of(Operation::Select, held);
        self.width(id).parts * (there + divided + back + mended + chosen)
    }

    /// How wide an instruction's values are in a gang.
    pub(crate) fn width(&self, id: InstId) -> Width {
        let inst = self.function.inst(id);
        let first = self.function.type_at(inst, 0).filter(|ty| !ty.is_pointer());
        let ty = match inst.opcode {
            Opcode::Store | Opcode::ICmp | Opcode::FCmp => first.unwrap_or(&inst.ty),
            _ => &inst.ty,
        };
        let parts = components_of(ty).map_or(1, |components| components.len()).max(1) as u32;
        let is_short = inst.opcode == Opcode::ICmp && matches!(*self.of(id), Recipe::ShortComparison(_));
        let registers = match is_short {
            true => self.registers_of(32, 1),
            false => self.registers_of(Number::of(ty).bits(), parts),
        };
        Width { registers, parts: parts.into() }
    }

    /// Vector registers of a value of so many elements of so many bits, each of which has registers of its own.
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
                Price { gang: price.gang + self.addresses_price(access.address, scattered), ..price }
            }
            Way::Plain(form) => self.form_price(request, form),
            Way::UnlessWrapped { form, .. } => self.unless_wrapped(self.form_price(request, form)),
            Way::Speculated { form, apart, often, .. } => {
                let side_by_side = self.form_price(request, form).masked;
                let masked = often * self.scattered_masked(apart) + (1.0 - often) * side_by_side;
                let scattered = self.scattered_price(request, apart) + self.addresses_price(access.address, apart);
                Price::scattered(often * scattered).and_masked(masked)
            }
            Way::Private(Interleaved { units, access }) => {
                let part = self.unit_price(request.of_unit(units), units, access);
                Price { gang: f64::from(count) * part.gang, ..part }.and_masked(f64::from(count) * part.masked)
            }
        }
    }

    /// What it costs to take the addresses of lanes out of vectors, where TargetTransformInfo is not asked what each lane's own access
    /// costs.
    fn addresses_price(&self, address: Operand, scattered: Scattered) -> f64 {
        let is_taken = matches!(scattered, Scattered::ByLane) && self.vectors.can(Ability::Gather);
        match is_taken && !self.is_index_in_memory(address) {
            true => overrides::LANE_ADDRESS.cycles * f64::from(self.lanes),
            false => 0.0,
        }
    }

    /// Is what varies in an address a number that lanes load side by side? LLVM has each lane load its own then.
    fn is_index_in_memory(&self, address: Operand) -> bool {
        let mut at = address;
        for _ in 0..FAR {
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

    /// The price of an access that goes one of two ways: a comparison, and a branch that takes as long.
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
            // A load has the number in all lanes at once.
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
            // A shift and a mask take each number out of its word, or put it there, which is cheaper than shuffles.
            Form::ContiguousWords => {
                let word = Number::Int(8 * WORD as u32);
                let shifted = self.lanes_of(contiguous, word) + 2.0 * f64::from(count) * self.simple(word);
                let gang = shifted.min(self.interleaved(access, number, count, count));
                Price::of(gang).and_masked(self.masked(access, word))
            }
            // Numbers and masks are put in the other order.
            Form::Reversed => {
                let forwards = self.form_price(request.by_parts(), self.in_row(request).unwrap_or(Form::Contiguous));
                let turned = f64::from(count) * self.lanes_of(Operation::Move(Move::Permute), number);
                Price { gang: forwards.gang + turned, ..forwards }
                    .and_masked(forwards.masked + self.mask_of_parts(2, number))
            }
            // Under a mask, the place of each lane has to be computed.
            Form::Strided { factor: Some(factor), scattered, .. } => {
                let gang = self.interleaved(access, number, factor, 1);
                Price::of(gang).and_masked(self.apart_price(request, scattered) - gang)
            }
            Form::Strided { walks: true, scattered, .. } => {
                let gang = self.walked_price(request);
                Price::scattered(gang).and_masked(self.apart_price(request, scattered) - gang)
            }
            Form::Strided { scattered, .. } | Form::Scattered(scattered) => {
                Price::scattered(self.scattered_price(request, scattered)).and_masked(self.scattered_masked(scattered))
            }
        }
    }

    /// An access to a number of each lane in an interleaved object.
    fn unit_price(&self, request: Request, units: Units, access: UnitAccess) -> Price {
        match access {
            UnitAccess::Placed { form, blends: true } => {
                self.form_price(request, form).and_masked(self.blend_price(request))
            }
            UnitAccess::Placed { form, blends: false } => self.form_price(request, form),
            // Each comparison is narrowed to the lanes that are there.
            UnitAccess::Chosen => {
                let narrowed = if request.is_store { units.count as f64 * self.simple(Number::Int(32)) } else { 0.0 };
                Price::of(self.chosen_price(request, units)).and_masked(narrowed)
            }
        }
    }

    /// What it costs more to store a number of each lane with what is there in the others.
    pub(super) fn blend_price(&self, request: Request) -> f64 {
        let number = Number::of_scalar(request.elements.element);
        self.lanes_of(Operation::Contiguous(Direction::Load), number) + self.lanes_of(Operation::Select, number)
    }

    /// What all units of an object cost to access, for a number of each lane: each is loaded, compared and chosen, and those that
    /// may be written are stored.
    pub(super) fn chosen_price(&self, request: Request, units: Units) -> f64 {
        let number = Number::of_scalar(request.elements.element);
        let access = |direction| self.lanes_of(Operation::Contiguous(direction), number);
        let chosen = self.lanes_of(Operation::Compare, Number::Int(32)) + self.lanes_of(Operation::Select, number);
        let stored = if request.is_store { access(Direction::Store) } else { 0.0 };
        units.count as f64 * (access(Direction::Load) + chosen + stored)
    }

    /// What it costs to access a number of each lane one by one, from where the addresses need not be computed.
    pub(super) fn walked_price(&self, request: Request) -> f64 {
        let (number, access) = (Number::of_scalar(request.elements.element), request.direction());
        let one = self.function.prices.of_one(Operation::Contiguous(access), number);
        let accessed = f64::from(self.lanes) * one;
        // An instruction that puts a number into a vector loads it, too.
        match request.is_store {
            true => accessed + self.moved(Move::Extract, number),
            false => accessed.max(self.moved(Move::Insert, number)),
        }
    }

    /// What lanes at places of their own cost under a mask.
    fn apart_price(&self, request: Request, scattered: Scattered) -> f64 {
        self.scattered_price(request, scattered) + self.scattered_masked(scattered)
    }

    /// What lanes side by side cost more under a mask, for a number of each.
    fn masked(&self, access: Direction, number: Number) -> f64 {
        self.lanes_of(Operation::Masked(access), number) - self.lanes_of(Operation::Contiguous(access), number)
    }

    /// What lanes side by side cost more under a mask: where their elements make no number that has a mask, each has one.
    fn masked_price(&self, request: Request) -> f64 {
        let Elements { element, bytes, count, .. } = request.elements;
        let access = request.direction();
        let (masked, number) = match request.elements.masked_as() {
            all if all > bytes => (1, Number::Int(8 * all as u32)),
            _ => (count, Number::of_scalar(element)),
        };
        f64::from(masked) * self.masked(access, number) + self.mask_of_parts(masked, number)
    }

    /// What it costs to repeat each lane's bit of a mask for the `count` numbers that it has: as numbers, which are moved and compared.
    fn mask_of_parts(&self, count: u32, number: Number) -> f64 {
        let of = |operation| self.lanes_of(operation, Number::Int(number.bits()));
        match count {
            1 => 0.0,
            _ => {
                of(Operation::Select) + f64::from(count) * (of(Operation::Move(Move::Permute)) + of(Operation::Compare))
            }
        }
    }

    /// What lanes at places of their own cost more under a mask: where machines gather, that has a mask anyway.
    fn scattered_masked(&self, scattered: Scattered) -> f64 {
        match scattered {
            // Those outside go to a place in the frame, which the mask chooses when it is as long as addresses.
            Scattered::ByLane => {
                let address = Number::Int(64);
                self.lanes_of(Operation::Cast(Opcode::SExt, address), Number::Int(32))
                    + self.lanes_of(Operation::Select, address)
            }
            _ => 0.0,
        }
    }

    /// An access to so many numbers of each lane's record, which has more.
    fn interleaved(&self, access: Direction, number: Number, factor: u32, used: u32) -> f64 {
        self.lanes_of(Operation::Interleaved { access, factor, used }, number)
    }

    pub(super) fn scattered_price(&self, request: Request, scattered: Scattered) -> f64 {
        let Request { elements, space, .. } = request;
        let operation = Operation::Scattered(request.direction());
        let (count, number) = (f64::from(elements.count), Number::of_scalar(elements.element));
        // What work-items have to themselves, or their work-group has, is in the nearest cache.
        let is_far =
            !matches!(space, space::PRIVATE | space::LOCAL) && !request.is_store && self.vectors.can(Ability::Gather);
        let far = if is_far { overrides::FAR_GATHER.cycles * f64::from(self.lanes) } else { 0.0 };
        let gathered = |number: Number| self.lanes_of(operation, number) + far;
        let word = Number::Int(8 * WORD as u32);
        // A word is shifted to where its number begins, and the rest is cut off.
        let taken_out = 2.0 * self.simple(word);
        match scattered {
            // The elements of each lane at once, by as many numbers as a register is long; then they are taken from each other, unless
            // they stay together.
            Scattered::ByLane => {
                let by_lane = |bytes: u64| match self.vectors.can(Ability::Gather) {
                    true => f64::from(self.lanes) * overrides::BY_LANE.cycles,
                    false => self.lanes_of(operation, Number::Int(8 * bytes.min(LONGEST_NUMBER) as u32)),
                };
                let all = elements.count;
                match elements.all_bytes() {
                    _ if elements.are_three_bytes() => by_lane(WORD) + count * taken_out,
                    _ if !is_whole(elements, self.lanes) => count * by_lane(elements.bytes),
                    bytes if request.as_aos || all == 1 => bytes.div_ceil(WHOLE) as f64 * by_lane(bytes),
                    bytes => {
                        let apart = self.interleaved(request.direction(), number, all, all);
                        bytes.div_ceil(WHOLE) as f64 * by_lane(bytes) + apart
                    }
                }
            }
            Scattered::Words(bytes) => {
                let words = elements.all_bytes() as f64 / bytes as f64;
                words * gathered(Number::Int(8 * bytes as u32))
            }
            Scattered::Elements => count * gathered(number),
        }
    }

    /// The price of one of the accesses to a record.
    pub(super) fn record_price(&self, record: &RecordAccess) -> Price {
        let numbers = f64::from(record.request.elements.count);
        let whole = self.form_price(record.request, record.form);
        let whole = if record.wrapped.is_some() { self.unless_wrapped(whole) } else { whole };
        Price { numbers: Some(numbers), ..Price::of(whole.gang / numbers) }.and_masked(whole.masked / numbers)
    }
}
