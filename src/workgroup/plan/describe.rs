//! A plan in words.

use crate::analyse::memory::Home;
use crate::analyse::regions::Progress;
use crate::declined::Declined;
use crate::ir::Function;
use crate::plan::candidates::Plans;
use crate::plan::decisions::{Plan, Slot};
use crate::plan::estimate::Estimate;

/// What is said of a plan: how barriers are waited at, what is kept, where objects are, and for `lanes` that were asked for, what
/// became of them.
pub(super) fn describe(plan: &Plan, function: &Function<'_>, lanes: u32, estimate: Option<&Estimate>) -> Vec<String> {
    let mut remarks = vec![barriers(plan, function)];
    let uniform = plan.slots.values().filter(|s| **s == Slot::Uniform).count();
    if function.has_cuts() {
        let kept = plan.slots.len() - uniform;
        remarks.push(format!("kept across barriers: {uniform} values once, {kept} for each work-item"));
    }
    for object in plan.objects.iter().filter(|o| matches!(o.home, Home::Item | Home::Group)) {
        let place = if object.home == Home::Item { "for each work-item" } else { "once" };
        remarks.push(format!("private object of {} bytes in the context {place}: {}", object.bytes, object.reason));
    }
    if lanes > 1 {
        remarks.push(gangs(plan, estimate));
    }
    remarks
}

fn barriers(plan: &Plan, function: &Function<'_>) -> String {
    let states = function.states.len();
    let barriers = if states == 2 { "1 barrier".to_owned() } else { format!("{} barriers", states - 1) };
    match (states, plan.progress) {
        _ if function.in_fibers => match &plan.gangs {
            Some(_) => "each sub-group waits on a stack of its own".to_owned(),
            None => "each work-item waits on a stack of its own".to_owned(),
        },
        (1, _) => "no barrier: one region, one loop over the work-items".to_owned(),
        (_, Progress::Together) => format!("{barriers}: {states} regions, each a plain loop"),
        (_, Progress::MayDiverge) => format!("{barriers}: {states} regions, and one for work-items that diverge"),
        (_, Progress::OneRegion(_)) => format!("{barriers}: one region for all {states} states"),
    }
}

fn gangs(plan: &Plan, estimate: Option<&Estimate>) -> String {
    let mut remark = match (&plan.gangs, plan.declined) {
        (Some(gangs), _) => format!("gangs of {} work-items", gangs.most()),
        (None, reason) => format!("one work-item at a time: {}", reason.map(Declined::words).unwrap_or_default()),
    };
    if let Some(estimate) = estimate {
        remark += &format!(
            "; estimated for gangs: {:.2} of the time, {} accesses are each lane's own",
            plan.candidates.part(),
            estimate.scattered
        );
    }
    remark += &priced(plan).unwrap_or_default();
    if plan.coalescing.is_some() {
        remark += "; work-groups that are short along x run as one";
    }
    if let Some(rows) = plan.gangs.iter().flat_map(|gangs| &gangs.rows).flatten().next() {
        let why = if rows.own_masks { "lanes leave a loop apart" } else { "rows load the same" };
        remark += &format!("; where {why}, {} rows at once", rows.count);
    }
    let as_aos = plan.aos.iter().filter(|keeps| **keeps).count();
    if as_aos > 0 {
        remark += &format!("; {as_aos} vectors of the language are kept in AoS layout");
    }
    if plan.gangs.iter().flat_map(|gangs| &gangs.agreements).any(Option::is_some) {
        remark += "; gangs whose work-items agree on guards run without masks for these";
    }
    remark
}

/// The price of the plan, and of the next best one, in words.
fn priced(plan: &Plan) -> Option<String> {
    let (chosen, next) = plan.priced()?;
    let says = |Plans { price, lanes }: &Plans| match &lanes[..] {
        [1] => format!("{price:.2} cycles a work-item one at a time"),
        [first, rest @ ..] if rest.iter().all(|lanes| lanes == first) => {
            format!("{price:.2} cycles a work-item in gangs of {first}")
        }
        lanes => {
            let lanes: Vec<String> = lanes.iter().map(u32::to_string).collect();
            format!("{price:.2} cycles a work-item in gangs of {}, by region", lanes.join(", "))
        }
    };
    Some(format!("; priced at {}, the next best plan at {}", says(&chosen), says(&next)))
}
