//! Writes instructions for a gang: once where the result is uniform or affine, on vectors where it varies, and lane by
//! lane where there is no vector form.

use oxicl_llvm::{IntPredicate, Opcode, TypeKind, Value};

use crate::analyse::components::{components_before, components_of};
use crate::analyse::instructions::{is_binary, is_cast, signedness};
use crate::analyse::shape::Shape;
use crate::emit::copy::without_promises;
use crate::emit::machine;
use crate::emit::transpose::{deinterleave, interleave};
use crate::emit::vector::{advanced, distance, parts, resized, scalar_type};
use crate::emit::widen::region::{Active, Widener};
use crate::failure::{OrFail, Result, failure};
use crate::ir::{Detail, Elementwise, Inst, InstId, Operand};
use crate::recipe::{Access, Recipe};

impl<'m> Widener<'_, '_, 'm> {
    /// Writes an instruction other than a phi for the lanes of the mask.
    pub(crate) fn instruction(&mut self, id: InstId, mask: Active<'m>) -> Result<()> {
        let function = self.function;
        let inst = function.inst(id);
        let known = matches!(self.scalar.values.get(&id), Some(crate::emit::copy::Mapped::Value(_)));
        if known || self.state.wide.contains_key(&id) || self.state.aos.contains_key(&id) {
            return Ok(());
        }
        let recipe = self.recipes.of(id);
        let components = match &*recipe {
            Recipe::With(_) => return Ok(()),
            Recipe::Barrier => return self.scalar.copy(id).map(|_| ()),
            Recipe::NamedBarrier(operation, whose) => return self.named_barrier(id, *operation, whose, mask),
            Recipe::SubGroup(recipe) => return self.sub_group(id, recipe, mask),
            Recipe::Collective(state, arrival) => return self.collective(id, *state, *arrival, mask),
            Recipe::PrivateAddress { shared } => return self.private_address(id, *shared, mask),
            Recipe::Shared | Recipe::Linear(_) | Recipe::UnlessWrapped | Recipe::PlaceInRow => {
                let value = self.first_of(id, &recipe, mask)?;
                self.keep_scalar(id, value);
                self.spread(id, value);
                return Ok(());
            }
            Recipe::Phi => return failure("a phi in the midst of a block"),
            Recipe::PlaceInSubGroup(query) => vec![self.place_in_sub_group(*query)],
            Recipe::PlaceInGroup(query) => vec![self.place_in_group(*query)],
            Recipe::Gathered(state) => self.gathered(*state, inst.llvm.ty())?,
            Recipe::Access(access) => self.accessed(inst, access, mask)?,
            Recipe::Record(record) => self.record(id, record, mask)?,
            Recipe::Pair(pair) => self.pair(pair, mask)?,
            Recipe::LookUp(table, permutes) => vec![self.looked_up(inst, table, *permutes)?],
            Recipe::Atomic(atomic) => self.atomic(id, *atomic, mask)?,
            Recipe::Division(division) => self.division(inst, division, mask)?,
            Recipe::HighProduct(product) => vec![self.high_product(inst, product)?],
            Recipe::ShortComparison(comparison) => vec![self.compare_short(comparison, mask)?],
            Recipe::Aos(how) => vec![self.as_aos(inst, how)?],
            Recipe::Vector => self.on_vectors(inst)?,
            Recipe::Elementwise(row) => self.intrinsic(inst, row)?,
            Recipe::Call(version) => self.call(inst, *version, mask)?,
            Recipe::Replicate(_) => self.by_lane(id, mask)?,
        };
        self.keep_wide(id, components, mask);
        Ok(())
    }

    /// The value of a uniform instruction, or the first lane's.
    fn first_of(&mut self, id: InstId, recipe: &Recipe, mask: Active<'m>) -> Result<Value<'m>> {
        match recipe {
            Recipe::PlaceInRow => {
                let (place, ty) = (self.scalar.places.place_in_row(self.b), self.function.inst(id).llvm.ty());
                Ok(resized(self.b, place, ty, false))
            }
            Recipe::Linear(stride) => self.affine(id, *stride, mask),
            Recipe::UnlessWrapped => self.unless_wrapped(id),
            _ => match self.of_affine(id, mask)? {
                Some(value) => Ok(value),
                None => self.scalar.copy(id),
            },
        }
    }

    /// What lanes share of two numbers with a stride: how far these are apart, or how they compare. The first lane may
    /// be inactive, and one of its numbers wrap; so those of the first lane of the mask are compared.
    fn of_affine(&mut self, id: InstId, mask: Active<'m>) -> Result<Option<Value<'m>>> {
        let inst = self.function.inst(id);
        let [left, right] = inst.operands[..] else { return Ok(None) };
        let (Shape::Affine(stride), true) = (self.shape(left), self.shape(left) == self.shape(right)) else {
            return Ok(None);
        };
        let Some(predicate) = inst.int_predicate() else { return self.without_flags(inst) };
        let (b, mut numbers) = (self.b, [self.first(left)?, self.first(right)?]);
        if let (Some(_), Some(_)) = (mask, signedness(predicate)) {
            let lane = self.first_lane(mask)?;
            numbers = numbers.map(|number| advanced(b, number, stride, lane));
        }
        Ok(Some(b.icmp(predicate, numbers[0], numbers[1])))
    }

    /// Splats a uniform floating-point number where it is loaded. Machines load and broadcast in one instruction, but
    /// only if nothing separates the two, such as the address test of a speculated access.
    fn spread(&mut self, id: InstId, value: Value<'m>) {
        let is_float = matches!(value.ty().kind(), TypeKind::Float | TypeKind::Double);
        let is_kept = matches!(self.scalar.values.get(&id), Some(crate::emit::copy::Mapped::Value(_)));
        if is_float && is_kept && self.function.inst(id).opcode == Opcode::Load {
            let components = vec![self.splat(value)];
            self.state.wide.insert(id, components);
        }
    }

    /// The first lane's value of an affine instruction. That lane may be inactive, or not use it: flags that make
    /// poison (`nsw`, `nuw`, `inbounds`) are dropped, as poison there would reach every lane.
    fn affine(&mut self, id: InstId, stride: i64, mask: Active<'m>) -> Result<Value<'m>> {
        let inst = self.function.inst(id);
        let (b, value) = (self.b, *inst.llvm);
        match inst.opcode {
            Opcode::SExt | Opcode::ZExt => {
                let narrow = self.first(inst.operands[0])?;
                let Some(mask) = mask else { return Ok(b.cast(inst.opcode, narrow, value.ty())) };
                // Extends the number of the first lane of the mask, and steps back from it to lane 0.
                let lane = self.first_lane(Some(mask))?;
                let wide = b.cast(inst.opcode, advanced(b, narrow, stride, lane), value.ty());
                Ok(b.sub(wide, distance(b, value.ty(), stride, lane)))
            }
            _ => self.without_flags(inst)?.map_or_else(|| self.scalar.copy(id), Ok),
        }
    }

    /// Computes an instruction on the first lane's operands, without the flags that make poison; `None` if its opcode
    /// does not carry strides through.
    pub(super) fn without_flags(&mut self, inst: &Inst<'m>) -> Result<Option<Value<'m>>> {
        use Opcode::{Add, GetElementPtr, Mul, Or, Shl, Sub, Trunc, Xor};
        if !matches!(inst.opcode, Add | GetElementPtr | Mul | Or | Shl | Sub | Trunc | Xor) {
            return Ok(None);
        }
        let first: Result<Vec<_>> = inst.operands.iter().map(|operand| self.first(*operand)).collect();
        Ok(without_promises(self.b, inst, &first?))
    }

    /// The number of the first lane in the mask.
    pub(crate) fn first_lane(&self, mask: Active<'m>) -> Result<Value<'m>> {
        // For an empty mask this is the number of no lane, which nobody uses.
        mask.map_or_else(|| Ok(self.e.number(0)), |mask| self.zeros_of("llvm.cttz", mask, false))
    }

    /// The number of the last lane in the mask, which is not empty.
    pub(crate) fn last_lane(&self, mask: Active<'m>) -> Result<Value<'m>> {
        let last = self.e.number(u64::from(self.lanes) - 1);
        let zeros = |mask| self.zeros_of("llvm.ctlz", mask, true);
        mask.map_or(Ok(last), |mask| Ok(self.b.sub(last, zeros(mask)?)))
    }

    /// How many lanes at one end are outside the mask, by the intrinsic `count`. `is_some` if the mask is not empty.
    fn zeros_of(&self, count: &str, mask: Value<'m>, is_some: bool) -> Result<Value<'m>> {
        let (b, bits) = (self.b, self.bits(mask));
        let is_some = b.context().int_type(1).const_int(is_some.into());
        let zeros = self.e.call_intrinsic(count, &[bits.ty()], &[bits, is_some])?;
        Ok(resized(b, zeros, b.context().int_type(64), false))
    }

    /// Loads or stores; returns what is loaded.
    fn accessed(&self, inst: &Inst<'m>, access: &Access, mask: Active<'m>) -> Result<Vec<Value<'m>>> {
        if access.request.is_store {
            let kept = self.kept_as_aos(inst.operands[0]).filter(|_| access.request.as_aos);
            let components = kept.map_or_else(|| self.components(inst.operands[0]), |all| Ok(vec![all]))?;
            return self.access(access, Some(&components), mask);
        }
        self.prefetch(access)?;
        self.access(access, None, mask)
    }

    /// An instruction on vectors of lanes, component by component.
    fn on_vectors(&self, inst: &Inst<'m>) -> Result<Vec<Value<'m>>> {
        let (b, value) = (self.b, *inst.llvm);
        let ty = value.ty();
        Ok(match inst.opcode {
            Opcode::BitCast => self.bit_cast(inst)?,
            Opcode::FPTrunc
                if ty.scalar().kind() == TypeKind::Half
                    && self.type_of(inst.operands[0])?.scalar().kind() == TypeKind::Double =>
            {
                let components = self.components(inst.operands[0])?;
                components.into_iter().map(|x| self.half_of_double(x)).collect::<Result<_>>()?
            }
            Opcode::Select => self.select(inst)?,
            Opcode::ExtractElement => self.extract_element(inst)?,
            Opcode::InsertElement => self.insert_element(inst)?,
            Opcode::ShuffleVector => self.shuffle(inst)?,
            Opcode::ExtractValue | Opcode::InsertValue => self.member(inst)?,
            Opcode::GetElementPtr => self.address_of(inst)?,
            Opcode::Fence => {
                b.fence(value.ordering(), value.sync_scope());
                Vec::new()
            }
            Opcode::Call => vec![self.machine_call(inst)?],
            _ => {
                let operands = inst.operands.iter().map(|operand| self.components(*operand));
                let operands = operands.collect::<Result<Vec<_>>>()?;
                let number = |part: usize| {
                    let own: Vec<_> = operands.iter().filter_map(|components| components.get(part).copied()).collect();
                    self.on_numbers(inst, &own)
                };
                (0..operands.first().map_or(0, Vec::len)).map(number).collect::<Result<_>>()?
            }
        })
    }

    /// An elementwise operation on vectors, each a component of the lanes' values or all of these in AoS layout.
    pub(crate) fn on_numbers(&self, inst: &Inst<'m>, operands: &[Value<'m>]) -> Result<Value<'m>> {
        let (b, value) = (self.b, *inst.llvm);
        Ok(match (inst.opcode, operands) {
            (opcode, [left, right]) if is_binary(opcode) => {
                let result = b.binary(opcode, *left, *right);
                // What the scalar operation promises, its lanes promise too.
                result.set_fast_math(value.fast_math());
                let (signed, unsigned) = value.no_wrap();
                result.set_no_wrap(signed, unsigned);
                result.set_exact(value.is_exact());
                result
            }
            (Opcode::FNeg, [x]) => b.fneg(*x),
            (Opcode::Freeze, [x]) => b.freeze(*x),
            (opcode, [x]) if is_cast(opcode) => b.cast(opcode, *x, value.ty().scalar().vector(parts(x.ty()))),
            (Opcode::ICmp, [left, right]) => {
                b.icmp(value.int_predicate().or_fail("a comparison of no kind")?, *left, *right)
            }
            (Opcode::FCmp, [left, right]) => {
                let result = b.fcmp(value.real_predicate().or_fail("a comparison of no kind")?, *left, *right);
                result.set_fast_math(value.fast_math());
                result
            }
            _ => return failure("an instruction that has no vector form"),
        })
    }

    fn select(&self, inst: &Inst<'m>) -> Result<Vec<Value<'m>>> {
        let b = self.b;
        let (then, otherwise) = (self.components(inst.operands[1])?, self.components(inst.operands[2])?);
        let conditions = self.components(inst.operands[0])?;
        let one = conditions.len() == 1;
        let each = then.into_iter().zip(otherwise).enumerate().map(|(index, (t, o))| {
            let result = b.select(conditions[if one { 0 } else { index }], t, o);
            result.set_fast_math(inst.llvm.fast_math());
            result
        });
        Ok(each.collect())
    }

    /// A bit cast, to a type that may have more or fewer components.
    fn bit_cast(&self, inst: &Inst<'m>) -> Result<Vec<Value<'m>>> {
        let b = self.b;
        let to = components_of(&inst.ty)?;
        let [element, ..] = to[..] else { return failure("bits of no type") };
        let (element, count) = (scalar_type(b.context(), element), to.len() as u32);
        let all = match self.kept_as_aos(inst.operands[0]) {
            Some(all) => all,
            None => match &self.components(inst.operands[0])?[..] {
                from if from.len() == to.len() => {
                    return Ok(from.iter().map(|x| b.bit_cast(*x, self.vector(element))).collect());
                }
                from => interleave(b, self.recipes.vectors, from),
            },
        };
        Ok(deinterleave(
            b,
            self.recipes.vectors,
            b.bit_cast(all, element.vector(self.lanes * count)),
            count,
            self.lanes,
        ))
    }

    fn extract_element(&self, inst: &Inst<'m>) -> Result<Vec<Value<'m>>> {
        let b = self.b;
        let known = self.function.u64_at(inst, 1);
        if let (Some(all), Some(index)) = (self.kept_as_aos(inst.operands[0]), known)
            && index < u64::from(parts(self.type_of(inst.operands[0])?))
        {
            return Ok(vec![self.part_in_one(all, index as u32)]);
        }
        let elements = self.components(inst.operands[0])?;
        if let Some(index) = known {
            let poison = || self.vector(inst.llvm.ty()).poison();
            return Ok(vec![elements.get(index as usize).copied().unwrap_or_else(poison)]);
        }
        let index = self.component(inst.operands[1])?;
        let [first, rest @ ..] = &elements[..] else { return failure("an element of nothing") };
        let mut result = *first;
        for (number, element) in (1..).zip(rest) {
            let here = b.icmp(IntPredicate::Eq, index, self.splat(index.ty().scalar().const_int(number)));
            result = b.select(here, *element, result);
        }
        Ok(vec![result])
    }

    fn insert_element(&self, inst: &Inst<'m>) -> Result<Vec<Value<'m>>> {
        let b = self.b;
        let mut elements = self.components(inst.operands[0])?;
        let new = self.component(inst.operands[1])?;
        if let Some(index) = self.function.u64_at(inst, 2) {
            if let Some(element) = elements.get_mut(index as usize) {
                *element = new;
            }
            return Ok(elements);
        }
        let index = self.component(inst.operands[2])?;
        for (number, element) in (0..).zip(&mut elements) {
            let here = b.icmp(IntPredicate::Eq, index, self.splat(index.ty().scalar().const_int(number)));
            *element = b.select(here, new, *element);
        }
        Ok(elements)
    }

    fn shuffle(&self, inst: &Inst<'m>) -> Result<Vec<Value<'m>>> {
        let mut all = self.components(inst.operands[0])?;
        all.extend(self.components(inst.operands[1])?);
        let first = all.first().copied().or_fail("a shuffle of nothing")?;
        let pick = |index: Option<u32>| index.and_then(|i| all.get(i as usize).copied()).unwrap_or(first.ty().poison());
        Ok(inst.llvm.shuffle_mask().into_iter().map(pick).collect())
    }

    /// Extracts or replaces a member of an aggregate.
    fn member(&self, inst: &Inst<'m>) -> Result<Vec<Value<'m>>> {
        let mut all = self.components(inst.operands[0])?;
        let mut ty = self.function.type_of(inst.operands[0]).clone();
        let Detail::Indices(indices) = &inst.detail else { return failure("a member without number") };
        let mut start = 0;
        for index in indices {
            start += components_before(&ty, *index)?;
            let member = ty.member(u64::from(*index)).or_fail("a member of no type")?;
            ty = member;
        }
        let range = start..start + components_of(&ty)?.len();
        if inst.opcode == Opcode::ExtractValue {
            return Ok(all[range].to_vec());
        }
        let new = self.components(inst.operands[1])?;
        all.splice(range, new);
        Ok(all)
    }

    pub(crate) fn address_of(&self, inst: &Inst<'m>) -> Result<Vec<Value<'m>>> {
        let value = *inst.llvm;
        let source = value.gep_source_type().or_fail("an address of no type")?;
        let one = |operand: Operand| {
            let shared = self.shape(operand).is_row_uniform();
            if shared { self.first(operand) } else { self.component(operand) }
        };
        let base = one(inst.operands[0])?;
        let indices: Result<Vec<_>> = inst.operands[1..].iter().map(|index| one(*index)).collect();
        let address = self.b.gep(source, base, &indices?, value.gep_flags());
        Ok(vec![if address.ty().is_vector() { address } else { self.splat(address) }])
    }

    /// A call of a function that stands for an instruction of the machine.
    fn machine_call(&self, inst: &Inst<'m>) -> Result<Value<'m>> {
        let each = inst.operands[..inst.llvm.arguments().len()].iter().map(|operand| self.component(*operand));
        let arguments: Vec<_> = each.collect::<Result<_>>()?;
        let written = machine::write(self.b, *inst.llvm, &arguments);
        written.or_fail("the machine has no such instruction")
    }

    /// A call of an elementwise intrinsic of LLVM.
    fn intrinsic(&self, inst: &Inst<'m>, row: &Elementwise) -> Result<Vec<Value<'m>>> {
        let count = inst.llvm.arguments().len();
        let mut arguments = Vec::with_capacity(count);
        for (index, operand) in inst.operands[..count].iter().enumerate() {
            arguments.push(if row.scalar == Some(index) {
                vec![self.first(*operand)?]
            } else {
                self.components(*operand)?
            });
        }
        let result = inst.llvm.ty();
        let parts = arguments.first().map_or(0, Vec::len);
        let mut columns: Vec<Vec<Value<'m>>> = Vec::new();
        for part in 0..parts {
            let row_arguments: Vec<_> =
                arguments.iter().map(|components| components[if components.len() == 1 { 0 } else { part }]).collect();
            let Some(call) = self.intrinsic_of(inst, row, &row_arguments) else {
                return failure(format!("LLVM has no {} of vectors", row.name));
            };
            columns.push(if result.kind() == TypeKind::Struct {
                (0..result.length() as u32).map(|member| self.b.extract_value(call, member)).collect()
            } else {
                vec![call]
            });
        }
        let members = columns.first().map_or(0, Vec::len);
        Ok((0..members).flat_map(|member| columns.iter().map(move |column| column[member])).collect())
    }

    /// A call of the vector form of an intrinsic, if LLVM has one. All vectors are as long as the first argument.
    pub(crate) fn intrinsic_of(
        &self,
        inst: &Inst<'m>,
        row: &Elementwise,
        arguments: &[Value<'m>],
    ) -> Option<Value<'m>> {
        if let Some(rewritten) = self.rewritten(inst, row, arguments) {
            return Some(rewritten);
        }
        let mut overloads = Vec::new();
        if row.result {
            overloads.push(inst.llvm.ty().scalar().vector(arguments.first()?.ty().length() as u32));
        }
        overloads.extend(row.overloads.iter().map(|index| arguments[*index].ty()));
        let call = self.b.call(self.e.module.intrinsic(row.name, &overloads)?, arguments);
        call.set_fast_math(inst.llvm.fast_math());
        Some(call)
    }
}
