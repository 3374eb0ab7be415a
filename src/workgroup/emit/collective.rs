//! Collective operations: each work-item adds its value to what was gathered when it arrives, and work-items arrive in
//! the order of their linear local ids. So what is rounded repeats bit by bit, and work-items that have returned, or
//! wait elsewhere, count for nothing.
//!
//! A sum or a product of floats is gathered in [`PARTS`](oxicl_ops::PARTS) parts, a work-item's value in that of
//! its local id along x modulo their number, or in a sub-group of its number there. In the end the parts of the upper
//! half are added to those of the lower one, until one is left. That order is the same however many lanes a gang has;
//! the reference device has it too.

use std::collections::HashMap;

use oxicl_llvm::{Builder, GepFlags, IntPredicate, RealPredicate, Type, Value};
use oxicl_ops::{Collective, Combine};

use crate::analyse::regions::{Exit, Region};
use crate::emit::copy::Copier;
use crate::emit::kernel::Emitter;
use crate::emit::vector::elements;
use crate::failure::{Failure, failure};
use crate::ir::{BlockId, Gather, Operand, StateId, Terminator};

/// Where what was gathered is kept.
#[derive(Clone, Copy)]
pub(crate) struct Store<'m> {
    pub(crate) collective: Collective,
    pub(crate) ty: Type<'m>,
    /// The values of all that have arrived, combined; or its parts, one after the other.
    pub(crate) so_far: Value<'m>,
    /// For a scan of what comes before, the same, beginning with the value that is named for the first.
    pub(crate) before: Value<'m>,
    /// The alignment of the type.
    pub(crate) align: u32,
}

/// The result of a collective operation in a region behind it.
#[derive(Clone, Copy)]
pub(crate) enum Outcome<'m> {
    /// The same for all work-items.
    Value(Value<'m>),
    /// In an array, by linear local id.
    Array(Value<'m>),
    /// Fibers have none yet: where they gather, and the array of a scan.
    Waits(Store<'m>, Option<Value<'m>>),
}

/// Makes the stores. `state` is the address of the group's part of the state.
pub(crate) fn stores<'m>(e: &Emitter<'_, 'm>, state: Value<'m>) -> HashMap<StateId, Store<'m>> {
    let mut stores = HashMap::new();
    for (number, collective, call) in e.function.collectives() {
        let ty = call.llvm.ty();
        let parts = collective.parts();
        let [so_far, before] = match e.plan.gather_offsets.get(&number) {
            Some(offset) => [0, 1].map(|index| {
                let start = e.b.byte_offset(state, e.number(*offset));
                e.b.gep(ty, start, &[e.number(index)], GepFlags::IN_BOUNDS)
            }),
            None if parts > 1 => [e.frame.alloca(ty.array(u64::from(parts)), 0); 2],
            None => [0, 1].map(|_| e.frame.alloca(ty, 0)),
        };
        stores.insert(number, Store { collective, ty, so_far, before, align: e.module.align_of(ty) });
    }
    stores
}

/// Reads the results with which work-items go on in a region, before its loops.
pub(crate) fn outcomes<'m>(e: &Emitter<'_, 'm>, region: &Region) -> Result<HashMap<StateId, Outcome<'m>>, Failure> {
    let mut outcomes = HashMap::new();
    if e.fiber.is_some() {
        outcomes
            .extend(e.stores.iter().map(|(state, store)| (*state, Outcome::Waits(*store, scan_array(e, *state).ok()))));
        return Ok(outcomes);
    }
    for state in &region.states {
        let Some(store) = e.stores.get(state) else { continue };
        let outcome = if store.collective.is_uniform() {
            Outcome::Value(gathered(e.b, store))
        } else {
            Outcome::Array(scan_array(e, *state)?)
        };
        outcomes.insert(*state, outcome);
    }
    Ok(outcomes)
}

/// Empties the stores of the collective operations that a region leads to. What was in them was read.
pub(crate) fn empty(e: &Emitter<'_, '_>, region: &Region) {
    for exit in &region.exits {
        let Exit::Cut(state) = exit else { continue };
        if let Some(store) = e.stores.get(state) {
            reset(e.b, store);
        }
    }
}

fn reset<'m>(b: &Builder<'m>, store: &Store<'m>) {
    let (neutral, identity) = match store.collective {
        Collective::Broadcast => (store.ty.zero(), None),
        Collective::Reduce(combine) | Collective::Inclusive(combine) => (neutral(combine, store.ty), None),
        Collective::Exclusive(combine) => (neutral(combine, store.ty), Some(identity(combine, store.ty))),
    };
    for part in 0..store.collective.parts() {
        b.store(neutral, part_at(b, store, part), 0);
    }
    if let Some(identity) = identity {
        b.store(identity, store.before, 0);
    }
}

/// Where a part of what is gathered is.
fn part_at<'m>(b: &Builder<'m>, store: &Store<'m>, part: u32) -> Value<'m> {
    let number = b.context().int_type(64).const_int(u64::from(part));
    b.gep(store.ty, store.so_far, &[number], GepFlags::IN_BOUNDS)
}

/// Where the value of a work-item goes whose local id along x is given; of neighbours from a multiple of their number on the
/// first one's.
pub(crate) fn part_of<'m>(b: &Builder<'m>, store: &Store<'m>, x: Value<'m>) -> Value<'m> {
    match store.collective.parts() {
        1 => store.so_far,
        parts => {
            let part = b.and(x, x.ty().const_int(u64::from(parts - 1)));
            b.gep(store.ty, store.so_far, &[part], GepFlags::IN_BOUNDS)
        }
    }
}

/// What was gathered from all.
pub(crate) fn gathered<'m>(b: &Builder<'m>, store: &Store<'m>) -> Value<'m> {
    let parts = store.collective.parts();
    let Collective::Reduce(combine) = store.collective else { return b.load(store.ty, store.so_far, 0) };
    if parts == 1 {
        return b.load(store.ty, store.so_far, 0);
    }
    if !store.ty.is_vector() {
        return halved(b, combine, b.load(store.ty.vector(parts), store.so_far, store.align));
    }
    let mut values: Vec<_> = (0..parts).map(|part| b.load(store.ty, part_at(b, store, part), 0)).collect();
    while values.len() > 1 {
        let upper = values.split_off(values.len() / 2);
        values = values.into_iter().zip(upper).map(|(low, high)| combined(b, combine, low, high)).collect();
    }
    values[0]
}

/// The elements of a vector combined, those of the upper half with those of the lower one until there is one.
pub(crate) fn halved<'m>(b: &Builder<'m>, combine: Combine, mut values: Value<'m>) -> Value<'m> {
    let mut left = values.ty().length() as u32;
    while left > 1 {
        left /= 2;
        values = combined(b, combine, elements(b, values, 0, left), elements(b, values, left, left));
    }
    b.extract_element(values, b.context().int_type(64).zero())
}

/// Fibers meet before a collective operation: what it gathers in is read no more, is emptied by all, and then they come one
/// after the other, in order. Behind `arrive_with` they are to meet again.
pub(crate) fn meet<'m>(copier: &Copier<'_, 'm>, store: &Store<'m>) {
    copier.pause(1);
    reset(copier.b, store);
    copier.pause(1);
}

/// A work-item arrives at the collective operation at the end of `block`, where the builder is.
pub(crate) fn arrive<'m>(e: &Emitter<'_, 'm>, copier: &Copier<'_, 'm>, block: BlockId) -> Result<(), Failure> {
    let Terminator::Cut { state, gather: Some(Gather { operands, .. }), .. } = &e.function.block(block).terminator
    else {
        return Ok(());
    };
    let Some(store) = e.stores.get(state) else { return failure("a collective operation without a place") };
    arrive_with(copier, store, scan_array(e, *state).ok(), operands)
}

/// A work-item arrives at a collective operation with operands. `scans` is the array of a scan's results.
pub(crate) fn arrive_with<'m>(
    copier: &Copier<'_, 'm>,
    store: &Store<'m>,
    scans: Option<Value<'m>>,
    operands: &[Operand],
) -> Result<(), Failure> {
    let b = copier.b;
    let values = copier.values(operands)?;
    let combine = match (store.collective, values.as_slice()) {
        (Collective::Broadcast, [value, id @ ..]) => {
            let old = b.load(store.ty, store.so_far, 0);
            let mut here = b.context().int_type(1).const_int(1);
            for (own, wanted) in copier.places.local_id.iter().zip(id) {
                here = b.and(here, b.icmp(IntPredicate::Eq, *own, *wanted));
            }
            b.store(b.select(here, *value, old), store.so_far, 0);
            return Ok(());
        }
        (Collective::Reduce(combine) | Collective::Inclusive(combine) | Collective::Exclusive(combine), [_]) => combine,
        _ => return failure("a collective operation with other operands"),
    };
    let part = part_of(b, store, copier.places.local_id[0]);
    let old = b.load(store.ty, part, 0);
    let new = combined(b, combine, old, values[0]);
    b.store(new, part, 0);
    let result = match store.collective {
        Collective::Inclusive(_) => new,
        Collective::Exclusive(_) => {
            let before = b.load(store.ty, store.before, 0);
            b.store(new, store.before, 0);
            before
        }
        _ => return Ok(()),
    };
    let Some(scans) = scans else { return failure("a scan without a place") };
    b.store(result, place(copier, scans, store.ty), 0);
    Ok(())
}

/// Where the results of the scan before a state are, by linear local id.
pub(crate) fn scan_array<'m>(e: &Emitter<'_, 'm>, state: StateId) -> Result<Value<'m>, Failure> {
    let array = e.plan.scan_slots.get(&state).and_then(|offset| e.arrays.get(offset));
    array.copied().map_or_else(|| failure("a scan without a place"), Ok)
}

/// The value of an outcome for the work-item.
pub(crate) fn outcome<'m>(copier: &Copier<'_, 'm>, outcome: Outcome<'m>, ty: Type<'m>) -> Value<'m> {
    match outcome {
        Outcome::Value(value) => value,
        Outcome::Array(array) | Outcome::Waits(_, Some(array)) => copier.b.load(ty, place(copier, array, ty), 0),
        Outcome::Waits(store, None) => gathered(copier.b, &store),
    }
}

fn place<'m>(copier: &Copier<'_, 'm>, array: Value<'m>, ty: Type<'m>) -> Value<'m> {
    copier.b.gep(ty, array, &[copier.places.linear], GepFlags::IN_BOUNDS)
}

/// What `old` and `new` become. Where numbers are equal the minimum and the maximum are the older one, and where one is
/// no number they are the other.
pub(crate) fn combined<'m>(b: &Builder<'m>, combine: Combine, old: Value<'m>, new: Value<'m>) -> Value<'m> {
    let integer = |predicate| b.select(b.icmp(predicate, new, old), new, old);
    let float = |predicate| {
        let better = b.or(b.fcmp(predicate, new, old), b.fcmp(RealPredicate::Uno, old, old));
        b.select(better, new, old)
    };
    match combine {
        Combine::Add => b.add(old, new),
        Combine::FAdd => b.fadd(old, new),
        Combine::Mul => b.mul(old, new),
        Combine::FMul => b.fmul(old, new),
        Combine::SMin => integer(IntPredicate::Slt),
        Combine::UMin => integer(IntPredicate::Ult),
        Combine::FMin => float(RealPredicate::Olt),
        Combine::SMax => integer(IntPredicate::Sgt),
        Combine::UMax => integer(IntPredicate::Ugt),
        Combine::FMax => float(RealPredicate::Ogt),
        Combine::And => b.and(old, new),
        Combine::Or => b.or(old, new),
        Combine::Xor => b.xor(old, new),
    }
}

/// What changes no bit of a value that it is combined with.
pub(crate) fn neutral(combine: Combine, ty: Type<'_>) -> Value<'_> {
    match combine {
        Combine::FAdd => ty.const_float(-0.0),
        Combine::FMin | Combine::FMax => ty.const_float(f64::NAN),
        other => identity(other, ty),
    }
}

/// The value that the specification names for what comes before the first.
pub(crate) fn identity(combine: Combine, ty: Type<'_>) -> Value<'_> {
    let sign = || 1u64 << (ty.int_width().clamp(1, 64) - 1);
    match combine {
        Combine::Add | Combine::FAdd | Combine::UMax | Combine::Or | Combine::Xor => ty.zero(),
        Combine::Mul => ty.const_int(1),
        Combine::FMul => ty.const_float(1.0),
        Combine::SMin => ty.const_int(sign() - 1),
        Combine::SMax => ty.const_int(sign()),
        Combine::UMin | Combine::And => ty.all_ones(),
        Combine::FMin => ty.const_float(f64::INFINITY),
        Combine::FMax => ty.const_float(f64::NEG_INFINITY),
    }
}

/// The same for a type that may be a vector.
pub(crate) fn identity_of<'m>(b: &Builder<'m>, combine: Combine, ty: Type<'m>) -> Value<'m> {
    let one = identity(combine, ty.scalar());
    if ty.is_vector() { b.context().const_vector(&vec![one; ty.length() as usize]) } else { one }
}
