//! Guards: branches on comparisons that are affine in the lane, such as `x < n` or `x > 0 && x < w - 1`.
//!
//! Along a row, each such comparison keeps its result for a stretch of neighbours. How long the stretch is follows from
//! the operands of its first work-item. In a stretch the work-items agree on the branch, so a gang that lies in one
//! needs no mask for it. This finds the branches, and what ends a stretch.
//!
//! A comparison counts if its operands can be computed where the region begins: from ids, arguments, constants, values
//! that were kept, and memory that the region does not write. That is harmless even for work-items that never reach the
//! comparison: the operations have no effects, and are written without the program's promises, such as `nsw`, which
//! could make them undefined.

mod memory;

use std::collections::{BTreeSet, HashMap};

use crate::ir::{BlockId, Function, InstId, IntPredicate, Intrinsic, Kind, Opcode, Operand, Type};

use crate::analyse::graph::Graph;
use crate::analyse::instructions::{is_division, is_integer_binary, signedness};
use crate::analyse::shape::{Shape, Shapes, low_bits};
use crate::bounds::MOST_GUARDS;

/// Bits of the longest numbers that are compared. Needed for correctness: differences have 128 bits at most.
const LONGEST: u32 = 64;

/// The guards of a region.
#[derive(Default)]
pub(crate) struct Guards {
    /// Conditions of branches, and their parts: each is the same for all of a gang that lies in a stretch.
    pub(crate) conditions: BTreeSet<InstId>,
    /// The comparisons among them that differ between work-items of a row, in rising order.
    pub(crate) compares: BTreeSet<InstId>,
    /// What ends a stretch.
    pub(crate) bounds: Vec<Bound>,
    /// The branch conditions that stay the same throughout a stretch, whatever the region does meanwhile.
    pub(crate) steady: BTreeSet<InstId>,
}

/// An end of a stretch: a number that is affine in the lane changes its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    /// The instruction whose operands it is about.
    pub(crate) of: InstId,
    /// What is looked at: the difference of both operands, or one of them.
    pub(crate) term: Term,
    /// How many low bits of the operands are looked at, and whether these are signed.
    pub(crate) bits: u32,
    pub(crate) signed: bool,
    /// What is subtracted from the term.
    pub(crate) less: i128,
    /// The stride of the term from work-item to work-item.
    pub(crate) stride: i128,
}

/// What a bound looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    /// The first operand less the second.
    Difference,
    /// The operand with this number.
    Operand(usize),
}

/// A region, as far as its guards depend on it.
pub(crate) struct Scope<'r, 'm> {
    pub(crate) function: &'r Function<'m>,
    pub(crate) shapes: &'r Shapes,
    pub(crate) graph: &'r Graph,
    /// Values from before the region that are kept once for the work-group.
    pub(crate) kept: BTreeSet<InstId>,
}

impl Scope<'_, '_> {
    /// The node of a block of the region.
    fn node(&self, block: BlockId) -> Option<usize> {
        self.graph.numbers.get(&block).copied()
    }
}

/// Finds the guards of a region; `None` if there are none.
pub(crate) fn guards(scope: &Scope<'_, '_>) -> Option<Guards> {
    let mut finder = Finder { scope, available: HashMap::new(), found: Guards::default() };
    for block in &scope.graph.blocks {
        let Some(condition) = scope.function.condition(*block) else { continue };
        if scope.shapes.of_operand(condition).is_row_uniform() {
            continue;
        }
        let mut parts = Parts::default();
        if let Operand::Inst(id) = condition
            && finder.agrees(condition, &mut parts)
        {
            if finder.is_steady(condition) {
                finder.found.steady.insert(id);
            }
            finder.take(parts);
        }
    }
    let Finder { found, .. } = finder;
    (!found.conditions.is_empty()).then_some(found)
}

/// What one condition is made of.
#[derive(Default)]
struct Parts {
    conditions: BTreeSet<InstId>,
    compares: BTreeSet<InstId>,
    bounds: Vec<Bound>,
}

struct Finder<'r, 'm> {
    scope: &'r Scope<'r, 'm>,
    /// Whether an instruction can be computed where the region begins.
    available: HashMap<InstId, bool>,
    found: Guards,
}

impl<'m> Finder<'_, 'm> {
    fn take(&mut self, parts: Parts) {
        self.found.conditions.extend(parts.conditions);
        self.found.compares.extend(parts.compares);
        for bound in parts.bounds {
            if !self.found.bounds.contains(&bound) {
                self.found.bounds.push(bound);
            }
        }
    }

    /// Do work-items of a stretch agree on a boolean that is made of comparisons? Notes what it is made of.
    fn agrees(&mut self, operand: Operand, parts: &mut Parts) -> bool {
        let Operand::Inst(id) = operand else { return matches!(operand, Operand::Constant(_)) };
        let scope = self.scope;
        if scope.shapes.of(id).is_row_uniform() || parts.conditions.contains(&id) {
            return true;
        }
        let inst = scope.function.inst(id);
        if !matches!(inst.kind, Kind::Plain) || !inst.ty.is_int_up_to(1) || parts.conditions.len() > MOST_GUARDS {
            return false;
        }
        parts.conditions.insert(id);
        match inst.opcode {
            Opcode::ICmp => self.compare(id, parts),
            Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Select | Opcode::Freeze => {
                inst.operands.iter().all(|operand| self.agrees(*operand, parts))
            }
            _ => false,
        }
    }

    /// Can everything that a boolean is made of be computed where the region begins?
    fn is_steady(&mut self, operand: Operand) -> bool {
        let Operand::Inst(id) = operand else { return true };
        let inst = self.scope.function.inst(id);
        if self.scope.shapes.of(id).is_row_uniform() || inst.opcode == Opcode::ICmp {
            return self.is_available(operand);
        }
        inst.operands.iter().all(|operand| self.is_steady(*operand))
    }

    /// Is it a comparison of uniform or affine numbers that can be computed where the region begins? Notes its bounds.
    fn compare(&mut self, id: InstId, parts: &mut Parts) -> bool {
        let inst = self.scope.function.inst(id);
        let (Some(predicate), [left, right]) = (inst.int_predicate(), &inst.operands[..]) else { return false };
        let Some(bits) = self.scope.function.type_at(inst, 0).filter(|ty| ty.is_int()).map(Type::int_width) else {
            return false;
        };
        let (Some(a), Some(b)) = (self.stride(*left, bits), self.stride(*right, bits)) else { return false };
        let available = self.is_available(*left) && self.is_available(*right);
        if bits > LONGEST || !available || !self.is_as_kept(id) {
            return false;
        }
        parts.compares.insert(id);
        let signed = signedness(predicate) != Some(false);
        for (operand, stride) in [(0, a), (1, b)] {
            parts.bounds.extend(wraps(id, operand, bits, stride, signed));
        }
        let stride = i128::from(a) - i128::from(b);
        for less in changes(predicate).iter().filter(|_| stride != 0) {
            parts.bounds.push(Bound { of: id, term: Term::Difference, bits, signed, less: *less, stride });
        }
        self.extensions(&[*left, *right], parts)
    }

    /// Does a comparison use kept values as they were kept? Not if the region computes one of them anew before it.
    fn is_as_kept(&self, compare: InstId) -> bool {
        let scope = self.scope;
        let (mut work, mut seen) = (vec![compare], BTreeSet::new());
        while let Some(id) = work.pop() {
            if scope.kept.contains(&id) {
                let [from, to] = [id, compare].map(|id| scope.node(scope.function.inst(id).block));
                if from.zip(to).is_some_and(|(from, to)| scope.graph.leads(from, to)) {
                    return false;
                }
            } else if seen.insert(id) {
                let inst = scope.function.inst(id);
                work.extend(inst.operands.iter().filter_map(|operand| operand.inst()));
            }
        }
        true
    }

    /// Notes where narrow numbers wrap that are extended, so affine up to there. `false` if that is not known.
    fn extensions(&mut self, operands: &[Operand], parts: &mut Parts) -> bool {
        let (mut work, mut seen) = (operands.to_vec(), BTreeSet::new());
        while let Some(operand) = work.pop() {
            let Operand::Inst(id) = operand else { continue };
            if self.scope.shapes.of(id).is_row_uniform() || !seen.insert(id) {
                continue;
            }
            let inst = self.scope.function.inst(id);
            let wrapping = matches!(self.scope.shapes.of(id), Shape::Wrapping(_));
            match inst.opcode {
                Opcode::SExt | Opcode::ZExt => {
                    let narrow = inst.operands[0];
                    let Some(bits) = self.scope.function.type_at(inst, 0).map(Type::int_width) else { return false };
                    let Some(stride) = self.stride(narrow, bits) else { return false };
                    parts.bounds.extend(wraps(id, 0, bits, stride, inst.opcode == Opcode::SExt));
                }
                // An extension as shifts or a mask.
                Opcode::AShr | Opcode::And if wrapping => {
                    let (width, signed) = (inst.ty.int_width(), inst.opcode == Opcode::AShr);
                    let Some(stride) = self.stride(inst.operands[0], width) else { return false };
                    let low = low_bits(self.scope.function, inst).map_or(width, |low| low.left);
                    let bits = if signed { width } else { low };
                    parts.bounds.extend(wraps(id, 0, bits, cut(stride, bits), signed));
                }
                _ => {}
            }
            work.extend_from_slice(&inst.operands);
        }
        true
    }

    /// The stride of a number of so many bits along a row.
    fn stride(&self, operand: Operand, bits: u32) -> Option<i64> {
        match self.scope.shapes.of_operand(operand) {
            Shape::Uniform | Shape::Row => Some(0),
            Shape::Affine(stride) | Shape::Wrapping(stride) => (bits <= LONGEST).then(|| cut(stride, bits)),
            Shape::Varying => None,
        }
    }

    /// Can an operand be computed where the region begins?
    fn is_available(&mut self, operand: Operand) -> bool {
        match operand {
            Operand::Inst(id) => self.has(id),
            Operand::Parameter(_) => {
                let uniform = self.scope.shapes.of_operand(operand).is_row_uniform();
                uniform && self.scope.function.type_of(operand).is_int_up_to(LONGEST)
            }
            Operand::Constant(_) | Operand::Opaque => self.scope.function.as_u64(operand).is_some(),
        }
    }

    fn has(&mut self, id: InstId) -> bool {
        if let Some(known) = self.available.get(&id) {
            return *known;
        }
        if self.available.len() > MOST_GUARDS {
            return false;
        }
        // A value that depends on itself is not available.
        self.available.insert(id, false);
        let has = self.scope.kept.contains(&id) || self.can_compute(id);
        self.available.insert(id, has);
        has
    }

    fn can_compute(&mut self, id: InstId) -> bool {
        use Opcode::{Freeze, ICmp, SExt, Select, Trunc, ZExt};
        let inst = self.scope.function.inst(id);
        if !inst.ty.is_int_up_to(LONGEST) {
            return false;
        }
        match (&inst.kind, inst.opcode) {
            // What a shape says of a sub-group query holds in a gang, not in a whole row.
            (Kind::Query(query), _) => !query.is_of_sub_group(),
            (Kind::Plain, Opcode::Load) => self.can_load(inst),
            (Kind::Plain, opcode) if is_division(opcode) => {
                let divisor = self.scope.function.i64_at(inst, 1);
                !matches!(divisor, None | Some(0 | -1)) && self.is_available(inst.operands[0])
            }
            (Kind::Plain, Opcode::Shl | Opcode::LShr | Opcode::AShr) => {
                // A shift by the width or more gives poison.
                let by = self.scope.function.u64_at(inst, 1);
                by.is_some_and(|by| by < u64::from(inst.ty.int_width())) && self.is_available(inst.operands[0])
            }
            (Kind::Plain, Opcode::Call) => inst.calls(Intrinsic::is_bound) && self.all_available(&inst.operands[..2]),
            // Operations without effect or trap, whatever their operands.
            (Kind::Plain, Trunc | ZExt | SExt | ICmp | Select | Freeze) => self.all_available(&inst.operands),
            (Kind::Plain, opcode) if is_integer_binary(opcode) => self.all_available(&inst.operands),
            _ => false,
        }
    }

    fn all_available(&mut self, operands: &[Operand]) -> bool {
        operands.iter().all(|operand| self.is_available(*operand))
    }
}

/// The low bits of a stride, sign-extended.
fn cut(stride: i64, bits: u32) -> i64 {
    let above = LONGEST.saturating_sub(bits);
    (stride << above) >> above
}

/// What to subtract from the difference of two operands, so that they compare alike while no sign changes.
fn changes(predicate: IntPredicate) -> &'static [i128] {
    use IntPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    match predicate {
        Slt | Sge | Ult | Uge => &[0],
        Sle | Sgt | Ule | Ugt => &[1],
        // These tell less, equal and greater apart.
        Eq | Ne => &[0, 1],
    }
}

/// The bound at which an operand of so many bits wraps, if it has a stride.
fn wraps(of: InstId, operand: usize, bits: u32, stride: i64, signed: bool) -> Option<Bound> {
    let (least, most) = match signed {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    let less = if stride > 0 { most + 1 } else { least };
    let term = Term::Operand(operand);
    (stride != 0).then_some(Bound { of, term, bits, signed, less, stride: i128::from(stride) })
}
