//! Combining values: two of them, the elements of a vector, and those of lanes: of all lanes, of those up to each lane,
//! and of clusters.

use oxicl_llvm::{Builder, IntPredicate, RealPredicate, Type, Value};
use oxicl_ops::{Combine, PARTS};

use crate::emit::vector::{elements, picked, shuffled};
use crate::emit::widen::{Active, Widener};
use crate::failure::Result;

/// `old` and `new` combined. The minimum or maximum of equal numbers is `old`; if one of them is NaN, it is the other.
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

/// The value that changes no bit of what it is combined with.
pub(crate) fn neutral(combine: Combine, ty: Type<'_>) -> Value<'_> {
    match combine {
        Combine::FAdd => ty.const_float(-0.0),
        Combine::FMin | Combine::FMax => ty.const_float(f64::NAN),
        other => identity(other, ty),
    }
}

/// The identity that the specification names: an exclusive scan's first result.
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

/// The elements of a vector combined: the upper half with the lower half, until one is left.
pub(crate) fn halved<'m>(b: &Builder<'m>, combine: Combine, mut values: Value<'m>) -> Value<'m> {
    let mut left = values.ty().length() as u32;
    while left > 1 {
        left /= 2;
        values = combined(b, combine, elements(b, values, 0, left), elements(b, values, left, left));
    }
    b.extract_element(values, b.context().int_type(64).zero())
}

impl<'m> Widener<'_, '_, 'm> {
    /// The lanes' values, with a neutral value outside the mask.
    pub(crate) fn masked(&self, by: Combine, values: Value<'m>, mask: Active<'m>) -> Value<'m> {
        let nothing = || self.splat(neutral(by, values.ty().scalar()));
        mask.map_or(values, |mask| self.b.select(mask, values, nothing()))
    }

    /// Gives each lane the combined values of the lanes up to it.
    pub(crate) fn scan(&self, by: Combine, values: Value<'m>, nothing: Value<'m>) -> Value<'m> {
        let mut result = values;
        let mut distance = 1;
        while distance < self.lanes {
            result = combined(self.b, by, self.shifted(result, nothing, distance), result);
            distance *= 2;
        }
        result
    }

    /// Gives each lane the value of the lane `distance` before it; that of `nothing` where there is none.
    pub(crate) fn shifted(&self, values: Value<'m>, nothing: Value<'m>, distance: u32) -> Value<'m> {
        let from = |lane: u32| if lane < distance { lane } else { self.lanes + lane - distance };
        shuffled(self.b, [nothing, values], (0..self.lanes).map(from))
    }

    /// The last lane's value.
    pub(crate) fn last(&self, values: Value<'m>) -> Value<'m> {
        self.b.extract_element(values, self.b.context().int_type(64).const_int(u64::from(self.lanes) - 1))
    }

    /// All integers combined, by an intrinsic of LLVM.
    pub(crate) fn reduced_by_machine(&self, by: Combine, integers: Value<'m>) -> Result<Value<'m>> {
        self.e.call_intrinsic(&format!("llvm.vector.reduce.{}", by.word()), &[integers.ty()], &[integers])
    }

    /// All values combined.
    pub(crate) fn reduced(&self, by: Combine, values: Value<'m>) -> Value<'m> {
        if !by.rounds() {
            return self.pairwise(by, values);
        }
        let b = self.b;
        let values = match self.lanes <= PARTS {
            true => values,
            false => {
                let parts = vec![neutral(by, values.ty().scalar()); PARTS as usize];
                self.in_parts(by, b.context().const_vector(&parts), values)
            }
        };
        halved(b, by, values)
    }

    /// The lanes' values combined with `parts`, of which there are at most as many as lanes.
    pub(crate) fn in_parts(&self, by: Combine, parts: Value<'m>, values: Value<'m>) -> Value<'m> {
        let count = parts.ty().length() as u32;
        (0..self.lanes / count).fold(parts, |parts, iteration| {
            combined(self.b, by, parts, elements(self.b, values, iteration * count, count))
        })
    }

    /// All values combined, neighbours first, which keeps the order of lanes.
    pub(crate) fn pairwise(&self, by: Combine, mut values: Value<'m>) -> Value<'m> {
        let b = self.b;
        let mut lanes = self.lanes;
        while lanes > 1 {
            let [left, right] = [0, 1].map(|start| picked(b, values, (start..lanes).step_by(2)));
            values = combined(b, by, left, right);
            lanes /= 2;
        }
        b.extract_element(values, b.context().int_type(64).zero())
    }

    /// Gives each lane the combined values of its cluster of `size` lanes.
    pub(crate) fn in_clusters(&self, by: Combine, mut values: Value<'m>, size: u32) -> Value<'m> {
        let b = self.b;
        let pick = |values: Value<'m>, from: &dyn Fn(u32) -> u32| picked(b, values, (0..self.lanes).map(from));
        let mut distances: Vec<_> = (0..size.ilog2()).map(|bit| 1 << bit).collect();
        if by.rounds() {
            if size > PARTS {
                let part = |iteration: u32| pick(values, &|lane| lane - lane % size + iteration * PARTS + lane % PARTS);
                values = (1..size / PARTS).fold(part(0), |parts, iteration| combined(b, by, parts, part(iteration)));
            }
            distances.retain(|distance| *distance < PARTS);
            distances.reverse();
        }
        for distance in distances {
            let (low, high) = (pick(values, &|lane| lane & !distance), pick(values, &|lane| lane | distance));
            values = combined(b, by, low, high);
        }
        values
    }
}
