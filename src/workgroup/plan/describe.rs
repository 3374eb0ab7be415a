//! The remarks on a plan.

use crate::analyse::memory::Home;
use crate::ir::Function;
use crate::plan::decisions::{Plan, Slot};
use crate::plan::estimate::Estimate;
use crate::plan::gangs::Gangs;
use crate::remarks::{Part, Remark};

/// How barriers are waited at, what is kept, where objects are, and what became of the `lanes` that were asked for.
pub(super) fn describe(plan: &Plan, function: &Function<'_>, lanes: u32, estimate: Option<&Estimate>) -> Vec<Remark> {
    let mut remarks = vec![match function.in_fibers {
        true => Remark::Fibers { are_sub_groups: plan.gangs.is_ok() },
        false => Remark::Regions { states: function.states.len(), progress: plan.progress },
    }];
    if function.has_cuts() {
        let once = plan.slots.values().filter(|s| **s == Slot::Uniform).count();
        remarks.push(Remark::Kept { once, by_each: plan.slots.len() - once });
    }
    let objects = plan.objects.iter().filter(|o| matches!(o.home, Home::Item | Home::Group));
    remarks.extend(objects.map(|object| {
        let by_each = object.home == Home::Item;
        Remark::InContext { bytes: object.bytes, by_each, reason: object.reason }
    }));
    if lanes > 1 {
        remarks.push(gangs(plan, estimate));
    }
    remarks
}

fn gangs(plan: &Plan, estimate: Option<&Estimate>) -> Remark {
    let lanes = plan.gangs.as_ref().map(Gangs::most).map_err(|reason| *reason);
    let mut parts = Vec::new();
    parts.extend(estimate.map(|estimate| {
        let part = plan.candidates.cost().part();
        Part::Estimated { part, scattered: estimate.scattered }
    }));
    parts.extend(plan.priced().map(|(chosen, next)| Part::Priced { chosen, next }));
    parts.extend(plan.shapes.coalescing.map(|_| Part::Coalesced));
    let rows = plan.gangs.iter().flat_map(|gangs| &gangs.rows).flatten().next();
    parts.extend(rows.map(|rows| Part::Rows { count: rows.count, own_masks: rows.own_masks }));
    let as_aos = plan.aos.iter().filter(|keeps| **keeps).count();
    parts.extend((as_aos > 0).then_some(Part::Aos(as_aos)));
    let agreements = plan.gangs.iter().flat_map(|gangs| &gangs.agreements).flatten();
    parts.extend(agreements.map(|_| Part::Agree).next());
    Remark::Gangs { lanes, parts }
}
