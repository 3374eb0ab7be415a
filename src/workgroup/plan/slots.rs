//! The layout of what outlives a region.

use oxicl_abi::CONTEXT_ALIGN;

use crate::analyse::memory::Home;
use crate::analyse::regions::Progress;
use crate::analyse::shape::Shape;
use crate::bounds::FRAME_COLLECTIVES;
use crate::ir::{Function, InstId, StateId};
use crate::plan::decisions::{Plan, Slot};

/// Something that needs room in the state.
struct Part {
    align: u64,
    bytes: u64,
    what: What,
}

enum What {
    State,
    Value(InstId),
    /// All values of a work-item.
    Record,
    Object(usize),
    /// Results of the scan before a state.
    Scan(StateId),
}

/// Lays out everything that outlives a region. The state of all work-items is an array for each part, in which
/// neighbours lie side by side. Parts of the largest alignment come first, so that none needs padding.
pub(super) fn lay_out(plan: &mut Plan, function: &Function<'_>) {
    let mut parts = Vec::new();
    if plan.progress != Progress::Together {
        parts.push(Part { align: 4, bytes: 4, what: What::State });
    }
    for state in 1..function.states.len() {
        let live = plan.live_at(StateId(state as u32)).to_vec();
        for id in live {
            if plan.rematerialised[id.index()] || plan.slots.contains_key(&id) {
                continue;
            }
            if plan.progress == Progress::Together && plan.shapes.of(id) == Shape::Uniform {
                plan.slots.insert(id, Slot::Uniform);
                continue;
            }
            plan.slots.insert(id, Slot::Item(0));
            let ty = &function.inst(id).ty;
            let align = ty.align().min(CONTEXT_ALIGN);
            parts.push(Part { align, bytes: ty.size(), what: What::Value(id) });
        }
    }
    if matches!(plan.progress, Progress::OneRegion(_)) {
        parts = lay_out_record(plan, parts);
    }
    lay_out_collectives(plan, function, &mut parts);
    for (index, object) in plan.objects.iter().enumerate() {
        let align = object.align.min(CONTEXT_ALIGN);
        match object.home {
            Home::Item => parts.push(Part { align, bytes: object.bytes, what: What::Object(index) }),
            Home::Group => {
                let offset = plan.group_bytes.next_multiple_of(align);
                plan.object_offsets.insert(object.name, offset);
                // A gang has one for each lane.
                let lanes = plan.gangs.as_ref().map_or(1, |gangs| u64::from(gangs.most()));
                plan.group_bytes = offset.saturating_add(object.stride().saturating_mul(lanes));
            }
            Home::Frame | Home::Arguments => {}
        }
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.align));
    for Part { align, bytes, what } in parts {
        let offset = plan.item_bytes;
        let at_once = match what {
            What::Object(index) => plan.units(&plan.objects[index]).map_or(0, |units| units.bytes),
            _ => bytes,
        };
        plan.longest_slot = plan.longest_slot.max(at_once);
        match what {
            What::State => plan.state_slot = offset,
            What::Record => plan.records = Some((offset, bytes)),
            What::Scan(state) => {
                plan.scan_slots.insert(state, offset);
            }
            What::Value(id) => {
                plan.slots.insert(id, Slot::Item(offset));
            }
            What::Object(index) => {
                plan.object_offsets.insert(plan.objects[index].name, offset);
            }
        }
        plan.item_bytes = plan.item_bytes.saturating_add(bytes.max(1).next_multiple_of(align));
    }
    plan.group_bytes = plan.group_bytes.next_multiple_of(CONTEXT_ALIGN);
}

/// Combines the values among the parts into one record, behind the other parts, of a multiple of its alignment.
fn lay_out_record(plan: &mut Plan, mut parts: Vec<Part>) -> Vec<Part> {
    parts.sort_by_key(|part| std::cmp::Reverse(part.align));
    let (mut others, mut most, mut end) = (Vec::new(), 1, 0u64);
    for Part { align, bytes, what } in parts {
        match what {
            What::Value(id) => {
                plan.slots.insert(id, Slot::Item(end));
                most = most.max(align);
                end = end.saturating_add(bytes.max(1).next_multiple_of(align));
            }
            what => others.push(Part { align, bytes, what }),
        }
    }
    if end > 0 {
        others.push(Part { align: most, bytes: end.next_multiple_of(most), what: What::Record });
    }
    others
}

/// Gives collective operations room: scans a work-item each; gathered values once for the group, if they are many.
fn lay_out_collectives(plan: &mut Plan, function: &Function<'_>, parts: &mut Vec<Part>) {
    let many = function.in_fibers || function.collectives().count() > FRAME_COLLECTIVES;
    for (state, collective, inst) in function.collectives() {
        let (align, bytes) = (inst.ty.align().min(CONTEXT_ALIGN), inst.ty.size());
        if !collective.is_uniform() {
            parts.push(Part { align, bytes, what: What::Scan(state) });
        }
        if many {
            // The gathered value, or its parts; for scans also what went before.
            let offset = plan.group_bytes.next_multiple_of(align);
            plan.gather_offsets.insert(state, offset);
            plan.group_bytes = offset
                .saturating_add(bytes.next_multiple_of(align).saturating_mul(u64::from(collective.parts().max(2))));
        }
    }
}
