//! Section 3.49.9, functions.

use std::collections::HashSet;

use oxicl_abi::ImageDescriptor;
use oxicl_llvm::{Linkage, Ordering, Place, Value};
use oxicl_spirv::{Block, Function, Id, Instruction, Intrinsic, Operand, Type};
use spirv::{Decoration, FunctionControl, FunctionParameterAttribute, Op};

use crate::body::Body;
use crate::lines::{self, Lines};
use crate::refusal::{Refusal, Result};
use crate::unit::Unit;
use crate::{aliasing, control_flow, conversion, dispatch};

/// Declares the LLVM function of an OpFunction: `kernel.<name>` for entry points, which are visible outside.
pub(crate) fn declare<'a>(unit: &Unit<'a>, id: Id, entry: Option<&str>) -> Result<Value<'a>> {
    let Some(function) = unit.module.function(id) else {
        return Err(Refusal::new(format!("{id} is no function")));
    };
    let mut parameters = Vec::new();
    for parameter in &function.parameters {
        parameters.push(unit.ty(parameter.ty)?.register);
    }
    let ty = unit.ty(function.result)?.register.function(&parameters);
    let name = match entry {
        Some(name) => format!("kernel.{name}"),
        None => format!("function.{}.{}", id.number(), unit.module.names.get(&id).map_or("", String::as_str)),
    };
    let declared = unit.out.add_function(&name, ty);
    unit.add_attribute(declared, Place::Function, "nounwind", 0);
    // Passes take it away again where nothing in the function waits for others.
    unit.add_attribute(declared, Place::Function, "convergent", 0);
    match entry {
        // The arguments of a launch have a value, whatever it is.
        Some(_) => {
            let all = 0..parameters.len() as u32;
            all.for_each(|index| unit.add_attribute(declared, Place::Parameter(index), "noundef", 0));
        }
        None => declared.set_linkage(Linkage::Internal),
    }
    let control = FunctionControl::from_bits_truncate(function.control);
    if control.contains(FunctionControl::DONT_INLINE) {
        unit.add_attribute(declared, Place::Function, "noinline", 0);
    } else if control.contains(FunctionControl::INLINE) {
        unit.add_attribute(declared, Place::Function, "inlinehint", 0);
    }
    for (index, parameter) in function.parameters.iter().enumerate() {
        parameter_attributes(unit, declared, index as u32, parameter)?;
        // The host gives a kernel images that there are, and nobody else calls one.
        if entry.is_some() && matches!(unit.module.ty(parameter.ty), Type::Image { .. }) {
            let (place, bytes) = (Place::Parameter(index as u32), size_of::<ImageDescriptor>() as u64);
            unit.add_attribute(declared, place, "nonnull", 0);
            unit.add_attribute(declared, place, "dereferenceable", bytes);
        }
    }
    Ok(declared)
}

fn parameter_attributes<'a>(
    unit: &Unit<'a>,
    function: Value<'a>,
    index: u32,
    parameter: &oxicl_spirv::Parameter,
) -> Result<()> {
    let place = Place::Parameter(index);
    let Type::Pointer { pointee, .. } = unit.module.ty(parameter.ty) else { return Ok(()) };
    let has = |attribute| unit.module.has_parameter_attribute(parameter.id, attribute);
    if has(FunctionParameterAttribute::ByVal) {
        let memory = unit.ty(*pointee)?.memory;
        if let Some(attribute) = unit.context.type_attribute("byval", memory) {
            function.add_attribute(place, attribute);
        }
        unit.add_attribute(function, place, "align", unit.layouts.align_of(*pointee).unwrap_or(1));
    }
    if has(FunctionParameterAttribute::NoAlias)
        || unit.decorated(Some(parameter.id), Decoration::Restrict)
        || unit.decorated(Some(parameter.id), Decoration::RestrictPointer)
    {
        unit.add_attribute(function, place, "noalias", 0);
    }
    if has(FunctionParameterAttribute::NoWrite) {
        unit.add_attribute(function, place, "readonly", 0);
    }
    Ok(())
}

/// Lowers the body of a declared function.
pub(crate) fn body(unit: &Unit<'_>, id: Id) -> Result<()> {
    let value = unit.function(id)?;
    let Some(function) = unit.module.function(id) else {
        return Err(Refusal::new(format!("{id} is no function")));
    };
    let Some(first) = function.blocks.first() else {
        let name = unit.module.linkage(id).map_or_else(|| id.to_string(), |(name, _)| name);
        return Err(Refusal::new(format!("the function {name} is not defined")));
    };
    let mut body = Body::new(unit, value);
    for (parameter, value) in function.parameters.iter().zip(value.parameters()) {
        body.set(parameter.id, value);
    }
    // Blocks that control cannot reach may use what is not defined before them; they are dropped.
    let reachable = reachable(unit, function);
    for block in function.blocks.iter().filter(|b| reachable.contains(&b.label)) {
        body.add_block(block.label);
    }
    let lines = Lines::of(unit, function);
    for block in function.blocks.iter().filter(|b| reachable.contains(&b.label)) {
        body.builder.position_at_end(body.block(block.label)?);
        for instruction in &block.instructions {
            let before = lines.as_ref().and_then(|_| lines::position(&body));
            dispatch::instruction(&mut body, instruction).map_err(|refusal| refusal.at(instruction))?;
            if let (Some(lines), Some(before)) = (&lines, before) {
                lines.mark(&body, before, instruction.offset);
            }
        }
    }
    control_flow::complete_phis(&mut body)?;
    body.builder.position_at_end(body.prologue);
    body.builder.br(body.block(first.label)?);
    Ok(())
}

/// The labels that can be reached from the entry.
fn reachable(unit: &Unit<'_>, function: &Function) -> HashSet<Id> {
    let blocks: std::collections::HashMap<Id, &Block> = function.blocks.iter().map(|b| (b.label, b)).collect();
    let mut reached = HashSet::new();
    let mut work: Vec<Id> = function.blocks.first().map(|b| b.label).into_iter().collect();
    while let Some(label) = work.pop() {
        if !reached.insert(label) {
            continue;
        }
        let Some(terminator) = blocks.get(&label).and_then(|b| b.instructions.last()) else { continue };
        let operands = terminator.operands(unit.module);
        let targets = match terminator.op {
            Op::Branch => operands,
            Op::BranchConditional | Op::Switch => operands.get(1..).unwrap_or(&[]),
            _ => &[],
        };
        work.extend(targets.iter().filter_map(|o| if let Operand::Id(id) = o { Some(*id) } else { None }));
    }
    reached.retain(|label| blocks.contains_key(label));
    reached
}

/// A call of a function that belongs to the producer's compiler.
fn op_intrinsic(body: &mut Body<'_, '_>, instruction: &Instruction, intrinsic: Intrinsic) -> Result<()> {
    let arguments = body.operands(instruction, 1)?;
    let Some(&first) = arguments.first() else { return Err(Refusal::new("an intrinsic has no operands")) };
    let ty = body.result_type(instruction)?;
    let result = match intrinsic {
        Intrinsic::Integer(operation) => body.intrinsic_like(operation.name(), &arguments)?,
        Intrinsic::IntegerToFloat(signed, mode) => conversion::convert_integer(
            body,
            first,
            ty,
            signed,
            Some(conversion::Rounding::from_literal(mode as u32)?),
        )?,
        Intrinsic::FloatToFloat(mode) => {
            conversion::convert_float(body, first, ty, conversion::Rounding::from_literal(mode as u32)?)?
        }
        Intrinsic::Fence => {
            body.builder.fence(Ordering::AcquireRelease, body.unit.context.sync_scope(""));
            return Ok(());
        }
    };
    body.define(instruction, result)
}

/// OpFunctionCall. An argument that the callee takes by value is copied by the call, as its `byval` says.
pub(crate) fn op_function_call(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let callee_id = body.id(instruction, 0)?;
    if let Some(intrinsic) = Intrinsic::of(body.unit.module, callee_id) {
        return op_intrinsic(body, instruction, intrinsic);
    }
    let callee = body.value(callee_id)?;
    let arguments = body.operands(instruction, 1)?;
    let call = body.builder.call(callee, &arguments);
    let unit = body.unit;
    for index in 0..arguments.len() as u32 {
        let place = Place::Parameter(index);
        for name in ["byval", "align"] {
            if let Some(attribute) =
                callee.attribute(place, name).filter(|_| callee.attribute(place, "byval").is_some())
            {
                call.add_attribute(place, attribute);
            }
        }
    }
    unit.add_attribute(call, Place::Function, "convergent", 0);
    aliasing::mark_decorated(body, instruction, call);
    body.define(instruction, call)
}
