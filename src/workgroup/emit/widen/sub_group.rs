//! Sub-group operations where a gang is a sub-group, written as their recipes say, and the places of lanes in their
//! groups. The lanes of the mask are the work-items that came here together.

use oxicl_abi::COALESCED_ITEMS;
use oxicl_llvm::{GepFlags, IntPredicate, Opcode, Type, Value};
use oxicl_ops::{Combine, NamedBarrier, Query};

use crate::analyse::shape::Layout;
use crate::emit::combine::{identity, neutral};
use crate::emit::places::no_wrap;
use crate::emit::vector::{picked, put_together, resized};
use crate::emit::widen::access::Lanes;
use crate::emit::widen::region::{Active, Widener};
use crate::failure::{OrFail, Result, failure};
use crate::ir::{Inst, InstId, Operand, type_of};
use crate::recipe::{Alone, Elements, Exchange, Request, SubGroupRecipe, Whose};

/// Needed for correctness: fraction bits of an inverse, which is rounded up. For sizes up to 32, its product with a
/// place among the coalesced work-items has the quotient's integer part, and fits 32 bits.
const INVERSE_BITS: u32 = 18;
const _: () = assert!(COALESCED_ITEMS * 32 < 1 << INVERSE_BITS && COALESCED_ITEMS << INVERSE_BITS <= 1 << 31);

impl<'m> Widener<'_, '_, 'm> {
    /// Writes a sub-group operation for the lanes of the mask.
    pub(crate) fn sub_group(&mut self, id: InstId, recipe: &SubGroupRecipe, mask: Active<'m>) -> Result<()> {
        let inst = self.function.inst(id);
        if self.e.plan.shapes.layout == Layout::Rows && self.e.plan.shapes.sub_group_size > 1 {
            return failure("an operation of the sub-group in another gang");
        }
        let shared = match &recipe.how {
            Exchange::Barrier => return Ok(()),
            Exchange::Ballot => self.wide_bits(self.narrow(mask, self.component(inst.operands[0])?)),
            Exchange::Broadcast(whose) => self.broadcast(inst, whose, mask)?,
            Exchange::Reduce(by) => {
                let given = self.given(inst.operands[0], *by, mask)?;
                let mut results = given.into_iter().map(|component| self.reduced(*by, component));
                put_together(self.b, inst.llvm.ty(), &mut results)?
            }
            how => {
                let components = self.exchanged(inst, how, mask)?;
                self.keep_wide(id, components, mask);
                return Ok(());
            }
        };
        self.keep_shared(id, shared, recipe.is_shared, mask)
    }

    /// The components of the result of an operation that gives each lane its own.
    fn exchanged(&self, inst: &Inst<'m>, how: &Exchange, mask: Active<'m>) -> Result<Vec<Value<'m>>> {
        let value = inst.operands[0];
        Ok(match how {
            Exchange::Alone(alone) => {
                let own = self.components(value)?.into_iter();
                match alone {
                    Alone::Own => own.collect(),
                    Alone::OwnBit => {
                        own.map(|component| self.b.cast(Opcode::ZExt, component, self.vector(inst.llvm.ty()))).collect()
                    }
                    Alone::Identity(by) => {
                        own.map(|component| self.splat(identity(*by, component.ty().scalar()))).collect()
                    }
                }
            }
            Exchange::Shuffle(whose) => self.shuffled(value, whose, mask)?,
            Exchange::Scan { by, is_inclusive } => {
                let given = self.given(value, *by, mask)?.into_iter();
                let scanned = given.map(|component| self.scanned(*by, *is_inclusive, component, mask));
                scanned.collect::<Result<_, _>>()?
            }
            Exchange::Clustered { by, size } => {
                let given = self.given(value, *by, mask)?.into_iter();
                given.map(|component| self.in_clusters(*by, component, *size)).collect()
            }
            _ => return failure("an operation that is the same for all"),
        })
    }

    /// Is this a query about the sub-group where gangs are none? It is answered for all lanes at once.
    pub(crate) fn is_of_sub_group(&self, query: Query) -> bool {
        query.is_of_sub_group() && self.e.plan.shapes.layout == Layout::Rows
    }

    /// The answers to such a query, from the lanes' linear local ids.
    pub(crate) fn place_in_sub_group(&self, query: Query) -> Value<'m> {
        let (b, places) = (self.b, &self.scalar.places);
        let linear = self.steps_from(b.trunc(places.linear, b.context().int_type(32)), 1);
        places.in_sub_group(b, query, linear, |number| self.splat(number))
    }

    /// The value of one lane, for all lanes.
    fn broadcast(&self, inst: &Inst<'m>, whose: &Whose, mask: Active<'m>) -> Result<Value<'m>> {
        let (b, value) = (self.b, inst.operands[0]);
        if *whose == Whose::Any {
            return self.first(value);
        }
        let lane = self.named_by_all(whose, mask)?;
        let lane = b.and(lane, lane.ty().const_int(u64::from(self.lanes - 1)));
        let components = self.components(value)?;
        let mut parts = components.into_iter().map(|component| self.lane_at(component, lane));
        put_together(b, inst.llvm.ty(), &mut parts)
    }

    /// A number that is the same in all lanes of the mask, as the program promises.
    fn named_by_all(&self, whose: &Whose, mask: Active<'m>) -> Result<Value<'m>> {
        match whose {
            Whose::Shared(number) => self.first(*number),
            Whose::Agreed(number) => {
                let lanes = self.component(*number)?;
                let lane = self.first_lane(mask)?;
                Ok(self.b.extract_element(lanes, lane))
            }
            _ => failure("a number of which nobody says that all lanes name it"),
        }
    }

    /// Makes a named barrier or waits at one, once for all lanes of the sub-group.
    pub(crate) fn named_barrier(
        &mut self,
        id: InstId,
        operation: NamedBarrier,
        number: &Whose,
        mask: Active<'m>,
    ) -> Result<()> {
        let inst = self.function.inst(id);
        let operand = self.named_by_all(number, mask)?;
        let value = self.scalar.named_barrier(inst, operation, operand);
        if operation == NamedBarrier::Make {
            self.keep_scalar(id, value);
        }
        Ok(())
    }

    /// The value in the lane whose number is `lane`, of 32 bits.
    fn lane_at(&self, component: Value<'m>, lane: Value<'m>) -> Value<'m> {
        let b = self.b;
        if component.ty().scalar().is_int() && component.ty().scalar().int_width() == 1 {
            let bits = self.bits(component);
            let by = resized(b, lane, bits.ty(), false);
            return b.trunc(b.lshr(bits, by), component.ty().scalar());
        }
        b.extract_element(component, lane)
    }

    /// An operand's components. Lanes outside the mask hold the neutral value of `by`.
    fn given(&self, operand: Operand, by: Combine, mask: Active<'m>) -> Result<Vec<Value<'m>>> {
        Ok(self.components(operand)?.into_iter().map(|component| self.masked(by, component, mask)).collect())
    }

    /// For each lane, the combined values of the lanes up to and including it, or of those before it.
    fn scanned(&self, by: Combine, is_inclusive: bool, component: Value<'m>, mask: Active<'m>) -> Result<Value<'m>> {
        let ty = component.ty().scalar();
        let nothing = self.splat(neutral(by, ty));
        let up_to = self.scan(by, component, nothing);
        if is_inclusive {
            return Ok(up_to);
        }
        let before = self.shifted(up_to, nothing, 1);
        if ty.is_float() { self.unless_first(before, self.splat(identity(by, ty)), mask) } else { Ok(before) }
    }

    /// `before` in the lanes behind the first one of the mask; `otherwise` in that lane and those in front of it.
    fn unless_first(&self, before: Value<'m>, otherwise: Value<'m>, mask: Active<'m>) -> Result<Value<'m>> {
        let (b, i64_type) = (self.b, self.b.context().int_type(64));
        let first = self.first_lane(mask)?;
        let behind = b.icmp(IntPredicate::Ugt, self.steps(i64_type, 1), self.splat(first));
        Ok(b.select(behind, before, otherwise))
    }

    /// For each lane, the value of another lane. A number that is no lane's selects any lane.
    fn shuffled(&self, value: Operand, whose: &Whose, mask: Active<'m>) -> Result<Vec<Value<'m>>> {
        let b = self.b;
        let components = self.components(value)?;
        match whose {
            Whose::Known(lanes) => {
                Ok(components.into_iter().map(|component| picked(b, component, lanes.iter().copied())).collect())
            }
            Whose::Each(numbers) => {
                let from = self.component(*numbers)?;
                let from = b.and(from, self.splat(from.ty().scalar().const_int(u64::from(self.lanes - 1))));
                components.into_iter().map(|component| self.picked(component, from, mask)).collect()
            }
            _ => Ok(components),
        }
    }

    /// A component's lanes, selected by numbers that are known only at run time.
    fn picked(&self, component: Value<'m>, from: Value<'m>, mask: Active<'m>) -> Result<Value<'m>> {
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
        let elements = Elements::of(&type_of(element)).or_fail("lanes that are not in memory")?;
        let request = Request::load(elements, false, self.e.module.align_of(element));
        match self.gather(Lanes { request, at: addresses, mask }, self.recipes.scattered(request))?[..] {
            [picked] => Ok(picked),
            _ => failure("a component of several parts"),
        }
    }

    /// Takes lanes not at `state` out of the entry mask; is any left? `first` is where the first one's state, a `ty`,
    /// is.
    pub(crate) fn enter_at(&mut self, ty: Type<'m>, first: Value<'m>, state: Value<'m>) -> Result<Value<'m>> {
        let at = self.load_row(ty, false, first, self.entry)?;
        let [at] = at[..] else { return failure("a state of several parts") };
        let here = self.narrow(self.entry, self.b.icmp(IntPredicate::Eq, at, self.splat(state)));
        self.entry = Some(here);
        Ok(self.any(here))
    }

    /// The answers for lanes of coalesced work-groups: from the place along x in all of them, divided by their size.
    pub(crate) fn place_in_group(&self, query: Query) -> Value<'m> {
        let (b, i32_type, i64_type) = (self.b, self.b.context().int_type(32), self.b.context().int_type(64));
        let places = &self.scalar.places;
        let number = |number: u64| i32_type.const_int(number);
        let size = b.trunc(places.local_size[0], i32_type);
        let x = self.steps_from(b.trunc(places.local_id[0], i32_type), 1);
        let group = match places.local_size[0].as_u64() {
            Some(size) if size.is_power_of_two() => b.lshr(x, self.splat(number(u64::from(size.ilog2())))),
            _ => {
                let rounded_up = b.add(b.binary(Opcode::UDiv, number((1 << INVERSE_BITS) - 1), size), number(1));
                b.lshr(b.mul(x, self.splat(rounded_up)), self.splat(number(u64::from(INVERSE_BITS))))
            }
        };
        let before = b.mul(group, self.splat(size));
        let long = |short: Value<'m>| b.cast(Opcode::ZExt, short, self.vector(i64_type));
        match query {
            Query::GroupId(_) => b.add(self.splat(places.group_id[0]), long(group)),
            Query::LocalLinearId => {
                let rows = no_wrap(b.mul(places.rows_before(b), places.coalesced_size(b)));
                b.add(self.splat(rows), long(b.sub(x, before)))
            }
            _ => long(b.sub(x, before)),
        }
    }
}
