//! Section 3.21, built-in variables of the OpenCL environment: each element is a call that the work-group stage answers.

use oxicl_llvm::{Metadata, Type as LlvmType, Value};
use oxicl_ops::Query;
use oxicl_spirv::{Id, Instruction, Type, TypeRef};
use spirv::BuiltIn;

use crate::body::Body;
use crate::refusal::{Refusal, Result};
use crate::unit::Unit;

/// What a built-in's elements are calls of; of one with several elements, the query of the first.
fn query(built_in: BuiltIn) -> Option<Query> {
    Some(match built_in {
        BuiltIn::GlobalInvocationId => Query::GlobalId(0),
        BuiltIn::GlobalSize => Query::GlobalSize(0),
        BuiltIn::GlobalOffset => Query::GlobalOffset(0),
        BuiltIn::LocalInvocationId => Query::LocalId(0),
        BuiltIn::WorkgroupSize => Query::LocalSize(0),
        BuiltIn::EnqueuedWorkgroupSize => Query::EnqueuedLocalSize(0),
        BuiltIn::WorkgroupId => Query::GroupId(0),
        BuiltIn::NumWorkgroups => Query::NumGroups(0),
        BuiltIn::GlobalLinearId => Query::GlobalLinearId,
        BuiltIn::LocalInvocationIndex => Query::LocalLinearId,
        BuiltIn::WorkDim => Query::WorkDim,
        BuiltIn::NumSubgroups => Query::NumSubGroups,
        BuiltIn::NumEnqueuedSubgroups => Query::NumEnqueuedSubGroups,
        BuiltIn::SubgroupId => Query::SubGroupId,
        _ => return None,
    })
}

/// The value of a built-in as a value of type `ty`.
fn value<'a>(body: &mut Body<'_, 'a>, variable: Id, ty: TypeRef) -> Result<Value<'a>> {
    let built_in = body.unit.module.built_in(variable).ok_or_else(|| Refusal::new("the built-in is unknown"))?;
    let register = body.unit.ty(ty)?.register;
    if let Some(value) = crate::sub_group::built_in(body, built_in, register) {
        return Ok(value);
    }
    let Some(query) = query(built_in) else {
        return Err(Refusal::new(format!("the built-in variable {built_in:?} is not supported")));
    };
    if !register.is_vector() {
        return Ok(element(body, query, register));
    }
    let mut vector = register.zero();
    for dimension in 0..register.length() {
        // Dimensions beyond the third that a wider vector would have do not exist; `validate` knows.
        let value = element(body, query.along(dimension.min(2) as u8), register.scalar());
        vector = body.builder.insert_element(vector, value, body.index(dimension));
    }
    Ok(vector)
}

/// The least answer, and the first number that is too large for one. Places in a work-group are small: LLVM then knows that narrow
/// numbers made of them do not wrap.
fn range(unit: &Unit<'_>, query: Query) -> Option<[u64; 2]> {
    let along = |dimension: u8| unit.most_work_items[usize::from(dimension)];
    match query {
        Query::LocalId(dimension) => Some([0, along(dimension)]),
        Query::LocalSize(dimension) | Query::EnqueuedLocalSize(dimension) => Some([1, along(dimension) + 1]),
        Query::LocalLinearId => Some([0, unit.limits.max_work_group_size]),
        _ => None,
    }
}

/// Asks: `i64 query(i32 dimension)`, `i64 query()` for a number among all work-items, else `i32 query()`.
fn ask<'a>(body: &Body<'_, 'a>, query: Query) -> Value<'a> {
    let (i32_type, i64_type) = (body.unit.context.int_type(32), body.unit.context.int_type(64));
    let ask = |answer: LlvmType<'a>, parameters: &[LlvmType<'a>], arguments: &[Value<'a>]| {
        let function = body.unit.declare_query(query, answer.function(parameters));
        body.builder.call(function, arguments)
    };
    match (query.dimension(), query) {
        (Some(dimension), _) => {
            let turned = if body.unit.turned { query.turned().dimension() } else { None };
            ask(i64_type, &[i32_type], &[i32_type.const_int(turned.unwrap_or(dimension).into())])
        }
        (None, Query::GlobalLinearId) if body.unit.turned => global_linear_id(body),
        (None, Query::GlobalLinearId | Query::LocalLinearId) => ask(i64_type, &[], &[]),
        _ => ask(i32_type, &[], &[]),
    }
}

/// The number among all work-items, by the dimensions as they were before they changed places. (That in the work-group is the same
/// where one of these has one work-item; kernels that ask for it are run so in no other work-groups.)
fn global_linear_id<'a>(body: &Body<'_, 'a>) -> Value<'a> {
    let b = &body.builder;
    let along = |dimension: u8| b.sub(ask(body, Query::GlobalId(dimension)), ask(body, Query::GlobalOffset(dimension)));
    let size = |dimension: u8| ask(body, Query::GlobalSize(dimension));
    b.add(along(0), b.mul(size(0), b.add(along(1), b.mul(size(1), along(2)))))
}

fn element<'a>(body: &Body<'_, 'a>, query: Query, ty: LlvmType<'a>) -> Value<'a> {
    let call = ask(body, query);
    if let Some(range) = range(body.unit, query) {
        let [first, end] = range.map(|bound| Metadata::from_constant(call.ty().const_int(bound)));
        let context = body.unit.context;
        call.set_metadata(context, context.metadata_kind("range"), context.metadata_node(&[first, end]));
    }
    let (have, want) = (call.ty().int_width(), ty.int_width());
    match have.cmp(&want) {
        std::cmp::Ordering::Less => body.builder.zext(call, ty),
        std::cmp::Ordering::Equal => call,
        std::cmp::Ordering::Greater => body.builder.trunc(call, ty),
    }
}

/// OpLoad of a whole built-in variable.
pub(crate) fn load(body: &mut Body<'_, '_>, instruction: &Instruction, variable: Id) -> Result<()> {
    let ty = body.result_ref(instruction)?;
    let loaded = value(body, variable, ty)?;
    body.define(instruction, loaded)
}

/// A built-in variable used as a pointer: a private copy, which disappears with the first pass.
pub(crate) fn address<'a>(body: &mut Body<'_, 'a>, variable: Id) -> Result<Value<'a>> {
    let module = body.unit.module;
    let pointee = match module.global(variable).map(|g| module.ty(g.ty)) {
        Some(Type::Pointer { pointee, .. }) => *pointee,
        _ => return Err(Refusal::new("the built-in is no variable")),
    };
    body.in_prologue(|body| {
        let memory = body.unit.ty(pointee)?.memory;
        let align = body.unit.layouts.align_of(pointee).unwrap_or(1) as u32;
        let copy = body.builder.alloca(memory, align);
        let value = value(body, variable, pointee)?;
        body.builder.store(value, copy, align);
        Ok(copy)
    })
}
