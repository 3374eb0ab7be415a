//! Values of shape `Wrapping`: affine unless the narrow number that they are extended from wraps within the gang, such
//! as a 32-bit index of which nothing promises that it does not.
//!
//! The first lane is known as for an affine value, and one `i1` tells whether the value wraps in the gang. An access to
//! such an address takes a short path or, if it wraps, a long one, which computes each lane's own address again.
//! Elsewhere the value is a vector.

use oxicl_llvm::{IntPredicate, Opcode, Value};

use crate::analyse::instructions::is_integer_binary;
use crate::analyse::shape::{Shape, low_bits};
use crate::emit::widen::region::Widener;
use crate::failure::{OrFail, Result, failure};
use crate::ir::{InstId, Operand};

impl<'m> Widener<'_, '_, 'm> {
    /// Returns the first lane's value, and notes whether it wraps within the gang.
    pub(crate) fn unless_wrapped(&mut self, id: InstId) -> Result<Value<'m>> {
        let inst = self.function.inst(id);
        let (b, ty) = (self.b, inst.llvm.ty());
        let inherited = inst.operands.iter().find_map(|operand| self.wrap_of(*operand));
        let value = match inst.opcode {
            opcode @ (Opcode::SExt | Opcode::ZExt) => {
                let narrow = self.first(inst.operands[0])?;
                let Shape::Affine(stride) = self.shape(inst.operands[0]) else { return failure("a wrap of nothing") };
                let wraps = self.wraps_behind(narrow, stride, opcode == Opcode::SExt);
                self.state.wraps.insert(id, wraps);
                return Ok(b.cast(opcode, narrow, ty));
            }
            opcode @ (Opcode::AShr | Opcode::And) => {
                let (whole, other) = (self.first(inst.operands[0])?, self.first(inst.operands[1])?);
                let Shape::Affine(stride) = self.shape(inst.operands[0]) else { return failure("a wrap of nothing") };
                let wraps = match (opcode, low_bits(self.function, inst)) {
                    (Opcode::AShr, _) => self.wraps_behind(whole, stride, true),
                    (_, Some(low)) => self.wraps_behind(b.trunc(whole, b.context().int_type(low.left)), stride, false),
                    _ => return failure("a wrap of no low bits"),
                };
                self.state.wraps.insert(id, wraps);
                return Ok(b.binary(opcode, whole, other));
            }
            opcode => match self.without_flags(inst)? {
                Some(value) => value,
                None => b.cast(opcode, self.first(inst.operands[0])?, ty),
            },
        };
        let wraps = inherited.or_fail("a wrap of nothing")?;
        self.state.wraps.insert(id, wraps);
        Ok(value)
    }

    /// Whether an operand wraps, if it may.
    fn wrap_of(&self, operand: Operand) -> Option<Value<'m>> {
        match operand {
            Operand::Inst(id) => self.state.wraps.get(&id).copied(),
            _ => None,
        }
    }

    /// Does a number wrap on the way from the first lane to the last?
    fn wraps_behind(&self, first: Value<'m>, stride: i64, signed: bool) -> Value<'m> {
        let (b, ty) = (self.b, first.ty());
        let bits = ty.int_width();
        let way = i128::from(stride) * i128::from(self.lanes - 1);
        let (least, most) =
            if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
        if bits > 64 || way.unsigned_abs() > most.unsigned_abs() {
            return b.context().int_type(1).all_ones();
        }
        let up = way >= 0;
        let bound = if up { most - way } else { least - way };
        let predicate = match (up, signed) {
            (true, true) => IntPredicate::Sgt,
            (true, false) => IntPredicate::Ugt,
            (false, true) => IntPredicate::Slt,
            (false, false) => IntPredicate::Ult,
        };
        let bound = if signed { ty.const_signed(bound as i64) } else { ty.const_int(bound as u64) };
        b.icmp(predicate, first, bound)
    }

    /// Each lane's own value, computed again from the narrow number.
    pub(crate) fn wrapped(&self, id: InstId) -> Result<Vec<Value<'m>>> {
        let inst = self.function.inst(id);
        let (b, wide) = (self.b, self.vector(inst.llvm.ty()));
        Ok(match inst.opcode {
            // How far this goes back is bounded where shapes are found.
            Opcode::GetElementPtr => self.address_of(inst)?,
            opcode if is_integer_binary(opcode) => {
                vec![b.binary(opcode, self.component(inst.operands[0])?, self.component(inst.operands[1])?)]
            }
            opcode => vec![b.cast(opcode, self.component(inst.operands[0])?, wide)],
        })
    }

    /// Whether an address of shape `Wrapping` wraps.
    pub(crate) fn wraps(&self, address: Operand) -> Result<Value<'m>> {
        self.wrap_of(address).or_fail("a wrap of nothing")
    }
}
