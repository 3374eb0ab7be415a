//! Machine instructions that no operation of LLVM stands for: AVX-512's on the fractions and exponents of
//! floating-point numbers, and its estimates of reciprocal roots. In their place scalar code calls functions without
//! bodies, put there by `prepare`; on other machines the device library has bodies.

use oxicl_llvm::{Builder, Linkage, Module, Type, TypeKind, Value};
use oxicl_ops::MachineOperation;

use crate::emit::vector::{concatenate, elements};

/// Operand of `getmant`: fractions from 0.75 to 1.5, and NaN for numbers below zero.
const FRACTION: u64 = 0b1011;
/// Rounding operand: the current mode.
const CURRENT_ROUNDING: u64 = 4;

/// The result of `call`, for scalars or vectors, if it calls such a function.
pub(crate) fn write<'m>(b: &Builder<'m>, call: Value<'m>, arguments: &[Value<'m>]) -> Option<Value<'m>> {
    write_body(b, call.called_function()?, arguments)
}

/// Gives bodies to such functions that are still called.
pub(crate) fn define(module: &Module<'_>) {
    let b = Builder::new(module.context());
    for function in MachineOperation::names().filter_map(|name| module.function(&name)) {
        if !function.has_uses() {
            continue;
        }
        b.position_at_end(function.append_block(module.context(), ""));
        if let Some(result) = write_body(&b, function, &function.parameters()) {
            b.ret(result);
            function.set_linkage(Linkage::Internal);
        }
    }
}

fn write_body<'m>(b: &Builder<'m>, function: Value<'m>, arguments: &[Value<'m>]) -> Option<Value<'m>> {
    let operation = MachineOperation::parse(&function.name())?;
    let machine = Machine { b, function };
    let [x, second @ ..] = arguments else { return None };
    machine.of_any_length(*x, &|x, from| match operation {
        MachineOperation::Fraction => machine.fraction(x),
        MachineOperation::FractionExponent => {
            let (all, part) = (machine.exponent(x)?, machine.exponent(machine.fraction(x)?)?);
            Some(b.fsub(all, part))
        }
        MachineOperation::Scale => {
            let k = machine.part(*second.first()?, from, x.ty().length() as u32);
            machine.call("mask.scalef", x.ty(), &[x, k], true)
        }
        MachineOperation::RsqrtEstimate => machine.call("rsqrt14", x.ty(), &[x], false),
    })
}

struct Machine<'f, 'm> {
    b: &'f Builder<'m>,
    /// A function of the module, beside which intrinsics are declared.
    function: Value<'m>,
}

impl<'m> Machine<'_, 'm> {
    /// Applies `each` to registers of 128, 256 or 512 bits, with the number of the first element in each.
    fn of_any_length(&self, x: Value<'m>, each: &dyn Fn(Value<'m>, u32) -> Option<Value<'m>>) -> Option<Value<'m>> {
        let b = self.b;
        let bits = if x.ty().scalar().kind() == TypeKind::Double { 64 } else { 32 };
        let count = if x.ty().is_vector() { x.ty().length() as u32 } else { 1 };
        let length = count.next_power_of_two().clamp(128 / bits, 512 / bits);
        let mut results = Vec::new();
        for from in (0..count).step_by(length as usize) {
            results.push(each(self.part(x, from, length), from)?);
        }
        let i32_type = b.context().int_type(32);
        if !x.ty().is_vector() {
            return Some(b.extract_element(*results.first()?, i32_type.zero()));
        }
        Some(self.part(concatenate(b, results), 0, count))
    }

    /// `length` elements of a vector from number `from` on, or a scalar as the first of as many.
    fn part(&self, x: Value<'m>, from: u32, length: u32) -> Value<'m> {
        let b = self.b;
        if !x.ty().is_vector() {
            let first = b.context().int_type(32).zero();
            return b.insert_element(x.ty().vector(length).zero(), x, first);
        }
        let is_all = (from, u64::from(length)) == (0, x.ty().length());
        if is_all { x } else { elements(b, x, from, length) }
    }

    fn fraction(&self, x: Value<'m>) -> Option<Value<'m>> {
        let cut = self.b.context().int_type(32).const_int(FRACTION);
        self.call("mask.getmant", x.ty(), &[x, cut], true)
    }

    fn exponent(&self, x: Value<'m>) -> Option<Value<'m>> {
        self.call("mask.getexp", x.ty(), &[x], true)
    }

    /// Calls an intrinsic under a full mask. If it `rounds`, its form for 512 bits takes a rounding mode.
    fn call(&self, name: &str, ty: Type<'m>, arguments: &[Value<'m>], rounds: bool) -> Option<Value<'m>> {
        let context = self.b.context();
        let double = ty.scalar().kind() == TypeKind::Double;
        let length = ty.length() as u32;
        let bits = length * if double { 64 } else { 32 };
        let name = format!("llvm.x86.avx512.{name}.{}.{bits}", if double { "pd" } else { "ps" });
        let mut all = arguments.to_vec();
        all.push(ty.zero());
        all.push(context.int_type(length.max(8)).all_ones());
        if rounds && bits == 512 {
            all.push(context.int_type(32).const_int(CURRENT_ROUNDING));
        }
        Some(self.b.call(self.function.intrinsic_beside(&name, &[])?, &all))
    }
}
