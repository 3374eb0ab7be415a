//! Operations of the sub-group where a gang is one: its lanes in the mask are those work-items that came here together.

use oxicl_llvm::{GepFlags, IntPredicate, Opcode, Type, Value};
use oxicl_ops::{Combine, NamedBarrier, PARTS, Query, SubGroup};

use crate::analyse::shape::{Layout, Shape};
use crate::emit::collective::{combined, identity, neutral};
use crate::emit::places::product;
use crate::emit::vector::{put_together, take_apart};
use crate::emit::widen::region::Widener;
use crate::failure::{Failure, failure};
use crate::ir::type_of;
use crate::ir::{Inst, InstId, Operand};
use crate::recipe::{Elements, Request};

impl<'m> Widener<'_, '_, 'm> {
    /// Writes an operation of the sub-group, for the lanes of the mask.
    pub(crate) fn sub_group(
        &mut self,
        id: InstId,
        operation: SubGroup,
        mask: Option<Value<'m>>,
    ) -> Result<(), Failure> {
        if operation == SubGroup::Barrier {
            // Lanes do one instruction after the other, all of them each.
            return Ok(());
        }
        let inst = self.function.inst(id);
        if self.e.plan.sub_group_size == 1 {
            let components = self.alone(inst, operation)?;
            self.keep_wide(id, components, mask);
            return Ok(());
        }
        if self.e.plan.layout == Layout::Rows {
            return failure("an operation of the sub-group in another gang");
        }
        if operation.is_uniform() {
            let value = match operation {
                SubGroup::Ballot => self.ballot(inst.operands[0], mask)?,
                SubGroup::Broadcast => self.broadcast(inst, mask)?,
                SubGroup::Reduce(combine) => self.reduction(inst, combine, mask)?,
                _ => return failure("an operation that is not the same for all"),
            };
            if self.e.plan.shapes.of(id) == Shape::Varying {
                let components =
                    take_apart(self.b, value)?.into_iter().map(|component| self.splat(component)).collect();
                self.keep_wide(id, components, mask);
            } else {
                self.keep_scalar(id, value);
            }
            return Ok(());
        }
        let components = match operation {
            SubGroup::Shuffle => self.shuffled(inst, mask)?,
            SubGroup::Inclusive(combine) => self.scanned(inst, combine, false, mask)?,
            SubGroup::Exclusive(combine) => self.scanned(inst, combine, true, mask)?,
            SubGroup::Clustered(combine) => self.clustered(inst, combine, mask)?,
            _ => return failure("an operation that is the same for all"),
        };
        self.keep_wide(id, components, mask);
        Ok(())
    }

    /// Is it a question about the sub-group that is answered for all lanes at once, whatever sub-groups they are of?
    pub(crate) fn is_of_sub_group(&self, query: Query) -> bool {
        query.is_of_sub_group() && self.e.plan.layout == Layout::Rows
    }

    /// The answers from the lanes' linear local ids.
    pub(crate) fn place_in_sub_group(&self, query: Query) -> Value<'m> {
        let (b, i32_type) = (self.b, self.b.context().int_type(32));
        let places = &self.scalar.places;
        let size = u64::from(places.sub_group_size);
        let number = |number: u64| self.splat(i32_type.const_int(number));
        let linear = self.steps_from(b.trunc(places.linear, i32_type), 1);
        let own = b.and(linear, number(size - 1));
        match query {
            Query::SubGroupLocalId => own,
            Query::SubGroupId => b.lshr(linear, number(u64::from(size.ilog2()))),
            _ => {
                let items = b.trunc(product(b, &places.size), i32_type);
                let left = b.sub(self.splat(items), b.sub(linear, own));
                b.select(b.icmp(IntPredicate::Ult, left, number(size)), left, number(size))
            }
        }
    }

    /// What each lane gets where it is a sub-group by itself.
    fn alone(&self, inst: &Inst<'m>, operation: SubGroup) -> Result<Vec<Value<'m>>, Failure> {
        let own = self.components(inst.operands[0])?;
        Ok(match operation {
            SubGroup::Ballot => own
                .into_iter()
                .map(|component| self.b.cast(Opcode::ZExt, component, self.vector(inst.llvm.ty())))
                .collect(),
            SubGroup::Exclusive(combine) => {
                own.into_iter().map(|component| self.splat(identity(combine, component.ty().scalar()))).collect()
            }
            _ => own,
        })
    }

    /// The lanes for which a condition holds, as 64 bits.
    fn ballot(&self, condition: Operand, mask: Option<Value<'m>>) -> Result<Value<'m>, Failure> {
        Ok(self.wide_bits(self.narrow(mask, self.component(condition)?)))
    }

    /// A value of one lane, for all.
    fn broadcast(&self, inst: &Inst<'m>, mask: Option<Value<'m>>) -> Result<Value<'m>, Failure> {
        let (b, value, whose) = (self.b, inst.operands[0], inst.operands[1]);
        if self.shape(value).is_row_uniform() {
            return self.first(value);
        }
        let lane = self.named_by_all(whose, mask)?;
        let lane = b.and(lane, lane.ty().const_int(u64::from(self.lanes - 1)));
        let components = self.components(value)?;
        let mut parts = components.into_iter().map(|component| self.lane_at(component, lane));
        put_together(b, inst.llvm.ty(), &mut parts)
    }

    /// A number that is the same in all lanes of the mask, as the program promises.
    fn named_by_all(&self, operand: Operand, mask: Option<Value<'m>>) -> Result<Value<'m>, Failure> {
        if self.shape(operand).is_row_uniform() {
            return self.first(operand);
        }
        let lanes = self.component(operand)?;
        let lane = mask.map_or_else(|| self.b.context().int_type(64).zero(), |mask| self.first_lane(mask));
        Ok(self.b.extract_element(lanes, lane))
    }

    /// Makes a named barrier, or waits at one: the sub-group does it once for all its lanes.
    pub(crate) fn named_barrier(
        &mut self,
        id: InstId,
        operation: NamedBarrier,
        mask: Option<Value<'m>>,
    ) -> Result<(), Failure> {
        let inst = self.function.inst(id);
        let operand = self.named_by_all(inst.operands[0], mask)?;
        let value = self.scalar.named_barrier(inst, operation, operand);
        if operation == NamedBarrier::Make {
            self.keep_scalar(id, value);
        }
        Ok(())
    }

    /// The value of the lane of a number of 32 bits.
    fn lane_at(&self, component: Value<'m>, lane: Value<'m>) -> Value<'m> {
        let b = self.b;
        if component.ty().scalar().is_int() && component.ty().scalar().int_width() == 1 {
            let bits = self.bits(component);
            let by = if self.lanes < 32 {
                b.trunc(lane, bits.ty())
            } else if self.lanes > 32 {
                b.zext(lane, bits.ty())
            } else {
                lane
            };
            return b.trunc(b.lshr(bits, by), component.ty().scalar());
        }
        b.extract_element(component, lane)
    }

    /// The values of an operand's components; lanes outside the mask have what changes no other.
    fn given(&self, operand: Operand, combine: Combine, mask: Option<Value<'m>>) -> Result<Vec<Value<'m>>, Failure> {
        let masked = |component: Value<'m>| match mask {
            Some(mask) => self.b.select(mask, component, self.splat(neutral(combine, component.ty().scalar()))),
            None => component,
        };
        Ok(self.components(operand)?.into_iter().map(masked).collect())
    }

    /// All lanes' values combined.
    fn reduction(&self, inst: &Inst<'m>, combine: Combine, mask: Option<Value<'m>>) -> Result<Value<'m>, Failure> {
        let given = self.given(inst.operands[0], combine, mask)?;
        let mut results = given.into_iter().map(|component| self.reduced(combine, component));
        put_together(self.b, inst.llvm.ty(), &mut results)
    }

    /// In each lane the values of those up to it combined, or of those before it.
    fn scanned(
        &mut self,
        inst: &Inst<'m>,
        combine: Combine,
        exclusive: bool,
        mask: Option<Value<'m>>,
    ) -> Result<Vec<Value<'m>>, Failure> {
        let mut results = Vec::new();
        for component in self.given(inst.operands[0], combine, mask)? {
            let ty = component.ty().scalar();
            let nothing = self.splat(neutral(combine, ty));
            let up_to = self.scan(component, nothing, |before, own| combined(self.b, combine, before, own));
            results.push(if !exclusive {
                up_to
            } else if ty.is_float() {
                let before = self.shifted(up_to, nothing, 1);
                self.unless_first(before, self.splat(identity(combine, ty)), mask)
            } else {
                self.shifted(up_to, nothing, 1)
            });
        }
        Ok(results)
    }

    /// `before` in each lane but the first of the mask and those in front of it, which have `otherwise`.
    fn unless_first(&self, before: Value<'m>, otherwise: Value<'m>, mask: Option<Value<'m>>) -> Value<'m> {
        let (b, i64_type) = (self.b, self.b.context().int_type(64));
        let first = mask.map_or(i64_type.zero(), |mask| self.first_lane(mask));
        let behind = b.icmp(IntPredicate::Ugt, self.steps(i64_type, 1), self.splat(first));
        b.select(behind, before, otherwise)
    }

    /// In each lane the values of its cluster combined.
    fn clustered(&self, inst: &Inst<'m>, combine: Combine, mask: Option<Value<'m>>) -> Result<Vec<Value<'m>>, Failure> {
        let size = match inst.operands.get(1) {
            Some(Operand::Constant(size)) => self.function.constant(*size).as_u64(),
            _ => None,
        };
        let Some(size) = size else { return failure("clusters of a size that is no constant") };
        let size = size.clamp(1, u64::from(self.lanes)).next_power_of_two() as u32;
        let given = self.given(inst.operands[0], combine, mask)?;
        Ok(given.into_iter().map(|component| self.in_clusters(combine, component, size)).collect())
    }

    fn in_clusters(&self, combine: Combine, mut values: Value<'m>, size: u32) -> Value<'m> {
        let b = self.b;
        let pick = |values: Value<'m>, from: &dyn Fn(u32) -> u32| {
            let order: Vec<_> = (0..self.lanes).map(|lane| Some(from(lane))).collect();
            b.shuffle(values, values.ty().poison(), &order)
        };
        let mut distances: Vec<_> = (0..size.ilog2()).map(|bit| 1 << bit).collect();
        if combine.rounds() {
            if size > PARTS {
                let part = |iteration: u32| pick(values, &|lane| lane - lane % size + iteration * PARTS + lane % PARTS);
                values =
                    (1..size / PARTS).fold(part(0), |parts, iteration| combined(b, combine, parts, part(iteration)));
            }
            distances.retain(|distance| *distance < PARTS);
            distances.reverse();
        }
        for distance in distances {
            let (low, high) = (pick(values, &|lane| lane & !distance), pick(values, &|lane| lane | distance));
            values = combined(b, combine, low, high);
        }
        values
    }

    /// In each lane the value of another. Of a number that no lane has it is any lane's.
    fn shuffled(&self, inst: &Inst<'m>, mask: Option<Value<'m>>) -> Result<Vec<Value<'m>>, Failure> {
        let (value, whose) = (inst.operands[0], inst.operands[1]);
        if self.shape(value).is_row_uniform() {
            return self.components(value);
        }
        let b = self.b;
        let components = self.components(value)?;
        let from = self.component(whose)?;
        let inside = from.ty().scalar().const_int(u64::from(self.lanes - 1));
        if let Some(order) = self.constant_lanes(from) {
            return Ok(components
                .iter()
                .map(|component| b.shuffle(*component, component.ty().poison(), &order))
                .collect());
        }
        let from = b.and(from, self.splat(inside));
        components.into_iter().map(|component| self.picked(component, from, mask)).collect()
    }

    /// The lanes that a vector of constants names.
    fn constant_lanes(&self, from: Value<'m>) -> Option<Vec<Option<u32>>> {
        if !from.is_constant() {
            return None;
        }
        let lane = |index: u32| {
            let number = self.b.extract_element(from, self.b.context().int_type(64).const_int(u64::from(index)));
            number.as_u64().map(|number| Some(number as u32 & (self.lanes - 1)))
        };
        (0..self.lanes).map(lane).collect()
    }

    /// A component's lanes by numbers that are not known.
    fn picked(&self, component: Value<'m>, from: Value<'m>, mask: Option<Value<'m>>) -> Result<Value<'m>, Failure> {
        let b = self.b;
        let element = component.ty().scalar();
        if element.is_int() && element.int_width() < 8 {
            let byte = b.context().int_type(8);
            let wide = self.picked(b.cast(Opcode::ZExt, component, self.vector(byte)), from, mask)?;
            return Ok(b.cast(Opcode::Trunc, wide, component.ty()));
        }
        let place = self.e.frame.alloca(component.ty(), 0);
        b.store(component, place, 0);
        let addresses = b.gep(element, place, &[from], GepFlags::IN_BOUNDS);
        let Some(elements) = Elements::of(&type_of(element)) else {
            return failure("lanes that are not in memory");
        };
        let request = Request::load(elements, false, self.e.module.align_of(element));
        match self.gather(request, self.recipes.scattered(request), addresses, mask)?[..] {
            [picked] => Ok(picked),
            _ => failure("a leaf of several parts"),
        }
    }

    /// Lanes that are not at a state do not enter; gives whether any does. `ty` is the type of their states, `first` the
    /// address of the first lane's.
    pub(crate) fn enter_at(&mut self, ty: Type<'m>, first: Value<'m>, state: Value<'m>) -> Result<Value<'m>, Failure> {
        let at = self.load_row(ty, false, first, self.entry)?;
        let [at] = at[..] else { return failure("a state of several parts") };
        let here = self.narrow(self.entry, self.b.icmp(IntPredicate::Eq, at, self.splat(state)));
        self.entry = Some(here);
        Ok(self.any(here))
    }
}
