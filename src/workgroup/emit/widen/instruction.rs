//! Instructions for a gang: once where lanes agree, on vectors where they do not, and lane by lane where there is no vector
//! form.

use oxicl_llvm::{GepFlags, IntPredicate, Opcode, Type, TypeKind, Value};

use crate::analyse::instructions::{Elementwise, elementwise, is_binary, is_cast, is_ordinary};
use crate::analyse::leaves::{leaves_before, leaves_of, part, parts};
use crate::analyse::packing::is_place_in_row;
use crate::analyse::shape::Shape;
use crate::arena::{Inst, InstId, Kind, Operand};
use crate::emit::machine::{self, is_machine_call};
use crate::emit::vector::{deinterleave, interleave};
use crate::emit::widen::access::Loaded;
use crate::emit::widen::piece::Widener;
use crate::failure::{Failure, failure};

impl<'m> Widener<'_, '_, 'm> {
    /// Writes an instruction that is no phi, for the lanes of the mask.
    pub(crate) fn instruction(&mut self, id: InstId, mask: Option<Value<'m>>) -> Result<(), Failure> {
        let function = self.function;
        let inst = function.inst(id);
        let known = matches!(self.scalar.values.get(&id), Some(crate::emit::copy::Mapped::Value(_)));
        if known || self.state.wide.contains_key(&id) || self.state.unsplit.contains_key(&id) {
            return Ok(());
        }
        match inst.kind {
            Kind::SubGroup(operation) => return self.sub_group(id, operation, mask),
            Kind::Barrier => return self.scalar.copy(id).map(|_| ()),
            Kind::Collective(state, _) => return self.collective(id, state, mask),
            _ => {}
        }
        if self.private_address(id, mask)? {
            return Ok(());
        }
        let shape = self.shape_of(id);
        if shape != Shape::Varying && self.is_linear(id)? {
            let value = match shape {
                Shape::Affine(_) if self.e.plan.packing.is_some() && is_place_in_row(self.function, id) => {
                    let place = self.scalar.places.place_in_row(self.b);
                    let ty = inst.value.ty();
                    if ty.int_width() < 64 { self.b.trunc(place, ty) } else { place }
                }
                Shape::Affine(stride) => self.affine(id, stride, mask)?,
                Shape::Wrapping(_) => self.unless_wrapped(id)?,
                _ => self.scalar.copy(id)?,
            };
            self.keep_scalar(id, value);
            self.spread(id, value);
            return Ok(());
        }
        if self.is_in_one(id) {
            return self.in_one(id, mask);
        }
        let leaves = match &inst.kind {
            Kind::Query(query) if self.is_of_sub_group(*query) => vec![self.place_in_sub_group(*query)],
            Kind::Query(query) if self.e.plan.packing.is_some() && query.tells_groups_apart() => {
                vec![self.place_in_group(*query)]
            }
            Kind::Gathered(state) => self.gathered(*state, inst.value.ty())?,
            Kind::Plain if matches!(inst.opcode, Opcode::AtomicRmw | Opcode::AtomicCmpXchg) => self.atomic(id, mask)?,
            Kind::Plain => {
                let together = self.in_record(id, mask)?;
                let together = if together.is_some() { together } else { self.load_pair(id, mask)? };
                let found = if together.is_some() { together } else { self.plain(inst, mask)? };
                match found {
                    Some(leaves) => leaves,
                    None => self.by_lane(id, mask)?,
                }
            }
            Kind::Call => match self.call(inst, mask)? {
                Some(leaves) => leaves,
                None => self.by_lane(id, mask)?,
            },
            _ => self.by_lane(id, mask)?,
        };
        self.keep_wide(id, leaves, mask);
        Ok(())
    }

    /// Puts a number that lanes have loaded together into all of them where it is loaded: machines do both at once, but only if
    /// nothing parts the two, as what is asked of addresses between the load and its use does.
    fn spread(&mut self, id: InstId, value: Value<'m>) {
        let is_float = matches!(value.ty().kind(), TypeKind::Float | TypeKind::Double);
        let is_kept = matches!(self.scalar.values.get(&id), Some(crate::emit::copy::Mapped::Value(_)));
        if is_float && is_kept && self.function.inst(id).opcode == Opcode::Load {
            let leaves = vec![self.splat(value)];
            self.state.wide.insert(id, leaves);
        }
    }

    /// The first lane's value of what advances by a stride. That lane may be outside the mask, or what it gets be of no use to
    /// it: no promise is kept that would make it poison, for then all lanes had that.
    fn affine(&mut self, id: InstId, stride: i64, mask: Option<Value<'m>>) -> Result<Value<'m>, Failure> {
        let inst = self.function.inst(id);
        let (b, value) = (self.b, inst.value);
        match inst.opcode {
            Opcode::SExt | Opcode::ZExt => {
                let narrow = self.first(inst.operands[0])?;
                let Some(mask) = mask else { return Ok(b.cast(inst.opcode, narrow, value.ty())) };
                // From the first lane of the mask back to the first of all.
                let lane = self.first_lane(mask);
                let fit = |lane: Value<'m>, ty: Type<'m>| if ty.int_width() < 64 { b.trunc(lane, ty) } else { lane };
                let offset = b.mul(fit(lane, narrow.ty()), narrow.ty().const_signed(stride));
                let wide = b.cast(inst.opcode, b.add(narrow, offset), value.ty());
                let lane = if value.ty().int_width() > 64 {
                    b.cast(Opcode::ZExt, lane, value.ty())
                } else {
                    fit(lane, value.ty())
                };
                Ok(b.sub(wide, b.mul(lane, value.ty().const_signed(stride))))
            }
            Opcode::GetElementPtr => {
                let base = self.first(inst.operands[0])?;
                let indices: Result<Vec<_>, Failure> = inst.operands[1..].iter().map(|i| self.first(*i)).collect();
                let Some(ty) = value.gep_source_type() else { return failure("an address of no type") };
                Ok(b.gep(ty, base, &indices?, GepFlags::NONE))
            }
            Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl => {
                let (left, right) = (self.first(inst.operands[0])?, self.first(inst.operands[1])?);
                Ok(b.binary(inst.opcode, left, right))
            }
            // A sum, which in the first lane it need not be.
            Opcode::Or => Ok(b.add(self.first(inst.operands[0])?, self.first(inst.operands[1])?)),
            Opcode::Trunc => Ok(b.trunc(self.first(inst.operands[0])?, value.ty())),
            _ => self.scalar.copy(id),
        }
    }

    /// The number of the first lane in the mask.
    pub(crate) fn first_lane(&self, mask: Value<'m>) -> Value<'m> {
        let (b, bits) = (self.b, self.bits(mask));
        let i64_type = b.context().int_type(64);
        let Some(count) = self.e.module.intrinsic("llvm.cttz", &[bits.ty()]) else { return i64_type.zero() };
        // An empty mask gives a lane that is none; nobody looks.
        let zeros = b.call(count, &[bits, b.context().int_type(1).zero()]);
        if self.lanes < 64 { b.zext(zeros, i64_type) } else { zeros }
    }

    /// The vector form of a plain instruction; `None` if it has none.
    fn plain(&mut self, inst: &Inst<'m>, mask: Option<Value<'m>>) -> Result<Option<Vec<Value<'m>>>, Failure> {
        let (b, value) = (self.b, inst.value);
        let ty = value.ty();
        Ok(Some(match inst.opcode {
            Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem => {
                if let Some(result) = self.divide_by_shared(inst, mask)? {
                    return Ok(Some(vec![result]));
                }
                let (left, right) = (self.leaves(inst.operands[0])?, self.leaves(inst.operands[1])?);
                let each = left.into_iter().zip(right).map(|(l, r)| self.divide(inst.opcode, l, r, mask));
                each.collect::<Result<_, Failure>>()?
            }
            opcode if is_binary(opcode) => {
                let (left, right) = (self.leaves(inst.operands[0])?, self.leaves(inst.operands[1])?);
                let each = left.into_iter().zip(right).map(|(l, r)| b.binary(opcode, l, r));
                each.inspect(|result| keep_flags(value, *result)).collect()
            }
            Opcode::FNeg => self.leaves(inst.operands[0])?.into_iter().map(|x| b.fneg(x)).collect(),
            Opcode::Freeze => self.leaves(inst.operands[0])?.into_iter().map(|x| b.freeze(x)).collect(),
            Opcode::BitCast => return self.bit_cast(inst),
            Opcode::FPTrunc if ty.scalar().kind() == TypeKind::Half && is_double(self.type_of(inst.operands[0])?) => {
                let leaves = self.leaves(inst.operands[0])?;
                leaves.into_iter().map(|x| self.half_of_double(x)).collect::<Result<_, Failure>>()?
            }
            opcode if is_cast(opcode) => {
                if let Some(result) = self.high_product(inst)? {
                    return Ok(Some(vec![result]));
                }
                let target = self.vector(ty.scalar());
                self.leaves(inst.operands[0])?.into_iter().map(|x| b.cast(opcode, x, target)).collect()
            }
            Opcode::ICmp => {
                if let Some(result) = self.compare_short(inst, mask)? {
                    return Ok(Some(vec![result]));
                }
                let Some(predicate) = value.int_predicate() else { return Ok(None) };
                let (left, right) = (self.leaves(inst.operands[0])?, self.leaves(inst.operands[1])?);
                left.into_iter().zip(right).map(|(l, r)| b.icmp(predicate, l, r)).collect()
            }
            Opcode::FCmp => {
                let Some(predicate) = value.real_predicate() else { return Ok(None) };
                let (left, right) = (self.leaves(inst.operands[0])?, self.leaves(inst.operands[1])?);
                let each = left.into_iter().zip(right).map(|(l, r)| b.fcmp(predicate, l, r));
                each.inspect(|result| result.set_fast_math(value.fast_math())).collect()
            }
            Opcode::Select => self.select(inst)?,
            Opcode::ExtractElement => self.extract_element(inst)?,
            Opcode::InsertElement => self.insert_element(inst)?,
            Opcode::ShuffleVector => self.shuffle(inst)?,
            Opcode::ExtractValue | Opcode::InsertValue => self.member(inst)?,
            Opcode::GetElementPtr => return self.address_of(inst),
            Opcode::Load if is_ordinary(value) && self.is_simple(ty) => {
                if let Some(found) = self.looked_up(inst)? {
                    return Ok(Some(vec![found]));
                }
                self.prefetch(inst.block, inst.operands[0], self.e.module.size_of(ty))?;
                self.load_at(Loaded::apart(ty), inst.operands[0], mask, value.alignment())?
            }
            Opcode::Store if is_ordinary(value) && self.is_simple(self.type_of(inst.operands[0])?) => {
                let ty = self.type_of(inst.operands[0])?;
                let leaves = self.to_store(inst.operands[0], inst.operands[1])?;
                self.store_at(ty, &leaves, inst.operands[1], mask, value.alignment())?;
                Vec::new()
            }
            Opcode::Fence => {
                b.fence(value.ordering(), value.sync_scope());
                Vec::new()
            }
            Opcode::Call => return self.intrinsic(inst),
            _ => return Ok(None),
        }))
    }

    fn select(&self, inst: &Inst<'m>) -> Result<Vec<Value<'m>>, Failure> {
        let b = self.b;
        let (then, otherwise) = (self.leaves(inst.operands[1])?, self.leaves(inst.operands[2])?);
        let conditions = self.leaves(inst.operands[0])?;
        let one = conditions.len() == 1;
        let each = then.into_iter().zip(otherwise).enumerate().map(|(index, (t, o))| {
            let result = b.select(conditions[if one { 0 } else { index }], t, o);
            result.set_fast_math(inst.value.fast_math());
            result
        });
        Ok(each.collect())
    }

    /// The same bits as another type, whose parts may be more or fewer.
    fn bit_cast(&self, inst: &Inst<'m>) -> Result<Option<Vec<Value<'m>>>, Failure> {
        let b = self.b;
        let to = leaves_of(inst.value.ty())?;
        if let (Some(all), Some(element)) = (self.kept_unsplit(inst.operands[0]), to.first()) {
            let count = to.len() as u32;
            let all = b.bit_cast(all, element.vector(self.lanes * count));
            return Ok(Some(deinterleave(b, all, count, self.lanes)));
        }
        let from = self.leaves(inst.operands[0])?;
        let (Some(element), Some(first)) = (to.first().copied(), from.first()) else { return Ok(None) };
        if to.len() == from.len() {
            return Ok(Some(from.iter().map(|x| b.bit_cast(*x, self.vector(element))).collect()));
        }
        if first.ty().scalar().kind() == TypeKind::Integer && first.ty().scalar().int_width() < 8
            || element.kind() == TypeKind::Integer && element.int_width() < 8
        {
            return Ok(None);
        }
        let all = interleave(b, &from);
        let count = to.len() as u32;
        let all = b.bit_cast(all, element.vector(self.lanes * count));
        Ok(Some(deinterleave(b, all, count, self.lanes)))
    }

    fn extract_element(&self, inst: &Inst<'m>) -> Result<Vec<Value<'m>>, Failure> {
        let b = self.b;
        if let (Some(all), Some(index)) =
            (self.kept_unsplit(inst.operands[0]), inst.value.operand(1).and_then(|i| i.as_u64()))
            && index < u64::from(parts(self.type_of(inst.operands[0])?))
        {
            return Ok(vec![self.part_in_one(all, index as u32)]);
        }
        let elements = self.leaves(inst.operands[0])?;
        if let Some(index) = inst.value.operand(1).and_then(|i| i.as_u64()) {
            let poison = || self.vector(inst.value.ty()).poison();
            return Ok(vec![elements.get(index as usize).copied().unwrap_or_else(poison)]);
        }
        let index = self.leaf(inst.operands[1])?;
        let [first, rest @ ..] = &elements[..] else { return failure("an element of nothing") };
        let mut result = *first;
        for (number, element) in (1..).zip(rest) {
            let here = b.icmp(IntPredicate::Eq, index, self.splat(index.ty().scalar().const_int(number)));
            result = b.select(here, *element, result);
        }
        Ok(vec![result])
    }

    fn insert_element(&self, inst: &Inst<'m>) -> Result<Vec<Value<'m>>, Failure> {
        let b = self.b;
        let mut elements = self.leaves(inst.operands[0])?;
        let new = self.leaf(inst.operands[1])?;
        if let Some(index) = inst.value.operand(2).and_then(|i| i.as_u64()) {
            if let Some(element) = elements.get_mut(index as usize) {
                *element = new;
            }
            return Ok(elements);
        }
        let index = self.leaf(inst.operands[2])?;
        for (number, element) in (0..).zip(&mut elements) {
            let here = b.icmp(IntPredicate::Eq, index, self.splat(index.ty().scalar().const_int(number)));
            *element = b.select(here, new, *element);
        }
        Ok(elements)
    }

    fn shuffle(&self, inst: &Inst<'m>) -> Result<Vec<Value<'m>>, Failure> {
        let mut all = self.leaves(inst.operands[0])?;
        all.extend(self.leaves(inst.operands[1])?);
        let Some(first) = all.first().copied() else { return failure("a shuffle of nothing") };
        let pick = |index: Option<u32>| index.and_then(|i| all.get(i as usize).copied()).unwrap_or(first.ty().poison());
        Ok(inst.value.shuffle_mask().into_iter().map(pick).collect())
    }

    /// A member of a compound value, taken or replaced.
    fn member(&self, inst: &Inst<'m>) -> Result<Vec<Value<'m>>, Failure> {
        let mut all = self.leaves(inst.operands[0])?;
        let mut ty = self.type_of(inst.operands[0])?;
        let mut start = 0;
        for index in inst.value.indices() {
            start += leaves_before(ty, index)?;
            let Some(member) = part(ty, index) else { return failure("a member of no type") };
            ty = member;
        }
        let range = start..start + leaves_of(ty)?.len();
        if inst.opcode == Opcode::ExtractValue {
            return Ok(all[range].to_vec());
        }
        let new = self.leaves(inst.operands[1])?;
        all.splice(range, new);
        Ok(all)
    }

    pub(crate) fn address_of(&self, inst: &Inst<'m>) -> Result<Option<Vec<Value<'m>>>, Failure> {
        let value = inst.value;
        let Some(source) = value.gep_source_type().filter(|_| value.ty().is_pointer()) else { return Ok(None) };
        let one = |operand: Operand<'m>| {
            let shared = self.shape(operand).is_row_uniform();
            if shared { self.first(operand) } else { self.leaf(operand) }
        };
        let base = one(inst.operands[0])?;
        let indices: Result<Vec<_>, Failure> = inst.operands[1..].iter().map(|index| one(*index)).collect();
        let address = self.b.gep(source, base, &indices?, value.gep_flags());
        Ok(Some(vec![if address.ty().is_vector() { address } else { self.splat(address) }]))
    }

    /// A call of an intrinsic of LLVM that works on each element by itself.
    fn intrinsic(&self, inst: &Inst<'m>) -> Result<Option<Vec<Value<'m>>>, Failure> {
        if is_machine_call(inst.value) {
            let each = inst.operands[..inst.value.arguments().len()].iter().map(|operand| self.leaf(*operand));
            let arguments: Vec<_> = each.collect::<Result<_, Failure>>()?;
            return Ok(machine::write(self.b, inst.value, &arguments).map(|result| vec![result]));
        }
        let Some(row) = elementwise(inst.value) else { return Ok(None) };
        let count = inst.value.arguments().len();
        let mut arguments = Vec::with_capacity(count);
        for (index, operand) in inst.operands[..count].iter().enumerate() {
            arguments.push(if row.scalar == Some(index) {
                vec![self.first(*operand)?]
            } else {
                self.leaves(*operand)?
            });
        }
        let result = inst.value.ty();
        let parts = arguments.first().map_or(0, Vec::len);
        let mut columns: Vec<Vec<Value<'m>>> = Vec::new();
        for part in 0..parts {
            let row_arguments: Vec<_> =
                arguments.iter().map(|leaves| leaves[if leaves.len() == 1 { 0 } else { part }]).collect();
            let Some(call) = self.intrinsic_of(inst, row, &row_arguments) else { return Ok(None) };
            columns.push(if result.kind() == TypeKind::Struct {
                (0..result.length() as u32).map(|member| self.b.extract_value(call, member)).collect()
            } else {
                vec![call]
            });
        }
        let members = columns.first().map_or(0, Vec::len);
        Ok(Some((0..members).flat_map(|member| columns.iter().map(move |column| column[member])).collect()))
    }

    /// The intrinsic of vectors, all of them as long as the first.
    pub(crate) fn intrinsic_of(
        &self,
        inst: &Inst<'m>,
        row: &Elementwise,
        arguments: &[Value<'m>],
    ) -> Option<Value<'m>> {
        if let Some(rewritten) = self.rewritten(inst, row.name, arguments) {
            return Some(rewritten);
        }
        let mut overloads = Vec::new();
        if row.result {
            overloads.push(inst.value.ty().scalar().vector(arguments.first()?.ty().length() as u32));
        }
        overloads.extend(row.overloads.iter().map(|index| arguments[*index].ty()));
        let call = self.b.call(self.e.module.intrinsic(row.name, &overloads)?, arguments);
        call.set_fast_math(inst.value.fast_math());
        Some(call)
    }
}

pub(crate) fn is_double(ty: Type<'_>) -> bool {
    ty.scalar().kind() == TypeKind::Double
}

/// What the scalar operation promises, its lanes promise too.
pub(crate) fn keep_flags<'m>(from: Value<'m>, to: Value<'m>) {
    to.set_fast_math(from.fast_math());
    let (signed, unsigned) = from.no_wrap();
    to.set_no_wrap(signed, unsigned);
    to.set_exact(from.is_exact());
}
