//! Section 3.49.5, extended instructions: OpenCL.std, and sets without semantics.

mod common;
mod geometric;
mod integer;
mod math;
mod opencl_std;
mod printf;
mod vector_data;

use oxicl_llvm::{Type as LlvmType, Value};
use oxicl_spirv::{Instruction, InstructionSet};

use crate::body::Body;
use crate::refusal::{Refusal, Result};
use crate::unit::Effects;

/// OpExtInst: operand 0 is the set, 1 the number.
pub(crate) fn op_ext_inst(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let set = body.id(instruction, 0)?;
    match body.unit.module.instruction_sets.get(&set) {
        Some((InstructionSet::OpenClStd, _)) => opencl_std::instruction(body, instruction),
        Some((InstructionSet::OpenClDebugInfo100 | InstructionSet::NonSemantic(_), _)) => Ok(()),
        _ => Err(Refusal::new(format!("the instruction set {set} is not supported"))),
    }
}

/// The letters that a type has in the name of a library function.
fn suffix(body: &Body<'_, '_>, ty: LlvmType<'_>) -> Result<String> {
    let bits = 8 * body.unit.out.store_size_of(ty);
    Ok(match (ty.is_float(), ty.is_int()) {
        (true, _) => format!("f{bits}"),
        (_, true) => format!("i{bits}"),
        _ => return Err(Refusal::new("the operand is no number")),
    })
}

/// Calls a library function for every element. `ty` is the floating-point type that names the function; half is computed
/// in float and rounded, which every function of the table has precision to spare for. `result` is the type of the result.
pub(crate) fn library_with<'a>(
    body: &mut Body<'_, 'a>,
    name: &str,
    ty: LlvmType<'a>,
    result: LlvmType<'a>,
    arguments: &[Value<'a>],
) -> Result<Value<'a>> {
    let float = body.unit.context.float_type();
    let half = body.unit.context.half_type();
    let computed = if ty.scalar() == half { float } else { ty.scalar() };
    let returned = if result.scalar() == half { float } else { result.scalar() };
    let name = oxicl_ops::library::name(name, &suffix(body, computed)?);
    body.each(result, arguments, |body, scalars| {
        let scalars: Vec<_> =
            scalars.iter().map(|s| if s.ty() == half { body.builder.fp_ext(*s, float) } else { *s }).collect();
        let types: Vec<_> = scalars.iter().map(|s| s.ty()).collect();
        let function = body.unit.declare(&name, returned.function(&types), Effects::Pure);
        let call = body.builder.call(function, &scalars);
        Ok(if returned == result.scalar() { call } else { body.builder.fp_trunc(call, result.scalar()) })
    })
}

/// [`library_with`] a result of the same type.
pub(crate) fn library<'a>(
    body: &mut Body<'_, 'a>,
    name: &str,
    ty: LlvmType<'a>,
    arguments: &[Value<'a>],
) -> Result<Value<'a>> {
    library_with(body, name, ty, ty, arguments)
}

/// Calls a library function that exists for every format, half included.
pub(crate) fn library_exact<'a>(
    body: &mut Body<'_, 'a>,
    name: &str,
    ty: LlvmType<'a>,
    arguments: &[Value<'a>],
) -> Result<Value<'a>> {
    let name = oxicl_ops::library::name(name, &suffix(body, ty.scalar())?);
    body.each(ty, arguments, |body, scalars| {
        let types: Vec<_> = scalars.iter().map(|s| s.ty()).collect();
        let function = body.unit.declare(&name, ty.scalar().function(&types), Effects::Pure);
        Ok(body.builder.call(function, scalars))
    })
}
