//! Whether lanes pay: what a piece costs a gang, and what its work-items one by one.
//!
//! The unit is about a cycle. The figures are those of processors with wide vectors and slow gathers; what is compared is the
//! sums, so only their proportions matter.

use oxicl_llvm::{Module, Opcode, Type, TypeKind};

use crate::analyse::shape::{Shape, Shapes};
use crate::arena::{Function, Inst, InstId, Kind, Operand};
use crate::widen::graph::Graph;
use crate::widen::leaf::leaves_of;

/// What is compared.
pub(crate) struct Estimate {
    /// Of as many work-items as there are lanes, one by one.
    pub(crate) single: f64,
    /// Of a gang.
    pub(crate) gang: f64,
    /// Places of the code at which each lane reads or writes at an address of its own.
    pub(crate) scattered: usize,
}

/// A gang has to be cheaper by this factor: it is not known how full gangs are.
const WORTH: f64 = 0.8;

impl Estimate {
    pub(crate) fn pays(&self) -> bool {
        self.gang < self.single * WORTH
    }
}

/// How much more often code in a loop runs than around it, and how many loops count.
const TURNS: f64 = 8.0;
const DEPTH: usize = 3;

/// Sums up all pieces.
pub(crate) fn estimate<'g>(
    module: &Module<'_>,
    function: &Function<'_>,
    shapes: &Shapes,
    graphs: impl Iterator<Item = &'g Graph>,
    (lanes, vector_bits): (u32, u32),
) -> Estimate {
    let costs = Costs { module, function, shapes, lanes: f64::from(lanes), vector_bits: f64::from(vector_bits) };
    let mut result = Estimate { single: 0.0, gang: 0.0, scattered: 0 };
    for graph in graphs {
        for (node, block) in graph.blocks.iter().enumerate() {
            let weight = TURNS.powi(graph.depth(node).min(DEPTH) as i32);
            for id in &function.block(*block).insts {
                let (single, gang, scattered) = costs.of(*id);
                result.single += weight * single * costs.lanes;
                result.gang += weight * gang;
                result.scattered += usize::from(scattered);
            }
        }
    }
    result
}

struct Costs<'f, 'm> {
    module: &'f Module<'m>,
    function: &'f Function<'f>,
    shapes: &'f Shapes,
    lanes: f64,
    vector_bits: f64,
}

impl Costs<'_, '_> {
    /// For one work-item, for a gang, and whether each lane goes to a place of its own.
    fn of(&self, id: InstId) -> (f64, f64, bool) {
        let inst = self.function.inst(id);
        let lanes = self.lanes;
        match inst.opcode {
            Opcode::Load => return self.access(inst, inst.value.ty(), inst.operands.first()),
            Opcode::Store => {
                let ty = inst.value.operand(0).map(|value| value.ty());
                return ty.map_or((0.0, 0.0, false), |ty| self.access(inst, ty, inst.operands.get(1)));
            }
            Opcode::AtomicRmw | Opcode::AtomicCmpXchg => return (6.0, 5.0 * lanes, true),
            _ => {}
        }
        if self.shapes.of(id) != Shape::Varying {
            return (0.1, 0.3, false);
        }
        let (registers, parts) = self.registers(inst);
        let arithmetic = (0.3 * parts, registers, false);
        match (&inst.kind, inst.opcode) {
            (Kind::Phi(_), _) => (0.1, 0.5 * registers, false),
            (Kind::Call | Kind::Print | Kind::StorageClass, _) => (10.0, 13.0 * lanes, false),
            (_, Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem) => (4.0 * parts, 5.0 * lanes * parts, false),
            (_, Opcode::FDiv) => (2.5 * parts, 8.0 * registers, false),
            (_, Opcode::FRem | Opcode::Other) => (4.0 * parts, 6.0 * lanes * parts, false),
            _ => arithmetic,
        }
    }

    fn access(&self, inst: &Inst<'_>, ty: Type<'_>, address: Option<&Operand<'_>>) -> (f64, f64, bool) {
        let shape = address.map_or(Shape::Varying, |address| self.shapes.of_operand(*address));
        let (registers, parts) = self.registers(inst);
        let bytes = self.module.size_of(ty) as i64;
        let dense = match shape {
            Shape::Uniform | Shape::Row => true,
            Shape::Affine(stride) | Shape::Wrapping(stride) => stride == bytes || (parts == 1.0 && stride <= 4 * bytes),
            Shape::Varying => false,
        };
        if dense { (0.4 * parts, registers, false) } else { (0.4 * parts, 2.5 * self.lanes * parts, true) }
    }

    /// Vector registers of an instruction's values, and its parts.
    fn registers(&self, inst: &Inst<'_>) -> (f64, f64) {
        let first = inst.value.operand(0).map(|value| value.ty()).filter(|ty| !ty.is_pointer());
        let ty = match inst.opcode {
            Opcode::Store | Opcode::ICmp | Opcode::FCmp => first.unwrap_or(inst.value.ty()),
            _ => inst.value.ty(),
        };
        let parts = leaves_of(ty).map_or(1.0, |leaves| leaves.len() as f64).max(1.0);
        let bits = match ty.scalar().kind() {
            TypeKind::Integer => f64::from(ty.scalar().int_width().max(8)),
            TypeKind::Half | TypeKind::BFloat => 16.0,
            TypeKind::Float => 32.0,
            _ => 64.0,
        };
        (parts * (bits * self.lanes / self.vector_bits).max(1.0).ceil(), parts)
    }
}
