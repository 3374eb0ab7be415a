//! Asynchronous copies of section 3.49.21. The first work-item of the work-group makes the copy where it is asked for,
//! which is as soon as can be; to wait for it is a barrier. So an event has nothing to say and is 0.

use oxicl_llvm::{Builder, GepFlags, IntPredicate, Linkage, Place, Value};
use oxicl_ops::{Query, symbol};
use oxicl_spirv::{Instruction, Type};
use spirv::{MemorySemantics, StorageClass};

use crate::barrier;
use crate::body::Body;
use crate::conversion::resize;
use crate::memory::element_alignment;
use crate::refusal::{Refusal, Result};
use crate::types::type_name;

/// OpGroupAsyncCopy: operands 1 and 2 are destination and source, 3 the number of elements, 4 the stride in global memory,
/// in elements.
pub(crate) fn op_group_async_copy(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (to, from) = (body.operand(instruction, 1)?, body.operand(instruction, 2)?);
    let element = body.unit.module.innermost(body.pointee(instruction, 1)?);
    let size = body.unit.layouts.size_of(element).ok_or_else(|| Refusal::new("the elements have no size"))?;
    let align = element_alignment(body, element);
    let to_global = matches!(
        body.unit.module.ty(body.operand_ref(instruction, 1)?),
        Type::Pointer { storage: StorageClass::CrossWorkgroup, .. }
    );
    let i64_type = body.unit.context.int_type(64);
    let (count, stride) = (body.operand(instruction, 3)?, body.operand(instruction, 4)?);
    let (count, stride) = (resize(body, count, i64_type, false), resize(body, stride, i64_type, false));
    // Vectors of an application are aligned as their components.
    let copy = Copy { size, align, to_global };
    let query = body.unit.declare_query(Query::LocalLinearId, i64_type.function(&[]));
    let own = body.builder.call(query, &[]);
    let first = body.builder.icmp(IntPredicate::Eq, own, i64_type.zero());
    let count = body.builder.select(first, count, i64_type.zero());
    let function = copy.function(body, to, from);
    body.builder.call(function, &[to, from, count, stride]);
    let event = body.result_type(instruction)?.zero();
    body.define(instruction, event)
}

/// OpGroupWaitEvents.
pub(crate) fn op_group_wait_events(body: &mut Body<'_, '_>, _: &Instruction) -> Result<()> {
    let semantics =
        MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::WORKGROUP_MEMORY | MemorySemantics::CROSS_WORKGROUP_MEMORY;
    barrier::meet(body, semantics);
    Ok(())
}

/// A kind of copy.
struct Copy {
    /// Bytes of an element.
    size: u64,
    align: u32,
    /// The stride is the destination's.
    to_global: bool,
}

impl Copy {
    /// The function `async_copy(to, from, count, stride)`; a stride of 0 is one of 1.
    fn function<'a>(&self, body: &Body<'_, 'a>, to: Value<'a>, from: Value<'a>) -> Value<'a> {
        let unit = body.unit;
        let [to_type, from_type] = [to, from].map(|pointer| type_name(pointer.ty()));
        let name = symbol::async_copy(self.size, self.align, &to_type, &from_type);
        if let Some(function) = unit.out.function(&name) {
            return function;
        }
        let (i64_type, void) = (unit.context.int_type(64), unit.context.void_type());
        let function = unit.out.add_function(&name, void.function(&[to.ty(), from.ty(), i64_type, i64_type]));
        function.set_linkage(Linkage::Internal);
        unit.add_attribute(function, Place::Function, "nounwind", 0);
        let parameters = function.parameters();
        if let [to, from, count, stride] = parameters[..] {
            self.body(body, function, [to, from, count, stride]);
        }
        function
    }

    /// A whole copy where the elements lie side by side, else a loop over them.
    fn body<'a>(&self, body: &Body<'_, 'a>, function: Value<'a>, [to, from, count, stride]: [Value<'a>; 4]) {
        let context = body.unit.context;
        let b = body.unit.builder();
        let i64_type = context.int_type(64);
        let number = |value: u64| i64_type.const_int(value);
        let [entry, whole, apart, turn, done] = ["", "", "", "", ""].map(|name| function.append_block(context, name));
        let bytes = |b: &Builder<'a>, elements: Value<'a>| b.mul(elements, number(self.size));
        b.position_at_end(entry);
        let dense = b.icmp(IntPredicate::Ule, stride, number(1));
        b.cond_br(dense, whole, apart);
        b.position_at_end(whole);
        b.memcpy((to, self.align), (from, self.align), bytes(&b, count));
        b.br(done);
        b.position_at_end(apart);
        let some = b.icmp(IntPredicate::Ne, count, number(0));
        b.cond_br(some, turn, done);
        b.position_at_end(turn);
        let index = b.phi(i64_type);
        let spread = b.mul(index, stride);
        let (to_index, from_index) = if self.to_global { (spread, index) } else { (index, spread) };
        let at = |pointer: Value<'a>, elements: Value<'a>| {
            b.gep(context.int_type(8), pointer, &[bytes(&b, elements)], GepFlags::IN_BOUNDS)
        };
        b.memcpy((at(to, to_index), self.align), (at(from, from_index), self.align), number(self.size));
        let next = b.add(index, number(1));
        index.add_incoming(number(0), apart);
        index.add_incoming(next, turn);
        let more = b.icmp(IntPredicate::Ult, next, count);
        b.cond_br(more, turn, done);
        b.position_at_end(done);
        b.ret_void();
    }
}
