//! Other forms of a kernel, which run launches that allow them: with the first two dimensions exchanged, for buffers of which no two
//! overlap, and with fewer lanes, or none, for short rows. Each is code of its own, so that it is made only where it gains enough.

use oxicl_abi::{AlongY, KernelSignature};
use oxicl_ops::Query;

use crate::analyse::disjoint::{has_several_buffers, keeps_a_number, leaves_a_loop, would_pass_others};
use crate::analyse::pitch;
use crate::ir::{Buffers, Function, Inst, Kind};
use crate::plan::{Planned, Wanted, plan};
use crate::remarks::Gain;

/// The part of a kernel's price that gangs along y may have at most where it is run by these. A cost: prices of plans that are alike are
/// that far from what they take, and all that is accessed along x is far apart then.
const WORTH_TURNING: f64 = 0.5;

/// The part of a kernel's price that other code may have at most where it is made. A cost: it is compiled once more.
const WORTH_COMPILING: f64 = 0.9;

/// The fewest lanes of gangs that other forms have: a bound on compile time, as a plan is made for each number of lanes. Two by two
/// work-items are few in a work-group.
const NARROWEST: u32 = 4;

/// The price of gangs along y, if there can be any, and it is much less than that of what was planned.
pub(super) fn price_along_y(planned: &Planned<'_>, signature: &KernelSignature, wanted: Wanted) -> Option<f64> {
    let Planned { function, tree, .. } = planned;
    // The order of work-items in their work-group is another then.
    let tells_order = |inst: &Inst<'_>| match inst.kind {
        Kind::Query(query) => query.dimension().is_none() && !matches!(query, Query::WorkDim | Query::ProgramBlock),
        _ => false,
    };
    let keeps_order = |function: &Function<'_>| {
        function.in_fibers
            || function.has_sub_group_operations()
            || function.collectives().next().is_some()
            || function.insts.iter().any(tells_order)
    };
    let keeps_order = keeps_order(function) || tree.functions.iter().any(keeps_order);
    if keeps_order || pitch::along_y(function) == AlongY::Nothing {
        return None;
    }
    let row = signature.required_work_group_size.map(|size| size[1]);
    price_of(planned, Wanted { row, ..wanted }, WORTH_TURNING, |function| {
        for inst in &mut function.insts {
            if let Kind::Query(query) = &mut inst.kind {
                *query = query.turned();
            }
        }
    })
}

/// What a kernel gains if no two of its buffers overlap.
pub(super) fn gain_if_disjoint(planned: &Planned<'_>, wanted: Wanted) -> Option<Gain> {
    let function = &planned.function;
    if !has_several_buffers(function) {
        return None;
    }
    if leaves_a_loop(function) {
        return Some(Gain::LeavesLoop);
    }
    if keeps_a_number(function) {
        return Some(Gain::KeepsNumber);
    }
    if function.in_fibers || function.has_sub_group_operations() || !would_pass_others(function) {
        return None;
    }
    price_of(planned, wanted, WORTH_COMPILING, |function| function.buffers = Buffers::Disjoint).map(Gain::Price)
}

/// The most work-items of a row that take so much less time one after the other than as a gang with so many lanes that code for them
/// is made.
pub(super) fn scalar_rows(planned: &Planned<'_>, wanted: Wanted) -> u32 {
    if may_be_narrow(planned, wanted) { planned.plans[0].candidates.scalar_rows(WORTH_COMPILING) } else { 0 }
}

/// Lengths of rows for which gangs of as many lanes take so much less time that code for them is made: the sum of these, which are powers
/// of two. Only of kernels that wait at barriers: short work-groups of others run as one.
pub(super) fn narrow_rows(planned: &Planned<'_>, wanted: Wanted) -> u32 {
    let Planned { function, plans, .. } = planned;
    let usual = &plans[0].candidates;
    let Some((lanes, usual_gang)) = usual.partial_gang() else { return 0 };
    if !may_be_narrow(planned, wanted) || !function.has_cuts() || wanted.row.is_some() {
        return 0;
    }
    let pays = |lanes: &u32| {
        let narrow = plan(function, Wanted { lanes: *lanes, ..wanted }).ok();
        let price = narrow.and_then(|plan| plan.candidates.whole_gang()).map(|(_, price)| price);
        price.is_some_and(|price| price <= WORTH_COMPILING * usual_gang && price < f64::from(*lanes) * usual.single())
    };
    std::iter::successors(Some(lanes / 2), |lanes| Some(lanes / 2))
        .take_while(|lanes| *lanes >= NARROWEST)
        .filter(pays)
        .sum()
}

/// May launches of a kernel whose usual code has gangs run with fewer lanes?
fn may_be_narrow(Planned { function, plans, .. }: &Planned<'_>, wanted: Wanted) -> bool {
    wanted.lanes == 0 && plans[0].gangs.is_some() && !function.has_sub_group_operations() && !function.in_fibers
}

/// The price of another form of a kernel, if it is at most a part of that of what was planned.
fn price_of(planned: &Planned<'_>, wanted: Wanted, part: f64, change: impl FnOnce(&mut Function<'_>)) -> Option<f64> {
    let [known] = &planned.plans[..] else { return None };
    let mut form = planned.function.again().ok()?;
    change(&mut form);
    let wanted = Wanted { lanes: 0, sub_group_size: known.sub_group_size, is_required: false, ..wanted };
    let price = plan(&form, wanted).ok()?.price()?;
    (price <= part * known.price()?).then_some(price)
}
