//! Emission of one kernel: what all its parts share.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use oxicl_abi::{GroupStyle, KernelSignature};
use oxicl_llvm::{Block as LlvmBlock, Builder, Context, GepFlags, Metadata, Module, Place, Type, Value};
use oxicl_ops::attribute;
use oxicl_target::Vectors;

use crate::analyse::coalescing::{asks_for_group, may_share_a_gang};
use crate::analyse::memory::{Home, Name};
use crate::analyse::pitch;
use crate::analyse::regions::Progress;
use crate::analyse::shape::Layout;
use crate::bounds::{MOST_STATES, TOO_MANY_STATES};
use crate::emit::callee::emit_callees;
use crate::emit::collective::{Store, stores};
use crate::emit::copy::{Copier, Surroundings};
use crate::emit::entry::{Bodies, emit_entry};
use crate::emit::facts::Emitted;
use crate::emit::places::Places;
use crate::emit::versions::Versions;
use crate::emit::{places, regions};
use crate::failure::{OrFail, Result, failure};
use crate::ir::call_tree::CallTree;
use crate::ir::{Function, Inst, InstId, Kind, StateId};
use crate::plan::{Plan, Planned, Slot, most_coalesced};

/// Shared by everything that writes the function that runs work-groups.
pub(crate) struct Emitter<'e, 'm> {
    pub(crate) module: &'m Module<'m>,
    pub(crate) b: &'e Builder<'m>,
    /// The builder of the frame: of the block of allocas at the function's start.
    pub(crate) frame: Builder<'m>,
    pub(crate) function: &'e Function<'m>,
    pub(crate) plan: &'e Plan,
    pub(crate) around: &'e Surroundings<'m>,
    /// The versions of functions that gangs call.
    pub(crate) versions: &'e Versions<'e, 'm>,
    /// The function that is written.
    pub(crate) group: Value<'m>,
    pub(crate) parameters: Vec<Value<'m>>,
    /// Number of work-items of a work-group as enqueued, where there is state.
    items: Option<Value<'m>>,
    /// Starts of the arrays in the state, by their offset in bytes for one work-item.
    pub(crate) arrays: BTreeMap<u64, Value<'m>>,
    /// Frame places of values that are kept once.
    pub(crate) uniform: HashMap<InstId, Value<'m>>,
    /// Where collective operations gather, by the state behind each.
    pub(crate) stores: HashMap<StateId, Store<'m>>,
    /// Private objects whose memory all work-items use, one after the other.
    pub(crate) shared_objects: HashMap<Name, Value<'m>>,
    pub(crate) hidden: Option<Value<'m>>,
    /// Where lanes outside the mask load from, and where they store to.
    spare: [OnceCell<Value<'m>>; 2],
    /// The kernel, or what it calls, prints.
    pub(crate) prints: bool,
    /// Number of the metadata kind of access groups.
    pub(crate) access_kind: u32,
    /// The number of the fiber, where fibers run the kernel.
    pub(crate) fiber: Option<Value<'m>>,
    pub(crate) options: Options,
}

/// Bytes of the longest vector of OpenCL C, and the alignment that frames have anyway.
const SPARE_BYTES: u32 = 128;
pub(crate) const SPARE_ALIGN: u32 = 16;

/// Bits to which calls keep the stack aligned, by the ABIs of x86-64 and AArch64.
const STACK_ALIGNMENT: u32 = 128;

/// What the launch or the build promises.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    /// Every work-group has the enqueued size.
    pub(crate) uniform_groups: bool,
    pub(crate) required_size: Option<[u32; 3]>,
}

/// The property of a loop that is not to be unrolled.
pub(crate) fn not_unrolled(context: &Context) -> Metadata<'_> {
    context.loop_property("llvm.loop.unroll.disable")
}

/// What a kernel has in common with the versions of functions that it calls.
pub(crate) struct Common<'e, 'm> {
    pub(crate) module: &'m Module<'m>,
    pub(crate) b: &'e Builder<'m>,
    pub(crate) around: &'e Surroundings<'m>,
    /// The kernel, or what it calls, prints.
    pub(crate) prints: bool,
    pub(crate) options: Options,
}

impl<'e, 'm> Emitter<'e, 'm> {
    /// Begins to write a function according to a plan, with an empty frame.
    pub(crate) fn new(
        common: &Common<'e, 'm>,
        function: &'e Function<'m>,
        plan: &'e Plan,
        versions: &'e Versions<'e, 'm>,
        group: Value<'m>,
        parameters: Vec<Value<'m>>,
    ) -> Self {
        let Common { module, b, around, prints, options } = *common;
        let context = b.context();
        let frame = Builder::new(context);
        frame.position_at_end(group.append_block(context, "frame"));
        Emitter {
            module,
            b,
            frame,
            function,
            plan,
            around,
            versions,
            group,
            parameters,
            items: None,
            arrays: BTreeMap::new(),
            uniform: HashMap::new(),
            stores: HashMap::new(),
            shared_objects: HashMap::new(),
            hidden: None,
            spare: Default::default(),
            prints,
            access_kind: context.metadata_kind("llvm.access.group"),
            fiber: None,
            options,
        }
    }

    /// A copier for the work-item at `places`.
    pub(crate) fn copier(&self, places: Places<'m>) -> Copier<'e, 'm> {
        Copier::new(self.b, self.function, self.around, places, self.parameters.clone(), self.hidden)
    }

    /// A new block at the end of the function.
    pub(crate) fn block(&self, name: &str) -> LlvmBlock<'m> {
        self.group.append_block(self.b.context(), name)
    }

    /// The block where the builder is.
    pub(crate) fn here(&self) -> Result<LlvmBlock<'m>> {
        self.b.block().or_fail("no place to write to")
    }

    pub(crate) fn number(&self, value: u64) -> Value<'m> {
        self.b.context().int_type(64).const_int(value)
    }

    /// A place in the frame that is read for lanes outside the mask, too. It starts as zero: what the stack held before
    /// may be denormal numbers, and arithmetic with these takes over 100 cycles on Intel's processors.
    pub(crate) fn zeroed(&self, ty: Type<'m>) -> Value<'m> {
        let place = self.frame.alloca(ty, 0);
        self.frame.store(ty.zero(), place, 0);
        place
    }

    /// A place in the frame for lanes outside the mask: a zero that they load, or where they store and nobody reads.
    pub(crate) fn spare(&self, is_store: bool) -> Value<'m> {
        *self.spare[usize::from(is_store)].get_or_init(|| {
            let numbers = self.b.context().int_type(64).vector(SPARE_BYTES / 8);
            let place = self.frame.alloca(numbers, SPARE_ALIGN);
            if !is_store {
                self.frame.store(numbers.zero(), place, SPARE_ALIGN);
            }
            place
        })
    }

    /// A call of an intrinsic.
    pub(crate) fn call_intrinsic(
        &self,
        name: &str,
        overloads: &[Type<'m>],
        arguments: &[Value<'m>],
    ) -> Result<Value<'m>> {
        match self.module.intrinsic(name, overloads) {
            Some(intrinsic) => Ok(self.b.call(intrinsic, arguments)),
            None => failure(format!("LLVM has no {name}")),
        }
    }

    /// Number of work-items of a work-group as enqueued.
    pub(crate) fn items(&self) -> Result<Value<'m>> {
        self.items.or_fail("no work-items in a function that has no state")
    }

    /// The start of an array in the state, by its offset in bytes for one work-item.
    pub(crate) fn array(&self, offset: u64) -> Result<Value<'m>> {
        self.arrays.get(&offset).copied().or_fail("a slot without a place")
    }

    /// The slot of a work-item in such an array; those of the work-items that follow are behind it.
    pub(crate) fn slot(&self, ty: Type<'m>, offset: u64, item: Value<'m>) -> Result<Value<'m>> {
        Ok(self.b.gep(ty, self.array(offset)?, &[item], GepFlags::IN_BOUNDS))
    }

    /// Ends an iteration of a loop that is not worth unrolling. Unless LLVM is told so, it adds up the cost of each
    /// instruction twice for each loop around it.
    pub(crate) fn go_on(&self, more: Value<'m>, again: LlvmBlock<'m>, after: LlvmBlock<'m>) {
        let context = self.b.context();
        context.set_loop_properties(self.b.cond_br(more, again, after), &[not_unrolled(context)]);
    }

    /// May several work-groups in a row run as if they were one? They may if the kernel cannot tell.
    pub(crate) fn groups_may_merge(&self) -> bool {
        self.runs_planes()
            && self.hidden.is_none()
            && self.around.locals.is_empty()
            && may_share_a_gang(self.function)
            && !asks_for_group(self.function)
    }

    /// Does each call run one plane of a work-group? Planes are independent unless barriers or sub-groups bind them.
    pub(crate) fn runs_planes(&self) -> bool {
        let binds_sub_groups = self.plan.shapes.sub_group_size > 1 && self.function.has_sub_group_operations();
        !self.function.has_cuts() && !self.function.in_fibers && !binds_sub_groups
    }

    /// Makes the places in the frame that the whole function uses.
    pub(crate) fn make_frame(&mut self) {
        let mut slots: Vec<_> = self.plan.slots.iter().filter(|(_, s)| **s == Slot::Uniform).collect();
        slots.sort_unstable_by_key(|(id, _)| **id);
        for (id, _) in slots {
            let place = self.frame.alloca(self.function.inst(*id).llvm.ty(), 0);
            self.uniform.insert(*id, place);
        }
        let lanes = self.plan.gangs.as_ref().map_or(1, |gangs| u64::from(gangs.most()));
        for object in self.plan.objects.iter().filter(|o| o.home == Home::Frame) {
            let bytes = self.b.context().int_type(8).array(object.stride() * lanes);
            let of_one = match object.name {
                // The same type, so that LLVM's SROA splits it as it would have.
                Name::Alloca(id) if lanes == 1 => {
                    let alloca = self.function.inst(id);
                    alloca.llvm.allocated_type().filter(|_| self.function.u64_at(alloca, 0) == Some(1))
                }
                _ => None,
            };
            let place = self.frame.alloca(of_one.unwrap_or(bytes), object.align as u32);
            self.shared_objects.insert(object.name, place);
        }
    }

    /// Computes the starts of what lies in the state. `items` is the number of work-items of a work-group as enqueued.
    pub(crate) fn make_arrays(&mut self, state: Value<'m>, items: Value<'m>) {
        let byte = self.b.context().int_type(8);
        self.items = Some(items);
        for object in self.plan.objects.iter().filter(|o| o.home == Home::Group) {
            let offset = self.number(self.plan.object_offsets.get(&object.name).copied().unwrap_or(0));
            let place = self.b.gep(byte, state, &[offset], GepFlags::IN_BOUNDS);
            self.shared_objects.insert(object.name, place);
        }
        // In order, so that emission is deterministic.
        let mut offsets: BTreeSet<u64> = self
            .plan
            .slots
            .values()
            .filter_map(|s| match s {
                Slot::Item(offset) => Some(*offset).filter(|_| self.plan.records.is_none()),
                Slot::Uniform => None,
            })
            .collect();
        offsets.extend(self.plan.records.map(|(offset, _)| offset));
        if self.plan.progress != Progress::Together {
            offsets.insert(self.plan.state_slot);
        }
        let objects = self.plan.objects.iter().filter(|o| o.home == Home::Item);
        offsets.extend(objects.filter_map(|o| self.plan.object_offsets.get(&o.name)));
        offsets.extend(self.plan.scan_slots.values());
        self.stores = stores(self, state);
        let first = self.b.gep(byte, state, &[self.number(self.plan.group_bytes)], GepFlags::IN_BOUNDS);
        for offset in offsets {
            let bytes = places::no_wrap(self.b.mul(items, self.number(offset)));
            let place = self.b.gep(byte, first, &[bytes], GepFlags::IN_BOUNDS);
            self.arrays.insert(offset, place);
        }
    }
}

/// May work-groups start in any order? Not if one may wait for another by atomic or volatile accesses, or prints.
fn free_of_order(kernel: &Function<'_>, callees: &[Function<'_>]) -> bool {
    let binds = |inst: &Inst<'_>| !inst.is_ordinary() || matches!(inst.kind, Kind::Print);
    !std::iter::once(kernel).chain(callees).any(|function| function.insts.iter().any(binds))
}

/// Writes the entry of a kernel, `oxicl.entry.<number>`, and a function that runs its work-groups for each plan. Of
/// two, either the first is for rows of whole sub-groups, or the second for several work-groups that run as one.
pub(crate) fn emit<'m>(
    module: &'m Module<'_>,
    planned: &Planned<'m>,
    signature: &KernelSignature,
    uniform_groups: bool,
    number: usize,
) -> Result<Emitted> {
    let context = module.context();
    let b = Builder::new(context);
    let Planned { function, tree, plans, .. } = planned;
    let mut around = Surroundings { locals: HashMap::new(), callees: HashMap::new(), in_fibers: function.in_fibers };
    let mut local_bytes = 0u64;
    for local in &tree.locals {
        let Some(ty) = local.value_type() else { continue };
        let align = u64::from(local.alignment()).max(u64::from(module.align_of(ty)));
        let offset = local_bytes.next_multiple_of(align);
        around.locals.insert(*local, offset);
        local_bytes = offset.saturating_add(module.size_of(ty));
    }
    let prints = |function: &Function<'_>| function.insts.iter().any(|i| matches!(i.kind, Kind::Print));
    let prints = prints(function) || tree.functions.iter().any(prints);
    let first = plans.first().or_fail("no plan")?;
    emit_callees(module, &b, tree, &mut around, first.shapes.sub_group_size)?;
    let bodies = match &plans[..] {
        [_] if function.in_fibers => Bodies::Fibers(first.gangs.as_ref().map_or(1, |gangs| gangs.lanes)),
        [_] => Bodies::One,
        [_, second, ..] if second.shapes.coalescing.is_some() => Bodies::Coalesced,
        _ => Bodies::Two(first.shapes.sub_group_size),
    };
    let groups = emit_entry(module, &b, *function.llvm, signature, number, bodies)?;
    let options = Options { uniform_groups, required_size: signature.required_work_group_size };
    let fiber = if let Bodies::Fibers(items) = bodies { items } else { 0 };
    let any_order = fiber == 0 && free_of_order(function, &tree.functions);
    let along_y = pitch::along_y(function);
    let mut style =
        GroupStyle { merge: true, merge_rows: true, planes: true, fiber, any_order, most_coalesced: 0, along_y };
    let common = Common { module, b: &b, around: &around, prints, options };
    for (plan, group) in plans.iter().zip(groups) {
        let own = emit_group(&common, function, tree, plan, group)?;
        style.merge &= own.merge;
        style.merge_rows &= own.merge_rows;
        style.planes &= own.planes;
        style.most_coalesced = style.most_coalesced.max(own.most_coalesced);
    }
    Ok(Emitted { style, local_bytes, prints })
}

/// Has the stack of a function aligned to its vectors. By itself, the code generator does so only for objects in the
/// frame: when it finds that it has to spill, the register for the frame is no longer free. On a stack aligned to 16 bytes
/// every second vector that it spills would lie in two cache lines, and be loaded again much later.
pub(super) fn align_spills<'m>(context: &'m Context, function: Value<'m>, vectors: Vectors) {
    if vectors.bits > STACK_ALIGNMENT {
        function.add_attribute(Place::Function, context.text_attribute("stackrealign", ""));
    }
}

/// Writes the function `group`, which runs work-groups according to a plan.
fn emit_group<'m>(
    common: &Common<'_, 'm>,
    function: &Function<'m>,
    tree: &CallTree<'m>,
    plan: &Plan,
    group: Value<'m>,
) -> Result<GroupStyle> {
    let Common { b, around, .. } = *common;
    let context = b.context();
    if !plan.has_loops(function) && !tree.functions.iter().any(Function::has_loops) {
        group.add_attribute(Place::Function, context.text_attribute(attribute::STRAIGHT, ""));
    }
    let hardly_runs =
        plan.shapes.layout == Layout::Line && !function.in_fibers || function.states.len() > TOO_MANY_STATES;
    if hardly_runs || function.states.len() > MOST_STATES {
        let why = if hardly_runs { "" } else { attribute::MANY_REGIONS };
        group.add_attribute(Place::Function, context.text_attribute(attribute::RARE, why));
    }
    if let Ok(gangs) = &plan.gangs {
        let loops = gangs.regions.iter().flat_map(|region| &region.graph.loops);
        let nested = if loops.into_iter().any(|l| l.parent.is_some()) { attribute::NESTED } else { "" };
        group.add_attribute(Place::Function, context.text_attribute(attribute::GANGS, nested));
        align_spills(context, group, plan.vectors);
    }
    if plan.wants_mask_a_register(function) {
        group.add_attribute(Place::Function, context.text_attribute(attribute::MASK_A_REGISTER, ""));
    }
    let versions = Versions::new(tree, &plan.versions);
    let mut emitter = Emitter::new(common, function, plan, &versions, group, group.parameters());
    let fields = context.int_type(64).array(places::FIELDS as u64);
    emitter.hidden = (!around.callees.is_empty()).then(|| emitter.frame.alloca(fields, 8));
    emitter.make_frame();
    let merge = emitter.groups_may_merge();
    let most_coalesced = match &plan.gangs {
        Ok(gangs) if merge => most_coalesced(gangs.most()),
        _ => plan.most_coalesced,
    };
    let merge_rows = merge && plan.gangs.as_ref().is_ok_and(|gangs| gangs.scattered == 0);
    let style =
        GroupStyle { merge, merge_rows, planes: emitter.runs_planes(), most_coalesced, ..GroupStyle::default() };
    let setup = emitter.block("setup");
    b.position_at_end(setup);
    let group = regions::begin(&mut emitter)?;
    regions::emit_regions(&mut emitter, &group)?;
    emitter.frame.br(setup);
    versions.emit(common)?;
    Ok(style)
}
