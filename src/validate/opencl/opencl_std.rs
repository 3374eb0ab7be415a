//! The OpenCL.std instructions: the types of their operands, as a table by instruction number.

use oxicl_spirv::grammar::StorageClass;
use oxicl_spirv::{Type, opencl_std_name};

use crate::at::{At, Scalar, Shape, shape_name};
use crate::quirk::Quirk;
use crate::violation::Check;

/// Operand 0 of OpExtInst is the set, 1 the instruction; its own operands follow.
const FIRST: usize = 2;

/// What an instruction takes and gives. T is the result type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signature {
    /// All operands T, floating-point.
    Float(usize),
    /// All operands T, 32-bit floats.
    Single(usize),
    /// All operands T, integers.
    Int(usize),
    /// All operands T, 32-bit integers.
    Int32(usize),
    /// All operands T, any numbers.
    Number(usize),
    /// T floating-point; operands T and 32-bit integers.
    FloatAndInt,
    /// T 32-bit integers; operand floating-point.
    FloatToInt,
    /// T floating-point; operands this many T and a pointer to T.
    FloatAndPointer(usize),
    /// T floating-point; operands this many T and a pointer to 32-bit integers.
    FloatAndIntPointer(usize),
    /// T floating-point; operand an integer of its width.
    Nan,
    /// T and operands vectors of 3 or 4 floats.
    Cross,
    /// T a float; operands this many vectors of it.
    Reduction(usize),
    /// T twice as wide as the two integer operands.
    Upsample,
    /// Offset, pointer, count.
    VectorLoad,
    /// Data, offset, pointer.
    VectorStore,
    /// Offset, pointer to half, and a count if true.
    HalfLoad(bool),
    /// Data, offset, pointer to half, and a rounding mode if true.
    HalfStore(bool),
    /// This many vectors, and a mask of integers of their width.
    Shuffle(usize),
    Printf,
    Prefetch,
    /// Two T, and integers of their width.
    Select,
}

fn signature(number: u32) -> Option<Signature> {
    let name = opencl_std_name(number)?;
    Some(match name {
        "atan2" | "atan2pi" | "copysign" | "fdim" | "fmax" | "fmin" | "fmod" | "hypot" | "maxmag" | "minmag"
        | "nextafter" | "pow" | "powr" | "remainder" | "fmax_common" | "fmin_common" | "step" => Signature::Float(2),
        "fma" | "mad" | "fclamp" | "mix" | "smoothstep" => Signature::Float(3),
        "half_divide" | "half_powr" | "native_divide" | "native_powr" => Signature::Single(2),
        "ldexp" | "pown" | "rootn" => Signature::FloatAndInt,
        "ilogb" => Signature::FloatToInt,
        "fract" | "modf" | "sincos" => Signature::FloatAndPointer(1),
        "frexp" | "lgamma_r" => Signature::FloatAndIntPointer(1),
        "remquo" => Signature::FloatAndIntPointer(2),
        "nan" => Signature::Nan,
        "cross" => Signature::Cross,
        "distance" | "fast_distance" => Signature::Reduction(2),
        "length" | "fast_length" => Signature::Reduction(1),
        "s_abs" | "u_abs" | "clz" | "ctz" | "popcount" => Signature::Int(1),
        "s_clamp" | "u_clamp" | "s_mad_hi" | "u_mad_hi" | "u_mad_sat" | "s_mad_sat" => Signature::Int(3),
        "s_mad24" | "u_mad24" => Signature::Int32(3),
        "s_mul24" | "u_mul24" => Signature::Int32(2),
        "s_upsample" | "u_upsample" => Signature::Upsample,
        "vloadn" => Signature::VectorLoad,
        "vstoren" => Signature::VectorStore,
        "vload_half" => Signature::HalfLoad(false),
        "vload_halfn" | "vloada_halfn" => Signature::HalfLoad(true),
        "vstore_half" | "vstore_halfn" | "vstorea_halfn" => Signature::HalfStore(false),
        "vstore_half_r" | "vstore_halfn_r" | "vstorea_halfn_r" => Signature::HalfStore(true),
        "shuffle" => Signature::Shuffle(1),
        "shuffle2" => Signature::Shuffle(2),
        "printf" => Signature::Printf,
        "prefetch" => Signature::Prefetch,
        "bitselect" => Signature::Number(3),
        "select" => Signature::Select,
        _ if name.starts_with("half_") || name.starts_with("native_") => Signature::Single(1),
        _ if number < 141 => Signature::Float(1),
        _ => Signature::Int(2),
    })
}

/// OpExtInst of OpenCL.std.
pub(crate) fn check(at: &At<'_>) -> Check {
    let number = at.word(1)?;
    let name = opencl_std_name(number).unwrap_or("?");
    let Some(signature) = signature(number) else {
        return at.fault(format!("names instruction {number}, which OpenCL.std does not have"));
    };
    standard_widths(at).and_then(|()| with_signature(at, signature)).map_err(|mut fault| {
        fault.detail = format!("{name}: {}", fault.detail);
        fault
    })
}

/// The functions are those of the types of OpenCL C: integers of 8, 16, 32 and 64 bits.
fn standard_widths(at: &At<'_>) -> Check {
    let operands = (FIRST..at.operand_count()).filter_map(|index| at.instruction.id(at.module(), index));
    let types = operands.filter_map(|id| at.module().type_of(id)).chain(at.instruction.result_type);
    for ty in types {
        let ty = at.subject.pointer(ty).map_or(ty, |(_, pointee)| pointee);
        if let Some(Scalar::Int(width)) = at.subject.shape(ty).map(|shape| shape.scalar) {
            at.require(matches!(width, 8 | 16 | 32 | 64), || format!("is not there for integers of {width} bits"))?;
        }
    }
    Ok(())
}

fn with_signature(at: &At<'_>, signature: Signature) -> Check {
    match signature {
        Signature::Float(count) => same(at, count, Scalar::is_float),
        Signature::Single(count) => same(at, count, |scalar| scalar == Scalar::Float(32)),
        Signature::Int(count) => same(at, count, Scalar::is_int),
        Signature::Int32(count) => same(at, count, |scalar| scalar == Scalar::Int(32)),
        Signature::Number(count) => same(at, count, |scalar| scalar != Scalar::Bool),
        Signature::FloatAndInt => {
            let shape = leading(at, 1, 2)?;
            int32(at, FIRST + 1, shape.count)
        }
        Signature::FloatToInt => float_to_int(at),
        Signature::FloatAndPointer(count) => {
            leading(at, count, count + 1)?;
            let (_, pointee) = at.pointer(FIRST + count)?;
            at.require(Some(pointee) == at.instruction.result_type, || "has a pointer to another type".to_owned())?;
            writable(at, FIRST + count)
        }
        Signature::FloatAndIntPointer(count) => {
            let shape = leading(at, count, count + 1)?;
            let (_, pointee) = at.pointer(FIRST + count)?;
            let wanted = Shape { scalar: Scalar::Int(32), count: shape.count };
            at.require(at.subject.shape(pointee) == Some(wanted), || "has no pointer to 32-bit integers".to_owned())?;
            writable(at, FIRST + count)
        }
        Signature::Nan => nan(at),
        Signature::Cross => {
            let shape = leading(at, 2, 2)?;
            at.require(matches!(shape.count, 3 | 4), || "has no vectors of 3 or 4".to_owned())
        }
        Signature::Reduction(count) => reduction(at, count),
        Signature::Upsample => upsample(at),
        Signature::VectorLoad | Signature::HalfLoad(_) => load(at, signature),
        Signature::VectorStore | Signature::HalfStore(_) => store(at, signature),
        Signature::Shuffle(count) => shuffle(at, count),
        Signature::Printf => super::printf::check(at),
        Signature::Prefetch => prefetch(at),
        Signature::Select => select(at),
    }
}

fn operands(at: &At<'_>, count: usize) -> Check {
    let found = at.operand_count().saturating_sub(FIRST);
    at.require(found == count, || format!("has {found} operands, not {count}"))
}

fn same(at: &At<'_>, count: usize, wanted: impl Fn(Scalar) -> bool) -> Check {
    operands(at, count)?;
    let shape = at.result_shape()?;
    at.require(wanted(shape.scalar), || format!("gives {}", shape_name(shape)))?;
    at.operands_are(FIRST, at.result()?)
}

/// The first `count` of `total` operands have the result's floating-point type.
fn leading(at: &At<'_>, count: usize, total: usize) -> Check<Shape> {
    operands(at, total)?;
    let shape = at.result_shape()?;
    at.require(shape.scalar.is_float(), || "gives no floating-point number".to_owned())?;
    for index in FIRST..FIRST + count {
        at.operand_is(index, at.result()?)?;
    }
    Ok(shape)
}

fn int32(at: &At<'_>, index: usize, count: u32) -> Check {
    let found = at.shape(index)?;
    at.require(found.scalar == Scalar::Int(32) && matches!(found.count, n if n == count || n == 1), || {
        format!("has {}, not 32-bit integers", shape_name(found))
    })
}

fn float_to_int(at: &At<'_>) -> Check {
    operands(at, 1)?;
    let (result, operand) = (at.result_shape()?, at.shape(FIRST)?);
    let fits = result.scalar == Scalar::Int(32) && operand.scalar.is_float() && result.count == operand.count;
    at.require(fits, || "is not from floats to 32-bit integers".to_owned())
}

fn nan(at: &At<'_>) -> Check {
    operands(at, 1)?;
    let (result, operand) = (at.result_shape()?, at.shape(FIRST)?);
    let fits = result.scalar.is_float()
        && operand.scalar.is_int()
        && result.scalar.width() == operand.scalar.width()
        && result.count == operand.count;
    at.require(fits, || "is not from integers to floats of their width".to_owned())
}

fn reduction(at: &At<'_>, count: usize) -> Check {
    operands(at, count)?;
    let (result, operand) = (at.result_shape()?, at.shape(FIRST)?);
    let fits = result.count == 1 && result.scalar.is_float() && operand.scalar == result.scalar && operand.count <= 4;
    at.require(fits, || "is not from floats to a float".to_owned())?;
    at.operands_are(FIRST, at.operand(FIRST)?)
}

fn upsample(at: &At<'_>) -> Check {
    operands(at, 2)?;
    let (result, operand) = (at.result_shape()?, at.shape(FIRST)?);
    at.operand_is(FIRST + 1, at.operand(FIRST)?)?;
    match (result.scalar, operand.scalar) {
        (Scalar::Int(to), Scalar::Int(from)) if to == from * 2 && result.count == operand.count => Ok(()),
        _ => at.fault("does not double the width of integers"),
    }
}

fn writable(at: &At<'_>, index: usize) -> Check {
    let (storage, _) = at.pointer(index)?;
    at.require(!matches!(storage, StorageClass::UniformConstant | StorageClass::Input), || {
        format!("writes to {storage:?}")
    })
}

/// The pointer at `index` points to `scalar`.
fn points_to(at: &At<'_>, index: usize, scalar: Scalar) -> Check {
    let (_, pointee) = at.pointer(index)?;
    at.require(at.subject.scalar(pointee) == Some(scalar), || {
        format!("has a pointer to a {}", at.subject.describe(pointee))
    })
}

fn points_to_halves(at: &At<'_>, index: usize) -> Check {
    let (_, pointee) = at.pointer(index)?;
    let held = at.subject.shape(at.module().innermost(pointee)).map(|shape| shape.scalar);
    if held == Some(Scalar::Int(16)) {
        at.accept(Quirk::HalfAddress, format!("has a pointer to a {}", at.subject.describe(pointee)));
        return Ok(());
    }
    points_to(at, index, Scalar::Float(16))
}

fn load(at: &At<'_>, signature: Signature) -> Check {
    let counted = signature != Signature::HalfLoad(false);
    operands(at, if counted { 3 } else { 2 })?;
    at.int_scalar(FIRST)?;
    let result = at.result_shape()?;
    if signature == Signature::VectorLoad {
        at.require(result.scalar != Scalar::Bool, || "gives booleans".to_owned())?;
        points_to(at, FIRST + 1, result.scalar)?;
    } else {
        at.require(result.scalar.is_float(), || "gives no floats".to_owned())?;
        points_to_halves(at, FIRST + 1)?;
    }
    let count = if counted { at.word(FIRST + 2)? } else { 1 };
    at.require(result.count == count && (!counted || count > 1), || {
        format!("gives {} components, not {count}", result.count)
    })
}

fn store(at: &At<'_>, signature: Signature) -> Check {
    operands(at, if signature == Signature::HalfStore(true) { 4 } else { 3 })?;
    returns_void(at)?;
    let data = at.shape(FIRST)?;
    at.int_scalar(FIRST + 1)?;
    writable(at, FIRST + 2)?;
    if signature == Signature::VectorStore {
        at.require(data.scalar != Scalar::Bool && data.count > 1, || "stores no vector of numbers".to_owned())?;
        return points_to(at, FIRST + 2, data.scalar);
    }
    at.require(matches!(data.scalar, Scalar::Float(32 | 64)), || "stores no 32-bit or 64-bit floats".to_owned())?;
    points_to_halves(at, FIRST + 2)?;
    if signature == Signature::HalfStore(true) {
        let mode = at.word(FIRST + 3)?;
        at.require(mode <= 3, || format!("has rounding mode {mode}"))?;
    }
    Ok(())
}

fn shuffle(at: &At<'_>, count: usize) -> Check {
    operands(at, count + 1)?;
    let (result, data, mask) = (at.result_shape()?, at.shape(FIRST)?, at.shape(FIRST + count)?);
    for index in FIRST..FIRST + count {
        at.operand_is(index, at.operand(FIRST)?)?;
    }
    let fits = result.scalar == data.scalar
        && data.count > 1
        && result.count > 1
        && mask.count == result.count
        && mask.scalar.is_int()
        && mask.scalar.width() == data.scalar.width();
    at.require(fits, || "has vectors and a mask that do not fit".to_owned())
}

fn prefetch(at: &At<'_>) -> Check {
    operands(at, 2)?;
    returns_void(at)?;
    let (storage, _) = at.pointer(FIRST)?;
    at.require(storage == StorageClass::CrossWorkgroup, || format!("has a pointer to {storage:?}"))?;
    at.int_scalar(FIRST + 1).map(|_| ())
}

fn returns_void(at: &At<'_>) -> Check {
    at.require(at.subject.declaration(at.result()?) == Some(&Type::Void), || "gives a result".to_owned())
}

fn select(at: &At<'_>) -> Check {
    operands(at, 3)?;
    let (result, choice) = (at.result_shape()?, at.shape(FIRST + 2)?);
    at.operand_is(FIRST, at.result()?)?;
    at.operand_is(FIRST + 1, at.result()?)?;
    let fits = choice.scalar.is_int() && choice.scalar.width() == result.scalar.width() && choice.count == result.count;
    at.require(fits, || "has no integers of its result's shape to select by".to_owned())
}
