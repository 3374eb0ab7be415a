//! The entry of a kernel: reads the kernel's arguments and calls the function that runs a work-group. That function has
//! the kernel's parameters as its own, so that their promises (no aliasing, alignment) stay known.

use core::mem::offset_of;

use oxicl_abi::{Argument, ArgumentKind, GroupRecord, KernelSignature, LaunchRecord, Services};
use oxicl_llvm::{Builder, GepFlags, IntPredicate, Linkage, Module, Place, Type, Value};
use oxicl_ops::symbol;

use crate::emit::places::{linear, product};
use crate::failure::{OrFail, Result, failure};

/// A field of a record, `offset` bytes from its start.
fn field<'m>(b: &Builder<'m>, ty: Type<'m>, record: Value<'m>, offset: usize) -> Value<'m> {
    let offset = b.context().int_type(64).const_int(offset as u64);
    b.load(ty, b.gep(b.context().int_type(8), record, &[offset], GepFlags::IN_BOUNDS), 8)
}

/// A field of 64 bits of a record that changes from call to call.
pub(crate) fn word<'m>(b: &Builder<'m>, record: Value<'m>, offset: usize) -> Value<'m> {
    field(b, b.context().int_type(64), record, offset)
}

/// Three such fields, one behind the other.
pub(crate) fn words<'m>(b: &Builder<'m>, record: Value<'m>, offset: usize) -> [Value<'m>; 3] {
    [0, 8, 16].map(|more| word(b, record, offset + more))
}

/// Declares methods that read fields of the launch record, by their names; for addresses with an address space.
macro_rules! fields {
    ($($name:ident: $type:ty = $read:ident $($space:literal)?),+ $(,)?) => {
        $(pub(crate) fn $name(&self) -> $type {
            self.$read(offset_of!(LaunchRecord, $name) $(, $space)?)
        })+
    };
}

/// Reads fields of the launch record.
pub(crate) struct Record<'e, 'm> {
    pub(crate) b: &'e Builder<'m>,
    pub(crate) address: Value<'m>,
}

impl<'m> Record<'_, 'm> {
    fn field(&self, ty: Type<'m>, offset: usize) -> Value<'m> {
        let load = field(self.b, ty, self.address, offset);
        let kind = self.b.context().metadata_kind("invariant.load");
        load.set_metadata(self.b.context(), kind, self.b.context().metadata_node(&[]));
        load
    }

    fn address(&self, offset: usize, space: u32) -> Value<'m> {
        self.field(self.b.context().pointer_type(space), offset)
    }

    fn number(&self, offset: usize) -> Value<'m> {
        self.field(self.b.context().int_type(64), offset)
    }

    fn three(&self, offset: usize) -> [Value<'m>; 3] {
        [0, 8, 16].map(|more| self.number(offset + more))
    }

    fields! {
        work_dim: Value<'m> = number,
        global_offset: [Value<'m>; 3] = three,
        global_size: [Value<'m>; 3] = three,
        local_size: [Value<'m>; 3] = three,
        num_groups: [Value<'m>; 3] = three,
        arguments: Value<'m> = address 0,
        program_block: Value<'m> = address 1,
        services: Value<'m> = address 0,
        state_offset: Value<'m> = number,
        streams: Value<'m> = number,
    }
}

/// Which functions run work-groups.
#[derive(Clone, Copy)]
pub(crate) enum Bodies {
    One,
    /// One for work-groups whose rows consist of whole sub-groups of this size, and one for any.
    Two(u32),
    /// One for a work-group, and one for several that run as one.
    Coalesced,
    /// One that runs a fiber of this many work-items.
    Fibers(u32),
}

/// Declares the function that runs a work-group. Its parameters are the kernel's, the launch record, the context block
/// and the group record; for a fiber also its number, and what it gives the services when it waits.
fn declare_group<'m>(
    module: &'m Module<'_>,
    b: &Builder<'m>,
    kernel: Value<'m>,
    own: &[Type<'m>],
    name: &str,
    is_fiber: bool,
) -> Value<'m> {
    let context = b.context();
    let pointer = context.pointer_type(0);
    let mut parameters = [own, &[pointer; 3]].concat();
    if is_fiber {
        parameters.extend([context.int_type(64), pointer]);
    }
    let group = module.add_function(name, context.void_type().function(&parameters));
    group.set_linkage(Linkage::Internal);
    let count = own.len() as u32;
    for index in 0..count {
        // An argument by value becomes an address in the argument block, which must not be written.
        for attribute in kernel.attributes(Place::Parameter(index)) {
            group.add_attribute(Place::Parameter(index), attribute);
        }
        group.remove_attribute(Place::Parameter(index), "byval");
        group.remove_attribute(Place::Parameter(index), "captures");
        group.remove_attribute(Place::Parameter(index), "writeonly");
        if is_fiber {
            // Other fibers may write while one waits.
            group.remove_attribute(Place::Parameter(index), "noalias");
        }
    }
    // The build options for arithmetic are string attributes.
    for attribute in kernel.attributes(Place::Function).into_iter().filter(|a| a.text().is_some()) {
        group.add_attribute(Place::Function, attribute);
    }
    for name in ["nounwind", "noinline"] {
        attribute(group, b, Place::Function, name);
    }
    let of_context: &[&str] = if is_fiber { &[] } else { &["noalias"] };
    for (index, names) in [(0, &["noalias", "readonly"][..]), (1, of_context), (2, &["noalias", "readonly"])] {
        for name in names {
            attribute(group, b, Place::Parameter(count + index), name);
        }
    }
    align_context(group, b, count + 1);
    group
}

fn align_context<'m>(function: Value<'m>, b: &Builder<'m>, parameter: u32) {
    if let Some(align) = b.context().attribute("align", oxicl_abi::CONTEXT_ALIGN) {
        function.add_attribute(Place::Parameter(parameter), align);
    }
}

/// Writes the entry, and declares the functions that run work-groups, which are the result.
pub(crate) fn emit_entry<'m>(
    module: &'m Module<'_>,
    b: &Builder<'m>,
    kernel: Value<'m>,
    signature: &KernelSignature,
    number: usize,
    bodies: Bodies,
) -> Result<Vec<Value<'m>>> {
    let context = b.context();
    let pointer = context.pointer_type(0);
    let ty = kernel.value_type().or_fail("a kernel without type")?;
    let own = ty.parameters();
    if own.len() != signature.arguments.len() {
        return failure(format!("{} parameters for {} arguments", own.len(), signature.arguments.len()));
    }
    let is_fiber = matches!(bodies, Bodies::Fibers(_));
    let mut groups = vec![declare_group(module, b, kernel, &own, &symbol::group(number), is_fiber)];
    let entry = module.add_function(&symbol::entry(number), context.void_type().function(&[pointer; 3]));
    // The entry is not worth optimising.
    for name in ["nounwind", "noinline", "optnone"] {
        attribute(entry, b, Place::Function, name);
    }
    align_context(entry, b, 1);
    b.position_at_end(entry.append_block(context, "entry"));
    let given = entry.parameters();
    let [launch, block, group] = given[..] else { return failure("an entry without parameters") };
    if let Bodies::Fibers(items) = bodies {
        let fiber = fiber(module, b, &own, groups[0], signature, number)?;
        run_fibers(b, launch, block, group, fiber, items);
        return Ok(groups);
    }
    let mut arguments = read_arguments(b, launch, block, &own, signature);
    arguments.extend(given);
    let second = match bodies {
        Bodies::Two(size) => Some((rows_are_sub_groups(b, launch, group, size), "any")),
        Bodies::Coalesced => Some((is_one_group(b, launch, group), "coalesced")),
        Bodies::One | Bodies::Fibers(_) => None,
    };
    if let Some((is_first, name)) = second {
        let other = declare_group(module, b, kernel, &own, &symbol::other_group(number, name), false);
        groups.push(other);
        let [first, second] = ["first", "second"].map(|name| entry.append_block(context, name));
        b.cond_br(is_first, first, second);
        b.position_at_end(second);
        b.call(other, &arguments);
        b.ret_void();
        b.position_at_end(first);
    }
    b.call(groups[0], &arguments);
    b.ret_void();
    Ok(groups)
}

/// Writes the body of an entry that has the service run the work-group's fibers, of `items` work-items each.
fn run_fibers<'m>(
    b: &Builder<'m>,
    launch: Value<'m>,
    block: Value<'m>,
    group: Value<'m>,
    fiber: Value<'m>,
    items: u32,
) {
    let (pointer, i64_type) = (b.context().pointer_type(0), b.context().int_type(64));
    let size = words(b, group, offset_of!(GroupRecord, size));
    let up = b.add(product(b, &size), i64_type.const_int(u64::from(items - 1)));
    let count = b.lshr(up, i64_type.const_int(u64::from(items.ilog2())));
    let services = Record { b, address: launch }.services();
    let run = field(b, pointer, services, offset_of!(Services, run_fibers));
    let ty = b.context().void_type().function(&[pointer, pointer, pointer, pointer, i64_type]);
    b.call_pointer(ty, run, &[fiber, launch, block, group, count]);
    b.ret_void();
}

/// Writes a fiber, `oxicl.fiber.<number>`, which reads arguments of types `own` and calls `group`.
fn fiber<'m>(
    module: &'m Module<'_>,
    b: &Builder<'m>,
    own: &[Type<'m>],
    group: Value<'m>,
    signature: &KernelSignature,
    number: usize,
) -> Result<Value<'m>> {
    let context = b.context();
    let (pointer, Some(entry)) = (context.pointer_type(0), b.block()) else { return failure("no place to write to") };
    let ty = context.void_type().function(&[pointer, pointer, pointer, context.int_type(64), pointer]);
    let fiber = module.add_function(&symbol::fiber(number), ty);
    fiber.set_linkage(Linkage::Internal);
    attribute(fiber, b, Place::Function, "nounwind");
    align_context(fiber, b, 1);
    b.position_at_end(fiber.append_block(context, ""));
    let given = fiber.parameters();
    let mut arguments = read_arguments(b, given[0], given[1], own, signature);
    arguments.extend(given);
    b.call(group, &arguments);
    b.ret_void();
    b.position_at_end(entry);
    Ok(fiber)
}

/// Is one work-group to be run, and not several along x?
fn is_one_group<'m>(b: &Builder<'m>, launch: Value<'m>, group: Value<'m>) -> Value<'m> {
    let [most, ..] = Record { b, address: launch }.local_size();
    b.icmp(IntPredicate::Ule, word(b, group, offset_of!(GroupRecord, size)), most)
}

/// Can gangs along rows be this work-group's sub-groups? Each has to lie in one row, so rows consist of whole
/// sub-groups, or there is one row; and no row crosses a multiple of 2^31, so that ids of 32 bits advance by one.
fn rows_are_sub_groups<'m>(b: &Builder<'m>, launch: Value<'m>, group: Value<'m>, size: u32) -> Value<'m> {
    let number = |number: u64| b.context().int_type(64).const_int(number);
    let record = Record { b, address: launch };
    let [extent, base] =
        [offset_of!(GroupRecord, size), offset_of!(GroupRecord, base)].map(|offset| words(b, group, offset));
    let whole = b.icmp(IntPredicate::Eq, b.and(extent[0], number(u64::from(size) - 1)), number(0));
    let flat = b.icmp(IntPredicate::Eq, b.or(extent[1], extent[2]), number(1));
    let (range, offset) = (record.global_size(), record.global_offset());
    let last = [0, 1, 2].map(|d| b.sub(b.add(base[d], extent[d]), number(1)));
    let linear = |id: [Value<'m>; 3]| linear(b, [0, 1, 2].map(|d| b.sub(id[d], offset[d])), &range);
    let changed = b.or(b.xor(base[0], last[0]), b.xor(linear(base), linear(last)));
    let stays = b.icmp(IntPredicate::Eq, b.lshr(changed, number(31)), number(0));
    b.and(b.or(whole, flat), stays)
}

/// Reads the kernel's arguments, of types `own`, where the builder is.
fn read_arguments<'m>(
    b: &Builder<'m>,
    launch: Value<'m>,
    context: Value<'m>,
    own: &[Type<'m>],
    signature: &KernelSignature,
) -> Vec<Value<'m>> {
    let (byte, i64_type) = (b.context().int_type(8), b.context().int_type(64));
    let block = Record { b, address: launch }.arguments();
    let read = |(ty, argument): (&Type<'m>, &Argument)| {
        let offset = i64_type.const_int(u64::from(argument.offset));
        let address = b.gep(byte, block, &[offset], GepFlags::IN_BOUNDS);
        match argument.kind {
            ArgumentKind::ByValue if ty.is_pointer() => b.addrspace_cast(address, *ty),
            ArgumentKind::Local { .. } if ty.is_pointer() => {
                let place = b.gep(byte, context, &[b.load(i64_type, address, 8)], GepFlags::IN_BOUNDS);
                b.addrspace_cast(place, *ty)
            }
            _ => b.load(*ty, address, argument.align),
        }
    };
    own.iter().zip(&signature.arguments).map(read).collect()
}

fn attribute<'m>(function: Value<'m>, b: &Builder<'m>, place: Place, name: &str) {
    if let Some(attribute) = b.context().attribute(name, 0) {
        function.add_attribute(place, attribute);
    }
}
