//! Which values of vector types lanes keep in AoS layout, as they lie in memory, and which as SoA components.
//!
//! The operands and the result of an operation that works element by element have one layout: they form a class. A
//! class is kept in AoS layout if that saves more than it costs. Loads and stores of lanes side by side save shuffles
//! between the layouts. It costs to ask for a single part, or to multiply all parts by a number of each lane's own.

use std::collections::{HashMap, HashSet};

use crate::ir::{BlockId, Function, Inst, InstId, Kind, Opcode, Operand, Scalar, Type};
use oxicl_protocol::Decision;
use oxicl_target::Ability;

use crate::analyse::components::word_of;
use crate::analyse::course::Mask;
use crate::analyse::idioms::speculated::may_be_apart_by;
use crate::analyse::instructions::{is_binary, is_cast, one_part};
use crate::analyse::shape::Shape;
use crate::bounds::LONGEST_AOS;
use crate::plan::Plan;
use crate::plan::gangs::GangRegion;
use crate::plan::trips::{DEPTH, ITERATIONS};
use crate::recipe::{Elements, Lanes, WHOLE, is_whole, often_apart};
use crate::switches::Subject;

/// The most parts of such a value. A bound on compile time: OpenCL C has no longer vectors.
const MOST_PARTS: u32 = 16;

/// Costs that nobody measured, in shuffles of a register: of the shifts that take small numbers out of words, and of
/// widening or narrowing numbers, which SoA does while it takes them out of words or puts them in.
const OF_A_WORD: f64 = 1.5;
const OTHER_WIDTH: f64 = 0.75;

/// What is known of a function when its layouts are decided.
pub(crate) struct Known<'k, 'm> {
    pub(crate) function: &'k Function<'m>,
    pub(crate) plan: &'k Plan,
    /// Values that outlive a region.
    pub(crate) kept: HashSet<InstId>,
    pub(crate) regions: &'k [GangRegion],
    pub(crate) gang: Lanes,
}

/// Whether the result of each instruction is kept in AoS layout, by its number; empty if none is.
pub(crate) fn aos(known: &Known<'_, '_>) -> Vec<bool> {
    let function = known.function;
    if !function.insts.iter().any(|inst| inst.ty.is_vector()) {
        return Vec::new();
    }
    let mut classes =
        Classes { known, may: Vec::new(), parent: Vec::new(), cost: Vec::new(), weights: known.weights() };
    for (id, inst) in function.numbered() {
        let may = function.reachable[inst.block.index()] && classes.may_be(id, inst);
        classes.may.push(may);
    }
    if !classes.may.contains(&true) {
        return Vec::new();
    }
    classes.parent = (0..function.insts.len() as u32).collect();
    classes.cost = vec![0.0; function.insts.len()];
    classes.connect();
    classes.count();
    let roots: Vec<_> = (0..function.insts.len() as u32).map(|index| classes.root(InstId(index)).index()).collect();
    let mut total = vec![0.0; function.insts.len()];
    for (root, cost) in roots.iter().zip(&classes.cost) {
        total[*root] += cost;
    }
    let pays = |root: usize| total[root] < 0.0 && function.allows(Decision::AosLayout, InstId(root as u32));
    roots.into_iter().zip(classes.may).map(|(root, may)| may && pays(root)).collect()
}

impl Known<'_, '_> {
    /// How often each block runs, relative to one outside of loops.
    fn weights(&self) -> HashMap<BlockId, f64> {
        let mut weights = HashMap::new();
        for GangRegion { graph, .. } in self.regions {
            for (node, block) in graph.blocks.iter().enumerate() {
                let weight = ITERATIONS.powi(graph.depth(node).min(DEPTH) as i32);
                let old = weights.entry(*block).or_insert(weight);
                *old = weight.max(*old);
            }
        }
        weights
    }

    /// Vector registers of a value in AoS layout.
    fn registers(&self, ty: &Type) -> f64 {
        f64::from((ty.element_bits() * ty.parts() * self.gang.lanes).div_ceil(self.gang.vectors.bits))
    }

    /// Shuffles that split a value into its parts, or put them together.
    fn shuffles(&self, ty: &Type) -> f64 {
        self.registers(ty) * if self.is_word(ty) { OF_A_WORD } else { f64::from(ty.parts() - 1) }
    }

    /// Is the value of each lane a machine word, from which shifts take the parts?
    fn is_word(&self, ty: &Type) -> bool {
        let bytes = ty.element_size();
        self.gang.vectors.can(Ability::Gather) && !is_truth(ty) && bytes < 4 && bytes * u64::from(ty.parts()) == 4
    }

    /// What a cast to or from the small numbers of a word costs in AoS layout. In SoA it is part of taking them out of
    /// the word, or putting them in.
    fn other_width(&self, from: &Type, to: &Type) -> f64 {
        let widens = from.element_size() != to.element_size();
        if widens && (self.is_word(from) || self.is_word(to)) {
            OTHER_WIDTH * self.registers(from).max(self.registers(to))
        } else {
            0.0
        }
    }

    /// In which part of its runs does a load or store move a value as it lies in memory, contiguous or lane by lane?
    fn moves_as_aos(&self, inst: &Inst<'_>, address: Operand) -> f64 {
        if self.plan.shapes.units(address).is_some() {
            return 0.0;
        }
        let Some(elements) = Elements::of(self.function.moved_type(inst)) else { return 0.0 };
        match self.plan.shapes.of_operand(address) {
            Shape::Affine(stride) | Shape::Wrapping(stride) if stride == elements.all_bytes() as i64 => 1.0,
            Shape::Uniform | Shape::Row => 0.0,
            _ if self.moves_whole(elements) => 1.0,
            Shape::Varying => {
                let bytes = elements.all_bytes() as i64;
                let rows = may_be_apart_by(self.function, &self.plan.shapes, address, bytes);
                rows.map_or(0.0, |rows| 1.0 - often_apart(rows, self.gang.lanes))
            }
            _ => 0.0,
        }
    }

    /// Does one access move all of a lane's elements, wherever these are?
    fn moves_whole(&self, elements: Elements) -> bool {
        let is_word = || {
            let is_word = word_of(elements.bytes, elements.count.into()) == Some(elements.all_bytes());
            is_word && self.function.allows(Decision::Words, Subject::Function)
        };
        let by_lane = !self.gang.vectors.can(Ability::Gather) || elements.all_bytes() >= WHOLE;
        by_lane && is_whole(elements, self.gang.lanes) || self.gang.vectors.can(Ability::Gather) && is_word()
    }

    fn varies(&self, operand: Operand) -> bool {
        !self.plan.shapes.of_operand(operand).is_row_uniform()
    }
}

/// May values of a type be kept in AoS layout? Booleans may between compare and select, but not in memory.
fn is_fit(ty: &Type, lanes: u32) -> bool {
    let count = ty.parts();
    let element =
        matches!(ty.scalar(), Some(Scalar::Int(1 | 8 | 16 | 32 | 64) | Scalar::Half | Scalar::Float | Scalar::Double));
    element && (2..=MOST_PARTS).contains(&count) && count.is_power_of_two() && count * lanes <= LONGEST_AOS
}

fn is_truth(ty: &Type) -> bool {
    ty.scalar() == Some(Scalar::Int(1))
}

struct Classes<'w, 'k, 'm> {
    known: &'w Known<'k, 'm>,
    /// Whether the result of each instruction may be kept in AoS layout.
    may: Vec<bool>,
    /// Union-find: a member of the class of each instruction, up to the root.
    parent: Vec<u32>,
    /// What AoS layout costs, less what components cost, for each value.
    cost: Vec<f64>,
    weights: HashMap<BlockId, f64>,
}

impl<'m> Classes<'_, '_, 'm> {
    fn root(&mut self, id: InstId) -> InstId {
        let mut at = id.index();
        while self.parent[at] as usize != at {
            let over = self.parent[self.parent[at] as usize];
            self.parent[at] = over;
            at = over as usize;
        }
        InstId(at as u32)
    }

    fn weight(&self, block: BlockId) -> f64 {
        self.weights.get(&block).copied().unwrap_or(1.0)
    }

    /// The instruction behind an operand, if its result may be kept in AoS layout.
    fn candidate(&self, operand: Operand) -> Option<InstId> {
        match operand {
            Operand::Inst(id) if self.may.get(id.index()).is_some_and(|may| *may) => Some(id),
            _ => None,
        }
    }

    /// May the result of an instruction be kept in AoS layout?
    fn may_be(&self, id: InstId, inst: &Inst<'m>) -> bool {
        let (known, ty) = (self.known, &inst.ty);
        let lanes = known.gang.lanes;
        if !is_fit(ty, lanes) || known.plan.shapes.of(id) != Shape::Varying || known.plan.apart.contains(&id) {
            return false;
        }
        if matches!(inst.kind, Kind::Phi(_)) {
            return !is_truth(ty);
        }
        let of = |index: usize| known.function.type_at(inst, index);
        let fits = |index: usize| of(index).is_some_and(|ty| is_fit(ty, lanes));
        matches!(inst.kind, Kind::Plain)
            && match inst.opcode {
                opcode if is_binary(opcode) => true,
                Opcode::FNeg | Opcode::Freeze | Opcode::Select => true,
                Opcode::BitCast => {
                    let scalar = |ty: &Type| match ty.single() {
                        Some(Scalar::Int(bits)) => matches!(bits, 16 | 32 | 64),
                        single => single.is_some_and(Scalar::is_float),
                    };
                    !is_truth(ty) && of(0).is_some_and(|from| scalar(from) || is_fit(from, lanes) && !is_truth(from))
                }
                // Doubles become halves by way of floats.
                Opcode::FPTrunc => {
                    let from = of(0).and_then(Type::scalar);
                    fits(0) && (ty.scalar() != Some(Scalar::Half) || from == Some(Scalar::Float))
                }
                opcode if is_cast(opcode) => fits(0),
                Opcode::ICmp | Opcode::FCmp => fits(0),
                Opcode::Load => inst.is_ordinary() && !is_truth(ty) && self.loads_in_one(inst),
                Opcode::InsertElement => {
                    let constant = known.function.u64_at(inst, 2);
                    constant.is_some_and(|index| index < ty.length()) && self.candidate(inst.operands[0]).is_some()
                }
                Opcode::ShuffleVector => fits(0) && !is_truth(ty),
                Opcode::Call => {
                    let arguments = 0..inst.arguments().len();
                    inst.elementwise()
                        .is_some_and(|row| arguments.into_iter().all(|index| row.scalar == Some(index) || fits(index)))
                }
                _ => false,
            }
    }

    fn loads_in_one(&self, inst: &Inst<'m>) -> bool {
        let (known, address) = (self.known, inst.operands[0]);
        let private = known.plan.shapes.units(address).is_some();
        let shared = known.plan.shapes.of_operand(address).is_row_uniform();
        !private && (shared || known.moves_as_aos(inst, address) > 0.0)
    }

    /// The operands that have the layout of the result: those that an instruction combines part by part, or shuffles.
    fn of_class<'i>(&self, inst: &'i Inst<'m>) -> &'i [Operand] {
        match inst.opcode {
            _ if matches!(inst.kind, Kind::Phi(_)) => &inst.operands,
            Opcode::Load => &[],
            Opcode::InsertElement => &inst.operands[..1],
            Opcode::Call => inst.arguments(),
            Opcode::Select if !self.known.function.type_at(inst, 0).is_some_and(Type::is_vector) => &inst.operands[1..],
            _ => &inst.operands,
        }
    }

    fn connect(&mut self) {
        let function = self.known.function;
        for (id, inst) in function.numbered() {
            if !self.may[id.index()] {
                continue;
            }
            for operand in self.of_class(inst) {
                if let Some(other) = self.candidate(*operand) {
                    let (a, b) = (self.root(id), self.root(other));
                    self.parent[a.index().max(b.index())] = a.0.min(b.0);
                }
            }
        }
    }

    fn count(&mut self) {
        let function = self.known.function;
        let mut asked = HashSet::new();
        for (id, inst) in function.numbered() {
            if !function.reachable[inst.block.index()] {
                continue;
            }
            if self.may[id.index()] {
                self.cost[id.index()] += self.weight(inst.block) * self.result(inst);
                self.foreign(id, inst);
                if self.known.kept.contains(&id) {
                    // A barrier stores and loads it as lanes side by side.
                    self.cost[id.index()] -= 2.0 * self.weight(inst.block) * self.known.shuffles(&inst.ty);
                }
                continue;
            }
            for (place, operand) in inst.operands.iter().enumerate() {
                let Some(used) = self.candidate(*operand) else { continue };
                let ty = &function.inst(used).ty;
                let all = self.known.shuffles(ty);
                // A part that is asked for several times is taken out once.
                let (part, cost) = match inst.opcode {
                    Opcode::Store if place == 0 && inst.is_ordinary() => {
                        let as_aos = self.known.moves_as_aos(inst, inst.operands[1]);
                        let apart = as_aos == 0.0 && self.known.varies(inst.operands[1]);
                        (None, if apart { all } else { -as_aos * all })
                    }
                    Opcode::ExtractElement if place == 0 => match function.u64_at(inst, 1) {
                        Some(part) => (Some(part), all / f64::from(ty.parts())),
                        None => (Some(u64::MAX), all),
                    },
                    // A vector as one number of as many bits.
                    Opcode::BitCast => (None, -all),
                    _ => (Some(u64::MAX), all),
                };
                if part.is_none_or(|part| asked.insert((used, part))) {
                    self.cost[used.index()] += self.weight(inst.block) * cost;
                }
            }
        }
        for block in function.block_ids() {
            let at_end = function.used_at_end(block);
            for used in at_end.iter().filter_map(|operand| self.candidate(*operand)).collect::<Vec<_>>() {
                self.cost[used.index()] += self.known.shuffles(&function.inst(used).ty);
            }
        }
    }

    /// What the result of an instruction costs in AoS layout, less what it costs in components.
    fn result(&self, inst: &Inst<'m>) -> f64 {
        let (known, ty) = (self.known, &inst.ty);
        let registers = known.registers(ty);
        let first = known.function.type_at(inst, 0);
        match inst.opcode {
            Opcode::Load => -known.moves_as_aos(inst, inst.operands[0]) * known.shuffles(ty),
            Opcode::InsertElement => registers * if known.varies(inst.operands[1]) { 2.0 } else { 1.0 },
            Opcode::ShuffleVector => {
                let from = first.map_or(1, Type::parts);
                let picked = inst.shuffle_mask();
                let of_first = picked.iter().flatten().filter(|index| **index < from).count();
                let of_both = of_first > 0 && of_first < picked.iter().flatten().count();
                registers * if of_both { 2.0 } else { 1.0 }
            }
            Opcode::Select => {
                let scalar = first.is_some_and(|condition| !condition.is_vector());
                if scalar && known.varies(inst.operands[0]) { 2.0 * registers } else { 0.0 }
            }
            Opcode::BitCast => match first.map(Type::parts) {
                Some(from) if from != ty.parts() => {
                    let other = first.map_or(0.0, |from| known.shuffles(from));
                    -known.shuffles(ty) - other
                }
                _ => 0.0,
            },
            Opcode::Call => first.map_or(0.0, |from| known.other_width(from, ty)),
            opcode if is_cast(opcode) => first.map_or(0.0, |from| known.other_width(from, ty)),
            // Lanes from different sides are blended under masks, which have to be as long as the value.
            _ if matches!(inst.kind, Kind::Phi(_)) && self.merges(inst) => 2.0 * registers,
            _ => 0.0,
        }
    }

    /// Does a phi blend lanes that come from different sides?
    fn merges(&self, inst: &Inst<'m>) -> bool {
        self.known.regions.iter().any(|GangRegion { graph, course, .. }| {
            let node = graph.numbers.get(&inst.block).copied();
            node.is_some_and(|node| course.masks[node] == Mask::Own && graph.headed(node).is_none())
        })
    }

    /// What it costs to put together operands that are in components in either case.
    fn foreign(&mut self, id: InstId, inst: &Inst<'m>) {
        let function = self.known.function;
        let splat = inst.opcode == Opcode::ShuffleVector && {
            let from = function.type_at(inst, 0).map_or(1, Type::parts);
            one_part(inst.shuffle_mask(), from).is_some()
        };
        let mut cost = 0.0;
        for operand in self.of_class(inst) {
            let foreign = self.candidate(*operand).is_none() && self.known.varies(*operand);
            let (ty, weight) = match operand {
                Operand::Inst(used) => {
                    let used = function.inst(*used);
                    (&used.ty, self.weight(used.block))
                }
                Operand::Parameter(index) => (&function.parameters[*index as usize].ty, 1.0),
                _ => continue,
            };
            if foreign && !splat && ty.parts() > 1 {
                cost += weight * self.known.shuffles(ty);
            }
        }
        self.cost[id.index()] += cost;
    }
}
