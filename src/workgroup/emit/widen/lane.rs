//! Replication: an instruction without a vector form runs for each lane of the mask in turn.

use oxicl_llvm::{GepFlags, IntPredicate, Metadata, Opcode, Type, TypeKind, Value};

use crate::analyse::shape::{Layout, Shape};
use crate::emit::copy::{Copier, Mapped};
use crate::emit::places::no_wrap;
use crate::emit::vector::{advanced, put_together, resized, take_apart};
use crate::emit::widen::region::{Active, Widener};
use crate::failure::{Result, failure};
use crate::ir::{InstId, Kind, Operand, type_of};

/// A cost: lanes per iteration of the loop over lanes that change memory (histograms on Zen 4: 0.7 of the time).
const LANES_WRITTEN_OUT: u64 = 4;

impl<'m> Widener<'_, '_, 'm> {
    /// Replicates an instruction for each lane of the mask; returns the components of the results.
    pub(crate) fn by_lane(&mut self, id: InstId, mask: Active<'m>) -> Result<Vec<Value<'m>>> {
        let slice = self.recipes.slice(id);
        for access in slice.iter().filter_map(|id| self.recipes.access(*id)) {
            self.prefetch(&access)?;
        }
        let outside = |operand: &&Operand| !matches!(operand, Operand::Inst(id) if slice.contains(id));
        let of = |id: &InstId| self.function.inst(*id).operands.iter();
        let operands: Vec<_> = slice.iter().chain([&id]).flat_map(of).filter(outside).copied().collect();
        let stored = self.operands(&operands)?;
        self.copied_by_lane(id, &slice, &stored, mask)
    }

    /// As `by_lane`, with a slice that is known and the other varying operands in memory already.
    pub(crate) fn copied_by_lane(
        &self,
        id: InstId,
        slice: &[InstId],
        stored: &Operands<'m>,
        mask: Active<'m>,
    ) -> Result<Vec<Value<'m>>> {
        let inst = self.function.inst(id);
        let vectors = self.vectors_of(&inst.ty)?;
        let is_call = matches!(inst.kind, Kind::Call);
        // An unused result, such as the old value of an atomic counter, is not collected.
        let used = inst.llvm.has_uses();
        let collected = if used { &vectors[..] } else { &[] };
        let body = |widener: &Self, lane| {
            let mut copier = widener.lane_copier(lane, stored)?;
            for member in slice {
                let value = copier.copy(*member)?;
                copier.values.insert(*member, Mapped::Value(value));
            }
            if let Some(hidden) = copier.hidden.filter(|_| is_call) {
                copier.places.store_item(widener.b, hidden);
            }
            let value = copier.copy(id)?;
            if used { take_apart(widener.b, value) } else { Ok(Vec::new()) }
        };
        let changes = matches!(inst.opcode, Opcode::AtomicRmw | Opcode::AtomicCmpXchg);
        let results = match mask {
            None if changes => self.every_lane_by_memory(collected, body)?,
            _ => self.each_lane(mask, collected, body)?,
        };
        Ok(if used { results } else { vectors.into_iter().map(|ty| ty.poison()).collect() })
    }

    /// Loads contiguous lanes of a type without a vector form, or stores `stored` there; returns what is loaded.
    pub(crate) fn row_by_lane(
        &self,
        ty: Type<'m>,
        stored: Option<&[Value<'m>]>,
        first: Value<'m>,
        mask: Active<'m>,
    ) -> Result<Vec<Value<'m>>> {
        let vectors = if stored.is_some() { Vec::new() } else { self.vectors_of(&type_of(ty))? };
        let stored = stored.map(|components| components.iter().map(|c| self.in_memory(*c)).collect::<Vec<_>>());
        let bytes = self.e.module.size_of(ty) as i64;
        self.each_lane(mask, &vectors, |widener, lane| {
            let b = widener.b;
            let Some(components) = &stored else {
                return take_apart(b, b.load(ty, advanced(b, first, bytes, lane), 0));
            };
            let value = put_together(b, ty, &mut components.iter().map(|component| widener.lane_of(*component, lane)))?;
            b.store(value, advanced(b, first, bytes, lane), 0);
            Ok(Vec::new())
        })
    }

    /// Stores a vector of lanes in the frame once, so that `lane_of` can read lanes by variable numbers.
    pub(crate) fn in_memory(&self, component: Value<'m>) -> Component<'m> {
        let b = self.b;
        let in_memory = self.lanes_in_memory(component.ty().scalar());
        b.store(resized(b, component, self.vector(in_memory.in_memory), false), in_memory.place, 0);
        in_memory
    }

    /// Zeroed room in the frame for one element of each lane.
    fn lanes_in_memory(&self, element: Type<'m>) -> Component<'m> {
        let in_memory = match element.kind() {
            TypeKind::Integer => self.b.context().int_type(element.int_width().next_power_of_two().max(8)),
            _ => element,
        };
        Component { place: self.e.zeroed(in_memory.vector(self.lanes)), element, in_memory }
    }

    pub(crate) fn lane_of(&self, component: Component<'m>, lane: Value<'m>) -> Value<'m> {
        let b = self.b;
        let place = b.gep(component.in_memory, component.place, &[lane], GepFlags::IN_BOUNDS);
        resized(b, b.load(component.in_memory, place, 0), component.element, false)
    }

    /// Overwrites the element of one lane.
    pub(crate) fn set_lane(&self, component: Component<'m>, lane: Value<'m>, value: Value<'m>) {
        let b = self.b;
        let place = b.gep(component.in_memory, component.place, &[lane], GepFlags::IN_BOUNDS);
        b.store(resized(b, value, component.in_memory, false), place, 0);
    }

    /// The vector of all lanes' elements.
    pub(crate) fn all_lanes(&self, component: Component<'m>) -> Value<'m> {
        let b = self.b;
        let all = b.load(self.vector(component.in_memory), component.place, 0);
        resized(b, all, self.vector(component.element), false)
    }

    /// The operands, each with its components in memory if it varies.
    pub(crate) fn operands(&self, operands: &[Operand]) -> Result<Operands<'m>> {
        let mut stored: Operands<'m> = Vec::new();
        for operand in operands {
            let (Operand::Inst(_) | Operand::Parameter(_)) = operand else { continue };
            if stored.iter().any(|(known, _)| known == operand) {
                continue;
            }
            let varies = matches!(self.shape(*operand), Shape::Wrapping(_) | Shape::Varying);
            let components = if varies { self.components(*operand)? } else { Vec::new() };
            stored.push((*operand, components.into_iter().map(|component| self.in_memory(component)).collect()));
        }
        Ok(stored)
    }

    /// A loop over the lanes of the mask, in order. What `body` gives for each forms vectors of the types `vectors`.
    ///
    /// Under a mask these vectors are built in memory. The next lane's number is known only at run time, and processors
    /// without mask registers insert an element there by way of memory, so each lane would wait for the one before.
    pub(crate) fn each_lane(
        &self,
        mask: Active<'m>,
        vectors: &[Type<'m>],
        body: impl FnOnce(&Self, Value<'m>) -> Result<Vec<Value<'m>>>,
    ) -> Result<Vec<Value<'m>>> {
        let Some(mask) = mask else { return self.every_lane(vectors, None, body) };
        let b = self.b;
        let i64_type = b.context().int_type(64);
        let (before, start, done) = (self.e.here()?, self.e.block("lane"), self.e.block(""));
        let results: Vec<_> = vectors.iter().map(|ty| self.lanes_in_memory(ty.scalar())).collect();
        let bits = self.wide_bits(mask);
        b.cond_br(b.icmp(IntPredicate::Ne, bits, i64_type.zero()), start, done);
        b.position_at_end(start);
        // The bits of the lanes that are left.
        let left = b.phi(i64_type);
        let lane = self.lowest(left)?;
        self.set_lanes(&results, lane, &body(self, lane)?)?;
        let end = self.e.here()?;
        let rest = b.and(left, b.sub(left, i64_type.const_int(1)));
        self.e.go_on(b.icmp(IntPredicate::Ne, rest, i64_type.zero()), start, done);
        left.add_incoming(bits, before);
        left.add_incoming(rest, end);
        b.position_at_end(done);
        Ok(results.into_iter().map(|result| self.all_lanes(result)).collect())
    }

    /// A loop over all lanes, in order, unrolled `written_out` times, or as LLVM chooses if that is `None`.
    fn every_lane(
        &self,
        vectors: &[Type<'m>],
        written_out: Option<u64>,
        body: impl FnOnce(&Self, Value<'m>) -> Result<Vec<Value<'m>>>,
    ) -> Result<Vec<Value<'m>>> {
        let b = self.b;
        let i64_type = b.context().int_type(64);
        let (before, start, done) = (self.e.here()?, self.e.block("lane"), self.e.block(""));
        b.br(start);
        b.position_at_end(start);
        let lane = b.phi(i64_type);
        let so_far: Vec<_> = vectors.iter().map(|ty| b.phi(*ty)).collect();
        let values = body(self, lane)?;
        if values.len() < vectors.len() {
            return failure("a lane has too few results");
        }
        let new: Vec<_> = so_far.iter().zip(&values).map(|(old, v)| b.insert_element(*old, *v, lane)).collect();
        let end = self.e.here()?;
        let next = no_wrap(b.add(lane, i64_type.const_int(1)));
        let more = b.icmp(IntPredicate::Ult, next, i64_type.const_int(u64::from(self.lanes)));
        let latch = b.cond_br(more, start, done);
        if let Some(count) = written_out {
            let context = b.context();
            let count = Metadata::from_constant(context.int_type(32).const_int(count));
            let property = context.metadata_node(&[context.metadata_string("llvm.loop.unroll.count"), count]);
            context.set_loop_properties(latch, &[property]);
        }
        lane.add_incoming(i64_type.zero(), before);
        lane.add_incoming(next, end);
        for (old, new) in so_far.iter().zip(&new) {
            old.add_incoming(old.ty().poison(), before);
            old.add_incoming(*new, end);
        }
        b.position_at_end(done);
        Ok(new)
    }

    /// As `every_lane`, for lanes that change memory: operands and results stay in memory. If LLVM unrolled all lanes,
    /// it would extract addresses from vectors so late that processors start loads of later lanes before they know
    /// where earlier lanes store, and restart where both are the same place (histograms on Zen 4: 7 times as long).
    fn every_lane_by_memory(
        &self,
        vectors: &[Type<'m>],
        body: impl FnOnce(&Self, Value<'m>) -> Result<Vec<Value<'m>>>,
    ) -> Result<Vec<Value<'m>>> {
        let results: Vec<_> = vectors.iter().map(|ty| self.lanes_in_memory(ty.scalar())).collect();
        self.every_lane(&[], Some(LANES_WRITTEN_OUT), |widener, lane| {
            widener.set_lanes(&results, lane, &body(widener, lane)?)?;
            Ok(Vec::new())
        })?;
        Ok(results.into_iter().map(|result| self.all_lanes(result)).collect())
    }

    /// Stores a lane's results into the vectors that are built in memory.
    fn set_lanes(&self, results: &[Component<'m>], lane: Value<'m>, values: &[Value<'m>]) -> Result<()> {
        if values.len() < results.len() {
            return failure("a lane has too few results");
        }
        results.iter().zip(values).for_each(|(result, value)| self.set_lane(*result, lane, *value));
        Ok(())
    }

    /// A mask as an integer of 64 bits.
    pub(crate) fn wide_bits(&self, mask: Value<'m>) -> Value<'m> {
        let bits = self.bits(mask);
        resized(self.b, bits, self.b.context().int_type(64), false)
    }

    /// The index of the lowest set bit of `bits`, which is not zero.
    pub(crate) fn lowest(&self, bits: Value<'m>) -> Result<Value<'m>> {
        self.e.call_intrinsic("llvm.cttz", &[bits.ty()], &[bits, self.b.context().int_type(1).const_int(1)])
    }

    /// A copier for one lane that knows the values of the operands in `stored`.
    pub(crate) fn lane_copier(&self, lane: Value<'m>, stored: &Operands<'m>) -> Result<Copier<'_, 'm>> {
        let scalar = &self.scalar;
        let mut places = scalar.places;
        let linear = no_wrap(self.b.add(places.linear, lane));
        if self.e.plan.shapes.layout == Layout::Line {
            places = places.at_linear(self.b, linear);
        } else {
            places.local_id[0] = no_wrap(self.b.add(places.local_id[0], lane));
            places.linear = linear;
        }
        let parameters = scalar.parameters.clone();
        let mut copier = Copier::new(self.b, scalar.function, scalar.around, places, parameters, scalar.hidden);
        for (operand, components) in stored {
            let value = self.lane_value(*operand, components, lane)?;
            match operand {
                Operand::Inst(id) => {
                    copier.values.insert(*id, Mapped::Value(value));
                }
                Operand::Parameter(index) => copier.parameters[*index as usize] = value,
                _ => {}
            }
        }
        Ok(copier)
    }

    /// An operand's value in one lane. `components` has its components if it varies.
    fn lane_value(&self, operand: Operand, components: &[Component<'m>], lane: Value<'m>) -> Result<Value<'m>> {
        match self.shape(operand) {
            Shape::Uniform | Shape::Row => self.first(operand),
            Shape::Affine(stride) => Ok(advanced(self.b, self.first(operand)?, stride, lane)),
            Shape::Wrapping(_) | Shape::Varying => {
                let mut parts = components.iter().map(|row| self.lane_of(*row, lane));
                put_together(self.b, self.type_of(operand)?, &mut parts)
            }
        }
    }
}

/// One component of all lanes in memory, lane after lane.
#[derive(Clone, Copy)]
pub(crate) struct Component<'m> {
    place: Value<'m>,
    element: Type<'m>,
    /// The type of an element in memory: whole bytes.
    in_memory: Type<'m>,
}

/// Operands, each with its components in memory if it varies.
type Operands<'m> = Vec<(Operand, Vec<Component<'m>>)>;
