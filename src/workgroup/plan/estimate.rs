//! Whether lanes pay: what a region costs a gang, and what its work-items one by one.
//!
//! What instructions cost is in `costs`, and how often they run in `presence`. Constants here say how often something happens, as far as that is guessed.

use std::collections::BTreeSet;

use crate::ir::{Function, InstId, Kind, Opcode, Operand};

use crate::analyse::course::{Course, Traversal};
use crate::analyse::graph::Graph;
use crate::analyse::induction::{Steps, bounds};
use crate::analyse::shape::{Shape, Shapes};
use crate::bounds::components::LONGEST;
use crate::bounds::estimate::SMALL;
use crate::plan::column::goes_down_column;
use crate::plan::costs::Costs;
use crate::plan::presence::{Presence, doubt};
use crate::plan::recurrence::waits;
use crate::plan::scalar_cost::scalar_factor;
use crate::prices::overrides;
use crate::recipe::Width;

/// What is compared.
pub(crate) struct Estimate {
    /// Of as many work-items as there are lanes, one by one.
    pub(crate) single: f64,
    /// Of a gang.
    pub(crate) gang: f64,
    /// Places of the code at which each lane reads or writes at an address of its own.
    pub(crate) scattered: usize,
    /// What of the gang's time goes to numbers of 64 bits, which have two registers a value as it is.
    wide: f64,
    /// Is there an access to so many numbers at once that twice as many would be too many?
    long: bool,
    /// Is there a loop that has no registers for twice as many values?
    full: bool,
}

impl Estimate {
    /// The time of a gang in parts of that of its work-items one by one.
    pub(crate) fn ratio(&self) -> f64 {
        if self.single > 0.0 { self.gang / self.single } else { 1.0 }
    }

    /// Could twice the lanes pay?
    pub(crate) fn components_room(&self) -> bool {
        self.scattered == 0 && !self.long && !self.full && self.wide < 0.5 * self.gang
    }
}

/// How much more often code in a loop runs than around it, if nothing is known of it, and how many loops count.
pub(crate) const ITERATIONS: f64 = 8.0;
pub(crate) const DEPTH: usize = 3;
/// Sums up all regions.
pub(crate) fn estimate<'g>(costs: &Costs<'_>, regions: impl Iterator<Item = (&'g Graph, &'g Course)>) -> Estimate {
    let function = costs.function;
    let mut result = Estimate { single: 0.0, gang: 0.0, scattered: 0, wide: 0.0, long: false, full: false };
    for (graph, course) in regions {
        let presence = Presence::new(function, graph, course, costs.lanes);
        let items = &presence.items;
        result.full |= (0..graph.loops.len()).any(|l| !have_room(carried(costs, graph, l).1, 2));
        let iterations = iterations_of_loops(function, graph);
        let iteration = |number: usize| {
            let l = &graph.loops[number];
            let of = |node: usize| costs.block(graph.blocks[node]).iter().map(|id| costs.of(*id).0).sum::<f64>();
            (l.header..l.end).map(|node| of(node) * items[node] / items[l.header]).sum()
        };
        let steps: Vec<_> = (0..graph.loops.len()).map(|number| Steps::new(function, graph, number)).collect();
        let factors: Vec<f64> = (0..)
            .zip(&steps)
            .map(|(number, steps)| scalar_factor(costs, graph, course, number, steps, iteration(number)))
            .collect();
        for (node, block) in graph.blocks.iter().enumerate() {
            let weight = weight(graph, &iterations, node);
            let by_itself = graph.innermost(node).map_or(1.0, |number| factors[number]);
            let (single_weight, gang_weight) =
                (weight * items[node] * costs.lanes * by_itself, weight * presence.gangs[node]);
            for id in &function.block(*block).insts {
                let (single, gang, scattered) = costs.of(*id);
                result.single += single_weight * single;
                result.gang += gang_weight * gang;
                if goes_down_column(costs, graph, &steps, node, *id) {
                    result.single += single_weight * overrides::COLUMN.cycles;
                }
                result.scattered += usize::from(scattered && presence.is_sure(node));
                let inst = function.inst(*id);
                result.wide += if costs.is_wide(inst) { gang_weight * gang } else { 0.0 };
                result.long |= matches!(inst.opcode, Opcode::Load | Opcode::Store)
                    && 2.0 * costs.lanes * costs.numbers(*id).unwrap_or(costs.width(*id).parts) > LONGEST as f64;
            }
            if costs.is_guessed(*block) {
                result.single += single_weight * overrides::WRONG_GUESS.cycles * doubt(function, *block);
                result.gang += gang_weight * costs.masks();
            }
        }
    }
    result
}

/// How often each loop runs, as far as that counts.
pub(crate) fn iterations_of_loops(function: &Function<'_>, graph: &Graph) -> Vec<f64> {
    (0..graph.loops.len()).map(|number| iterations(function, graph, number)).collect()
}

/// How much more often a node runs than the region around its loops, of which each runs so often.
pub(crate) fn weight(graph: &Graph, iterations: &[f64], node: usize) -> f64 {
    graph.around(node).take(DEPTH).map(|number| iterations[number]).product()
}

/// Registers that a loop may take, and how many it has for what lives from one instruction to the next. They are those of
/// processors with 32; with 16 some are spilled, which costs less than to wait: for x86-64-v3 the mandelbrot set takes 20.4, 17.8
/// and 11.2 ns with one, two and four registers a value, a ray marcher 19.1, 14.6 and 11.6.
const REGISTERS: f64 = 30.0;
const PASSING: f64 = 2.0;

/// Registers a value where loops wait for themselves, and where lanes leave these in any iteration: the more lanes, the longer
/// the last, so that more pay only where the wait is long.
const INTERLEAVE: u32 = 4;
const INTERLEAVE_DIVERGENT: u32 = 2;

/// How many times the lanes take hardly longer, if a region spends its time in small loops that wait for the result of the
/// iteration before, and these leave room for as many registers.
pub(crate) fn room_for_more(costs: &Costs<'_>, Traversal { graph, course }: &Traversal) -> Option<u32> {
    let (function, shapes) = (costs.function, costs.shapes);
    let insts = || graph.blocks.iter().flat_map(|block| &function.block(*block).insts).copied();
    if graph.loops.is_empty() || insts().count() > SMALL {
        return None;
    }
    let together = |id: InstId, times: u32| {
        let inst = function.inst(id);
        let Width { registers, parts } = costs.width(id);
        let plain = matches!(inst.kind, Kind::Plain | Kind::Phi(_) | Kind::Query(_));
        let once = graph.numbers.get(&inst.block).is_some_and(|node| graph.depth(*node) == 0);
        let narrow = shapes.of(id) != Shape::Varying || once || registers <= parts;
        // An atomic counter behind the loops takes as long as it takes.
        let apart = costs.of(id).2 && !(once && inst.opcode == Opcode::AtomicRmw);
        let parts = costs.numbers(id).unwrap_or(parts);
        plain && !apart && narrow && parts * costs.lanes * f64::from(times) <= LONGEST as f64
    };
    let inner = || (0..graph.loops.len()).filter(|l| graph.is_innermost(*l));
    let carried: Vec<_> = inner().map(|l| carried(costs, graph, l)).collect();
    let fit = |times: u32| carried.iter().all(|(any, registers)| *any && have_room(*registers, times));
    let divergent = (0..graph.loops.len()).any(|l| course.diverges(l) && !counts(function, shapes, graph, l));
    let waits_long = || inner().all(|l| waits(costs, graph, course, l, INTERLEAVE_DIVERGENT));
    let pays = |times: &u32| {
        let long = !divergent || *times <= INTERLEAVE_DIVERGENT || waits_long();
        long && insts().all(|id| together(id, *times)) && fit(*times)
    };
    let choices = if divergent { &[INTERLEAVE, INTERLEAVE_DIVERGENT][..] } else { &[INTERLEAVE] };
    choices.iter().copied().find(pays)
}

/// How often a loop runs, as far as that counts. Those by which a work-group fills a tile go by its size to a constant, which is
/// not far, from wherever each work-item starts.
fn iterations(function: &Function<'_>, graph: &Graph, number: usize) -> f64 {
    let bounds = bounds(function, graph, number);
    let strided = bounds.iter().filter(|bound| bound.counter.step().is_some_and(|step| step > 1));
    let iterations = strided.filter_map(|bound| bound.most_iterations()).filter(|iterations| *iterations > 1);
    iterations.map(|iterations| iterations as f64).fold(ITERATIONS, f64::min)
}

/// Do varying values go from iteration to iteration of a loop, and how many registers do these and those from outside take?
fn carried(costs: &Costs<'_>, graph: &Graph, number: usize) -> (bool, f64) {
    let (any, alive) = alive_in(costs, graph, number);
    (any, alive.into_iter().map(|id| costs.width(id).registers).sum())
}

/// Are there registers for what takes so many, that many times?
fn have_room(registers: f64, times: u32) -> bool {
    f64::from(times) * (registers + PASSING) <= REGISTERS
}

/// Does a loop count up to what all lanes share, each from its own place on? They leave it in the same iteration but for the
/// last.
fn counts(function: &Function<'_>, shapes: &Shapes, graph: &Graph, number: usize) -> bool {
    (graph.loops[number].header..graph.loops[number].end).all(|node| {
        let Some(condition) = function.condition(graph.blocks[node]) else { return true };
        let compares = |id: InstId| {
            let inst = function.inst(id);
            inst.opcode == Opcode::ICmp && inst.operands.iter().all(|o| shapes.of_operand(*o) != Shape::Varying)
        };
        shapes.of_operand(condition).is_row_uniform() || matches!(condition, Operand::Inst(id) if compares(id))
    })
}

/// Does a loop give varying values from iteration to iteration, and which are these and those from outside?
pub(crate) fn alive_in(costs: &Costs<'_>, graph: &Graph, number: usize) -> (bool, BTreeSet<InstId>) {
    let function = costs.function;
    let inside = |id: InstId| graph.holds(number, function.inst(id).block);
    let varies = |id: InstId| costs.shapes.of(id) == Shape::Varying;
    let header = graph.loops[number].header;
    let (mut carried, mut alive) = (false, BTreeSet::new());
    for node in header..graph.loops[number].end {
        for id in function.block(graph.blocks[node]).insts.iter().copied() {
            let inst = function.inst(id);
            if node == header && matches!(inst.kind, Kind::Phi(_)) && varies(id) {
                carried = true;
                alive.insert(id);
            }
            alive.extend(inst.operands.iter().filter_map(|operand| match operand {
                Operand::Inst(used) if varies(*used) && !inside(*used) => Some(*used),
                _ => None,
            }));
        }
    }
    (carried, alive)
}
