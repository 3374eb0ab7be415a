//! A piece for a gang: the blocks in the order of its course, each under its mask.

use std::collections::HashMap;
use std::rc::Rc;

use oxicl_llvm::{Block as LlvmBlock, Builder, IntPredicate, Opcode, Type, Value};

use crate::analyse::shape::Shape;
use crate::arena::{BlockId, Function, InstId, Kind, Operand, Terminator};
use crate::emit::copy::{Copier, Mapped};
use crate::emit::kernel::Emitter;
use crate::emit::places::Places;
use crate::failure::{Failure, failure};
use crate::widen::access::Address;
use crate::widen::counted::{Counted, counted};
use crate::widen::course::{Course, Leave, Mask, Stop};
use crate::widen::graph::Graph;
use crate::widen::leaf::{leaves_of, take_apart};
use crate::widen::unsplit::splat_to;

/// Where the value of a phi waits for its block: one place for a value that lanes share, else one a leaf.
#[derive(Clone)]
enum Waiting<'m> {
    Scalar(Value<'m>),
    Lanes(Vec<Value<'m>>),
    /// Of what is kept in one.
    InOne(Value<'m>),
}

/// What happens to lanes that leave the piece, which is not the widener's to know.
pub(crate) trait Leaving<'e, 'm> {
    /// The lanes in the mask end the piece at the end of `block`, where the builder is.
    fn leave(&self, widener: &mut Widener<'_, 'e, 'm>, block: BlockId, mask: Option<Value<'m>>) -> Result<(), Failure>;
}

/// What a row has of its own where several go through a piece at once.
pub(crate) struct Row<'m> {
    places: Places<'m>,
    values: HashMap<InstId, Mapped<'m>>,
    wraps: HashMap<InstId, Value<'m>>,
    wide: HashMap<InstId, Vec<Value<'m>>>,
    unsplit: HashMap<InstId, Value<'m>>,
    variables: HashMap<InstId, Vec<Value<'m>>>,
    waiting: HashMap<InstId, Waiting<'m>>,
}

/// Writes one piece for one gang.
pub(crate) struct Widener<'w, 'e, 'm> {
    pub(crate) e: &'w Emitter<'e, 'm>,
    pub(crate) b: &'w Builder<'m>,
    pub(crate) function: &'w Function<'m>,
    pub(crate) graph: &'w Graph,
    course: &'w Course,
    pub(crate) lanes: u32,
    /// Lanes that enter; all if there is none.
    pub(crate) entry: Option<Value<'m>>,
    /// Writes what lanes share, and the first lane of what is affine.
    pub(crate) scalar: Copier<'w, 'm>,
    /// Whether what it is extended from wraps in the gang, of what goes on by a stride unless it does.
    pub(crate) wraps: HashMap<InstId, Value<'m>>,
    /// Leaves of what varies.
    pub(crate) wide: HashMap<InstId, Vec<Value<'m>>>,
    /// What varies and is kept in one.
    pub(crate) unsplit: HashMap<InstId, Value<'m>>,
    /// Places in the frame of what varies and has several definitions: one a leaf, or one for what is kept in one.
    pub(crate) variables: HashMap<InstId, Vec<Value<'m>>>,
    /// Leaves of the parameters that vary.
    pub(crate) parameters: HashMap<u32, Vec<Value<'m>>>,
    /// Masks of nodes: the one that rows share; or if each has its own, those of the rows and behind them that of any.
    masks: HashMap<usize, Vec<Value<'m>>>,
    /// Where they wait, without the last.
    mask_places: HashMap<usize, Vec<Value<'m>>>,
    waiting: HashMap<InstId, Waiting<'m>>,
    /// Phis that are given counters.
    counted: Rc<[Counted<'m>]>,
    /// The rows behind the first, which `scalar` and `wraps` to `waiting` are of, but not parameters and masks.
    rows: Vec<Row<'m>>,
    /// The row that is written for, if it is one only.
    row: Option<usize>,
    /// Has each row masks of its own?
    own_masks: bool,
    /// Where rows that do not agree on a branch go.
    apart: Option<LlvmBlock<'m>>,
    starts: Vec<LlvmBlock<'m>>,
    bodies: Vec<Option<LlvmBlock<'m>>>,
    checks: Vec<Option<LlvmBlock<'m>>>,
}

impl<'w, 'e, 'm> Widener<'w, 'e, 'm> {
    /// A widener whose gang is done at `done`.
    pub(crate) fn new(
        e: &'w Emitter<'e, 'm>,
        (graph, course): (&'w Graph, &'w Course),
        lanes: u32,
        entry: Option<Value<'m>>,
        scalar: Copier<'w, 'm>,
        done: LlvmBlock<'m>,
    ) -> Self {
        let mut starts: Vec<_> = (0..graph.end()).map(|_| e.block("")).collect();
        starts.push(done);
        Widener {
            e,
            b: e.b,
            function: e.function,
            graph,
            course,
            lanes,
            entry,
            scalar,
            wraps: HashMap::new(),
            wide: HashMap::new(),
            unsplit: HashMap::new(),
            variables: HashMap::new(),
            parameters: HashMap::new(),
            masks: HashMap::new(),
            mask_places: HashMap::new(),
            waiting: HashMap::new(),
            counted: counted(e.function, &e.plan.shapes, graph, course).into(),
            rows: Vec::new(),
            row: None,
            own_masks: false,
            apart: None,
            starts,
            bodies: vec![None; graph.end()],
            checks: vec![None; graph.loops.len()],
        }
    }

    /// Writes the piece from where the builder is. Values that are alive at its start are in place.
    pub(crate) fn write(&mut self, leaving: &dyn Leaving<'e, 'm>) -> Result<(), Failure> {
        self.make_places()?;
        self.reset(None)?;
        if let Some(l) = self.graph.headed(0).filter(|l| self.course.parts(*l)) {
            self.add_lanes(self.graph.loops[l].header, &vec![self.entry; self.mask_count()]);
        }
        self.b.br(self.starts[0]);
        for node in 0..self.graph.end() {
            self.node(node, leaving)?;
        }
        Ok(())
    }

    // Rows.

    /// Another row goes through the piece, whose first work-item is at `places`. If rows do not agree on a branch, all go to
    /// `apart`, if that is there.
    pub(crate) fn add_row(&mut self, places: Places<'m>, apart: Option<LlvmBlock<'m>>) {
        self.apart = apart;
        self.rows.push(Row {
            places,
            values: self.scalar.values.clone(),
            wraps: self.wraps.clone(),
            wide: self.wide.clone(),
            unsplit: self.unsplit.clone(),
            variables: self.variables.clone(),
            waiting: self.waiting.clone(),
        });
    }

    /// Each row has masks of its own, so that rows need not agree on branches on which lanes part.
    pub(crate) fn part_rows(&mut self) {
        self.own_masks = true;
    }

    /// How many masks a node has that are kept.
    fn mask_count(&self) -> usize {
        if self.own_masks { self.rows.len() + 1 } else { 1 }
    }

    /// The mask of the row that is written for, or if it is not one only, that of any: the last, whichever row has it.
    fn of_this_row<T: Copy>(&self, masks: &[T]) -> Option<T> {
        self.row.and_then(|row| masks.get(row)).or(masks.last()).copied()
    }

    /// Makes another row the one that is written for, and that one the other.
    fn swap(&mut self, row: usize) {
        let row = &mut self.rows[row];
        std::mem::swap(&mut self.scalar.places, &mut row.places);
        std::mem::swap(&mut self.scalar.values, &mut row.values);
        std::mem::swap(&mut self.wraps, &mut row.wraps);
        std::mem::swap(&mut self.wide, &mut row.wide);
        std::mem::swap(&mut self.unsplit, &mut row.unsplit);
        std::mem::swap(&mut self.variables, &mut row.variables);
        std::mem::swap(&mut self.waiting, &mut row.waiting);
    }

    /// Writes something for each row.
    fn each_row(&mut self, mut write: impl FnMut(&mut Self) -> Result<(), Failure>) -> Result<(), Failure> {
        self.row = Some(0);
        let mut result = write(self);
        for row in 0..self.rows.len() {
            if result.is_ok() {
                self.row = Some(row + 1);
                self.swap(row);
                result = write(self);
                self.swap(row);
            }
        }
        self.row = None;
        result
    }

    /// Goes on where rows agree on a condition, which may differ in them, as far as lanes of the mask see it.
    fn ask_rows(&mut self, condition: Operand<'m>, mask: Option<Value<'m>>) -> Result<(), Failure> {
        let Operand::Inst(id) = condition else { return Ok(()) };
        let Some(apart) = self.apart.filter(|_| self.e.plan.of_row[id.index()]) else { return Ok(()) };
        let b = self.b;
        let shared = self.shape(condition).is_row_uniform();
        let mut found = Vec::new();
        self.each_row(|w| {
            found.push(if shared { w.first(condition)? } else { w.leaf(condition)? });
            Ok(())
        })?;
        let [first, others @ ..] = &found[..] else { return failure("no row") };
        let differ = others.iter().map(|other| b.icmp(IntPredicate::Ne, *first, *other)).reduce(|l, r| b.or(l, r));
        let Some(differ) = differ else { return Ok(()) };
        let differ = if shared { differ } else { self.any(self.narrow(mask, differ)) };
        let agreed = self.e.block("rows.agree");
        b.cond_br(differ, apart, agreed);
        b.position_at_end(agreed);
        Ok(())
    }

    /// Writes what gives the result of an instruction: for each row if it may differ, else once for all.
    pub(crate) fn for_rows(
        &mut self,
        id: InstId,
        mut write: impl FnMut(&mut Self) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.rows.is_empty() || self.e.plan.of_row[id.index()] {
            return self.each_row(write);
        }
        write(self)?;
        for row in &mut self.rows {
            share(&self.scalar.values, &mut row.values, id);
            share(&self.wraps, &mut row.wraps, id);
            share(&self.wide, &mut row.wide, id);
            share(&self.unsplit, &mut row.unsplit, id);
            share(&self.variables, &mut row.variables, id);
            share(&self.waiting, &mut row.waiting, id);
        }
        Ok(())
    }

    // Shapes, types and vectors.

    pub(crate) fn shape(&self, operand: Operand<'m>) -> Shape {
        match (self.e.plan.shapes.of_operand(operand), operand) {
            // Loaded from where each lane has its own.
            (Shape::Wrapping(_), Operand::Inst(id)) if !self.wraps.contains_key(&id) => Shape::Varying,
            (shape, _) => shape,
        }
    }

    pub(crate) fn vector(&self, ty: Type<'m>) -> Type<'m> {
        ty.vector(self.lanes)
    }

    /// One value in all lanes.
    pub(crate) fn splat(&self, value: Value<'m>) -> Value<'m> {
        splat_to(self.b, value, self.lanes)
    }

    /// 0, `stride`, twice `stride` and so on.
    pub(crate) fn steps(&self, ty: Type<'m>, stride: i64) -> Value<'m> {
        let numbers: Vec<_> =
            (0..i64::from(self.lanes)).map(|lane| ty.const_signed(lane.wrapping_mul(stride))).collect();
        self.b.context().const_vector(&numbers)
    }

    /// The vector that begins with a number or an address and goes on by a stride.
    pub(crate) fn steps_from(&self, first: Value<'m>, stride: i64) -> Value<'m> {
        let b = self.b;
        if first.ty().is_pointer() {
            let offsets = self.steps(b.context().int_type(64), stride);
            return b.gep(b.context().int_type(8), first, &[offsets], oxicl_llvm::GepFlags::NONE);
        }
        b.add(self.splat(first), self.steps(first.ty(), stride))
    }

    /// The type of an operand.
    pub(crate) fn type_of(&self, operand: Operand<'m>) -> Result<Type<'m>, Failure> {
        match operand {
            Operand::Inst(id) => Ok(self.function.inst(id).value.ty()),
            Operand::Parameter(index) => Ok(self.function.parameters[index as usize].ty()),
            Operand::Constant(value) => Ok(value.ty()),
            Operand::Opaque => failure("the lanes of what is no value"),
        }
    }

    /// The value that lanes share, or the first lane's of what is affine.
    pub(crate) fn first(&self, operand: Operand<'m>) -> Result<Value<'m>, Failure> {
        if let (Shape::Wrapping(_), Operand::Inst(id)) = (self.e.plan.shapes.of_operand(operand), operand)
            && !self.wraps.contains_key(&id)
        {
            // Each lane has its own, and here they go on by a stride.
            return Ok(self.b.extract_element(self.leaf(operand)?, self.b.context().int_type(64).zero()));
        }
        match self.scalar.operand(operand)? {
            Some(value) => Ok(value),
            None => failure("the value of what is none"),
        }
    }

    /// The leaves of an operand as vectors of lanes.
    pub(crate) fn leaves(&self, operand: Operand<'m>) -> Result<Vec<Value<'m>>, Failure> {
        if let Operand::Inst(id) = operand {
            if let Some(leaves) = self.wide.get(&id) {
                return Ok(leaves.clone());
            }
            if let Some(all) = self.kept_unsplit(operand) {
                return Ok(self.split(self.function.inst(id).value.ty(), vec![all]));
            }
            if let Some(places) = self.variables.get(&id) {
                let types = leaves_of(self.function.inst(id).value.ty())?;
                let load = |(place, ty): (&Value<'m>, Type<'m>)| self.b.load(self.vector(ty), *place, 0);
                return Ok(places.iter().zip(types).map(load).collect());
            }
        }
        if let Operand::Parameter(index) = operand
            && let Some(leaves) = self.parameters.get(&index)
        {
            return Ok(leaves.clone());
        }
        if let (Shape::Wrapping(_), Operand::Inst(id)) = (self.shape(operand), operand) {
            return self.wrapped(id);
        }
        let value = self.first(operand)?;
        if let Shape::Affine(stride) = self.shape(operand) {
            return Ok(vec![self.steps_from(value, stride)]);
        }
        Ok(take_apart(self.b, value)?.into_iter().map(|leaf| self.splat(leaf)).collect())
    }

    /// The only leaf of an operand.
    pub(crate) fn leaf(&self, operand: Operand<'m>) -> Result<Value<'m>, Failure> {
        match self.leaves(operand)?[..] {
            [leaf] => Ok(leaf),
            _ => failure("a value of several parts where one is wanted"),
        }
    }

    /// The addresses that an operand is.
    pub(crate) fn address(&self, operand: Operand<'m>) -> Result<Address<'m>, Failure> {
        Ok(match self.shape(operand) {
            Shape::Uniform | Shape::Row => Address::One(self.first(operand)?),
            Shape::Affine(stride) => Address::Steps(self.first(operand)?, stride),
            Shape::Wrapping(_) | Shape::Varying => Address::Each(self.leaf(operand)?),
        })
    }

    // Masks.

    /// A mask as a vector, all ones where there is none.
    pub(crate) fn full(&self, mask: Option<Value<'m>>) -> Value<'m> {
        mask.unwrap_or_else(|| self.vector(self.b.context().int_type(1)).all_ones())
    }

    /// A mask as a number of as many bits as there are lanes.
    pub(crate) fn bits(&self, mask: Value<'m>) -> Value<'m> {
        self.b.bit_cast(mask, self.b.context().int_type(self.lanes))
    }

    pub(crate) fn any(&self, mask: Value<'m>) -> Value<'m> {
        let bits = self.bits(mask);
        self.b.icmp(IntPredicate::Ne, bits, bits.ty().zero())
    }

    /// Lanes of the mask for which a condition holds. What the condition is in other lanes does not matter.
    pub(crate) fn narrow(&self, mask: Option<Value<'m>>, condition: Value<'m>) -> Value<'m> {
        match mask {
            Some(mask) => self.b.select(mask, condition, mask.ty().zero()),
            None => condition,
        }
    }

    /// The mask of a node whose block has begun.
    pub(crate) fn mask(&self, node: usize) -> Option<Value<'m>> {
        self.of_this_row(&self.masks_of(node)).flatten()
    }

    /// The masks that a node whose block has begun has in the rows.
    fn masks_of(&self, node: usize) -> Vec<Option<Value<'m>>> {
        let own = |node: usize| self.masks.get(&node).map(|masks| masks.iter().copied().map(Some).collect());
        let masks = match self.course.masks[node] {
            Mask::Entry => None,
            Mask::Own => own(node),
            Mask::Of(other) => own(other),
        };
        masks.unwrap_or_else(|| vec![self.entry; self.mask_count()])
    }

    /// Lanes come to a node of its own mask, in each row that has one.
    fn add_lanes(&self, node: usize, lanes: &[Option<Value<'m>>]) {
        for (place, lanes) in self.mask_places.get(&node).into_iter().flatten().zip(lanes) {
            let new = match lanes {
                Some(lanes) => {
                    let old = self.b.load(lanes.ty(), *place, 0);
                    self.b.or(old, *lanes)
                }
                None => self.full(None),
            };
            self.b.store(new, *place, 0);
        }
    }

    /// The masks that wait for a node, and behind them that of any row if there are several.
    fn load_masks(&self, places: &[Value<'m>]) -> Vec<Value<'m>> {
        let mask_type = self.vector(self.b.context().int_type(1));
        let mut masks: Vec<_> = places.iter().map(|place| self.b.load(mask_type, *place, 0)).collect();
        if let [_, _, ..] = masks[..] {
            masks.extend(masks.clone().into_iter().reduce(|left, right| self.b.or(left, right)));
        }
        masks
    }

    /// Does some lane wait for a node, in any row?
    fn any_waits(&self, places: &[Value<'m>]) -> Value<'m> {
        let masks = self.load_masks(places);
        masks.last().map_or_else(|| self.b.context().int_type(1).zero(), |mask| self.any(*mask))
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

    fn make_places(&mut self) -> Result<(), Failure> {
        let mask_type = self.vector(self.b.context().int_type(1));
        for node in 0..self.graph.end() {
            if self.course.masks[node] == Mask::Own {
                let places = (0..self.mask_count()).map(|_| self.e.frame.alloca(mask_type, 0)).collect();
                self.mask_places.insert(node, places);
            }
            for id in self.phis(node) {
                self.for_rows(id, |w| {
                    let ty = w.function.inst(id).value.ty();
                    let waiting = if w.keeps_unsplit(id) {
                        Waiting::InOne(w.e.frame.alloca(w.unsplit_type(ty), 0))
                    } else if w.is_wide(id) {
                        let places = leaves_of(ty)?.into_iter().map(|leaf| w.e.frame.alloca(w.vector(leaf), 0));
                        Waiting::Lanes(places.collect())
                    } else {
                        Waiting::Scalar(w.e.frame.alloca(ty, 0))
                    };
                    w.waiting.insert(id, waiting);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// Empties masks, and phis that merge, of the nodes that are directly in a loop, or in none.
    fn reset(&mut self, level: Option<usize>) -> Result<(), Failure> {
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
                    let ty = w.function.inst(id).value.ty();
                    match w.waiting.get(&id) {
                        Some(Waiting::Lanes(places)) => {
                            for (place, ty) in places.iter().zip(leaves_of(ty)?) {
                                w.b.store(w.vector(ty).poison(), *place, 0);
                            }
                        }
                        Some(Waiting::InOne(place)) => {
                            w.b.store(w.unsplit_type(ty).poison(), *place, 0);
                        }
                        Some(Waiting::Scalar(_)) | None => {}
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    // Nodes.

    fn node(&mut self, node: usize, leaving: &dyn Leaving<'e, 'm>) -> Result<(), Failure> {
        let b = self.b;
        b.position_at_end(self.starts[node]);
        let headed = self.graph.headed(node);
        let parted = headed.filter(|l| self.course.parts(*l));
        if let Some(places) = self.mask_places.get(&node).cloned() {
            if let Some(target) = self.course.skip[node] {
                let body = self.e.block("");
                let target = self.block_of(target, None)?;
                b.cond_br(self.any_waits(&places), body, target);
                b.position_at_end(body);
            } else if parted.is_some() {
                let body = self.e.block("");
                b.br(body);
                b.position_at_end(body);
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
        for id in self.phis(node) {
            self.for_rows(id, |w| w.take(id, node))?;
        }
        if let Some(l) = headed {
            self.reset(Some(l))?;
        }
        let function = self.function;
        for id in function.block(self.graph.blocks[node]).insts.iter().copied() {
            if !matches!(function.inst(id).kind, Kind::Phi(_)) {
                self.for_rows(id, |w| w.instruction(id, w.mask(node)))?;
            }
        }
        self.end(node, leaving)?;
        if let Some(l) = self.graph.latched(node).filter(|l| self.course.parts(*l)) {
            self.go_round(l)?;
        }
        Ok(())
    }

    /// Takes the value of a phi from where it waits.
    fn take(&mut self, id: InstId, node: usize) -> Result<(), Failure> {
        let (b, ty) = (self.b, self.function.inst(id).value.ty());
        match self.waiting.get(&id).cloned() {
            Some(Waiting::Scalar(place)) => {
                let value = b.load(ty, place, 0);
                self.keep_scalar(id, value);
            }
            Some(Waiting::Lanes(places)) => {
                let leaves = places.iter().zip(leaves_of(ty)?);
                let leaves = leaves.map(|(place, ty)| b.load(self.vector(ty), *place, 0)).collect();
                self.keep_wide(id, leaves, self.mask(node));
            }
            Some(Waiting::InOne(place)) => {
                let all = b.load(self.unsplit_type(ty), place, 0);
                self.keep_wide(id, vec![all], self.mask(node));
            }
            None => return failure("a phi without a place"),
        }
        Ok(())
    }

    /// Gives an instruction's result that lanes share.
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

    /// Gives an instruction's result that varies, in the lanes of the mask: its leaves, or in one.
    pub(crate) fn keep_wide(&mut self, id: InstId, leaves: Vec<Value<'m>>, mask: Option<Value<'m>>) {
        let Some(places) = self.variables.get(&id) else {
            if self.is_unsplit(self.function.inst(id).value.ty(), &leaves) {
                self.unsplit.insert(id, leaves[0]);
            } else {
                self.wide.insert(id, leaves);
            }
            return;
        };
        for (leaf, place) in leaves.into_iter().zip(places) {
            let value = match mask {
                Some(mask) => self.b.select(self.mask_for(leaf, mask), leaf, self.b.load(leaf.ty(), *place, 0)),
                None => leaf,
            };
            self.b.store(value, *place, 0);
        }
    }

    /// Where a stop begins for who comes from the end of `from`, or from anywhere else. Only from a latch do lanes go into
    /// another turn: where it was passed by, there is none to look for.
    fn block_of(&mut self, mut stop: Stop, from: Option<usize>) -> Result<LlvmBlock<'m>, Failure> {
        loop {
            match stop {
                Stop::Node(node) => return Ok(self.starts[node]),
                Stop::Turn(latch) => {
                    let Some(l) = self.graph.latched(latch) else { return failure("a turn of no loop") };
                    if from == Some(latch) {
                        return match self.bodies[self.graph.loops[l].header].filter(|_| self.goes_round(l)) {
                            Some(body) => Ok(body),
                            None => Ok(self.check(l)),
                        };
                    }
                    match self.course.after[l] {
                        Some(after) => stop = after,
                        None => return failure("a loop without an end"),
                    }
                }
            }
        }
    }

    /// Does some lane go into another turn of a loop whenever the latch has run? It does if the latch looks for lanes before
    /// it runs, and all of these go there.
    fn goes_round(&self, number: usize) -> bool {
        let l = &self.graph.loops[number];
        let looks = match self.course.masks[l.latch] {
            Mask::Own => Some(l.latch),
            Mask::Of(head) => Some(head).filter(|head| *head != l.header && self.graph.is_in(*head, number)),
            Mask::Entry => None,
        };
        let whole = matches!(&self.course.leave[l.latch], Leave::Branch(edges) if edges.len() == 1);
        whole && looks.is_some_and(|head| self.course.skip[head].is_some() && head != l.header)
    }

    fn check(&mut self, number: usize) -> LlvmBlock<'m> {
        *self.checks[number].get_or_insert_with(|| self.e.block("check"))
    }

    /// The end of a turn of a loop that lanes leave in different turns.
    fn go_round(&mut self, number: usize) -> Result<(), Failure> {
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
        let Some(body) = self.bodies[header] else { return failure("a loop without a body") };
        let after = self.block_of(after, None)?;
        self.e.go_on(more, body, after);
        Ok(())
    }

    fn end(&mut self, node: usize, leaving: &dyn Leaving<'e, 'm>) -> Result<(), Failure> {
        let b = self.b;
        let function = self.function;
        let block = self.graph.blocks[node];
        let (course, graph) = (self.course, self.graph);
        self.scalar.yields(block);
        let masks = self.masks_of(node);
        if let Terminator::Branch { condition: Some(condition), .. } = &function.block(block).terminator
            && !(self.own_masks && matches!(course.leave[node], Leave::Part { .. }))
        {
            self.ask_rows(*condition, self.mask(node))?;
        }
        match (&course.leave[node], &function.block(block).terminator) {
            (Leave::Branch(edges), Terminator::Branch { value, condition, successors }) => {
                if let [edge] = edges[..] {
                    self.edge(node, edge.to, &masks, &masks, true)?;
                    let target = self.block_of(edge.jump, Some(node))?;
                    b.br(target);
                    return Ok(());
                }
                let condition = condition.map(|c| self.first(c)).transpose()?;
                let Some(copy) = value.clone_instruction() else { return failure("a branch that is no instruction") };
                let blocks: Vec<_> = edges.iter().map(|_| self.e.block("")).collect();
                for (index, successor) in (0u32..).zip(successors) {
                    let to = graph.numbers[successor];
                    let Some(at) = edges.iter().position(|e| e.to == to) else { return failure("a lost edge") };
                    copy.set_successor(index, blocks[at]);
                }
                if let Some(condition) = condition {
                    copy.set_operand(0, condition);
                }
                b.insert(copy);
                for (edge, start) in edges.iter().zip(blocks) {
                    b.position_at_end(start);
                    self.edge(node, edge.to, &masks, &masks, true)?;
                    let target = self.block_of(edge.jump, Some(node))?;
                    b.br(target);
                }
            }
            (Leave::Part { to, jump }, Terminator::Branch { value, condition: Some(condition), successors }) => {
                let mut parted = Vec::new();
                let mut part = |w: &mut Self| {
                    parted.push(w.part(node, (*value, *condition), successors, w.mask(node))?);
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
                    // Lanes that go elsewhere find another value when they come, or do not come.
                    self.edge(node, *node_to, &lanes, &masks, false)?;
                }
                let target = self.block_of(*jump, Some(node))?;
                b.br(target);
            }
            (Leave::Branch(edges), Terminator::Return(_) | Terminator::Cut { .. }) => {
                self.each_row(|w| leaving.leave(w, block, w.mask(node)))?;
                let target = self.block_of(edges[0].jump, Some(node))?;
                b.br(target);
            }
            (Leave::Branch(edges), Terminator::Unreachable) => {
                let target = self.block_of(edges[0].jump, Some(node))?;
                b.br(target);
            }
            _ => return failure("a block that ends otherwise than was planned"),
        }
        Ok(())
    }

    /// The lanes that go to each node behind a branch on which lanes part.
    fn part(
        &self,
        node: usize,
        (branch, condition): (Value<'m>, Operand<'m>),
        successors: &[BlockId],
        mask: Option<Value<'m>>,
    ) -> Result<Vec<(usize, Value<'m>)>, Failure> {
        let b = self.b;
        let condition = self.leaf(condition)?;
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
                // Those of the mask that do not go the one way go the other: no second comparison. The first are those that
                // stay in a loop, whose next turn waits for them.
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

    /// Lanes go from a node to another, in each row that has masks, which is where its phis have no more use for what they had
    /// for those of `of_node`, the node's lanes. `whole` if all of these go.
    fn edge(
        &mut self,
        from: usize,
        to: usize,
        lanes: &[Option<Value<'m>>],
        of_node: &[Option<Value<'m>>],
        whole: bool,
    ) -> Result<(), Failure> {
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
        // Into a loop lanes come all at once, unless there are several ways to it, as behind a barrier within; and they do into
        // another turn, and into a block with the same lanes.
        let at_once = |l: usize| {
            let outside = self.graph.predecessors[to].iter().filter(|before| !self.graph.is_in(**before, l));
            self.graph.loops[l].latch == from || outside.count() == 1
        };
        let plain = self.graph.headed(to).is_some_and(at_once) || (whole && same(from, to));
        let block = self.graph.blocks[from];
        let counters = Rc::clone(&self.counted);
        for counted in counters.iter().filter(|counted| counted.header == to && from < to) {
            self.for_rows(counted.phi, |w| w.begin_count(counted, w.of_this_row(lanes).flatten()))?;
        }
        for id in self.phis(to) {
            if let Some(counted) = counters.iter().find(|counted| counted.at == from && counted.phi == id) {
                self.for_rows(id, |w| w.count_on(counted, w.of_this_row(of_node).flatten()))?;
                continue;
            }
            let inst = self.function.inst(id);
            let Kind::Phi(blocks) = &inst.kind else { continue };
            let Some(index) = blocks.iter().position(|b| *b == block) else { return failure("a phi without its edge") };
            let operand = inst.operands[index];
            self.for_rows(id, |w| w.wait(id, operand, w.of_this_row(of_node).flatten().filter(|_| !plain)))?;
        }
        Ok(())
    }

    /// Where the only leaf of a phi waits, if lanes have each their own.
    pub(super) fn lanes_wait_at(&self, id: InstId) -> Option<Value<'m>> {
        match self.waiting.get(&id) {
            Some(Waiting::Lanes(places)) => places.first().copied(),
            _ => None,
        }
    }

    /// Puts the value that a phi gets where it waits, for some lanes or all.
    fn wait(&self, id: InstId, operand: Operand<'m>, lanes: Option<Value<'m>>) -> Result<(), Failure> {
        let b = self.b;
        match self.waiting.get(&id) {
            Some(Waiting::Scalar(place)) => {
                b.store(self.first(operand)?, *place, 0);
            }
            Some(Waiting::Lanes(places)) => {
                for (leaf, place) in self.leaves(operand)?.into_iter().zip(places) {
                    let value = match lanes {
                        Some(lanes) => b.select(lanes, leaf, b.load(leaf.ty(), *place, 0)),
                        None => leaf,
                    };
                    b.store(value, *place, 0);
                }
            }
            Some(Waiting::InOne(place)) => {
                let all = self.unsplit_of(operand)?;
                let value = match lanes {
                    Some(lanes) => b.select(self.mask_for(all, lanes), all, b.load(all.ty(), *place, 0)),
                    None => all,
                };
                b.store(value, *place, 0);
            }
            None => return failure("a phi without a place"),
        }
        Ok(())
    }
}

/// Gives what is known of an instruction in one row to another.
fn share<T: Clone>(from: &HashMap<InstId, T>, to: &mut HashMap<InstId, T>, id: InstId) {
    if let Some(value) = from.get(&id) {
        to.insert(id, value.clone());
    }
}
