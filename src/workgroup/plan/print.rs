//! A plan as text, for people: the regions, the linearised order of blocks of each with the masks, and of each value
//! its shape and where it is kept across barriers.

use std::fmt::Write;

use crate::analyse::course::{Course, Leave, Mask, Stop};
use crate::analyse::interleave::Units;
use crate::analyse::regions::{Exit, Region};
use crate::analyse::shape::Shape;
use crate::ir::call_tree::Callee;
use crate::ir::{BlockId, Function, InstId, Operand, Terminator, listed};
use crate::plan::Planned;
use crate::plan::decisions::{Plan, Slot};
use crate::plan::gangs::GangRegion;
use crate::recipe::Recipes;

/// The text of a kernel's plans.
pub(crate) fn print(kernel: &str, Planned { function, tree, plans, .. }: &Planned<'_>) -> String {
    let mut text = format!("kernel {kernel}\n");
    for (number, plan) in plans.iter().enumerate() {
        let _ = writeln!(text, "plan {} of {}: {:?}", number + 1, plans.len(), plan.shapes.layout);
        Printer { function, plan, text: &mut text }.plan();
        for (number, version) in plan.versions.iter().enumerate() {
            let arguments = listed(version.arguments.iter().map(|argument| argument.words()));
            let (name, lanes) = (tree.name(version.callee), version.lanes);
            let _ = writeln!(text, "version {number}: {name} for gangs of {lanes}, with arguments: {arguments}");
            match (version.callee, &version.plan) {
                (Callee::Here(index), Some(plan)) => {
                    Printer { function: &tree.functions[index], plan, text: &mut text }.plan();
                }
                _ => text += "  compiled apart\n",
            }
        }
    }
    text
}

struct Printer<'p, 'm> {
    function: &'p Function<'m>,
    plan: &'p Plan,
    text: &'p mut String,
}

impl<'m> Printer<'_, 'm> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 2 * depth);
    }

    fn plan(&mut self) {
        let plan = self.plan;
        for remark in &plan.remarks {
            self.line(1, remark);
        }
        if let Ok(gangs) = &plan.gangs {
            self.line(1, &format!("lanes: {}, up to {} in gangs that are whole", gangs.lanes, gangs.most()));
        }
        if plan.most_coalesced > 0 {
            self.line(1, &format!("work-groups of up to {} work-items along x run as one", plan.most_coalesced));
        }
        let columns = if plan.columns { "; work-groups of a column come one after the other" } else { "" };
        let (group, item) = (plan.group_bytes, plan.item_bytes);
        self.line(1, &format!("state: {group} bytes for a work-group, {item} for a work-item{columns}"));
        for (number, region) in plan.regions.iter().enumerate() {
            self.region(number, region);
        }
        if let Some(all) = &plan.all {
            self.line(1, &format!("region of all states: {}", exits(all)));
            for block in &all.blocks {
                self.block(*block, "one work-item", None);
            }
        }
    }

    fn region(&mut self, number: usize, region: &Region) {
        self.line(1, &format!("region {number}: {}", exits(region)));
        let live = self.plan.live_at(region.states[0]);
        for id in live {
            let value = self.function.inst_text(*id);
            self.line(2, &format!("needs `{value}`: {}", self.storage(*id)));
        }
        let gangs = self.plan.gangs.as_ref().ok();
        let Some((gangs, of_gangs)) = gangs.and_then(|gangs| Some((gangs, gangs.regions.get(number)?))) else {
            for block in &region.blocks {
                self.block(*block, "one work-item", None);
            }
            return;
        };
        self.choices(of_gangs, number);
        let GangRegion { graph, course, .. } = of_gangs;
        let at_entry = self.plan.at_entry(self.function, region, graph);
        let recipes = Recipes::new(self.plan.basis(self.function, gangs.lanes), Some(at_entry));
        for (node, block) in graph.blocks.iter().enumerate() {
            self.block(*block, &mask(course, node), Some(&recipes));
            self.line(3, &leave(course, node, graph.end()));
        }
    }

    /// The decisions for a whole region.
    fn choices(&mut self, of_gangs: &GangRegion, number: usize) {
        let candidates = self.plan.candidates.of_region(number);
        let candidates = listed(candidates.map(|(lanes, price)| format!("{lanes} at {price:.2}")));
        if !candidates.is_empty() {
            self.line(2, &format!("lanes, at cycles a work-item: {candidates}"));
        }
        match of_gangs.once {
            true => self.line(2, "gangs that are whole: as the others"),
            false => self.line(2, &format!("gangs that are whole: {} lanes", listed(&of_gangs.lengths))),
        }
        if let Some(rows) = of_gangs.rows {
            let masks = if rows.own_masks { ", each under masks of its own" } else { "" };
            self.line(2, &format!("rows: {} at once, of {} lanes{masks}", rows.count, rows.lanes));
        }
        if let Some(agreement) = &of_gangs.agreement {
            self.line(2, "guards: another body for gangs that agree on");
            for id in &agreement.guards.conditions {
                self.line(3, &format!("`{}`", self.function.inst_text(*id)));
            }
        }
    }

    fn block(&mut self, block: BlockId, lanes: &str, recipes: Option<&Recipes<'_, 'm>>) {
        self.line(2, &format!("block {} for {lanes}", block.0));
        for id in &self.function.block(block).insts {
            let text = self.function.inst_text(*id);
            self.line(3, &format!("{text} ; {}", self.words(*id, recipes)));
        }
        let mut end = self.function.terminator_text(block);
        if let (Terminator::Cut { gather: Some(gather), .. }, Some(recipes)) =
            (&self.function.block(block).terminator, recipes)
        {
            let arrival = recipes.arrival(gather.collective, &self.function.inst(gather.result).ty);
            end += &format!(", {}", arrival.phrase());
        }
        self.line(3, &end);
    }

    /// What is known and decided of an instruction: the shape of its value, how it is kept, and its recipe.
    fn words(&self, id: InstId, recipes: Option<&Recipes<'_, 'm>>) -> String {
        let mut words = vec![shape(self.plan.shapes.of(id))];
        if self.plan.aos.get(id.index()).is_some_and(|aos| *aos) {
            words.push("AoS layout".into());
        }
        if self.plan.of_row.get(id.index()).is_some_and(|differs| *differs) {
            words.push("each row's own".into());
        }
        if self.plan.apart.contains(&id) {
            words.push("each lane's from an iteration of its own".into());
        }
        if let Some(Units { bytes, among, .. }) = self.plan.shapes.units(Operand::Inst(id)) {
            words.push(format!("{} interleaved by {bytes} bytes", among.who()));
        }
        if self.plan.slots.contains_key(&id) {
            words.push(self.storage(id));
        }
        words.extend(recipes.map(|recipes| recipes.words(id)));
        words.extend(self.taken(id));
        listed(words)
    }

    /// Which decisions were taken for an instruction.
    fn taken(&self, id: InstId) -> Option<String> {
        let names: Vec<_> =
            self.function.switches.taken_for(id.into()).iter().map(|decision| decision.name()).collect();
        (!names.is_empty()).then(|| format!("by {}", names.join(" and ")))
    }

    /// Where a value is kept across barriers.
    fn storage(&self, id: InstId) -> String {
        match self.plan.slots.get(&id) {
            Some(Slot::Uniform) => "kept once".into(),
            Some(Slot::Item(offset)) => format!("kept for each work-item at {offset}"),
            None if self.plan.rematerialised[id.index()] => "computed again".into(),
            None => "in place".into(),
        }
    }
}

fn exits(region: &Region) -> String {
    let exit = |exit: &Exit| match exit {
        Exit::Cut(state) => format!("region {}", state.0),
        Exit::Return => "the end".into(),
    };
    let names = listed(region.exits.iter().map(exit));
    if names.is_empty() { "goes nowhere".into() } else { format!("goes to {names}") }
}

fn shape(shape: Shape) -> String {
    match shape {
        Shape::Uniform => "uniform".into(),
        Shape::Row => "uniform in a row".into(),
        Shape::Affine(stride) => format!("affine by {stride}"),
        Shape::Wrapping(stride) => format!("affine by {stride} unless it wraps"),
        Shape::Varying => "varying".into(),
    }
}

fn mask(course: &Course, node: usize) -> String {
    let lanes = match course.masks[node] {
        Mask::Entry => "all lanes that entered".into(),
        Mask::Own => "lanes that come here".into(),
        Mask::Of(other) => format!("the lanes of node {other}"),
    };
    match course.skip[node] {
        Some(_) => format!("{lanes} (node {node}, skipped if there are none)"),
        None => format!("{lanes} (node {node})"),
    }
}

fn leave(course: &Course, node: usize, end: usize) -> String {
    let name = |node: usize| if node == end { "the end".into() } else { format!("node {node}") };
    match &course.leave[node] {
        Leave::Branch(edges) => {
            format!("all lanes go to one of: {}", listed(edges.iter().map(|edge| name(edge.to))))
        }
        Leave::Diverge { to, jump } => {
            let names: Vec<_> = to.iter().map(|node| name(*node)).collect();
            let next = match jump {
                Stop::Node(node) => name(*node),
                Stop::EndOfIteration(latch) => format!("the end of the iteration behind node {latch}"),
            };
            format!("lanes diverge, to {}; {next} comes next", names.join(" and "))
        }
    }
}
