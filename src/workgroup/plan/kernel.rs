//! How a kernel runs: work-items one by one, gangs of rows, gangs that are sub-groups, or fibers.

use oxicl_abi::KernelSignature;
use oxicl_protocol::Decision;

use crate::analyse::coalescing::{Coalescing, asks_for_group, may_share_a_gang};
use crate::analyse::shape::Layout;
use crate::analyse::waiting::has_waiting;
use crate::bounds::WRITTEN_TWICE;
use crate::declined::Declined;
use crate::failure::{Result, failure};
use crate::ir::Function;
use crate::ir::call_tree::call_tree;
use crate::plan::calls::part_with_calls;
use crate::plan::describe::{estimated, explain, one_by_one};
use crate::plan::forms::{gain_if_disjoint, narrow_rows, price_along_y, scalar_rows};
use crate::plan::{Build, Plan, Planned, Wanted, plan, yields};
use crate::switches::Subject;

/// A cost: cycles to run a work-group, beside what its gang does.
const ALONE: f64 = 12.0;

/// Plans a kernel for the full tier, and decides which other forms of it are made for launches that allow them.
pub(crate) fn plan_kernel<'m>(function: Function<'m>, build: Build<'_>) -> Result<Planned<'m>> {
    let Build { signature, options, .. } = build;
    let wanted = Wanted::of(build, false);
    let mut planned = planned(function, signature, wanted)?;
    if options.verbose {
        let more = explain(&planned.function, &planned.plans[0], options.lanes);
        planned.plans[0].remarks.extend(more);
    }
    if !options.turned
        && let Some(price) = price_along_y(&planned, signature, wanted)
    {
        planned.turns = true;
        planned.plans[0]
            .remarks
            .push(format!("priced at {price:.2} cycles a work-item in gangs along y: long work-groups are run so"));
    }
    if !options.disjoint
        && let Some(gain) = gain_if_disjoint(&planned, wanted)
    {
        planned.disjoint = true;
        planned.plans[0]
            .remarks
            .push(format!("launches of which no two buffers overlap have code of their own: {gain}"));
    }
    planned.scalar_rows = scalar_rows(&planned, wanted);
    // The runtime asks the usual code alone which rows are narrow.
    if !options.turned && !options.disjoint {
        planned.narrow_rows = narrow_rows(&planned, wanted);
    }
    if planned.narrow_rows > 0 {
        let lengths = (0..u32::BITS).map(|bit| 1 << bit).filter(|length| planned.narrow_rows & length != 0);
        let lengths: Vec<_> = lengths.map(|length: u32| length.to_string()).collect();
        let lengths = lengths.join(" or ");
        planned.plans[0]
            .remarks
            .push(format!("launches with rows of {lengths} work-items have code of their own, for as many lanes"));
    }
    Ok(planned)
}

/// Plans a kernel for the baseline tier. Which other forms of it follow is as the full tier has it.
pub(crate) fn plan_baseline<'m>(function: Function<'m>, build: Build<'_>, full: &Planned<'m>) -> Result<Planned<'m>> {
    let planned = planned(function, build.signature, Wanted::of(build, true))?;
    let Planned { turns, disjoint, scalar_rows, narrow_rows, .. } = *full;
    Ok(Planned { turns, disjoint, scalar_rows, narrow_rows, ..planned })
}

fn planned<'m>(function: Function<'m>, signature: &KernelSignature, wanted: Wanted) -> Result<Planned<'m>> {
    let has_sub_groups = wanted.sub_group_size > 1 && function.has_sub_group_operations();
    let tree = call_tree(&function, yields)?;
    let wanted = Wanted { calls_functions: !tree.functions.is_empty(), ..wanted };
    let callee_waits = tree.functions.iter().any(|callee| !callee.yields.is_empty());
    // Only fibers serve named barriers.
    let has_named_barriers = function.has_named_barriers();
    if callee_waits || has_named_barriers || has_waiting(&function) {
        let function = for_fibers(&function)?;
        if callee_waits || has_named_barriers || !function.yields.is_empty() {
            let plan = fibers(&function, wanted, has_sub_groups, callee_waits)?;
            let tree = call_tree(&function, yields)?;
            return Planned::new(function, tree, vec![plan]);
        }
    }
    if !has_sub_groups {
        let coalescing = (tree.functions.is_empty() && tree.apart.is_empty() && tree.locals.is_empty())
            .then(|| coalescing(&function, wanted, signature.required_work_group_size))
            .flatten()
            // The baseline tier writes no second body.
            .filter(|coalescing| !wanted.is_plain || !coalescing.is_aside);
        let plans = rows(&function, wanted, coalescing)?;
        return unless_calls_cost_more(Planned::new(function, tree, plans)?, wanted);
    }
    let layouts = [Layout::SubGroups, Layout::Line];
    let plans: Vec<_> =
        layouts.into_iter().map(|layout| plan(&function, Wanted { layout, ..wanted })).collect::<Result<_, _>>()?;
    let Some(reason) = plans.iter().find_map(Plan::declined) else {
        return Planned::new(function, tree, plans);
    };
    // A reason that comes from many regions may not hold for fibers, which have one.
    let in_fibers = for_fibers(&function)?;
    let one = plan(&in_fibers, Wanted { layout: Layout::Line, ..wanted })?;
    if one.gangs.is_ok() {
        let tree = call_tree(&in_fibers, yields)?;
        return Planned::new(in_fibers, tree, vec![one]);
    }
    let alone = alone(&function, wanted, reason)?;
    Planned::new(function, tree, vec![alone])
}

/// Reads a kernel again, for fibers. Its instructions get other numbers, so its decisions are named apart.
fn for_fibers<'m>(kernel: &Function<'m>) -> Result<Function<'m>> {
    let mut function = kernel.again_for_fibers()?;
    function.switches = kernel.switches.of_callee(&format!("{} in fibers", function.name));
    function.yields = yields(&function);
    Ok(function)
}

/// Plans a kernel whose gangs are no sub-groups. A second plan is for several work-groups that run as one.
fn rows(function: &Function<'_>, wanted: Wanted, coalescing: Option<Coalescing>) -> Result<Vec<Plan>> {
    let alone = plan(function, wanted)?;
    let Some(coalescing) = coalescing.filter(|coalescing| alone.gangs.is_ok() || !coalescing.is_aside) else {
        return Ok(vec![alone]);
    };
    let mut coalesced = plan(function, Wanted { coalescing: Some(coalescing), row: None, ..wanted })?;
    let Ok(gangs) = &coalesced.gangs else { return Ok(vec![alone]) };
    let row = f64::from(wanted.row.unwrap_or(1)) / f64::from(gangs.lanes);
    let cost = if alone.gangs.is_ok() { alone.cost.of_gang } else { coalesced.cost.one_by_one * row };
    coalesced.most_coalesced = most_paying(gangs.lanes, coalesced.cost.of_gang, cost);
    Ok(match wanted.row.filter(|_| !coalescing.is_aside) {
        None if coalesced.most_coalesced > 0 => vec![alone, coalesced],
        Some(row) if row <= coalesced.most_coalesced => vec![coalesced],
        _ => vec![alone],
    })
}

/// Declines gangs that do not pay once the functions that they call, which are planned by now, are counted.
fn unless_calls_cost_more<'m>(mut planned: Planned<'m>, wanted: Wanted) -> Result<Planned<'m>> {
    let Planned { function, tree, plans, .. } = &planned;
    let Some(part) = part_with_calls(function, tree, &plans[0]) else { return Ok(planned) };
    if part <= wanted.worth() || !wanted.may_decline(function) {
        return Ok(planned);
    }
    let scattered = plans[0].gangs.as_ref().map_or(0, |gangs| gangs.scattered);
    let mut alone = plan(function, Wanted { lanes: 1, ..wanted })?;
    alone.gangs = Err(Declined::DoesNotPay);
    alone.remarks.push(format!("{}; {}", one_by_one(Declined::DoesNotPay), estimated(part, scattered)));
    planned.plans = vec![alone];
    Ok(planned)
}

/// Plans a kernel that fibers run: its sub-groups if it uses them, else its work-items. Lanes of a gang run together,
/// so only sub-groups may wait for each other; a called function may wait for a lock that each work-item wants.
fn fibers(function: &Function<'_>, wanted: Wanted, has_sub_groups: bool, callee_waits: bool) -> Result<Plan> {
    if !has_sub_groups {
        let mut plan = plan(function, Wanted { lanes: 1, ..wanted })?;
        let reason = if function.has_named_barriers() { Declined::WaitsAtNamedBarriers } else { Declined::Waits };
        plan.remarks.push(one_by_one(reason));
        return Ok(plan);
    }
    let plan = plan(function, Wanted { layout: Layout::Line, ..wanted })?;
    let in_function = (callee_waits && !wanted.is_required).then_some(Declined::FunctionWaits);
    match plan.declined().or(in_function) {
        None => Ok(plan),
        Some(reason) => alone(function, wanted, reason),
    }
}

/// Plans a kernel whose sub-groups no gang can run: a sub-group is one work-item.
fn alone(function: &Function<'_>, wanted: Wanted, reason: Declined) -> Result<Plan> {
    if wanted.is_required {
        return failure(format!(
            "there can be no sub-groups of {} work-items: {}",
            wanted.sub_group_size,
            reason.words()
        ));
    }
    let mut plan = plan(function, Wanted { lanes: 1, sub_group_size: 1, ..wanted })?;
    plan.remarks.push(format!("sub-groups of one work-item: {}", reason.words()));
    Ok(plan)
}

/// The most work-items along x of a work-group that is short for gangs of so many lanes. At most 32 for correctness: a
/// lane's place in its work-group is computed by a product that is exact up to there.
pub(crate) fn most_coalesced(lanes: u32) -> u32 {
    (lanes / 2).min(32)
}

/// The most work-items along x for which gangs of several work-groups (`coalesced`) cost less than of one (`alone`).
fn most_paying(lanes: u32, coalesced: f64, alone: f64) -> u32 {
    let most = f64::from(lanes) * (alone + ALONE) / coalesced.max(1.0);
    most_coalesced(lanes).min(most as u32)
}

/// How a kernel coalesces short work-groups of size `required`, in a body in which each lane has ids of its own, if it
/// may and asks for its work-group. It may call no function and use no variable in local memory.
fn coalescing(function: &Function<'_>, wanted: Wanted, required: Option<[u32; 3]>) -> Option<Coalescing> {
    let lanes = Wanted { row: None, ..wanted }.lanes();
    let may = lanes > 1 && wanted.layout == Layout::Rows && may_share_a_gang(function) && asks_for_group(function);
    let most = most_coalesced(lanes);
    let is_short = |[x, y, z]: [u32; 3]| x <= if y > 1 || z > 1 { most / 2 } else { most };
    let fits = match required {
        Some(size) => is_short(size),
        None => function.insts.len() <= WRITTEN_TWICE,
    };
    let of_one = required.is_some_and(|size| size[0] == 1);
    (may && fits && function.allows(Decision::Coalescing, Subject::Function))
        .then_some(Coalescing { of_one, is_aside: required.is_none() })
}
