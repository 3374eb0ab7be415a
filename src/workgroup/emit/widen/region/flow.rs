//! Ends of blocks: where the lanes go on, and which values they bring along.

use std::rc::Rc;

use oxicl_llvm::{Block as LlvmBlock, IntPredicate, Opcode, Value};

use super::{Active, Leaving, UNKNOWN, Waiting, Widener};
use crate::analyse::course::{Leave, Mask, Stop};
use crate::analyse::idioms::live_out::LiveOut;
use crate::failure::{OrFail, Result, failure};
use crate::ir::{BlockId, InstId, Kind, Operand, Terminator};

impl<'e, 'm> Widener<'_, 'e, 'm> {
    /// The block to branch to for `stop`, from the end of `from`, or from anywhere else. The end of an iteration leads
    /// to another one only from the latch: where the latch was skipped, no lane waits for another.
    pub(crate) fn block_of(&mut self, mut stop: Stop, from: Option<usize>) -> Result<LlvmBlock<'m>> {
        loop {
            match stop {
                Stop::Node(node) => return Ok(self.starts[node]),
                Stop::EndOfIteration(latch) => {
                    let l = self.graph.latched(latch).or_fail("an iteration of no loop")?;
                    if from == Some(latch) {
                        return match self.bodies[self.graph.loops[l].header].filter(|_| self.goes_round(l)) {
                            Some(body) => Ok(body),
                            None => Ok(self.check(l)),
                        };
                    }
                    stop = self.course.after[l].or_fail("a loop without an end")?;
                }
            }
        }
    }

    /// Does some lane go on whenever the latch has run, as it is skipped without lanes and has only the back edge?
    pub(crate) fn goes_round(&self, number: usize) -> bool {
        let l = &self.graph.loops[number];
        let looks = match self.course.masks[l.latch] {
            Mask::Own => Some(l.latch),
            Mask::Of(head) => Some(head).filter(|head| *head != l.header && self.graph.is_in(*head, number)),
            Mask::Entry => None,
        };
        let whole = matches!(&self.course.leave[l.latch], Leave::Branch(edges) if edges.len() == 1);
        whole && looks.is_some_and(|head| self.course.skip[head].is_some() && head != l.header)
    }

    pub(crate) fn check(&mut self, number: usize) -> LlvmBlock<'m> {
        *self.checks[number].get_or_insert_with(|| self.e.block("check"))
    }

    /// Writes the end of an iteration of a divergent loop: goes round again if some lane waits at the header.
    pub(crate) fn go_round(&mut self, number: usize) -> Result<()> {
        if self.goes_round(number) {
            return Ok(());
        }
        let b = self.b;
        b.position_at_end(self.check(number));
        let header = self.graph.loops[number].header;
        let (Some(places), Some(after)) = (self.mask_places.get(&header), self.course.after[number]) else {
            return failure("a loop without a mask");
        };
        let more = self.any_waits(places);
        let body = self.bodies[header].or_fail("a loop without a body")?;
        let after = self.block_of(after, None)?;
        self.e.go_on(more, body, after);
        Ok(())
    }

    pub(crate) fn end(&mut self, node: usize, leaving: &dyn Leaving<'e, 'm>) -> Result<()> {
        let b = self.b;
        let function = self.function;
        let block = self.graph.blocks[node];
        let (course, graph) = (self.course, self.graph);
        self.scalar.yields(block);
        let masks = self.masks_of(node);
        if let Terminator::Branch { condition: Some(condition), .. } = &function.block(block).terminator
            && !(self.own_masks && matches!(course.leave[node], Leave::Diverge { .. }))
        {
            self.ask_rows(*condition, self.mask(node))?;
        }
        match (&course.leave[node], &function.block(block).terminator) {
            (Leave::Branch(edges), Terminator::Branch { llvm, condition, successors, .. }) => {
                if let [edge] = edges[..] {
                    self.edge(node, edge.to, &masks, &masks, true)?;
                    return self.jump(edge.jump, node);
                }
                let condition = condition.map(|c| self.first(c)).transpose()?;
                let copy = llvm.clone_instruction().or_fail("a branch that is no instruction")?;
                let blocks: Vec<_> = edges.iter().map(|_| self.e.block("")).collect();
                for (index, successor) in (0u32..).zip(successors) {
                    let to = graph.numbers[successor];
                    let at = edges.iter().position(|e| e.to == to).or_fail("a lost edge")?;
                    copy.set_successor(index, blocks[at]);
                }
                if let Some(condition) = condition {
                    copy.set_operand(0, condition);
                }
                b.insert(copy);
                self.expect(node, copy);
                for (edge, start) in edges.iter().zip(blocks) {
                    b.position_at_end(start);
                    if let Some((_, after)) = self.idle.filter(|(to, _)| node == 0 && *to == edge.to) {
                        b.br(after);
                        continue;
                    }
                    self.edge(node, edge.to, &masks, &masks, true)?;
                    self.jump(edge.jump, node)?;
                }
                Ok(())
            }
            (Leave::Diverge { to, jump }, Terminator::Branch { llvm, condition: Some(condition), successors, .. }) => {
                let mut parted = Vec::new();
                let mut part = |w: &mut Self| {
                    parted.push(w.part(node, **llvm, *condition, successors, w.mask(node))?);
                    Ok(())
                };
                if self.own_masks {
                    self.each_row(part)?
                } else {
                    part(self)?
                }
                for node_to in to {
                    let lanes = |of_row: &Vec<(usize, Value<'m>)>| Some(of_row.iter().find(|(n, _)| n == node_to)?.1);
                    let lanes: Vec<_> = parted.iter().map(lanes).collect();
                    if lanes.contains(&None) {
                        return failure("a lost edge");
                    }
                    // Sets the phis for all lanes of the node: one that goes elsewhere gets another value if it comes.
                    self.edge(node, *node_to, &lanes, &masks, false)?;
                }
                self.jump(*jump, node)
            }
            (Leave::Branch(edges), Terminator::Return(_) | Terminator::Cut { .. }) => {
                self.each_row(|w| leaving.leave(w, block, w.mask(node)))?;
                self.jump(edges[0].jump, node)
            }
            (Leave::Branch(edges), Terminator::Unreachable) => self.jump(edges[0].jump, node),
            _ => failure("a block that ends otherwise than was planned"),
        }
    }

    /// Goes on from the end of a node.
    pub(super) fn jump(&mut self, to: Stop, from: usize) -> Result<()> {
        let target = self.block_of(to, Some(from))?;
        self.b.br(target);
        Ok(())
    }

    /// Tells LLVM that gangs whose lanes agree on a guard mostly take the side with more code, so that this becomes the
    /// fall-through: lanes that agree are mostly inside the bounds.
    fn expect(&self, node: usize, branch: Value<'m>) {
        /// A frequency that nobody measured: how much likelier it is said to be. It only decides the order of blocks.
        const LIKELIER: u32 = 32;
        let Terminator::Branch { condition: Some(Operand::Inst(id)), successors, .. } =
            &self.function.block(self.graph.blocks[node]).terminator
        else {
            return;
        };
        let [then, otherwise] = &successors[..] else { return };
        // Weights that the program gives stay.
        if !self.recipes.agree_on(*id) || !branch.branch_weights().is_empty() {
            return;
        }
        let behind = |to: &BlockId| {
            let to = self.graph.numbers[to];
            let only = (to..self.graph.end()).take_while(|node| self.graph.dominates(to, *node));
            let alone = self.graph.predecessors[to] == [node];
            only.filter(|_| alone).map(|node| self.function.block(self.graph.blocks[node]).insts.len()).sum::<usize>()
        };
        let (one, other) = (behind(then), behind(otherwise));
        let weights = match one.cmp(&other) {
            std::cmp::Ordering::Equal => return,
            std::cmp::Ordering::Greater => [LIKELIER, 1],
            std::cmp::Ordering::Less => [1, LIKELIER],
        };
        branch.set_branch_weights(self.b.context(), &weights);
    }

    /// The lanes that go to each successor of a branch at which lanes diverge.
    pub(crate) fn part(
        &self,
        node: usize,
        branch: Value<'m>,
        condition: Operand,
        successors: &[BlockId],
        mask: Active<'m>,
    ) -> Result<Vec<(usize, Value<'m>)>> {
        let b = self.b;
        let condition = self.component(condition)?;
        let mut result: Vec<(usize, Value<'m>)> = Vec::new();
        let mut add = |block: BlockId, lanes: Value<'m>| {
            let node = self.graph.numbers[&block];
            match result.iter_mut().find(|(n, _)| *n == node) {
                Some((_, all)) => *all = b.or(*all, lanes),
                None => result.push((node, lanes)),
            }
        };
        if branch.opcode() == Some(Opcode::Br) {
            let [then, otherwise] = successors else { return failure("a branch with other than two ways") };
            if let (Some(mask), true) = (mask, then != otherwise) {
                // The lanes of one side are the mask without those of the other: no second comparison. The side that
                // stays in a loop is computed first, as the next iteration waits for it.
                let l = self.graph.innermost(node);
                let stays = |block: &BlockId| l.is_some_and(|l| self.graph.is_in(self.graph.numbers[block], l));
                let (first, second, condition) = match stays(otherwise) && !stays(then) {
                    true => (otherwise, then, b.not(condition)),
                    false => (then, otherwise, condition),
                };
                let lanes = self.narrow(Some(mask), condition);
                add(*first, lanes);
                add(*second, b.xor(mask, lanes));
                return Ok(result);
            }
            add(*then, condition);
            add(*otherwise, b.not(condition));
        } else {
            let [default, cases @ ..] = successors else { return failure("a switch without ways") };
            let mut none = self.full(None);
            for ((value, _), block) in branch.switch_cases().into_iter().zip(cases) {
                let here = b.icmp(IntPredicate::Eq, condition, self.splat(value));
                none = b.and(none, b.not(here));
                add(*block, here);
            }
            add(*default, none);
        }
        Ok(result.into_iter().map(|(node, lanes)| (node, self.narrow(mask, lanes))).collect())
    }

    /// Transfers lanes along the edge `from -> to`: adds them to the target's mask and sets its phis. `lanes` and
    /// `of_node`, the mask of `from`, have one mask for each row that has masks. `whole` if every active lane takes it.
    pub(crate) fn edge(
        &mut self,
        from: usize,
        to: usize,
        lanes: &[Active<'m>],
        of_node: &[Active<'m>],
        whole: bool,
    ) -> Result<()> {
        if to == self.graph.end() {
            return Ok(());
        }
        if self.course.masks[to] == Mask::Own {
            self.add_lanes(to, lanes);
        }
        let same = |a: usize, b: usize| match (self.course.masks[a], self.course.masks[b]) {
            (Mask::Entry, Mask::Entry) => true,
            (Mask::Of(a), Mask::Of(b)) => a == b,
            (Mask::Of(x), Mask::Own) => x == b,
            (Mask::Own, Mask::Of(x)) => x == a,
            _ => false,
        };
        // All lanes enter a loop at once, unless several edges lead into it, as where the region begins at a barrier
        // within. They also enter another iteration, or a block with the same mask, at once. Phis there need no blend.
        let at_once = |l: usize| {
            let outside = self.graph.predecessors[to].iter().filter(|before| !self.graph.is_in(**before, l));
            self.graph.loops[l].latch == from || outside.count() == 1
        };
        let plain = self.graph.headed(to).is_some_and(at_once) || (whole && same(from, to));
        let block = self.graph.blocks[from];
        let counters = Rc::clone(&self.live_outs);
        for live_out in counters.iter().filter(|live_out| live_out.header == to && from < to) {
            self.for_rows(live_out.phi, |w| w.begin_count(live_out, w.of_this_row(lanes).flatten()))?;
        }
        for id in self.phis(to) {
            if let Some(live_out) = counters.iter().find(|live_out| live_out.at == from && live_out.phi == id) {
                self.for_rows(id, |w| w.count_on(live_out, w.of_this_row(of_node).flatten()))?;
                continue;
            }
            let inst = self.function.inst(id);
            let Kind::Phi(blocks) = &inst.kind else { continue };
            let index = blocks.iter().position(|b| *b == block).or_fail("a phi without its edge")?;
            let operand = inst.operands[index];
            self.for_rows(id, |w| w.wait(id, operand, w.of_this_row(of_node).flatten().filter(|_| !plain)))?;
        }
        Ok(())
    }

    /// Two paths that join: `rare` if `second` holds, else `plain`. `often` is how often it holds, from 0 to 1.
    pub(crate) fn either(
        &self,
        second: Value<'m>,
        often: f64,
        plain: impl FnOnce() -> Result<Vec<Value<'m>>>,
        rare: impl FnOnce() -> Result<Vec<Value<'m>>>,
    ) -> Result<Vec<Value<'m>>> {
        // Lanes outside the mask may be poison.
        self.ways(self.b.freeze(second), "otherwise", often, plain, rare)
    }

    /// Most 64-bit numbers are small: a short path, unless `large` holds in some lane.
    pub(crate) fn short_or_long(
        &self,
        large: Value<'m>,
        short: impl FnOnce() -> Value<'m>,
        long: impl FnOnce() -> Result<Value<'m>>,
    ) -> Result<Value<'m>> {
        let (short, long) = (|| Ok(vec![short()]), || Ok(vec![long()?]));
        match self.ways(self.any(large), "long", UNKNOWN, short, long)?[..] {
            [result] => Ok(result),
            _ => failure("two ways to several values"),
        }
    }

    /// Two paths that join: `rare`, in a block called `name`, if `second` holds, else `plain`.
    fn ways(
        &self,
        second: Value<'m>,
        name: &str,
        often: f64,
        plain: impl FnOnce() -> Result<Vec<Value<'m>>>,
        rare: impl FnOnce() -> Result<Vec<Value<'m>>>,
    ) -> Result<Vec<Value<'m>>> {
        let b = self.b;
        let [plain_block, rare_block, both] = ["", name, ""].map(|name| self.e.block(name));
        let branch = b.cond_br(second, rare_block, plain_block);
        if often < UNKNOWN {
            self.say_how_often(branch, often);
        }
        b.position_at_end(plain_block);
        let first = plain()?;
        let plain_end = self.e.here()?;
        b.br(both);
        b.position_at_end(rare_block);
        let other = rare()?;
        let rare_end = self.e.here()?;
        b.br(both);
        b.position_at_end(both);
        let merge = |(first, other): (Value<'m>, Value<'m>)| {
            let phi = b.phi(first.ty());
            phi.add_incoming(first, plain_end);
            phi.add_incoming(other, rare_end);
            phi
        };
        if first.len() != other.len() {
            return failure("two ways that give different values");
        }
        Ok(first.into_iter().zip(other).map(merge).collect())
    }

    /// Stores the value that a phi is given into its place, for some lanes or all.
    pub(crate) fn wait(&self, id: InstId, operand: Operand, lanes: Active<'m>) -> Result<()> {
        let b = self.b;
        match self.state.waiting.get(&id).or_fail("a phi without a place")? {
            Waiting::Scalar(place) => {
                b.store(self.first(operand)?, *place, 0);
            }
            Waiting::Lanes(places) => {
                let held =
                    if self.recipes.keeps_aos(id) { vec![self.aos_of(operand)?] } else { self.components(operand)? };
                for (value, place) in held.into_iter().zip(places) {
                    self.put(value, *place, lanes);
                }
            }
        }
        Ok(())
    }

    /// Lanes enter the loop of an induction live-out: the value that each lane has of the counter when it leaves. Each
    /// iteration adds the counter's step in the lanes that are still in the loop, one masked operation for each
    /// register, which takes less time than to splat the counter and blend. Counts start one iteration early.
    pub(crate) fn begin_count(&self, live_out: &LiveOut, lanes: Active<'m>) -> Result<()> {
        let mut first = self.component(live_out.start)?;
        if !live_out.is_next {
            first = self.b.sub(first, self.splat(self.llvm_constant(live_out.step)));
        }
        self.keep_count(live_out, lanes, |_| first)
    }

    /// Lanes of the mask have finished another iteration: adds the step.
    pub(crate) fn count_on(&self, live_out: &LiveOut, lanes: Active<'m>) -> Result<()> {
        self.keep_count(live_out, lanes, |old| self.b.add(old, self.splat(self.llvm_constant(live_out.step))))
    }

    fn keep_count(
        &self,
        live_out: &LiveOut,
        lanes: Active<'m>,
        new: impl FnOnce(Value<'m>) -> Value<'m>,
    ) -> Result<()> {
        let Some(Waiting::Lanes(places)) = self.state.waiting.get(&live_out.phi) else {
            return failure("a counter without a place");
        };
        let [place] = places[..] else { return failure("a counter of several parts") };
        let old = self.b.load(self.vector(self.llvm_constant(live_out.step).ty()), place, 0);
        let new = new(old);
        self.b.store(lanes.map_or(new, |lanes| self.b.select(lanes, new, old)), place, 0);
        Ok(())
    }
}
