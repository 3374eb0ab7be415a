//! Writes a region for a gang: the blocks in the order of its course, each under its mask.

mod all_on;
mod flow;
mod mask;
mod operand;
mod rows;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use oxicl_llvm::{Block as LlvmBlock, Builder, Type, Value};

use crate::analyse::course::{Course, Mask};
use crate::analyse::graph::Graph;
use crate::analyse::idioms::live_out::LiveOut;
use crate::analyse::shape::Shape;
use crate::emit::copy::{Copier, Mapped};
use crate::emit::kernel::Emitter;
use crate::emit::places::Places;
use crate::failure::{OrFail, Result};
use crate::ir::{BlockId, Function, InstId, Kind, Operand};
use crate::plan::gangs::GangRegion;
use crate::plan::presence::part_that_comes;
use crate::recipe::{Recipes, RegionEntry};

/// Frequencies of the second of two paths: hardly ever, or nothing is known of it.
pub(crate) const HARDLY: f64 = 0.0;
pub(crate) const UNKNOWN: f64 = 0.5;

/// The lanes that run, an `i1` for each; all of them if there is none.
pub(crate) type Active<'m> = Option<Value<'m>>;

/// Where the value of a phi waits for its block: in a place if lanes share it, else one per component or in AoS layout.
#[derive(Clone)]
enum Waiting<'m> {
    Scalar(Value<'m>),
    Lanes(Vec<Value<'m>>),
}

/// What the widener's caller does with lanes that leave the region.
pub(crate) trait Leaving<'e, 'm> {
    /// The lanes of the mask leave the region at the end of `block`, where the builder is.
    fn leave(&self, widener: &mut Widener<'_, 'e, 'm>, block: BlockId, mask: Active<'m>) -> Result<()>;
}

/// The code of a region for gangs of one kind.
#[derive(Clone, Copy)]
pub(crate) struct Body<'w, 'm> {
    pub(crate) graph: &'w Graph,
    pub(crate) course: &'w Course,
    /// Conditions on which all lanes agree here, even if they vary elsewhere; `None` if there are none.
    pub(crate) agreed: Option<&'w BTreeSet<InstId>>,
    /// A successor of the first node from which on nothing is done, and the block to branch to instead.
    pub(crate) idle: Option<(usize, LlvmBlock<'m>)>,
    /// May all lanes of the gang be active?
    pub(crate) may_be_whole: bool,
}

impl<'w> Body<'w, '_> {
    /// The body for any gang.
    pub(crate) fn of_any(region: &'w GangRegion) -> Self {
        Body { graph: &region.graph, course: &region.course, agreed: None, idle: None, may_be_whole: true }
    }
}

/// The values of one row, beside the scalars in the copier. A varying value is in one of `wide`, `aos` and `variables`.
#[derive(Clone, Default)]
pub(crate) struct RowState<'m> {
    /// For values of shape `Wrapping`: whether the number that they are extended from wraps in the gang.
    pub(crate) wraps: HashMap<InstId, Value<'m>>,
    /// Components of varying values.
    pub(crate) wide: HashMap<InstId, Vec<Value<'m>>>,
    /// Varying values that are kept in AoS layout.
    pub(crate) aos: HashMap<InstId, Value<'m>>,
    /// Places in the frame of varying values that have several definitions: one per component, or one in AoS layout.
    pub(crate) variables: HashMap<InstId, Vec<Value<'m>>>,
    /// Where the values of phis wait for their blocks.
    waiting: HashMap<InstId, Waiting<'m>>,
}

/// What a row has of its own where several are unrolled and jammed.
pub(crate) struct Row<'m> {
    places: Places<'m>,
    values: HashMap<InstId, Mapped<'m>>,
    state: RowState<'m>,
}

/// Writes one region for one gang.
pub(crate) struct Widener<'w, 'e, 'm> {
    pub(crate) e: &'w Emitter<'e, 'm>,
    pub(crate) b: &'w Builder<'m>,
    pub(crate) function: &'w Function<'m>,
    pub(crate) graph: &'w Graph,
    course: &'w Course,
    /// How instructions are written.
    pub(crate) recipes: Recipes<'w, 'm>,
    idle: Option<(usize, LlvmBlock<'m>)>,
    may_be_whole: bool,
    pub(crate) lanes: u32,
    /// The lanes that enter; all if there is none.
    pub(crate) entry: Active<'m>,
    /// Writes uniform values, and the first lane of affine ones.
    pub(crate) scalar: Copier<'w, 'm>,
    /// The state of the row that is being written.
    pub(crate) state: RowState<'m>,
    /// Components of varying parameters.
    pub(crate) parameters: HashMap<u32, Vec<Value<'m>>>,
    /// Masks of nodes: one if rows share it, else one per row, followed by their union.
    masks: HashMap<usize, Vec<Value<'m>>>,
    /// The places in which these masks, but not the union, gather lanes.
    mask_places: HashMap<usize, Vec<Value<'m>>>,
    /// Phis that are induction live-outs.
    live_outs: Rc<[LiveOut]>,
    /// The rows behind the first. `scalar` and `state` belong to the first row, parameters and masks to all.
    rows: Vec<Row<'m>>,
    /// The row that is being written, if it is only one.
    row: Option<usize>,
    /// Does each row have masks of its own, so that rows need not agree on branches at which lanes diverge?
    pub(crate) own_masks: bool,
    /// Where control goes if rows do not agree on a branch.
    apart: Option<LlvmBlock<'m>>,
    starts: Vec<LlvmBlock<'m>>,
    bodies: Vec<Option<LlvmBlock<'m>>>,
    checks: Vec<Option<LlvmBlock<'m>>>,
}

impl<'w, 'e, 'm> Widener<'w, 'e, 'm> {
    /// A widener that goes to `done` when the gang is done.
    pub(crate) fn new(
        e: &'w Emitter<'e, 'm>,
        Body { graph, course, agreed, idle, may_be_whole }: Body<'w, 'm>,
        at_entry: RegionEntry<'w>,
        lanes: u32,
        entry: Active<'m>,
        scalar: Copier<'w, 'm>,
        done: LlvmBlock<'m>,
    ) -> Self {
        let mut starts: Vec<_> = (0..graph.end()).map(|_| e.block("")).collect();
        starts.push(done);
        let recipes = Recipes::new(e.plan.basis(e.function, lanes), Some(RegionEntry { agreed, ..at_entry }));
        let live_outs = recipes.live_outs(course).into();
        Widener {
            e,
            b: e.b,
            function: e.function,
            graph,
            course,
            recipes,
            idle,
            may_be_whole,
            lanes,
            entry,
            scalar,
            state: RowState::default(),
            parameters: HashMap::new(),
            masks: HashMap::new(),
            mask_places: HashMap::new(),
            live_outs,
            rows: Vec::new(),
            row: None,
            own_masks: false,
            apart: None,
            starts,
            bodies: vec![None; graph.end()],
            checks: vec![None; graph.loops.len()],
        }
    }

    /// Writes the region from where the builder is. Values that are live at its start are in place.
    pub(crate) fn write(&mut self, leaving: &dyn Leaving<'e, 'm>) -> Result<()> {
        self.make_places()?;
        self.reset(None)?;
        if let Some(l) = self.graph.headed(0).filter(|l| self.course.diverges(*l)) {
            self.add_lanes(self.graph.loops[l].header, &vec![self.entry; self.mask_count()]);
        }
        self.b.br(self.starts[0]);
        for node in 0..self.graph.end() {
            self.node(node, leaving)?;
        }
        Ok(())
    }

    // Places.

    fn phis(&self, node: usize) -> impl Iterator<Item = InstId> + use<'w, 'm> {
        let function = self.function;
        let insts = function.block(self.graph.blocks[node]).insts.iter().copied();
        insts.take_while(|id| matches!(function.inst(*id).kind, Kind::Phi(_)))
    }

    fn is_wide(&self, id: InstId) -> bool {
        self.shape(Operand::Inst(id)) == Shape::Varying
    }

    /// The types that hold a varying value: one per component, or one in AoS layout.
    fn held_as(&self, id: InstId) -> Result<Vec<Type<'m>>> {
        let inst = self.function.inst(id);
        let keeps_aos = self.recipes.keeps_aos(id);
        if keeps_aos { Ok(vec![self.aos_type(inst.llvm.ty())]) } else { self.vectors_of(&inst.ty) }
    }

    fn make_places(&mut self) -> Result<()> {
        let mask_type = self.vector(self.b.context().int_type(1));
        for node in 0..self.graph.end() {
            if self.course.masks[node] == Mask::Own {
                let places = (0..self.mask_count()).map(|_| self.e.frame.alloca(mask_type, 0)).collect();
                self.mask_places.insert(node, places);
            }
            for id in self.phis(node) {
                self.for_rows(id, |w| {
                    let place = |ty| w.e.frame.alloca(ty, 0);
                    let waiting = match w.is_wide(id) {
                        true => Waiting::Lanes(w.held_as(id)?.into_iter().map(place).collect()),
                        false => Waiting::Scalar(place(w.function.inst(id).llvm.ty())),
                    };
                    w.state.waiting.insert(id, waiting);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// Clears the masks and merging phis of nodes directly in loop `level`, or in none. A header is outside its loop.
    fn reset(&mut self, level: Option<usize>) -> Result<()> {
        let mask_type = self.vector(self.b.context().int_type(1));
        for node in 0..self.graph.end() {
            let headed = self.graph.headed(node);
            let of = headed.map_or(self.graph.innermost(node), |l| self.graph.loops[l].parent);
            if of != level {
                continue;
            }
            for place in self.mask_places.get(&node).into_iter().flatten() {
                self.b.store(mask_type.zero(), *place, 0);
            }
            if headed.is_some() {
                continue;
            }
            for id in self.phis(node) {
                self.for_rows(id, |w| {
                    if let Some(Waiting::Lanes(places)) = w.state.waiting.get(&id) {
                        for (place, ty) in places.iter().zip(w.held_as(id)?) {
                            w.b.store(ty.poison(), *place, 0);
                        }
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    // Nodes.

    fn node(&mut self, node: usize, leaving: &dyn Leaving<'e, 'm>) -> Result<()> {
        let b = self.b;
        b.position_at_end(self.starts[node]);
        let headed = self.graph.headed(node);
        let parted = headed.filter(|l| self.course.diverges(*l));
        if self.course.masks[node] == Mask::Own
            && let Some(places) = self.mask_places.get(&node).cloned()
        {
            if let Some(target) = self.course.skip[node] {
                let body = self.e.block("");
                let target = self.block_of(target, None)?;
                let branch = b.cond_br(self.any_waits(&places), body, target);
                if let Some(often) = self.often(node) {
                    self.say_how_often(branch, often);
                }
                b.position_at_end(body);
            } else if parted.is_some() {
                let body = self.e.block("");
                b.br(body);
                b.position_at_end(body);
            }
            if let Some(l) = parted {
                self.all_on(l, &places, leaving)?;
            }
            self.bodies[node] = b.block();
            let masks = self.load_masks(&places);
            if parted.is_some() {
                for (place, mask) in places.iter().zip(&masks) {
                    b.store(mask.ty().zero(), *place, 0);
                }
            }
            self.masks.insert(node, masks);
        }
        self.instructions(node)?;
        self.end(node, leaving)?;
        if let Some(l) = self.graph.latched(node).filter(|l| self.course.diverges(*l)) {
            self.go_round(l)?;
        }
        Ok(())
    }

    /// How often gangs reach a node, if branch weights tell how often work-items do: the sum over the gang's lanes.
    fn often(&self, node: usize) -> Option<f64> {
        part_that_comes(self.function, self.graph, node).map(|part| f64::from(self.lanes) * part)
    }

    /// Says how often a branch goes its first way: LLVM spills in what hardly runs, and moves it out of line.
    pub(crate) fn say_how_often(&self, branch: Value<'m>, first: f64) {
        /// The weight of a frequency of 1.
        const ALL: f64 = 2000.0;
        let first = (first * ALL).clamp(1.0, ALL);
        branch.set_branch_weights(self.b.context(), &[first as u32, (ALL - first) as u32 + 1]);
    }

    /// Writes a node without its end.
    fn instructions(&mut self, node: usize) -> Result<()> {
        for id in self.phis(node) {
            self.for_rows(id, |w| w.take(id, node))?;
        }
        if let Some(l) = self.graph.headed(node) {
            self.reset(Some(l))?;
        }
        let function = self.function;
        for id in function.block(self.graph.blocks[node]).insts.iter().copied() {
            if !matches!(function.inst(id).kind, Kind::Phi(_)) {
                self.for_rows(id, |w| w.instruction(id, w.mask(node)))?;
            }
        }
        Ok(())
    }

    /// Loads the value of a phi from its place.
    fn take(&mut self, id: InstId, node: usize) -> Result<()> {
        let (b, ty) = (self.b, self.function.inst(id).llvm.ty());
        match self.state.waiting.get(&id).cloned().or_fail("a phi without a place")? {
            Waiting::Scalar(place) => {
                let value = b.load(ty, place, 0);
                self.keep_scalar(id, value);
            }
            Waiting::Lanes(places) => {
                let each = places.iter().zip(self.held_as(id)?);
                let components = each.map(|(place, ty)| b.load(ty, *place, 0)).collect();
                self.keep_wide(id, components, self.mask(node));
            }
        }
        Ok(())
    }

    /// Keeps a uniform result, or the first lane's of an affine one.
    pub(crate) fn keep_scalar(&mut self, id: InstId, value: Value<'m>) {
        match self.scalar.values.get(&id) {
            Some(Mapped::Variable(place)) => {
                self.b.store(value, *place, 0);
            }
            _ => {
                self.scalar.values.insert(id, Mapped::Value(value));
            }
        }
    }

    /// Keeps a varying result for the lanes of the mask: the components, or one value in AoS layout.
    pub(crate) fn keep_wide(&mut self, id: InstId, components: Vec<Value<'m>>, mask: Active<'m>) {
        let Some(places) = self.state.variables.get(&id) else {
            if self.is_aos(self.function.inst(id).llvm.ty(), &components) {
                self.state.aos.insert(id, components[0]);
            } else {
                self.state.wide.insert(id, components);
            }
            return;
        };
        for (component, place) in components.into_iter().zip(places) {
            self.put(component, *place, mask);
        }
    }

    /// Stores a component, or a value in AoS layout, into its place, for some lanes or all.
    pub(crate) fn put(&self, value: Value<'m>, place: Value<'m>, lanes: Active<'m>) {
        let value = match lanes {
            Some(lanes) => self.b.select(self.mask_for(value, lanes), value, self.b.load(value.ty(), place, 0)),
            None => value,
        };
        self.b.store(value, place, 0);
    }
}
