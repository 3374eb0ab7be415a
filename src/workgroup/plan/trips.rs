//! How often loops run: the trip counts that the estimate assumes, and how much longer the last lane of a gang stays. The
//! constants here are frequencies.

use std::collections::{HashMap, HashSet};

use crate::analyse::course::Course;
use crate::analyse::graph::Graph;
use crate::analyse::induction::{Bound, needed, next};
use crate::analyse::shape::Shape;
use crate::bounds::{CHAIN, NEARBY, SEARCHED};
use crate::ir::{Function, Inst, InstId, IntPredicate, Intrinsic, Opcode, Operand, Scalar};
use crate::plan::costs::Costs;

/// The trip count of a loop of which nothing is known, and how many nested loops multiply it.
pub(super) const ITERATIONS: f64 = 8.0;
pub(super) const DEPTH: usize = 3;
/// The trip count of a loop that goes on only where data are equal, negative, or have a bit set. Programs seldom find that
/// so: in 16 of 100 cases (Ball and Larus, "Branch prediction for free"). They skip blanks, or compare up to a difference.
const WHILE_EQUAL: f64 = 1.2;
/// How much longer the last lane stays in a divergent loop, for each doubling of the lanes.
const LAST: f64 = 0.1;

/// The loops of a region, as a gang runs them.
pub(super) struct Trips {
    of_loops: Vec<Trip>,
}

struct Trip {
    /// The trip count, as far as it matters.
    count: f64,
    /// How often the gang runs an iteration for each one of a lane.
    longer: f64,
    /// Branches by data that leave it.
    exits: f64,
}

impl Trips {
    pub(super) fn new(costs: &Costs<'_>, graph: &Graph, course: &Course) -> Trips {
        let lanes = costs.lanes;
        let trip = |number: usize| {
            let conditions = conditions(costs.function, graph, number);
            let longest = longest(costs.function, graph, number, &conditions);
            let likely = if conditions.iter().any(|it| is_equality(costs, *it)) { WHILE_EQUAL } else { ITERATIONS };
            let count = longest.min(likely);
            let differs = course.diverges(number) && !counts(costs, graph, number);
            let longer = match differs.then(|| ends(costs, graph, number)) {
                None => 1.0,
                Some(Ends::BySearch) => last_of_search(lanes, count),
                Some(Ends::ByData) => 2.0 * lanes / (lanes + 1.0),
                Some(Ends::Otherwise) => 1.0 + LAST * lanes.log2(),
            };
            let longer = longer.min(longest / count);
            let exits = graph.exits(number).filter(|node| costs.is_guessed(graph.blocks[*node])).count() as f64;
            Trip { count, longer, exits }
        };
        Trips { of_loops: (0..graph.loops.len()).map(trip).collect() }
    }

    /// The trip count of a loop. One by which a work-group fills a tile advances by the size of the work-group up to a
    /// constant, which is not far from wherever a work-item starts.
    pub(super) fn count(&self, number: usize) -> f64 {
        self.of_loops[number].count
    }

    /// How often a gang runs an iteration for each one of a lane.
    pub(super) fn longer(&self, number: usize) -> f64 {
        self.of_loops[number].longer
    }

    /// How often each branch by data leaves the loop: one does so once in all iterations.
    pub(super) fn often_left(&self, number: usize) -> f64 {
        let Trip { count, exits, .. } = self.of_loops[number];
        1.0 / (count * exits.max(1.0))
    }

    /// How many iterations of its loops run each node, for one run of the region.
    pub(super) fn of_nodes(&self, graph: &Graph) -> Vec<f64> {
        let of_node = |node| graph.around(node).take(DEPTH).map(|number| self.count(number)).product();
        (0..graph.end()).map(of_node).collect()
    }
}

/// How much longer the last lane stays than the mean where all iterations are as likely to be a lane's last, so that trip
/// counts have a geometric distribution.
fn last_of_search(lanes: f64, mean: f64) -> f64 {
    let harmonic: f64 = (1..=lanes as u32).map(|lane| 1.0 / f64::from(lane)).sum();
    ((harmonic / (mean / (mean - 1.0)).ln() + 0.5) / mean).max(1.0)
}

/// A bound on the trip count of a loop that goes on under these conditions; infinite if none is known.
fn longest(function: &Function<'_>, graph: &Graph, number: usize, conditions: &[(InstId, bool)]) -> f64 {
    let by_counters = graph.loops[number].bounds.iter().filter_map(Bound::most_iterations).filter(|most| *most > 1);
    let by_shifts = conditions.iter().filter_map(|(id, holds)| {
        let (compare, l) = (function.inst(*id), &graph.loops[number]);
        let phis = function.block(graph.blocks[l.header]).insts.iter();
        let next = |phi: InstId| next(function, phi, graph.blocks[l.latch]);
        phis.filter_map(|phi| most_shifts(function, compare, *holds, *phi, next(*phi)?)).min()
    });
    by_counters.chain(by_shifts).map(|most| most as f64).fold(f64::INFINITY, f64::min)
}

/// The conditions that have to hold, or not to hold, for a loop to go on.
fn conditions(function: &Function<'_>, graph: &Graph, number: usize) -> Vec<(InstId, bool)> {
    let of_exit = |node: usize| {
        let block = graph.blocks[node];
        let stays: Vec<bool> = function.successors(block).iter().map(|next| graph.holds(number, *next)).collect();
        match (function.condition(block), &stays[..]) {
            (Some(condition), [stays, leaves]) if stays != leaves => needed(function, condition, *stays),
            _ => Vec::new(),
        }
    };
    graph.exits(number).flat_map(of_exit).collect()
}

/// How often a phi can be shifted, as by its `next` value, until a comparison no longer holds, as where a decoder
/// fills its state up by bytes.
fn most_shifts(function: &Function<'_>, compare: &Inst<'_>, holds: bool, phi: InstId, next: Operand) -> Option<u64> {
    use IntPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    let [compared, _] = compare.operands[..] else { return None };
    let end = function.i64_at(compare, 1)?;
    if compared != Operand::Inst(phi) && compared != next {
        return None;
    }
    let (opcode, by) = shift(function, phi, next, CHAIN)?;
    let bits = match (opcode, compare.int_predicate()?, holds) {
        (Opcode::Shl, Ult | Ule | Slt | Sle, true) | (Opcode::Shl, Ugt | Uge | Sgt | Sge, false) => {
            i64::BITS - end.leading_zeros()
        }
        (Opcode::LShr | Opcode::AShr, Ugt | Uge | Sgt | Sge | Ne, true)
        | (Opcode::LShr | Opcode::AShr, Ult | Ule | Slt | Sle | Eq, false) => function.inst(phi).ty.int_width(),
        _ => return None,
    };
    Some(u64::from(bits).div_ceil(by))
}

/// The shift by a constant that leads from a phi to its next value, perhaps with more bits put into it.
fn shift(function: &Function<'_>, phi: InstId, next: Operand, far: usize) -> Option<(Opcode, u64)> {
    let inst = function.made_by(next)?;
    match (inst.opcode, &inst.operands[..]) {
        (Opcode::Shl | Opcode::LShr | Opcode::AShr, [of, by]) if *of == Operand::Inst(phi) => {
            Some((inst.opcode, function.as_u64(*by).filter(|by| *by > 0)?))
        }
        (Opcode::Or, [one, other]) if far > 0 => {
            let of = |operand: Operand| shift(function, phi, operand, far - 1);
            of(*one).or_else(|| of(*other))
        }
        _ => None,
    }
}

/// Does a condition that holds, or does not, say that integers that differ from lane to lane are equal or negative, or
/// that a bit of theirs is set?
fn is_equality(costs: &Costs<'_>, (id, holds): (InstId, bool)) -> bool {
    use IntPredicate::{Eq, Ne, Sgt, Slt};
    let (function, compare) = (costs.function, costs.inst(id));
    let [left, _] = compare.operands[..] else { return false };
    let constant = function.i64_at(compare, 1);
    let is_bit = || {
        let mask = function.made_by(left).filter(|inst| inst.opcode == Opcode::And);
        mask.and_then(|mask| function.i64_at(mask, 1)).is_some_and(|mask| mask.count_ones() == 1)
    };
    if costs.shape(Operand::Inst(id)) != Shape::Varying {
        return false;
    }
    let is_equal = match (compare.int_predicate(), holds) {
        (Some(Eq), true) | (Some(Ne), false) => true,
        (Some(Ne), true) | (Some(Eq), false) => false,
        (Some(Slt), true) => return constant == Some(0),
        (Some(Sgt), false) => return constant == Some(-1),
        _ => return false,
    };
    // A bit that equals 0 is not set.
    is_equal != (constant == Some(0) && is_bit())
}

/// Does a loop count from each lane's own start to a shared bound, by steps that are not known to be shorter than the
/// gang? Then all lanes run the same iterations, but for the last.
pub(super) fn counts(costs: &Costs<'_>, graph: &Graph, number: usize) -> bool {
    let is_long = |step: i64| step.unsigned_abs() as f64 >= costs.lanes;
    let goes_far = graph.loops[number].bounds.iter().all(|bound| bound.counter.step().is_none_or(is_long));
    let mut nodes = graph.loops[number].nodes();
    goes_far
        && nodes.all(|node| {
            let block = graph.blocks[node];
            costs.function.condition(block).is_none() || costs.is_by_place(block)
        })
}

/// What says in which iteration a lane leaves a loop.
enum Ends {
    /// What it loads in the loop, from a place of its own. Each iteration is as likely as any other to be its last.
    BySearch,
    /// What it loaded before. Where all trip counts up to a bound are as likely, the longest of `n` is `2n / (n + 1)` times
    /// as long as the mean.
    ByData,
    /// Its place, or what it computed.
    Otherwise,
}

fn ends(costs: &Costs<'_>, graph: &Graph, number: usize) -> Ends {
    let (function, mut by_data) = (costs.function, false);
    let header = graph.blocks[graph.loops[number].header];
    let conditions = graph.exits(number).filter_map(|node| function.condition(graph.blocks[node])?.inst());
    let mut work: Vec<InstId> = conditions.collect();
    let mut seen = HashSet::new();
    while let Some(id) = work.pop() {
        let inst = costs.inst(id);
        let is_before = !graph.holds(number, inst.block);
        let is_far = is_before && seen.len() > SEARCHED;
        if costs.shape(Operand::Inst(id)) != Shape::Varying || is_far || !seen.insert(id) {
            continue;
        }
        match inst.opcode {
            // Of floats, loops hardly count: they come nearer to a result.
            Opcode::Load if is_before => by_data |= matches!(inst.ty.single(), Some(Scalar::Int(_))),
            Opcode::Load => {
                let has_own_place = inst.address().is_some_and(|address| costs.shape(address) == Shape::Varying);
                if has_own_place || costs.price(id).scattered {
                    return Ends::BySearch;
                }
            }
            // Of what is done in blocks of a size, most lanes have all of a block.
            Opcode::Call if is_before && inst.calls(|it| matches!(it, Intrinsic::SMin | Intrinsic::UMin)) => {}
            // What many iterations sum up is much the same in all lanes.
            Opcode::Phi if inst.block == header && sums_up(function, graph, number, id) => {}
            // Halving an interval by what was loaded takes all lanes as long.
            Opcode::Select if !inst.ty.is_int_of(1) => {
                work.extend(inst.operands[1..].iter().filter_map(|it| it.inst()))
            }
            _ => work.extend(inst.operands.iter().filter_map(|operand| operand.inst())),
        }
    }
    if by_data { Ends::ByData } else { Ends::Otherwise }
}

/// Does a phi of a loop's header have the sum of what the iterations added, whichever ways they took? What is added may
/// come from memory, but not from the sum, as it may then be the whole way to the end.
fn sums_up(function: &Function<'_>, graph: &Graph, number: usize, phi: InstId) -> bool {
    let last = next(function, phi, graph.blocks[graph.loops[number].latch]);
    let mut known = HashMap::from([(phi, Some(Part::Sum))]);
    last.is_some_and(|last| part(function, graph, number, last, &mut known) == Some(Part::Sum))
}

/// What a number of a loop has to do with a sum.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Nothing.
    Other,
    /// It is the sum, perhaps with more added.
    Sum,
}

/// What a number has to do with the sum among those `known`, which are extended; `None` if it is computed from the sum
/// otherwise, or too much is looked at.
fn part(
    function: &Function<'_>,
    graph: &Graph,
    number: usize,
    of: Operand,
    known: &mut HashMap<InstId, Option<Part>>,
) -> Option<Part> {
    let Some(id) = of.inst().filter(|id| graph.holds(number, function.inst(*id).block)) else {
        return Some(Part::Other);
    };
    if let Some(known) = known.get(&id) {
        return *known;
    }
    let inst = function.inst(id);
    if inst.opcode == Opcode::Load {
        return Some(Part::Other);
    }
    if known.len() > NEARBY {
        return None;
    }
    // A loop within begins with one of the two, and goes on with the same.
    known.insert(id, Some(Part::Sum).filter(|_| inst.opcode == Opcode::Phi));
    let from = if inst.opcode == Opcode::Select { 1 } else { 0 };
    let parts = inst.operands[from..].iter().map(|operand| part(function, graph, number, *operand, known));
    let parts: Vec<Part> = parts.collect::<Option<_>>()?;
    let sums = parts.iter().filter(|part| **part == Part::Sum).count();
    let result = match inst.opcode {
        _ if sums == 0 => Some(Part::Other),
        Opcode::Phi | Opcode::Select => Some(Part::Sum).filter(|_| sums == parts.len()),
        Opcode::Add | Opcode::Sub => Some(Part::Sum).filter(|_| sums == 1),
        _ => None,
    };
    known.insert(id, result);
    result
}
