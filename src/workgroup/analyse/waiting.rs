//! Loops in which a work-item waits for another. Lanes of a gang go on together: a lane that has taken a lock would
//! wait after the loop for the lanes that still want it. So the work-items of such kernels run as fibers, or their
//! sub-groups do if the kernel does something in these: then one sub-group waits for another.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::ir::{
    BlockId, Buffers, Function, Inst, InstId, IntPredicate, Kind, Opcode, Operand, RmwOp, StateId, Terminator,
};

use crate::analyse::graph::{Graph, graph};
use crate::analyse::instructions::changes_memory;
use crate::analyse::overlap::are_of_different_objects;
use crate::analyse::regions::{BackEdge, Region, region};
use crate::analyse::shape::Shapes;
use crate::bounds::SEARCHED;

/// Does a loop wait for a lock? Lanes that each want it must not go on together. A loop that takes a lock changes the
/// memory that it polls, or compares what it finds there with a value of the lane's own.
pub(crate) fn locks(function: &Function<'_>, shapes: &Shapes, graph: &Graph, number: usize) -> bool {
    let iterations = Iterations::of(function, graph, number);
    let Some(asked) = iterations.awaited() else { return false };
    let changes = |id: &InstId| {
        let inst = function.inst(*id);
        inst.opcode != Opcode::Load && asks_others(function, inst)
    };
    let own = |operand: &Operand| match operand {
        Operand::Inst(id) if asked.contains(id) => false,
        _ => is_own(function, shapes, *operand),
    };
    let compares = |id: &InstId| {
        let inst = function.inst(*id);
        inst.opcode == Opcode::ICmp && asked.contains(id) && inst.operands.iter().any(own)
    };
    iterations.insts.iter().any(|id| changes(id) || compares(id))
}

/// Is a value computed from what surely differs from lane to lane: an id, or an atomic operation's result?
fn is_own(function: &Function<'_>, shapes: &Shapes, operand: Operand) -> bool {
    let mut seen = HashSet::new();
    let mut work = vec![operand];
    while let Some(operand) = work.pop() {
        let Operand::Inst(id) = operand else { continue };
        if shapes.of(id).is_row_uniform() || !seen.insert(id) {
            continue;
        }
        let inst = function.inst(id);
        match (&inst.kind, inst.opcode) {
            // A uniform query gives lanes the same even if they take it from iterations of their own.
            (Kind::Query(query), _) if shapes.of_query(*query).is_row_uniform() => {}
            (Kind::Query(_), _) | (_, Opcode::AtomicRmw | Opcode::AtomicCmpXchg) => return true,
            (_, Opcode::Load | Opcode::Call) => {}
            _ => work.extend_from_slice(&inst.operands),
        }
    }
    false
}

/// Does a function have an instruction by which a loop might wait?
fn may_wait(function: &Function<'_>) -> bool {
    function.insts.iter().any(|inst| asks_others(function, inst))
}

/// The latches of a region's loops that wait, where fibers yield.
pub(crate) fn yields(function: &Function<'_>, region: &Region) -> BTreeSet<BlockId> {
    if !may_wait(function) {
        return BTreeSet::new();
    }
    let Ok(graph) = graph(function, region) else { return back_edges_of_asking(function, region) };
    let waiting = (0..graph.loops.len()).filter(|l| waits(function, &graph, *l));
    waiting.map(|l| graph.blocks[graph.loops[l].latch]).collect()
}

/// Does a kernel have a loop that waits, in one of the regions that it would have if it were not for fibers?
pub(crate) fn has_waiting(function: &Function<'_>) -> bool {
    let waits = |state| !yields(function, &region(function, vec![StateId(state)])).is_empty();
    may_wait(function) && (0..function.states.len() as u32).any(waits)
}

/// The latches of loops that may wait, where the loops are not known. Only back edges go to earlier blocks; so a loop
/// with an instruction that asks has one from that block or a later one to that block or an earlier one.
fn back_edges_of_asking(function: &Function<'_>, region: &Region) -> BTreeSet<BlockId> {
    let asking =
        |block: &BlockId| function.block(*block).insts.iter().any(|id| asks_others(function, function.inst(*id)));
    let asking: BTreeSet<usize> = (0..region.blocks.len()).filter(|at| asking(&region.blocks[*at])).collect();
    let edges = region.back_edges(function).into_iter();
    let asks = |edge: &BackEdge| asking.range(edge.header..=edge.latch).next().is_some();
    edges.filter(asks).map(|edge| region.blocks[edge.latch]).collect()
}

/// Does a loop end when an atomic or volatile access finds something that the loop itself does not bring about?
pub(crate) fn waits(function: &Function<'_>, graph: &Graph, number: usize) -> bool {
    Iterations::of(function, graph, number).awaited().is_some()
}

/// A loop, and what its iterations do.
struct Iterations<'t, 'm> {
    function: &'t Function<'m>,
    graph: &'t Graph,
    number: usize,
    insts: Vec<InstId>,
}

impl<'t, 'm> Iterations<'t, 'm> {
    fn of(function: &'t Function<'m>, graph: &'t Graph, number: usize) -> Self {
        Iterations { function, graph, number, insts: graph.insts(function, number).collect() }
    }

    /// The instructions that ask what others did, and all that depends on them, if these decide whether the loop ends.
    fn awaited(&self) -> Option<HashSet<InstId>> {
        let function = self.function;
        if self.ends_by_what_it_stored() {
            return None;
        }
        let of_loop =
            |operand: &Operand| function.made_by(*operand).is_some_and(|by| self.graph.holds(self.number, by.block));
        let goes_on = self.insts.iter().map(|id| function.inst(*id));
        let goes_on =
            goes_on.filter(|inst| self.is_in_every_iteration(inst.block)).any(|inst| self.follows(inst, false));
        let mut asked = HashSet::new();
        for id in &self.insts {
            let inst = function.inst(*id);
            // At a barrier, a work-item lets others go on.
            if matches!(inst.kind, Kind::Barrier | Kind::Collective(..)) && self.is_in_every_iteration(inst.block) {
                return None;
            }
            match asks(function, inst, &of_loop) {
                Asks::Others if self.finds_what_stays(inst) || goes_on && self.follows(inst, true) => {}
                Asks::Others => _ = asked.insert(*id),
                Asks::Nothing => {}
                // A compare-exchange fails if another one succeeded; the next iteration tries with what is there now.
                Asks::Again if self.is_in_every_iteration(inst.block) => {
                    let compared = inst.operands.get(1).and_then(|operand| operand.inst());
                    if self.decide(&self.depend_on(compared.into_iter().chain([*id]).collect())) {
                        return None;
                    }
                }
                Asks::Again => {}
            }
        }
        let asked = self.depend_on(asked);
        self.decide(&asked).then_some(asked)
    }

    /// Does a compare-exchange find what no work-item changes? So it is where the region's work-items do nothing to an
    /// object but exchange one constant for something else, as keys are put into the free places of a hash table. Those
    /// of a work-group are in one region, and others go on by themselves: there is nobody to wait for.
    fn finds_what_stays(&self, exchange: &Inst<'_>) -> bool {
        let function = self.function;
        let constant = |inst: &Inst<'_>| function.u64_at(inst, 1).filter(|_| inst.opcode == Opcode::AtomicCmpXchg);
        let (Some(free), Some(place)) = (constant(exchange), exchange.accessed()) else { return false };
        // Sub-groups, fibers and callers may be in different regions. Exchanging a constant for itself is a load.
        if function.is_called
            || function.in_fibers
            || function.has_sub_group_operations()
            || function.u64_at(exchange, 2) == Some(free)
        {
            return false;
        }
        let keeps = |id: &InstId| {
            let inst = function.inst(*id);
            let elsewhere = |at| are_of_different_objects(function, [place, at], Buffers::Disjoint);
            match inst.opcode {
                Opcode::Call => inst.is_pure() || !matches!(inst.kind, Kind::Plain),
                Opcode::Fence => true,
                opcode if changes_memory(opcode) => {
                    constant(inst) == Some(free) || inst.accessed().is_some_and(elsewhere)
                }
                _ => true,
            }
        };
        self.graph.blocks.iter().flat_map(|block| &function.block(*block).insts).all(keeps)
    }

    /// Does each iteration access the place that the one before found in memory, as a search for the root of a tree
    /// does, or, if it `may_stay`, the same one as before? A loop in which one access goes on, and others may stay at
    /// what they found, does not wait for a change.
    fn follows(&self, access: &Inst<'_>, may_stay: bool) -> bool {
        let (mut made, mut behind) = (HashMap::new(), Vec::new());
        let place: Vec<Operand> = access.accessed().into_iter().collect();
        if place.is_empty() || !self.is_found(place, &mut made, &mut behind) {
            return false;
        }
        // What gets back to itself without an access in between may be the same again.
        let mut found: HashSet<InstId> = made.keys().copied().filter(|id| self.finds(*id)).collect();
        let mut size = 0;
        while found.len() != size {
            size = found.len();
            let is_found = |operand: &Operand| operand.inst().is_some_and(|id| found.contains(&id));
            let more: Vec<_> = made.iter().filter(|(_, of)| of.iter().all(is_found)).map(|(id, _)| *id).collect();
            found.extend(more);
        }
        (may_stay || found.len() == made.len()) && self.is_found(behind, &mut made, &mut Vec::new())
    }

    /// Do numbers and addresses come from memory that the loop accessed, at places that come from there as well,
    /// whichever way lanes went? Notes in `made` what each number on the way is made of. Places that the loop changes
    /// are only noted, `behind`.
    fn is_found(
        &self,
        mut work: Vec<Operand>,
        made: &mut HashMap<InstId, Vec<Operand>>,
        behind: &mut Vec<Operand>,
    ) -> bool {
        while let Some(operand) = work.pop() {
            let Some(id) = operand.inst().filter(|_| self.varies(operand)) else { return false };
            if made.contains_key(&id) {
                continue;
            }
            let of = self.made_of(id);
            if of.is_empty() || made.len() == SEARCHED {
                return false;
            }
            let is_changed = self.finds(id) && self.function.inst(id).opcode != Opcode::Load;
            if is_changed {
                behind.extend(&of)
            } else {
                work.extend(&of)
            }
            made.insert(id, of);
        }
        true
    }

    /// Is an operand computed in the loop?
    fn varies(&self, operand: Operand) -> bool {
        self.function.made_by(operand).is_some_and(|by| self.graph.holds(self.number, by.block))
    }

    /// Does an instruction find something in memory?
    fn finds(&self, id: InstId) -> bool {
        matches!(self.function.inst(id).opcode, Opcode::Load | Opcode::AtomicRmw | Opcode::AtomicCmpXchg)
    }

    /// What has to come from memory that the loop accesses where a number or an address does, whichever way lanes went,
    /// and where the iterations before this one accessed other places; nothing if it never does.
    fn made_of(&self, id: InstId) -> Vec<Operand> {
        let inst = self.function.inst(id);
        let varying = || inst.operands.iter().copied().filter(|operand| self.varies(*operand)).collect();
        match (&inst.kind, inst.opcode) {
            // It finds the same again if it looks at the same place.
            _ if self.finds(id) => inst.accessed().into_iter().collect(),
            // What comes from outside of the loop is where it begins.
            (Kind::Phi(from), _) => {
                let ways = inst.operands.iter().zip(from);
                ways.filter(|(_, from)| self.graph.holds(self.number, **from)).map(|(operand, _)| *operand).collect()
            }
            (Kind::Plain, Opcode::Select) => inst.operands[1..].to_vec(),
            (Kind::Plain, Opcode::Call) if inst.is_pure() => inst.arguments().to_vec(),
            (Kind::Plain, Opcode::SExt | Opcode::ZExt | Opcode::Trunc | Opcode::Freeze | Opcode::ExtractValue) => {
                inst.operands[..1].to_vec()
            }
            (Kind::Plain, Opcode::GetElementPtr | Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl) => varying(),
            _ => Vec::new(),
        }
    }

    /// Does every iteration store a number, load it again, and leave the loop if it is still there? Who stays has seen
    /// another one's store come between, and tries again, as threads in lockstep do without atomic operations.
    fn ends_by_what_it_stored(&self) -> bool {
        let function = self.function;
        let stored = |address: Operand, number: Operand, load: &Inst<'_>, id: InstId| {
            self.insts.iter().any(|store| {
                let (at, inst) = (*store, function.inst(*store));
                let is_it = inst.opcode == Opcode::Store && inst.operands[..] == [number, address];
                is_it && inst.block == load.block && at.index() < id.index()
            })
        };
        let finds_own = |exit: &(BlockId, BlockId)| {
            let Terminator::Branch { successors, .. } = &function.block(exit.0).terminator else { return false };
            let compared = function.terminator_use(exit.0).map(|id| function.inst(id));
            let Some(compared) = compared.filter(|inst| inst.opcode == Opcode::ICmp) else { return false };
            let leaves_if_equal = match compared.int_predicate() {
                Some(IntPredicate::Eq) => successors[0] == exit.1,
                Some(IntPredicate::Ne) => successors[0] != exit.1,
                _ => false,
            };
            let [left, right] = compared.operands[..] else { return false };
            let loads = |loaded: Operand, number: Operand| {
                let Operand::Inst(id) = loaded else { return false };
                let load = function.inst(id);
                load.opcode == Opcode::Load && stored(load.operands[0], number, load, id)
            };
            leaves_if_equal && (loads(left, right) || loads(right, left))
        };
        self.exits().iter().any(|exit| self.is_in_every_iteration(exit.0) && finds_own(exit))
    }

    /// The edges out of the loop, each as the block that it leaves and the one that it enters.
    fn exits(&self) -> Vec<(BlockId, BlockId)> {
        let graph = self.graph;
        let leaving = |node: usize| {
            let out = graph.successors[node].iter().filter(|next| !graph.is_in(**next, self.number));
            out.filter_map(|next| Some((graph.blocks[node], *graph.blocks.get(*next)?))).collect::<Vec<_>>()
        };
        graph.loops[self.number].nodes().flat_map(leaving).collect()
    }

    /// Does every iteration that another one follows run a block?
    fn is_in_every_iteration(&self, block: BlockId) -> bool {
        let latch = self.graph.loops[self.number].latch;
        self.graph.numbers.get(&block).is_some_and(|node| self.graph.dominates(*node, latch))
    }

    /// Some instructions, and all in the loop that depends on them.
    fn depend_on(&self, mut found: HashSet<InstId>) -> HashSet<InstId> {
        let mut size = 0;
        while found.len() != size {
            size = found.len();
            for id in &self.insts {
                let uses = |operand: &Operand| matches!(operand, Operand::Inst(used) if found.contains(used));
                let inst = self.function.inst(*id);
                if inst.operands.iter().any(uses) || says_which_way(self.function, inst, &found) {
                    found.insert(*id);
                }
            }
        }
        found
    }

    /// Does one of the instructions decide whether the loop ends?
    fn decide(&self, found: &HashSet<InstId>) -> bool {
        let (graph, function) = (self.graph, self.function);
        let decides = |node: usize| function.terminator_use(graph.blocks[node]).is_some_and(|id| found.contains(&id));
        graph.exits(self.number).any(decides)
    }
}

/// Is it a boolean phi that tells which way a branch on one of the `asked` instructions went?
fn says_which_way(function: &Function<'_>, inst: &Inst<'_>, asked: &HashSet<InstId>) -> bool {
    let Kind::Phi(from) = &inst.kind else { return false };
    let decided = |block: &BlockId| {
        let conditional =
            matches!(&function.block(*block).terminator, Terminator::Branch { successors, .. } if successors.len() > 1);
        conditional && function.terminator_use(*block).is_some_and(|id| asked.contains(&id))
    };
    let is_truth = inst.ty.is_int_of(1);
    is_truth && from.iter().any(decided)
}

/// Does an instruction ask what others did, whatever loop it is in?
fn asks_others(function: &Function<'_>, inst: &Inst<'_>) -> bool {
    matches!(asks(function, inst, &|_| false), Asks::Others)
}

/// What an instruction of a loop finds out.
enum Asks {
    Nothing,
    /// What others did, which may be nothing yet.
    Others,
    /// Whether another work-item came between: it compares with what was read in this iteration.
    Again,
}

fn asks(function: &Function<'_>, inst: &Inst<'_>, of_loop: &dyn Fn(&Operand) -> bool) -> Asks {
    match inst.opcode {
        Opcode::Load if !inst.is_ordinary() => Asks::Others,
        Opcode::AtomicCmpXchg if inst.operands.get(1).is_some_and(|old| of_loop(old) && was_there(function, *old)) => {
            Asks::Again
        }
        Opcode::AtomicCmpXchg => Asks::Others,
        Opcode::AtomicRmw => {
            // An operation that counts makes progress by itself.
            let counts =
                matches!(inst.memory().operation, Some(RmwOp::Add | RmwOp::Sub)) && function.u64_at(inst, 1) != Some(0);
            if counts || inst.operands.get(1).is_some_and(of_loop) { Asks::Nothing } else { Asks::Others }
        }
        _ => Asks::Nothing,
    }
}

/// Is it a value as it was found in memory, not computed from one?
fn was_there(function: &Function<'_>, operand: Operand) -> bool {
    let mut seen = HashSet::new();
    let mut work = vec![operand];
    while let Some(operand) = work.pop() {
        let Operand::Inst(id) = operand else { continue };
        if !seen.insert(id) {
            continue;
        }
        let inst = function.inst(id);
        match inst.opcode {
            Opcode::Load | Opcode::AtomicCmpXchg | Opcode::AtomicRmw | Opcode::Call => {}
            Opcode::Select => work.extend_from_slice(&inst.operands[1..]),
            Opcode::Phi
            | Opcode::ExtractValue
            | Opcode::BitCast
            | Opcode::IntToPtr
            | Opcode::PtrToInt
            | Opcode::Freeze => work.extend_from_slice(&inst.operands),
            _ => return false,
        }
    }
    true
}
