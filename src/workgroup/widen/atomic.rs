//! Atomic operations of a gang on one address: the lanes' values are combined, and memory is changed once.

use oxicl_llvm::{Opcode, RmwOp, Type, Value};

use crate::arena::Inst;
use crate::emit::atomic::{change, combined};
use crate::failure::Failure;
use crate::widen::access::Address;
use crate::widen::piece::Widener;

impl<'m> Widener<'_, '_, 'm> {
    /// The lanes of the mask change one place in order, all at once. `None` where that is not the case, or where the result
    /// depends on more than the order of lanes.
    pub(crate) fn atomic(
        &mut self,
        inst: &Inst<'m>,
        mask: Option<Value<'m>>,
    ) -> Result<Option<Vec<Value<'m>>>, Failure> {
        let old = inst.value;
        let Some(op) = old.rmw_op().filter(|_| inst.opcode == Opcode::AtomicRmw && !old.is_volatile()) else {
            return Ok(None);
        };
        let Some((join, name)) = reduction(op).filter(|_| old.ty().is_int() && old.ty().int_width() <= 64) else {
            return Ok(None);
        };
        let Address::One(pointer) = self.address(inst.operands[0])? else { return Ok(None) };
        let b = self.b;
        let nothing = self.splat(neutral(join, old.ty()));
        let mut values = self.leaf(inst.operands[1])?;
        if let Some(mask) = mask {
            values = b.select(mask, values, nothing);
        }
        let Some(reduce) = self.e.module.intrinsic(name, &[values.ty()]) else { return Ok(None) };
        if !old.has_uses() {
            change(b, old, op, pointer, b.call(reduce, &[values]));
            return Ok(Some(vec![values.ty().poison()]));
        }
        // What each lane finds is what was there, changed by the lanes before it.
        let up_to = self.scan(values, nothing, |before, own| combined(b, join, before, own));
        let last = b.extract_element(up_to, b.context().int_type(64).const_int(u64::from(self.lanes) - 1));
        let found = change(b, old, op, pointer, last);
        Ok(Some(vec![combined(b, op, self.splat(found), self.shifted(up_to, nothing, 1))]))
    }

    /// In each lane, the values of the lanes up to it joined.
    pub(crate) fn scan(
        &self,
        values: Value<'m>,
        nothing: Value<'m>,
        join: impl Fn(Value<'m>, Value<'m>) -> Value<'m>,
    ) -> Value<'m> {
        let mut result = values;
        let mut distance = 1;
        while distance < self.lanes {
            result = join(self.shifted(result, nothing, distance), result);
            distance *= 2;
        }
        result
    }

    /// In each lane, the value of that `distance` lanes before; `nothing` where there is none.
    pub(crate) fn shifted(&self, values: Value<'m>, nothing: Value<'m>, distance: u32) -> Value<'m> {
        let from = |lane: u32| Some(if lane < distance { lane } else { self.lanes + lane - distance });
        let order: Vec<_> = (0..self.lanes).map(from).collect();
        self.b.shuffle(nothing, values, &order)
    }
}

/// How the values of lanes combine before memory is changed by them, and LLVM's reduction that does it.
fn reduction(op: RmwOp) -> Option<(RmwOp, &'static str)> {
    Some(match op {
        // What several subtract is their sum.
        RmwOp::Add | RmwOp::Sub => (RmwOp::Add, "llvm.vector.reduce.add"),
        RmwOp::And => (op, "llvm.vector.reduce.and"),
        RmwOp::Or => (op, "llvm.vector.reduce.or"),
        RmwOp::Xor => (op, "llvm.vector.reduce.xor"),
        RmwOp::Max => (op, "llvm.vector.reduce.smax"),
        RmwOp::Min => (op, "llvm.vector.reduce.smin"),
        RmwOp::UMax => (op, "llvm.vector.reduce.umax"),
        RmwOp::UMin => (op, "llvm.vector.reduce.umin"),
        _ => return None,
    })
}

/// What changes nothing that it is combined with.
fn neutral(op: RmwOp, ty: Type<'_>) -> Value<'_> {
    let sign = 1u64 << (ty.int_width() - 1);
    match op {
        RmwOp::And | RmwOp::UMin => ty.all_ones(),
        RmwOp::Max => ty.const_int(sign),
        RmwOp::Min => ty.const_int(sign - 1),
        _ => ty.zero(),
    }
}
