//! printf: the values go into a private block, their types into a constant, and the process does the rest.

use oxicl_llvm::{GepFlags, Linkage, UnnamedAddr, Value};
use oxicl_ops::Operation;
use oxicl_printf::{Element, Shape};
use oxicl_spirv::{Instruction, Type, TypeRef};

use crate::body::Body;
use crate::refusal::{Refusal, Result};

/// First argument behind the set, the number and the format.
const FIRST: usize = 3;

/// printf.
pub(super) fn printf(body: &mut Body<'_, '_>, i: &Instruction) -> Result<()> {
    let context = body.unit.context;
    let (i32_type, i64_type, pointer) = (context.int_type(32), context.int_type(64), context.pointer_type(0));
    let format = body.operand(i, FIRST - 1)?;
    let format = in_private_space(body, format);
    let count = i.operands(body.unit.module).len().saturating_sub(FIRST);
    let (mut shapes, mut words) = (vec![i32_type.const_int(count as u64)], Vec::new());
    for index in FIRST..FIRST + count {
        let shape = shape(body, body.operand_ref(i, index)?)?;
        shapes.push(i32_type.const_int(u64::from(shape.to_word())));
        let value = body.operand(i, index)?;
        words.extend(components(body, value, shape));
    }
    let table = i32_type.const_array(&shapes);
    let types = body.unit.out.add_global("printf", table.ty(), 0);
    types.set_initializer(table);
    types.set_linkage(Linkage::Private);
    types.set_global_constant(true);
    types.set_unnamed_addr(UnnamedAddr::Global);
    types.set_alignment(4);
    let block = i64_type.array(words.len().max(1) as u64);
    let values = body.in_prologue(|body| Ok(body.builder.alloca(block, 8)))?;
    for (index, word) in words.into_iter().enumerate() {
        let place = body.builder.gep(i64_type, values, &[i64_type.const_int(index as u64)], GepFlags::IN_BOUNDS);
        body.builder.store(word, place, 8);
    }
    let ty = i32_type.function(&[pointer, pointer, pointer]);
    let name = Operation::Print.name();
    let service = match body.unit.out.function(&name) {
        Some(function) => function,
        None => {
            let function = body.unit.out.declare(&name, ty);
            for name in ["nounwind", "willreturn", "nofree"] {
                body.unit.add_attribute(function, oxicl_llvm::Place::Function, name, 0);
            }
            function
        }
    };
    let result = body.builder.call(service, &[format, types, values]);
    body.define(i, result)
}

fn in_private_space<'a>(body: &Body<'_, 'a>, pointer: Value<'a>) -> Value<'a> {
    let to = body.unit.context.pointer_type(0);
    if pointer.ty() == to { pointer } else { body.builder.addrspace_cast(pointer, to) }
}

fn shape(body: &Body<'_, '_>, ty: TypeRef) -> Result<Shape> {
    let module = body.unit.module;
    let (ty, count) = match module.ty(ty) {
        Type::Vector { component, count } => (*component, *count),
        _ => (ty, 1),
    };
    let element = match module.ty(ty) {
        Type::Int { width, .. } => Element::Int(*width),
        Type::Float { width, encoding: None } => Element::Float(*width),
        Type::Pointer { .. } => Element::Pointer,
        _ => return Err(Refusal::new("printf has an argument that cannot be printed")),
    };
    Ok(Shape { element, count })
}

/// The bits of each component in 64 bits.
fn components<'a>(body: &Body<'_, 'a>, value: Value<'a>, shape: Shape) -> Vec<Value<'a>> {
    let (b, context) = (&body.builder, body.unit.context);
    let i64_type = context.int_type(64);
    let scalar = |value: Value<'a>| match shape.element {
        Element::Int(64) => value,
        Element::Int(width) if width > 64 => b.trunc(value, i64_type),
        Element::Int(_) => b.zext(value, i64_type),
        Element::Float(64) => b.bit_cast(value, i64_type),
        Element::Float(width) => b.zext(b.bit_cast(value, context.int_type(width)), i64_type),
        Element::Pointer => b.ptr_to_int(value, i64_type),
    };
    if !value.ty().is_vector() {
        return vec![scalar(value)];
    }
    (0..value.ty().length()).map(|index| scalar(b.extract_element(value, body.index(index)))).collect()
}
