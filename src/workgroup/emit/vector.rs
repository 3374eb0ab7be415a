//! Vectors of lanes: values are split into SoA components (numbers and pointers), each of which is one vector, and put
//! together again.

use oxicl_llvm::{Builder, Context, Opcode, Type, TypeKind, Value};

use crate::analyse::components::components_of;
use crate::failure::{Failure, Result};
use crate::ir::{self, Scalar, type_of};

/// The number of elements of an OpenCL vector; 1 for anything else.
pub(crate) fn parts(ty: Type<'_>) -> u32 {
    if ty.is_vector() { ty.length() as u32 } else { 1 }
}

/// The SoA components of one work-item's value.
pub(crate) fn take_apart<'m>(b: &Builder<'m>, value: Value<'m>) -> Result<Vec<Value<'m>>> {
    // Fails if there are too many of them.
    components_of(&type_of(value.ty()))?;
    let mut result = Vec::new();
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        let ty = value.ty();
        let count = ty.length() as u32;
        match ty.kind() {
            TypeKind::Vector => {
                let i64_type = b.context().int_type(64);
                result.extend((0..count).map(|i| b.extract_element(value, i64_type.const_int(u64::from(i)))));
            }
            TypeKind::Struct | TypeKind::Array => {
                work.extend((0..count).rev().map(|i| b.extract_value(value, i)));
            }
            _ => result.push(value),
        }
    }
    Ok(result)
}

/// The value of one work-item that components make.
pub(crate) fn put_together<'m>(
    b: &Builder<'m>,
    ty: Type<'m>,
    components: &mut impl Iterator<Item = Value<'m>>,
) -> Result<Value<'m>> {
    let missing = || Failure("a value has too few parts".to_owned());
    Ok(match ty.kind() {
        TypeKind::Vector => {
            let i64_type = b.context().int_type(64);
            let mut value = ty.poison();
            for index in 0..ty.length() {
                value = b.insert_element(value, components.next().ok_or_else(missing)?, i64_type.const_int(index));
            }
            value
        }
        TypeKind::Struct | TypeKind::Array => {
            let mut value = ty.poison();
            for index in 0..ty.length() as u32 {
                let member = if ty.kind() == TypeKind::Struct { ty.member(index) } else { ty.element() };
                let member = member.ok_or_else(missing)?;
                // Types nest as deep as the module's, which the validator bounds.
                value = b.insert_value(value, put_together(b, member, components)?, index);
            }
            value
        }
        _ => components.next().ok_or_else(missing)?,
    })
}

/// One number in all elements of a vector.
pub(crate) fn splat_to<'m>(b: &Builder<'m>, value: Value<'m>, length: u32) -> Value<'m> {
    if value.is_constant() && !value.ty().is_pointer() {
        return b.context().const_vector(&vec![value; length as usize]);
    }
    let first = b.insert_element(value.ty().vector(length).poison(), value, b.context().int_type(64).zero());
    b.shuffle(first, first.ty().poison(), &vec![Some(0); length as usize])
}

/// The value `lanes` lanes behind the one that has `first`, or before it if that is negative, at a stride.
pub(crate) fn advanced<'m>(b: &Builder<'m>, first: Value<'m>, stride: i64, lanes: Value<'m>) -> Value<'m> {
    let ty = first.ty();
    if ty.is_pointer() {
        b.byte_offset(first, distance(b, lanes.ty(), stride, lanes))
    } else {
        b.add(first, distance(b, ty, stride, lanes))
    }
}

/// How far a value of an integer type advances over `lanes` lanes.
pub(crate) fn distance<'m>(b: &Builder<'m>, ty: Type<'m>, stride: i64, lanes: Value<'m>) -> Value<'m> {
    b.mul(resized(b, lanes, ty, true), ty.const_signed(stride))
}

/// An integer, or a vector of these, in another width: its low bits, or extended.
pub(crate) fn resized<'m>(b: &Builder<'m>, value: Value<'m>, ty: Type<'m>, is_signed: bool) -> Value<'m> {
    if value.ty() == ty {
        return value;
    }
    let is_longer = value.ty().scalar().int_width() > ty.scalar().int_width();
    let extension = if is_signed { Opcode::SExt } else { Opcode::ZExt };
    b.cast(if is_longer { Opcode::Trunc } else { extension }, value, ty)
}

/// The elements with these numbers of two vectors, those of the second behind those of the first.
pub(crate) fn shuffled<'m>(
    b: &Builder<'m>,
    [first, second]: [Value<'m>; 2],
    numbers: impl IntoIterator<Item = u32>,
) -> Value<'m> {
    let numbers: Vec<_> = numbers.into_iter().map(Some).collect();
    b.shuffle(first, second, &numbers)
}

/// The elements with these numbers of one vector.
pub(crate) fn picked<'m>(b: &Builder<'m>, vector: Value<'m>, numbers: impl IntoIterator<Item = u32>) -> Value<'m> {
    shuffled(b, [vector, vector.ty().poison()], numbers)
}

/// `count` elements of a vector from number `from` on, poison beyond its end.
pub(crate) fn elements<'m>(b: &Builder<'m>, vector: Value<'m>, from: u32, count: u32) -> Value<'m> {
    let have = vector.ty().length() as u32;
    let order: Vec<_> = (from..from + count).map(|element| (element < have).then_some(element)).collect();
    b.shuffle(vector, vector.ty().poison(), &order)
}

/// Concatenates vectors of one type, by pairs. Where their number is no power of two, poison follows.
pub(crate) fn concatenate<'m>(b: &Builder<'m>, mut vectors: Vec<Value<'m>>) -> Value<'m> {
    while vectors.len() > 1 {
        let nothing = vectors[0].ty().poison();
        let both = 0..2 * nothing.ty().length() as u32;
        let pair = |pair: &[Value<'m>]| shuffled(b, [pair[0], *pair.get(1).unwrap_or(&nothing)], both.clone());
        vectors = vectors.chunks(2).map(pair).collect();
    }
    vectors[0]
}

/// The type of a number or pointer.
pub(crate) fn scalar_type(context: &Context, scalar: Scalar) -> Type<'_> {
    match scalar {
        Scalar::Int(bits) => context.int_type(bits),
        Scalar::Half => context.half_type(),
        Scalar::BFloat => context.bfloat_type(),
        Scalar::Float => context.float_type(),
        Scalar::Double => context.double_type(),
        Scalar::Pointer(space) => context.pointer_type(space),
    }
}

/// The vectors of lanes that hold a value of a type, one for each of its SoA components.
pub(crate) fn vectors_of<'m>(context: &'m Context, ty: &ir::Type, lanes: u32) -> Result<Vec<Type<'m>>> {
    Ok(components_of(ty)?.into_iter().map(|component| scalar_type(context, component).vector(lanes)).collect())
}
