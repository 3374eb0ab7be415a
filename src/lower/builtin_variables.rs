//! Section 3.21, built-in variables of the OpenCL environment: each element is a call that the work-group stage answers.

use oxicl_llvm::{Metadata, Type as LlvmType, Value};
use oxicl_spirv::{Id, Instruction, Type, TypeRef};
use spirv::BuiltIn;

use crate::body::Body;
use crate::refusal::{Refusal, Result};
use crate::unit::{Effects, Unit};

/// What a built-in's elements are calls of.
enum Query {
    /// `i64 name(i32 dimension)`.
    PerDimension(&'static str),
    /// `i64 name()`.
    Long(&'static str),
    /// `i32 name()`.
    Int(&'static str),
}

fn query(built_in: BuiltIn) -> Option<Query> {
    Some(match built_in {
        BuiltIn::GlobalInvocationId => Query::PerDimension("oxicl.global_id"),
        BuiltIn::GlobalSize => Query::PerDimension("oxicl.global_size"),
        BuiltIn::GlobalOffset => Query::PerDimension("oxicl.global_offset"),
        BuiltIn::LocalInvocationId => Query::PerDimension("oxicl.local_id"),
        BuiltIn::WorkgroupSize => Query::PerDimension("oxicl.local_size"),
        BuiltIn::EnqueuedWorkgroupSize => Query::PerDimension("oxicl.enqueued_local_size"),
        BuiltIn::WorkgroupId => Query::PerDimension("oxicl.group_id"),
        BuiltIn::NumWorkgroups => Query::PerDimension("oxicl.num_groups"),
        BuiltIn::GlobalLinearId => Query::Long("oxicl.global_linear_id"),
        BuiltIn::LocalInvocationIndex => Query::Long("oxicl.local_linear_id"),
        BuiltIn::WorkDim => Query::Int("oxicl.work_dim"),
        BuiltIn::NumSubgroups => Query::Int("oxicl.num_sub_groups"),
        BuiltIn::NumEnqueuedSubgroups => Query::Int("oxicl.num_enqueued_sub_groups"),
        BuiltIn::SubgroupId => Query::Int("oxicl.sub_group_id"),
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
        return Ok(element(body, &query, register, 0));
    }
    let mut vector = register.zero();
    for dimension in 0..register.length() {
        // Dimensions beyond the third that a wider vector would have do not exist; `validate` knows.
        let value = element(body, &query, register.scalar(), dimension.min(2));
        vector = body.builder.insert_element(vector, value, body.index(dimension));
    }
    Ok(vector)
}

/// The least answer, and the first number that is too large for one. Places in a work-group are small: LLVM then knows that narrow
/// numbers made of them do not wrap.
fn range(unit: &Unit<'_>, query: &Query, dimension: u64) -> Option<[u64; 2]> {
    let along = unit.most_work_items[dimension.min(2) as usize];
    match query {
        Query::PerDimension("oxicl.local_id") => Some([0, along]),
        Query::PerDimension("oxicl.local_size" | "oxicl.enqueued_local_size") => Some([1, along + 1]),
        Query::Long("oxicl.local_linear_id") => Some([0, unit.limits.max_work_group_size]),
        _ => None,
    }
}

fn element<'a>(body: &Body<'_, 'a>, query: &Query, ty: LlvmType<'a>, dimension: u64) -> Value<'a> {
    let (i32_type, i64_type) = (body.unit.context.int_type(32), body.unit.context.int_type(64));
    let call = match query {
        Query::PerDimension(name) => {
            let function = body.unit.declare(name, i64_type.function(&[i32_type]), Effects::Pure);
            body.builder.call(function, &[i32_type.const_int(dimension)])
        }
        Query::Long(name) => {
            let function = body.unit.declare(name, i64_type.function(&[]), Effects::Pure);
            body.builder.call(function, &[])
        }
        Query::Int(name) => {
            let function = body.unit.declare(name, i32_type.function(&[]), Effects::Pure);
            body.builder.call(function, &[])
        }
    };
    if let Some(range) = range(body.unit, query, dimension) {
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
