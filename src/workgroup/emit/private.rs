//! Interleaved private objects: address arithmetic in them, and how a single work-item accesses those that are alive
//! across a barrier.

use oxicl_llvm::{Builder, GepFlags, Module, Opcode, TypeKind, Value};

use crate::analyse::interleave::{Among, Units};
use crate::analyse::shape::Shapes;
use crate::emit::copy::Copier;
use crate::emit::kernel::Emitter;
use crate::emit::vector::resized;
use crate::failure::{OrFail, Result, failure};
use crate::ir::{Inst, Operand};

/// Where the units of interleaved objects lie.
#[derive(Clone, Copy)]
pub(crate) struct InterleavedObjects<'e, 'm> {
    module: &'m Module<'m>,
    shapes: &'e Shapes,
    /// Work-items of a work-group as enqueued.
    items: Value<'m>,
}

impl<'e, 'm> InterleavedObjects<'e, 'm> {
    /// Those of a kernel, if gangs run its work-items.
    pub(crate) fn of(e: &Emitter<'e, 'm>) -> Option<Self> {
        let (shapes, items) = (&*e.plan.shapes, e.items().ok()?);
        e.plan.gangs.is_ok().then_some(InterleavedObjects { module: e.module, shapes, items })
    }

    /// The units of the object that an operand points into, if those of a work-group are interleaved.
    fn units(&self, address: Option<&Operand>) -> Option<Units> {
        self.shapes.units(*address?).filter(|units| units.among == Among::WorkGroup)
    }
}

/// How many bytes a `getelementptr` advances in an object that is not interleaved: a number of 64 bits, or one for each
/// lane, as `number` and `index` give them.
pub(crate) fn bytes_on<'m>(
    b: &Builder<'m>,
    module: &Module<'m>,
    inst: &Inst<'m>,
    number: impl Fn(u64) -> Value<'m>,
    index: impl Fn(Operand) -> Result<Value<'m>>,
) -> Result<Value<'m>> {
    let Some(mut ty) = inst.llvm.gep_source_type() else { return failure("an address of no type") };
    let mut bytes = number(0);
    for (place, operand) in (0u32..).zip(inst.operands[1..].iter().copied()) {
        if place > 0 && ty.kind() == TypeKind::Struct {
            let member = inst.llvm.operand(place + 1).and_then(|index| index.as_u64());
            let member = member.and_then(|member| u32::try_from(member).ok()).or_fail("a member without number")?;
            bytes = b.add(bytes, number(module.offset_of(ty, member)));
            let inside = ty.member(member).or_fail("a member of no type")?;
            ty = inside;
            continue;
        }
        if place > 0 {
            let element = ty.element().or_fail("an element of no type")?;
            ty = element;
        }
        let index = resized(b, index(operand)?, bytes.ty(), true);
        bytes = b.add(bytes, b.mul(index, number(module.size_of(ty))));
    }
    Ok(bytes)
}

impl<'m> Copier<'_, 'm> {
    /// Copies a single work-item's access or address computation in an interleaved object; `None` for other
    /// instructions.
    pub(crate) fn copy_interleaved(&self, inst: &Inst<'m>) -> Result<Option<Value<'m>>> {
        let Some(interleaved) = self.interleaved else { return Ok(None) };
        let place = usize::from(inst.opcode == Opcode::Store);
        let address = inst.operands.get(place).copied();
        let is_access = matches!(inst.opcode, Opcode::GetElementPtr | Opcode::Load | Opcode::Store);
        let Some((units, address)) = interleaved.units(address.as_ref()).zip(address).filter(|_| is_access) else {
            return Ok(None);
        };
        let (b, byte) = (self.b, self.b.context().int_type(8));
        let number = |value| b.context().int_type(64).const_int(value);
        let address = self.value(address)?;
        let on = |bytes| b.gep(byte, address, &[b.mul(bytes, interleaved.items)], GepFlags::NONE);
        if inst.opcode == Opcode::GetElementPtr {
            let bytes = bytes_on(b, interleaved.module, inst, number, |operand| self.value(operand))?;
            return Ok(Some(on(bytes)));
        }
        let stored = if inst.opcode == Opcode::Store { Some(self.value(inst.operands[0])?) } else { None };
        let ty = stored.map_or(inst.llvm.ty(), |value| value.ty());
        let align = units.bytes as u32;
        if !ty.is_vector() {
            return Ok(Some(match stored {
                Some(value) => b.store(value, address, align),
                None => b.load(ty, address, align),
            }));
        }
        let mut all = ty.poison();
        for part in 0..ty.length() {
            let at = on(number(part * units.bytes));
            match stored {
                Some(value) => all = b.store(b.extract_element(value, number(part)), at, align),
                None => all = b.insert_element(all, b.load(ty.scalar(), at, align), number(part)),
            }
        }
        Ok(Some(all))
    }
}
