//! Other forms of a kernel, for launches that allow them: with the first two dimensions exchanged, for buffers that do
//! not overlap, and with fewer lanes, or one, for short rows. Each costs a compilation, so it has to gain enough.

use oxicl_abi::{AlongY, KernelSignature};
use oxicl_ops::Query;

use crate::analyse::disjoint::{has_several_buffers, keeps_a_number, leaves_a_loop, would_pass_others};
use crate::analyse::pitch;
use crate::ir::{Buffers, Function, Inst, Kind};
use crate::plan::{Planned, Wanted, plan};

/// Gangs along y run the kernel if their price is at most this part of that of gangs along x. A cost: the prices of
/// similar plans are off by as much, and whatever is accessed along x then lies far apart.
const WORTH_TURNING: f64 = 0.5;

/// Another form is made if its price is at most this part of that of the usual code. A cost: it is compiled once more.
const WORTH_COMPILING: f64 = 0.9;

/// A bound on compile time: the fewest lanes of other forms' gangs, since each number of lanes takes a plan.
const NARROWEST: u32 = 4;

/// The price of gangs along y, if they are possible and much cheaper than the plan that there is.
pub(super) fn price_along_y(planned: &Planned<'_>, signature: &KernelSignature, wanted: Wanted) -> Option<f64> {
    let Planned { function, tree, .. } = planned;
    // Exchanging x and y changes the order of work-items in a work-group.
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

/// What a kernel gains if no two of its buffers overlap, in words.
pub(super) fn gain_if_disjoint(planned: &Planned<'_>, wanted: Wanted) -> Option<String> {
    let function = &planned.function;
    if !has_several_buffers(function) {
        return None;
    }
    if leaves_a_loop(function) {
        return Some("a loop keeps numbers of its own".to_owned());
    }
    if keeps_a_number(function) {
        return Some("numbers are kept past other accesses".to_owned());
    }
    if function.in_fibers || function.has_sub_group_operations() || !would_pass_others(function) {
        return None;
    }
    let price = price_of(planned, wanted, WORTH_COMPILING, |function| function.buffers = Buffers::Disjoint)?;
    Some(format!("priced at {price:.2} cycles a work-item"))
}

/// The longest row, in work-items, that is worth code of its own to run one work-item after the other.
pub(super) fn scalar_rows(planned: &Planned<'_>, wanted: Wanted) -> u32 {
    if may_be_narrow(planned, wanted) { planned.plans[0].candidates.scalar_rows(WORTH_COMPILING) } else { 0 }
}

/// Row lengths that are worth code of their own for gangs of as many lanes: the sum of these lengths, which are powers
/// of two. Only kernels that wait at barriers have any: others run short work-groups as one.
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
        price.is_some_and(|price| {
            price <= WORTH_COMPILING * usual_gang && price < f64::from(*lanes) * usual.single.price
        })
    };
    std::iter::successors(Some(lanes / 2), |lanes| Some(lanes / 2))
        .take_while(|lanes| *lanes >= NARROWEST)
        .filter(pays)
        .sum()
}

/// Has the usual code gangs that a launch may replace by narrower ones?
fn may_be_narrow(Planned { function, plans, .. }: &Planned<'_>, wanted: Wanted) -> bool {
    wanted.lanes == 0 && plans[0].gangs.is_ok() && !function.has_sub_group_operations() && !function.in_fibers
}

/// The price of another form of a kernel, if it is at most `part` of that of the existing plan.
fn price_of(planned: &Planned<'_>, wanted: Wanted, part: f64, change: impl FnOnce(&mut Function<'_>)) -> Option<f64> {
    let [known] = &planned.plans[..] else { return None };
    let mut form = planned.function.again().ok()?;
    change(&mut form);
    let wanted = Wanted { lanes: 0, sub_group_size: known.shapes.sub_group_size, is_required: false, ..wanted };
    let price = plan(&form, wanted).ok()?.price()?;
    (price <= part * known.price()?).then_some(price)
}
