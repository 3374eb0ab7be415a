//! What a recipe costs a gang.
//!
//! The unit is about a cycle. The figures are those of processors with wide vectors: measured throughput of long runs of the
//! same operation, on data in the first cache. What is compared is sums of them, so only their proportions matter. The constants
//! here are costs.

use oxicl_llvm::{Opcode, Type, TypeKind};
use oxicl_target::Ability;

use crate::analyse::components::components_of;
use crate::analyse::shape::Shape;
use crate::arena::{Inst, InstId, Kind};
use crate::recipe::memory::{Access, Elements, Form, Request, Scattered, WORD, Way};
use crate::recipe::{Division, Recipe, Recipes, RecordAccess};

/// How often lanes that may lie side by side do not, and what it costs to ask.
pub(crate) const OFTEN_SCATTERED: f64 = 0.6;

/// What it costs a lane to load or store a number in the nearest cache, where private objects are, without gathers: what
/// `docs/costs.md` has for x86-64-v3, of a gather of eight floats 7.8 measured, 13.0 by the model of znver3 and 18.0 by haswell's.
const SINGLE_IN_CACHE: f64 = 1.6;

/// What an instruction costs a gang.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Price {
    pub(crate) gang: f64,
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
        Price { gang, scattered: true, numbers: None }
    }
}

impl<'m> Recipes<'_, 'm> {
    /// What an instruction costs by its recipe.
    pub(crate) fn price(&self, id: InstId) -> Price {
        let inst = self.function.inst(id);
        let width = self.width(id, self.keeps_aos(id));
        let Width { registers, parts } = width;
        match &*self.of(id) {
            // One of the accesses to a record has the price of any.
            Recipe::With(leader) => match &*self.of(*leader) {
                Recipe::Record(record) => self.record_price(record),
                _ => Price::default(),
            },
            Recipe::Shared if matches!(inst.opcode, Opcode::Load | Opcode::Store) => Price::of(parts),
            Recipe::Shared | Recipe::Linear(_) | Recipe::UnlessWrapped | Recipe::PlaceInRow => Price::of(0.3),
            Recipe::PrivateAddress { shared: true } => Price::of(0.3),
            Recipe::Phi if self.shapes.of(id) != Shape::Varying => Price::of(0.3),
            Recipe::Phi => Price::of(0.5 * self.cycle() * registers),
            Recipe::Access(access) => self.access_price(access),
            Recipe::Record(record) => self.record_price(record),
            Recipe::Pair(pair) => Price::scattered(self.scattered_price(pair.request, pair.scattered)),
            Recipe::LookUp(_) => Price::of(2.0 * registers.max(f64::from(self.lanes) / 16.0)),
            Recipe::Atomic(_) => Price::scattered(3.0 * f64::from(self.lanes)),
            // By a product.
            Recipe::PlaceInGroup(_) => Price::of(2.0 * registers),
            Recipe::Call => Price::of(5.0 * f64::from(self.lanes)),
            Recipe::Barrier | Recipe::NamedBarrier(_) | Recipe::Collective(_) => {
                Price::of(13.0 * f64::from(self.lanes))
            }
            Recipe::Division(division) => Price::of(self.division_price(inst, division, width)),
            Recipe::HighProduct(_) => Price::of(7.0 * registers),
            Recipe::Replicate => self.replicated_price(inst, parts),
            Recipe::Vector
            | Recipe::Aos(_)
            | Recipe::Elementwise(_)
            | Recipe::ShortComparison(_)
            | Recipe::PrivateAddress { shared: false }
            | Recipe::PlaceInSubGroup(_)
            | Recipe::SubGroup(_)
            | Recipe::Gathered(_) => Price::of(self.vector_price(inst, width)),
        }
    }

    /// What an operation of vectors costs.
    fn vector_price(&self, inst: &Inst<'m>, Width { registers, parts }: Width) -> f64 {
        use Opcode::{
            ExtractElement, ExtractValue, FDiv, FRem, InsertElement, InsertValue, LShr, Mul, SExt, ShuffleVector, ZExt,
        };
        match (inst.opcode, bits(inst)) {
            // What high products are made of.
            (ZExt | SExt | Mul | LShr, 128) => 0.1,
            (Mul, 64) => 2.0 * registers,
            (FDiv, _) => 8.0 * registers,
            // LLVM has a call for each lane.
            (FRem, _) => 6.0 * f64::from(self.lanes) * parts,
            // Parts of a value have names of their own in a gang.
            (ExtractElement | InsertElement | ShuffleVector, _) => 0.1 * parts,
            (ExtractValue | InsertValue, _) => 0.0,
            _ => self.cycle() * registers,
        }
    }

    /// What an instruction costs that is done lane by lane.
    fn replicated_price(&self, inst: &Inst<'m>, parts: f64) -> Price {
        let lanes = f64::from(self.lanes);
        match (&inst.kind, inst.opcode) {
            (Kind::Print | Kind::StorageClass, _) => Price::of(13.0 * lanes),
            (_, Opcode::AtomicRmw | Opcode::AtomicCmpXchg) => Price::scattered(3.0 * lanes),
            (_, Opcode::Load | Opcode::Store) => Price::scattered(2.0 * lanes * parts),
            (_, Opcode::Call) if inst.value.ty().kind() == TypeKind::Void => Price::scattered(8.0 * lanes),
            _ => Price::of(6.0 * lanes * parts),
        }
    }

    /// By way of doubles, which narrower numbers take twice as many registers for.
    fn division_price(&self, inst: &Inst<'m>, division: &Division<'m>, width: Width) -> f64 {
        let Width { registers, parts } = width;
        match (self.vectors.can(Ability::ConvertLong), bits(inst)) {
            (true, bits) => {
                let each = if matches!(division, Division::Shared(..)) { 4.0 } else { 8.0 };
                each * if bits == 32 { 2.0 * registers } else { registers }
            }
            (false, 64) => 4.5 * f64::from(self.lanes) * parts,
            (false, _) => 16.0 * registers,
        }
    }

    /// A cost: what an operation takes on a register. Processors that have 512 bits do one on these where they, and others, do
    /// two or three on 256, nearly as many as on single numbers. (Measured with kernels of the device library's functions for
    /// x86-64-v3: gangs take 0.34 of the time for `pown`, 0.48 for `atan` of doubles, 0.62 for `lgamma`, where a whole cycle made
    /// that 1.06, 1.03 and 1.12; for x86-64-v2 0.49 for Newton's root of doubles.)
    pub(crate) fn cycle(&self) -> f64 {
        if self.vectors.bits >= 512 { 1.0 } else { 0.4 }
    }

    /// How wide an instruction's values are in a gang.
    pub(crate) fn width(&self, id: InstId, as_aos: bool) -> Width {
        let inst = self.function.inst(id);
        let first = inst.value.operand(0).map(|value| value.ty()).filter(|ty| !ty.is_pointer());
        let ty = match inst.opcode {
            Opcode::Store | Opcode::ICmp | Opcode::FCmp => first.unwrap_or(inst.value.ty()),
            _ => inst.value.ty(),
        };
        let parts = components_of(ty).map_or(1, |components| components.len()).max(1) as u32;
        let is_short = inst.opcode == Opcode::ICmp && matches!(*self.of(id), Recipe::ShortComparison(_));
        let registers =
            if is_short { self.registers_of(32, 1, false) } else { self.registers(ty.scalar(), parts, as_aos) };
        Width { registers, parts: parts.into() }
    }

    /// Vector registers of a value of so many elements.
    fn registers(&self, element: Type<'_>, parts: u32, as_aos: bool) -> f64 {
        let bits = match element.kind() {
            TypeKind::Integer => element.int_width().max(8),
            TypeKind::Half | TypeKind::BFloat => 16,
            TypeKind::Float => 32,
            _ => 64,
        };
        self.registers_of(bits, parts, as_aos)
    }

    /// The same of elements of so many bits: what is kept in AoS layout fills registers with small numbers.
    fn registers_of(&self, bits: u32, parts: u32, as_aos: bool) -> f64 {
        let (parts, each) = (f64::from(parts), f64::from(bits * self.lanes) / f64::from(self.vectors.bits));
        if as_aos { (parts * each).max(1.0).ceil() } else { parts * each.max(1.0).ceil() }
    }

    fn access_price(&self, access: &Access<'m>) -> Price {
        let request = access.request;
        match access.way {
            Way::Plain(form) | Way::UnlessWrapped { form, .. } => self.form_price(request, form),
            Way::Speculated { apart, .. } => Price::scattered(OFTEN_SCATTERED * self.scattered_price(request, apart)),
            Way::Private { form, .. } => {
                let part = self.form_price(Request { elements: request.elements.part(), ..request }, form);
                Price { gang: f64::from(request.elements.count) * part.gang, ..part }
            }
        }
    }

    fn form_price(&self, request: Request<'m>, form: Form) -> Price {
        let Elements { element, bytes, count, .. } = request.elements;
        match form {
            Form::Once => Price::of(count.into()),
            Form::Contiguous | Form::ContiguousWords | Form::Strided { factor: Some(_), .. } => {
                // Several parts are taken from each other by shuffles, which only machines with long vectors have for narrow
                // numbers; or in words.
                let shuffles =
                    match (count > 1 && !request.as_aos, bytes < WORD && !self.vectors.can(Ability::PermuteNarrow)) {
                        (false, _) => 0.0,
                        (true, false) => 1.0,
                        (true, true) if request.elements.all_bytes() == WORD => 1.0,
                        (true, true) => 3.0,
                    };
                Price::of(self.cycle() * self.registers(element, count, request.as_aos) * (1.0 + shuffles))
            }
            // One by one, from where the addresses need not be computed. What is loaded is put into its place by two operations.
            Form::Strided { walks: true, .. } => {
                let each = match request.is_store {
                    true => 1.0,
                    false if bytes < WORD => 1.5,
                    false => 0.6,
                };
                Price::scattered(each * f64::from(self.lanes))
            }
            Form::Strided { scattered, .. } | Form::Scattered(scattered) => {
                Price::scattered(self.scattered_price(request, scattered))
            }
        }
    }

    fn scattered_price(&self, request: Request<'m>, scattered: Scattered) -> f64 {
        let Request { elements, is_store, space, .. } = request;
        let words = match scattered {
            Scattered::Words(word) => elements.all_bytes() as f64 / word as f64,
            Scattered::AcrossWords { aligned: false } => 2.0,
            Scattered::AcrossWords { aligned: true } => 1.0,
            Scattered::InWord | Scattered::Elements | Scattered::Narrow => elements.count.into(),
        };
        let each = match (self.vectors.can(Ability::Gather), is_store) {
            (false, _) if space == 0 => SINGLE_IN_CACHE,
            (false, _) => 2.0,
            (_, true) => 1.7,
            // Narrow numbers have to be found in their words.
            _ if elements.all_bytes() < WORD => 2.2,
            _ => 1.4,
        };
        each * f64::from(self.lanes) * words
    }

    /// The price of one of the accesses to a record.
    fn record_price(&self, record: &RecordAccess<'m>) -> Price {
        let Elements { element, bytes, count, .. } = record.request.elements;
        // Narrow numbers are taken apart in words, or by longer ways.
        let shuffles = match bytes < WORD {
            true if u64::from(count) * bytes <= WORD => 1.0,
            true => 3.0,
            false => f64::from(count).log2().ceil(),
        };
        let gang = self.registers(element, 1, false) * (1.0 + shuffles);
        Price { gang, scattered: false, numbers: Some(count.into()) }
    }
}

/// Bits of the integers that an instruction gives, 64 if it gives others.
fn bits(inst: &Inst<'_>) -> u32 {
    let ty = inst.value.ty().scalar();
    if ty.is_int() { ty.int_width() } else { 64 }
}
