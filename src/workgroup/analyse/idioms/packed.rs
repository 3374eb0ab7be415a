//! Numbers that are extracted from vectors, operated on alike, and inserted into a vector again. In scalar code, LLVM's
//! SLP vectoriser turns the operations into one on vectors, and the extracts and inserts into shuffles.

use std::collections::HashMap;

use crate::analyse::instructions::is_binary;
use crate::analyse::shape::Shapes;
use crate::bounds::NEARBY;
use crate::ir::{Function, Inst, InstId, Kind, Opcode, Operand};

/// A vector into which numbers are inserted one after the other, and what they are made of.
struct Vector {
    length: u32,
    /// The operations behind each number, from its result back to where numbers are extracted from vectors.
    operations: Vec<Opcode>,
    numbers: u32,
    parts: Vec<InstId>,
}

/// For each instruction that helps to make such a vector, the vector's length.
pub(crate) fn packed(function: &Function<'_>, shapes: &Shapes) -> HashMap<InstId, u32> {
    let mut vectors: HashMap<InstId, Vector> = HashMap::new();
    for (id, inst) in function.numbered() {
        if inst.opcode != Opcode::InsertElement {
            continue;
        }
        let before = match inst.operands[0] {
            Operand::Inst(before) if function.inst(before).opcode == Opcode::InsertElement => vectors.remove(&before),
            Operand::Inst(_) => None,
            _ => Some(Vector { length: inst.ty.parts(), operations: Vec::new(), numbers: 0, parts: Vec::new() }),
        };
        if let (Some(mut vector), Some(parts)) = (before, parts(function, shapes, inst.operands[1])) {
            let operations: Vec<_> = parts.iter().map(|id| function.inst(*id).opcode).collect();
            if vector.numbers == 0 {
                vector.operations.clone_from(&operations);
            }
            if vector.operations == operations {
                vector.numbers += 1;
                vector.parts.extend(parts);
                vector.parts.push(id);
                vectors.insert(id, vector);
            }
        }
    }
    let whole = vectors.into_values().filter(|vector| vector.numbers == vector.length);
    whole.flat_map(|vector| vector.parts.into_iter().map(move |id| (id, vector.length))).collect()
}

/// The instructions between a number and vectors it is extracted from; `None` if there are none, or others vary.
fn parts(function: &Function<'_>, shapes: &Shapes, number: Operand) -> Option<Vec<InstId>> {
    let (mut seen, mut next, mut is_taken_out) = (Vec::new(), vec![number], false);
    while let Some(operand) = next.pop() {
        let Operand::Inst(id) = operand else { continue };
        let inst = function.inst(id);
        if inst.opcode == Opcode::ExtractElement {
            is_taken_out = true;
        } else if is_alike(inst) {
            let operands = if inst.opcode == Opcode::Call { inst.arguments() } else { &inst.operands };
            next.extend(operands);
        } else if !shapes.of(id).is_row_uniform() {
            return None;
        } else {
            continue;
        }
        seen.push(id);
        if seen.len() > NEARBY {
            return None;
        }
    }
    is_taken_out.then_some(seen)
}

/// May it become one vector operation together with others of its kind?
fn is_alike(inst: &Inst<'_>) -> bool {
    let is_elementwise = is_binary(inst.opcode) || inst.opcode == Opcode::FNeg || inst.elementwise().is_some();
    matches!(inst.kind, Kind::Plain) && is_elementwise && !inst.ty.is_vector()
}
