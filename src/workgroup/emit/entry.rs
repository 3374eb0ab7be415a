//! The entry of a kernel: reads the arguments, once a call, and goes to the function that runs the work-groups. That
//! has the kernel's parameters as its own, so what they promise (no aliasing, alignment) stays known.

use core::mem::offset_of;

use oxicl_llvm::{Builder, GepFlags, Linkage, Module, Place, Type, Value};
use oxicl_protocol::LaunchRecord;
use oxicl_validate::{ArgumentKind, KernelSignature};

use crate::failure::{Failure, failure};

/// Reads fields of the launch record.
pub(crate) struct Record<'e, 'm> {
    pub(crate) b: &'e Builder<'m>,
    pub(crate) address: Value<'m>,
}

impl<'m> Record<'_, 'm> {
    fn field(&self, ty: Type<'m>, offset: usize) -> Value<'m> {
        let offset = self.b.context().int_type(64).const_int(offset as u64);
        let address = self.b.gep(self.b.context().int_type(8), self.address, &[offset], GepFlags::IN_BOUNDS);
        let load = self.b.load(ty, address, 8);
        let kind = self.b.context().metadata_kind("invariant.load");
        load.set_metadata(self.b.context(), kind, self.b.context().metadata_node(&[]));
        load
    }

    fn number(&self, offset: usize) -> Value<'m> {
        self.field(self.b.context().int_type(64), offset)
    }

    fn three(&self, offset: usize) -> [Value<'m>; 3] {
        [0, 8, 16].map(|more| self.number(offset + more))
    }

    pub(crate) fn work_dim(&self) -> Value<'m> {
        self.number(offset_of!(LaunchRecord, work_dim))
    }

    pub(crate) fn global_offset(&self) -> [Value<'m>; 3] {
        self.three(offset_of!(LaunchRecord, global_offset))
    }

    pub(crate) fn global_size(&self) -> [Value<'m>; 3] {
        self.three(offset_of!(LaunchRecord, global_size))
    }

    pub(crate) fn local_size(&self) -> [Value<'m>; 3] {
        self.three(offset_of!(LaunchRecord, local_size))
    }

    pub(crate) fn num_groups(&self) -> [Value<'m>; 3] {
        self.three(offset_of!(LaunchRecord, num_groups))
    }

    pub(crate) fn arguments(&self) -> Value<'m> {
        self.field(self.b.context().pointer_type(0), offset_of!(LaunchRecord, arguments))
    }

    pub(crate) fn program_block(&self) -> Value<'m> {
        self.field(self.b.context().pointer_type(1), offset_of!(LaunchRecord, program_block))
    }

    pub(crate) fn services(&self) -> Value<'m> {
        self.field(self.b.context().pointer_type(0), offset_of!(LaunchRecord, services))
    }

    pub(crate) fn state_offset(&self) -> Value<'m> {
        self.number(offset_of!(LaunchRecord, state_offset))
    }
}

/// Adds the entry and, without its body, the function that runs the work-groups. Gives the latter.
pub(crate) fn emit_entry<'m>(
    module: &'m Module<'_>,
    b: &Builder<'m>,
    kernel: Value<'m>,
    signature: &KernelSignature,
    number: usize,
) -> Result<Value<'m>, Failure> {
    let context = b.context();
    let (pointer, i64_type) = (context.pointer_type(0), context.int_type(64));
    let Some(ty) = kernel.value_type() else { return failure("a kernel without type") };
    let own = ty.parameters();
    if own.len() != signature.arguments.len() {
        return failure(format!("{} parameters for {} arguments", own.len(), signature.arguments.len()));
    }
    let mut parameters = own.clone();
    parameters.extend([pointer, pointer, i64_type, i64_type]);
    let range = module.add_function(&format!("oxicl.range.{number}"), context.void_type().function(&parameters));
    range.set_linkage(Linkage::Internal);
    let entry_type = context.void_type().function(&[pointer, pointer, i64_type, i64_type]);
    let entry = module.add_function(&format!("oxicl.entry.{number}"), entry_type);
    let count = own.len() as u32;
    for index in 0..count {
        // The argument block is not ours to write: an argument by value is an address in it.
        for attribute in kernel.attributes(Place::Parameter(index)) {
            range.add_attribute(Place::Parameter(index), attribute);
        }
        range.remove_attribute(Place::Parameter(index), "byval");
        range.remove_attribute(Place::Parameter(index), "captures");
        range.remove_attribute(Place::Parameter(index), "writeonly");
    }
    // What the build options say of arithmetic stands in attributes of two texts.
    for attribute in kernel.attributes(Place::Function).into_iter().filter(|a| a.text().is_some()) {
        range.add_attribute(Place::Function, attribute);
    }
    for (function, first) in [(entry, 0), (range, count)] {
        attribute(function, b, Place::Function, "nounwind");
        attribute(function, b, Place::Parameter(first + 1), "noalias");
        attribute(function, b, Place::Parameter(first), "noalias");
        attribute(function, b, Place::Parameter(first), "readonly");
        if let Some(align) = context.attribute("align", oxicl_protocol::CONTEXT_ALIGN) {
            function.add_attribute(Place::Parameter(first + 1), align);
        }
    }
    b.position_at_end(entry.append_block(context, "entry"));
    let [launch, block, first, groups] = entry.parameters()[..] else { return failure("an entry without parameters") };
    let record = Record { b, address: launch };
    let block_of_arguments = record.arguments();
    let mut arguments = Vec::new();
    for (ty, argument) in own.into_iter().zip(&signature.arguments) {
        let offset = i64_type.const_int(u64::from(argument.offset));
        let address = b.gep(context.int_type(8), block_of_arguments, &[offset], GepFlags::IN_BOUNDS);
        arguments.push(match argument.kind {
            ArgumentKind::ByValue if ty.is_pointer() => b.addrspace_cast(address, ty),
            ArgumentKind::Local { .. } if ty.is_pointer() => {
                let offset = b.load(i64_type, address, 8);
                let place = b.gep(context.int_type(8), block, &[offset], GepFlags::IN_BOUNDS);
                b.addrspace_cast(place, ty)
            }
            _ => b.load(ty, address, argument.align),
        });
    }
    arguments.extend([launch, block, first, groups]);
    b.call(range, &arguments);
    b.ret_void();
    Ok(range)
}

fn attribute<'m>(function: Value<'m>, b: &Builder<'m>, place: Place, name: &str) {
    if let Some(attribute) = b.context().attribute(name, 0) {
        function.add_attribute(place, attribute);
    }
}
