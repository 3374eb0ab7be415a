//! The course of a gang through a region: which branches stay branches, which blocks run under a mask, and where
//! control goes from each.
//!
//! A branch on which lanes agree stays one. Where lanes diverge, the sides run one after the other, each under the mask
//! of its lanes; blocks that are still to be run are handed on from block to block until it is their turn (partial
//! control-flow linearization: Moll and Hack, 2018). A loop that lanes leave in different iterations is *divergent*: it
//! runs until no lane is left, and its exits run after it.

use std::collections::BTreeSet;

use crate::analyse::graph::Graph;
use crate::analyse::instructions::{changes_memory, is_division, is_harmless};
use crate::analyse::shape::Shapes;
use crate::bounds::COURSE_STEPS;
use crate::declined::Declined;
use crate::ir::{Function, InstId, Kind, Opcode, Operand, Terminator};

/// The lanes that a node runs for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mask {
    /// All that entered the region.
    Entry,
    /// Those that came by its edges.
    Own,
    /// Those of another node, whose mask is its own.
    Of(usize),
}

/// A place that control goes to: a node, or the end of an iteration of a divergent loop, which comes right after the
/// loop's latch. The order is that of the course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Node(usize),
    EndOfIteration(usize),
}

impl PartialOrd for Stop {
    fn partial_cmp(&self, other: &Stop) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Stop {
    fn cmp(&self, other: &Stop) -> std::cmp::Ordering {
        self.index().cmp(&other.index())
    }
}

impl Stop {
    fn index(self) -> usize {
        match self {
            Stop::Node(node) => node * 2,
            Stop::EndOfIteration(latch) => latch * 2 + 1,
        }
    }
}

/// An edge, and where control goes when it is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) to: usize,
    pub(crate) jump: Stop,
}

/// How control leaves a node.
#[derive(Clone, Debug)]
pub(crate) enum Leave {
    /// By one of these edges, on which all lanes agree; in the order of the graph's successors.
    Branch(Vec<Edge>),
    /// By all of these edges, each with its lanes.
    Diverge { to: Vec<usize>, jump: Stop },
}

/// The course of a gang through a region.
pub(crate) struct Course {
    pub(crate) masks: Vec<Mask>,
    /// For each node that is skipped when its mask is empty, where control goes instead.
    pub(crate) skip: Vec<Option<Stop>>,
    pub(crate) leave: Vec<Leave>,
    /// For each divergent loop, where control goes when no lane is left.
    pub(crate) after: Vec<Option<Stop>>,
    /// For each divergent loop, the course of its second body, for iterations that all lanes of the gang begin.
    pub(crate) all_on: Vec<Option<Box<Course>>>,
}

impl Course {
    /// Is it a divergent loop: do lanes leave it in different iterations?
    pub(crate) fn diverges(&self, number: usize) -> bool {
        self.after[number].is_some()
    }
}

/// Do lanes of a gang diverge at the end of this block? On `agreed` conditions they do not.
fn is_divergent(
    function: &Function<'_>,
    shapes: &Shapes,
    graph: &Graph,
    agreed: &BTreeSet<InstId>,
    node: usize,
) -> bool {
    let diverges = |condition: Operand| !shapes.of_operand(condition).is_row_uniform();
    let condition = function.condition(graph.blocks[node]);
    condition.is_some_and(|condition| diverges(condition) && !condition.inst().is_some_and(|id| agreed.contains(&id)))
}

/// Decides the course of gangs whose lanes agree on the `agreed` conditions.
pub(crate) fn course(
    function: &Function<'_>,
    shapes: &Shapes,
    graph: &Graph,
    agreed: &BTreeSet<InstId>,
) -> Result<Course, Declined> {
    let end = graph.end();
    let divergent: Vec<bool> = (0..end).map(|node| is_divergent(function, shapes, graph, agreed, node)).collect();
    let mut budget = COURSE_STEPS;
    let mut in_region = vec![false; end + 1];
    let mut divergent_loops = vec![false; graph.loops.len()];
    for node in (0..end).filter(|n| divergent[*n]) {
        let join = graph.post_dominator(node);
        for (number, l) in graph.loops.iter().enumerate() {
            divergent_loops[number] |= l.nodes().contains(&node) && !graph.is_in(join, number);
        }
        let mut seen = vec![false; end + 1];
        let mut work: Vec<usize> = graph.successors[node].clone();
        while let Some(next) = work.pop() {
            if next == join || std::mem::replace(&mut seen[next], true) {
                continue;
            }
            in_region[next] = true;
            work.extend_from_slice(&graph.successors[next]);
            budget = budget.checked_sub(1).ok_or(Declined::ManyBranches)?;
        }
    }
    in_region[end] = false;
    let masks = masks(graph, &in_region, &divergent_loops, &divergent);
    let guarded = guarded(function, shapes, graph, &masks, &divergent);
    let mut builder = Builder {
        graph,
        divergent_loops: &divergent_loops,
        relay: vec![BTreeSet::new(); 2 * end + 2],
        exits: vec![BTreeSet::new(); graph.loops.len()],
        budget,
    };
    let mut result = Course {
        masks,
        skip: vec![None; end],
        leave: Vec::with_capacity(end),
        after: vec![None; graph.loops.len()],
        all_on: graph.loops.iter().map(|_| None).collect(),
    };
    for node in 0..end {
        let here = Stop::Node(node);
        if guarded[node] {
            result.skip[node] = builder.first(here);
            if let Some(target) = result.skip[node] {
                builder.pass_on(here, target, None)?;
            }
        }
        if let Some(l) = graph.headed(node).filter(|l| divergent_loops[*l]) {
            builder.relay[here.index()].insert(Stop::EndOfIteration(graph.loops[l].latch));
        }
        result.leave.push(builder.leave(node, divergent[node])?);
        if let Some(l) = graph.latched(node).filter(|l| divergent_loops[*l]) {
            result.after[l] = Some(builder.finish(node, l)?);
        }
    }
    Ok(result)
}

fn masks(graph: &Graph, in_region: &[bool], divergent_loops: &[bool], divergent: &[bool]) -> Vec<Mask> {
    let mut masks: Vec<Mask> = Vec::with_capacity(graph.end());
    for (node, in_region) in in_region[..graph.end()].iter().enumerate() {
        let mask = if !in_region {
            Mask::Entry
        } else if graph.headed(node).is_some_and(|l| divergent_loops[l]) {
            Mask::Own
        } else {
            match shares(graph, node, divergent) {
                Some(with) => match masks[with] {
                    Mask::Own => Mask::Of(with),
                    other => other,
                },
                None => Mask::Own,
            }
        };
        masks.push(mask);
    }
    masks
}

/// An earlier node that runs for exactly the same lanes.
fn shares(graph: &Graph, node: usize, divergent: &[bool]) -> Option<usize> {
    let level = match graph.headed(node) {
        Some(l) => graph.loops[l].parent,
        None => graph.innermost(node),
    };
    let mut from = graph.dominator(node);
    // Step out of loops that the node is not in: all lanes that enter them come to the node.
    while let Some(outermost) = graph.around(from).take_while(|l| !graph.is_in(node, *l)).last() {
        let header = graph.loops[outermost].header;
        if !graph.post_dominates(node, header) || header == 0 {
            return None;
        }
        from = graph.dominator(header);
    }
    // Lanes agree on the only edge to the node, so all come or none; or all come in any case.
    let agreed = graph.predecessors[node] == [from] && !divergent[from];
    let all = agreed || graph.post_dominates(node, from);
    (from != node && graph.innermost(from) == level && all).then_some(from)
}

/// A cost that nobody measured, of a branch: a node of at most this many instructions runs even if its mask is empty.
const CHEAP: usize = 12;

/// Nodes that are skipped if their mask is empty: those with a mask of their own, unless all nodes with that mask are
/// cheap to run in vain.
fn guarded(function: &Function<'_>, shapes: &Shapes, graph: &Graph, masks: &[Mask], divergent: &[bool]) -> Vec<bool> {
    let mut guarded = vec![false; graph.end()];
    for (node, mask) in masks.iter().enumerate() {
        let head = match mask {
            Mask::Own => node,
            Mask::Of(head) => *head,
            Mask::Entry => continue,
        };
        guarded[head] = guarded[head] || !is_cheap(function, shapes, graph, node, divergent[node]);
    }
    guarded
}

fn is_cheap(function: &Function<'_>, shapes: &Shapes, graph: &Graph, node: usize, divergent: bool) -> bool {
    let block = function.block(graph.blocks[node]);
    let plain = |id: &InstId| {
        let inst = function.inst(*id);
        match inst.kind {
            Kind::Phi(_) | Kind::Query(_) => true,
            Kind::Plain => {
                let takes_long = changes_memory(inst.opcode) || is_division(inst.opcode);
                !takes_long && !matches!(inst.opcode, Opcode::Load | Opcode::Call)
            }
            _ => false,
        }
    };
    let ends = match &block.terminator {
        Terminator::Branch { condition, .. } => condition.is_none() || divergent,
        _ => false,
    };
    // A scalar phi keeps what was set last, so a node that runs in vain must not set one.
    let phis_are_wide = graph.successors[node].iter().filter(|n| **n != graph.end()).all(|next| {
        let insts = &function.block(graph.blocks[*next]).insts;
        let phis = insts.iter().filter(|id| matches!(function.inst(**id).kind, Kind::Phi(_)));
        phis.into_iter().all(|id| shapes.of_operand(Operand::Inst(*id)) == crate::analyse::shape::Shape::Varying)
    });
    graph.headed(node).is_none()
        && graph.latched(node).is_none()
        && ends
        && phis_are_wide
        && block.insts.len() <= CHEAP
        && block.insts.iter().all(plain)
}

struct Builder<'g> {
    graph: &'g Graph,
    /// For each loop, is it divergent?
    divergent_loops: &'g [bool],
    /// For each stop, the stops that are still to be run after it, besides those that it adds itself.
    relay: Vec<BTreeSet<Stop>>,
    /// For each divergent loop, its exits.
    exits: Vec<BTreeSet<Stop>>,
    budget: usize,
}

impl Builder<'_> {
    /// The outermost divergent loop that an edge leaves.
    fn left(&self, from: usize, to: usize) -> Option<usize> {
        self.graph.around(from).take_while(|l| !self.graph.is_in(to, *l)).filter(|l| self.divergent_loops[*l]).last()
    }

    fn first(&self, at: Stop) -> Option<Stop> {
        self.relay[at.index()].first().copied()
    }

    /// Where control goes from a stop that `adds` stops to those still to be run. There always is one: an edge adds its
    /// target, except a back edge or an exit of a divergent loop. Then the end of the iteration is still to be run, as
    /// all nodes of such a loop have that from its header. After the end of the iteration, an exit is.
    fn next(&self, at: Stop, adds: impl IntoIterator<Item = Stop>) -> Stop {
        let next = self.first(at).into_iter().chain(adds).min();
        debug_assert!(next.is_some(), "nothing follows {at:?}");
        next.unwrap_or(Stop::Node(self.graph.end()))
    }

    /// Hands on to `target` what is still to be run after `at`, and `more`, but not `target` itself.
    fn pass_on(&mut self, at: Stop, target: Stop, more: Option<Stop>) -> Result<(), Declined> {
        let mut waiting = self.relay[at.index()].clone();
        waiting.extend(more);
        waiting.remove(&target);
        self.budget = self.budget.checked_sub(waiting.len() + 1).ok_or(Declined::ManyWaiting)?;
        self.relay[target.index()].extend(waiting);
        Ok(())
    }

    fn leave(&mut self, node: usize, diverges: bool) -> Result<Leave, Declined> {
        let graph = self.graph;
        let here = Stop::Node(node);
        let back = graph.latched(node).map(|l| (graph.loops[l].header, self.divergent_loops[l]));
        // Each edge, and the stop that it adds to those still to be run.
        let mut edges = Vec::new();
        for to in graph.successors[node].iter().copied() {
            let adds = if back.is_some_and(|(header, _)| header == to) {
                None
            } else if let Some(l) = self.left(node, to) {
                self.exits[l].insert(Stop::Node(to));
                None
            } else {
                Some(Stop::Node(to))
            };
            edges.push((to, adds));
        }
        if diverges {
            let added = edges.iter().filter_map(|(_, adds)| *adds);
            let jump = self.next(here, added);
            self.pass_on(here, jump, None)?;
            for (_, adds) in &edges {
                self.pass_on(here, jump, *adds)?;
            }
            return Ok(Leave::Diverge { to: edges.into_iter().map(|(to, _)| to).collect(), jump });
        }
        let mut result = Vec::new();
        for (to, adds) in edges {
            if back == Some((to, false)) {
                result.push(Edge { to, jump: Stop::Node(to) });
                continue;
            }
            let jump = self.next(here, adds);
            self.pass_on(here, jump, adds)?;
            result.push(Edge { to, jump });
        }
        Ok(Leave::Branch(result))
    }

    /// Where control goes after a divergent loop.
    fn finish(&mut self, latch: usize, number: usize) -> Result<Stop, Declined> {
        let iteration = Stop::EndOfIteration(latch);
        let exits = std::mem::take(&mut self.exits[number]);
        self.relay[iteration.index()].extend(exits);
        let target = self.next(iteration, None);
        self.pass_on(iteration, target, None)?;
        Ok(target)
    }
}

/// Most loops up to a bound, such as `for (i = get_global_id(0); i < n; i += get_global_size(0))`, keep all lanes in
/// all iterations but the last, and these need no mask. This is the course through an iteration that all lanes of the
/// gang begin and none leaves. `None` unless lanes leave at the header alone, no loop within diverges, and the header
/// may be run again: the usual body does so for an iteration that some lane leaves.
pub(crate) fn all_on(
    function: &Function<'_>,
    shapes: &Shapes,
    graph: &Graph,
    usual: &Course,
    number: usize,
) -> Option<Course> {
    let l = &graph.loops[number];
    let within = |n: &usize| *n != number && graph.is_in(graph.loops[*n].header, number);
    let is_innermost = !(0..graph.loops.len()).filter(within).any(|n| usual.diverges(n));
    let header = function.block(graph.blocks[l.header]);
    let Terminator::Branch { condition: Some(Operand::Inst(condition)), successors, .. } = &header.terminator else {
        return None;
    };
    let diverges =
        usual.diverges(number) && matches!(usual.leave[l.header], Leave::Diverge { .. }) && successors.len() == 2;
    let alone = !(l.header + 1..l.end).any(|node| graph.leaves(node, number));
    if !is_innermost || !diverges || !alone || !header.insts.iter().all(|id| is_harmless(function, *id)) {
        return None;
    }
    let mut course = course(function, shapes, graph, &BTreeSet::from([*condition])).ok()?;
    // All lanes are in the loop.
    for node in l.nodes() {
        let mask = &mut course.masks[node];
        if node == l.header || matches!(*mask, Mask::Of(head) if head <= l.header) {
            *mask = Mask::Entry;
        }
    }
    Some(course)
}
