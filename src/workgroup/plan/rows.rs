//! Unroll and jam: gangs that take several rows through a region at once. What rows share, as the columns of a matrix,
//! is loaded once for all of them, and each row has its own chain of operations.
//!
//! Only what depends on the place along y is done for each row, so rows have to agree on every branch. Where they may
//! not, as at the edge of a matrix, that is tested before anything is stored, and rows that disagree go on one by one.
//!
//! Divergent loops run as tiles, too: several rows, each with masks of its own. Work-items that are neighbours in two
//! dimensions leave such a loop at about the same time; those of a long row do not.

use std::collections::BTreeSet;

use crate::ir::{Function, Inst, InstId, Kind, Opcode, Operand, Terminator};
use oxicl_ops::Query;

use crate::analyse::course::{Leave, Mask};
use crate::analyse::graph::Graph;
use crate::analyse::instructions::is_division;
use crate::analyse::shape::{Shape, Shapes};
use crate::bounds::DEEPEST_LOOPS;
use crate::plan::bodies::is_worth_a_body;
use crate::plan::costs::Costs;
use crate::plan::estimate::estimate_region;
use crate::plan::gangs::GangRegion;
use crate::plan::presence::Presence;
use crate::plan::recurrence::{sections, waiting};

/// How many rows go through a region at once, and the lanes of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Together {
    pub(crate) count: u32,
    pub(crate) lanes: u32,
    /// May rows disagree on a branch?
    pub(crate) may_diverge: bool,
    /// Has each row masks of its own?
    pub(crate) own_masks: bool,
}

/// Rows that go together. A cost: enough that the load of what they share is a small part of what is done with it.
const COUNT: u32 = 4;

/// A cost: vector registers that a loop may not take.
const SPARE: f64 = 2.0;

/// Which instructions may differ between rows: those made from queries that `differs` holds for. If rows may take
/// different sides of any branch, phis that are not uniform differ, too.
pub(crate) fn of_row(function: &Function<'_>, shapes: &Shapes, differs: fn(Query) -> bool) -> Vec<bool> {
    let mut of_row = vec![false; function.insts.len()];
    for iteration in 0..=DEEPEST_LOOPS {
        let parted = function.block_ids().any(|block| is_of(&of_row, function.condition(block)));
        let mut changed = false;
        // In loops, operands may come later.
        for (id, inst) in function.numbered() {
            if of_row[id.index()] {
                continue;
            }
            let chosen = matches!(inst.kind, Kind::Phi(_)) && parted && shapes.of(id) != Shape::Uniform;
            let asks = matches!(inst.kind, Kind::Query(query) if differs(query));
            if chosen || asks || inst.operands.iter().any(|operand| is_of(&of_row, Some(*operand))) {
                of_row[id.index()] = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
        if iteration == DEEPEST_LOOPS {
            of_row.fill(true);
        }
    }
    of_row
}

fn is_of(of_row: &[bool], operand: Option<Operand>) -> bool {
    matches!(operand, Some(Operand::Inst(id)) if of_row[id.index()])
}

/// Does a load read the same in all rows, but not the same for neighbours along x?
pub(crate) fn is_shared_load(inst: &Inst<'_>, shapes: &Shapes, of_row: &[bool]) -> bool {
    let address = inst.operands.first().copied();
    inst.opcode == Opcode::Load
        && !is_of(of_row, address)
        && address.is_some_and(|address| !shapes.of_operand(address).is_row_uniform())
}

/// May the answer differ between rows of a work-group?
pub(crate) fn differs_in_group(query: Query) -> bool {
    tells_rows_of_group_apart(query) || query.is_of_sub_group()
}

/// The same, without sub-groups, of which each row may have its own.
pub(crate) fn tells_rows_of_group_apart(query: Query) -> bool {
    query.tells_rows_apart() && !matches!(query, Query::GroupId(_))
}

/// Can a function run several rows at once? The order of accesses changes between work-items, but within none.
pub(crate) fn may_join_rows(function: &Function<'_>) -> bool {
    let plain = |inst: &Inst<'_>| match inst.kind {
        Kind::Query(query) => query != Query::GlobalLinearId,
        Kind::Phi(_) => true,
        Kind::Plain => match inst.opcode {
            // A call that fills or copies memory stores, too.
            Opcode::Call => inst.is_pure(),
            _ => inst.is_ordinary(),
        },
        _ => false,
    };
    !function.in_fibers
        && function.insts.iter().all(plain)
        && !function.blocks.iter().any(|block| matches!(block.terminator, Terminator::Cut { gather: Some(_), .. }))
}

/// How many rows go through a region at once, if that pays: the region loads in a loop what rows share, and has enough
/// registers. `long` says that rows may have twice as many work-items as a gang.
pub(crate) fn rows_at_once(costs: &Costs<'_>, region: &GangRegion, of_row: &[bool], long: bool) -> Option<Together> {
    let graph = &region.graph;
    let (function, gang) = (costs.function, costs.gang);
    let blocks = || graph.blocks.iter().map(|block| function.block(*block));
    let insts: usize = blocks().map(|block| block.insts.len()).sum();
    let diverges = |node: &usize| is_of(of_row, function.condition(graph.blocks[*node]));
    let early = |node: usize| is_early(function, graph, node);
    let may_diverge = (0..graph.end()).any(|node| diverges(&node));
    // The region is written once more for each row.
    let pays = || is_worth_a_body(saved(costs, region, of_row), COUNT as usize * insts);
    if graph.loops.is_empty() || !(0..graph.end()).filter(diverges).all(early) || !pays() {
        return None;
    }
    let most = f64::from(gang.vectors.registers) - SPARE;
    let fits = |registers: u32| {
        let inner = (0..graph.loops.len()).filter(|l| graph.is_innermost(*l));
        inner.into_iter().all(|number| {
            let each = |id: &InstId| {
                let rows = if of_row[id.index()] { f64::from(COUNT) } else { 1.0 };
                rows * costs.width(*id).registers
            };
            let alive = alive_in(costs, graph, number);
            // Temporaries: a load of what rows share, and what each row makes of it.
            let passing = 1.0 + f64::from(COUNT) / f64::from(registers);
            f64::from(registers) * (alive.iter().map(each).sum::<f64>() + passing) <= most
        })
    };
    let registers = [2, 1].into_iter().find(|registers| (long || *registers == 1) && fits(*registers))?;
    Some(Together { count: COUNT, lanes: registers * gang.lanes, may_diverge, own_masks: false })
}

/// The part of a gang's time that unroll and jam saves: shared loads in loops, and latencies. 0 without such loads.
fn saved(costs: &Costs<'_>, GangRegion { graph, course, .. }: &GangRegion, of_row: &[bool]) -> f64 {
    let presence = Presence::new(costs, graph, course);
    let is_shared = |id: &&InstId| is_shared_load(costs.inst(**id), costs.shapes, of_row);
    let of_node = |node: usize| {
        let loads = costs.block(graph.blocks[node]).iter().filter(is_shared);
        presence.often(node) * loads.map(|id| costs.price(*id).gang).sum::<f64>()
    };
    let shared: f64 = (0..graph.end()).filter(|node| graph.depth(*node) > 0).map(of_node).sum();
    if shared == 0.0 {
        return 0.0;
    }
    let waits = waiting(costs, graph, course, &presence, &sections(costs, graph), &[]);
    let time = estimate_region(costs, graph, course, &presence).gang + waits;
    let of_others = 1.0 - 1.0 / f64::from(COUNT);
    of_others * (shared + waits) / time
}

/// The varying values that are alive all through a loop: phis of its header, and what it uses from outside.
fn alive_in(costs: &Costs<'_>, graph: &Graph, number: usize) -> BTreeSet<InstId> {
    let function = costs.function;
    let inside = |id: InstId| graph.holds(number, function.inst(id).block);
    let varies = |id: InstId| costs.shapes.of(id) == Shape::Varying;
    let l = &graph.loops[number];
    let mut alive = BTreeSet::new();
    for node in l.nodes() {
        for id in function.block(graph.blocks[node]).insts.iter().copied() {
            let inst = function.inst(id);
            if node == l.header && matches!(inst.kind, Kind::Phi(_)) && varies(id) {
                alive.insert(id);
            }
            alive.extend(inst.operands.iter().filter_map(|operand| match operand {
                Operand::Inst(used) if varies(*used) && !inside(*used) => Some(*used),
                _ => None,
            }));
        }
    }
    alive
}

/// May rows that disagree at the end of a node run the gang again, one by one? Yes if nothing was stored before.
fn is_early(function: &Function<'_>, graph: &Graph, node: usize) -> bool {
    let stores = |node: usize| {
        let insts = &function.block(graph.blocks[node]).insts;
        insts.iter().any(|id| function.inst(*id).opcode == Opcode::Store)
    };
    graph.depth(node) == 0 && !(0..=node).any(stores)
}

/// `count` rows as a tile, where the region has a divergent loop: each row has its lanes and its own masks. A row
/// without active lanes does only what is harmless under its masks.
pub(crate) fn rows_of_tile(
    function: &Function<'_>,
    shapes: &Shapes,
    GangRegion { graph, course, .. }: &GangRegion,
    of_row: &[bool],
    count: u32,
    lanes: u32,
) -> Option<Together> {
    let diverges = |node: &usize| {
        let agree = matches!(course.leave[*node], Leave::Branch(_));
        agree && is_of(of_row, function.condition(graph.blocks[*node]))
    };
    let early = |node: usize| course.masks[node] == Mask::Entry && is_early(function, graph, node);
    let insts = |node: usize| function.block(graph.blocks[node]).insts.iter().copied();
    let harmless = |id: InstId| {
        let inst = function.inst(id);
        let address = match inst.opcode {
            Opcode::Load => inst.operands.first(),
            Opcode::Store => inst.operands.get(1),
            opcode if is_division(opcode) => return shapes.of(id) == Shape::Varying,
            _ => return true,
        };
        address.is_some_and(|address| !shapes.of_operand(*address).is_row_uniform())
    };
    // What all rows share must not depend on which lanes are there.
    let is_safe = |node: usize| {
        let masked = course.masks[node] != Mask::Entry;
        insts(node).all(|id| {
            let merges = matches!(function.inst(id).kind, Kind::Phi(_)) && shapes.of(id) != Shape::Uniform;
            if of_row[id.index()] { !masked || harmless(id) } else { !merges }
        })
    };
    let nodes = || 0..graph.end();
    let leaves_apart = (0..graph.loops.len()).any(|number| course.diverges(number));
    let pays = leaves_apart && nodes().flat_map(insts).any(|id| of_row[id.index()]);
    let may_diverge = nodes().any(|node| diverges(&node));
    let can = nodes().filter(diverges).all(early) && nodes().all(is_safe);
    (pays && can).then_some(Together { count, lanes, may_diverge, own_masks: true })
}
