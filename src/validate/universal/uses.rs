//! Every id that is used is defined, is of the right kind, and dominates its use.

use oxicl_spirv::grammar::Op;
use oxicl_spirv::{BlockRef, ConstantKind, Def, Id, Instruction, Operand, Type, op_name};

use super::blocks::{Expected, Graph, expected, is_debug};
use crate::at::Subject;
use crate::opencl::images;
use crate::rule::Rule;
use crate::violation::{Check, Report, fault};

/// The largest composite constant that an instruction takes as a value, in bytes. A bound: the compiler takes values
/// apart, number by number. Initialisers of module-scope variables may be larger.
const MAX_CONSTANT: u64 = 256 << 10;

/// Checks the operands of all instructions of function `number`.
pub(crate) fn check(subject: Subject<'_>, number: u32, graph: &Graph, report: &mut Report) {
    let Some(function) = subject.module.functions.get(number as usize) else { return };
    for (block, of_block) in function.blocks.iter().enumerate() {
        let block = BlockRef { function: number, block: block as u32 };
        for (position, instruction) in of_block.instructions.iter().enumerate() {
            if instruction.op == Op::ExtInst && is_debug(subject, instruction) {
                continue;
            }
            let here = Here { subject, graph, block, position: position as u32, instruction };
            report.check(subject.location(instruction), here.operands());
            if report.is_full() {
                return;
            }
        }
    }
}

/// An instruction and its place.
struct Here<'m> {
    subject: Subject<'m>,
    graph: &'m Graph,
    block: BlockRef,
    position: u32,
    instruction: &'m Instruction,
}

impl Here<'_> {
    fn operands(&self) -> Check {
        let operands = self.instruction.operands(self.subject.module);
        for (position, operand) in operands.iter().enumerate() {
            let Operand::Id(id) = *operand else { continue };
            match expected(self.instruction.op, position) {
                Expected::Value if self.instruction.op == Op::Phi => self.phi_value(id, operands.get(position + 1))?,
                Expected::Value => self.value(id)?,
                Expected::Label => match self.subject.module.def(id) {
                    Def::Block(target) if target.function == self.block.function => {}
                    Def::Block(_) => return self.kind(id, "a label of another function"),
                    _ => return self.kind(id, "no label"),
                },
                Expected::Function => match self.subject.module.def(id) {
                    Def::Function(_) => {}
                    _ => return self.kind(id, "no function"),
                },
                // Scopes of memory accesses that the device does not offer are values: `memory` refuses them.
                Expected::AliasList if self.subject.module.alias(id).is_none() => self.value(id)?,
                Expected::AliasList => {}
                Expected::InstructionSet => match self.subject.module.def(id) {
                    Def::InstructionSet => {}
                    _ => return self.kind(id, "no instruction set"),
                },
            }
        }
        Ok(())
    }

    fn kind(&self, id: Id, what: &str) -> Check {
        if self.subject.module.def(id) == Def::None {
            return fault(Rule::IdDefined, format!("{} uses {id}, which is not defined", op_name(self.instruction.op)));
        }
        fault(Rule::IdKind, format!("{} uses {id}, which is {what}", op_name(self.instruction.op)))
    }

    /// `id` names a value that is there when this instruction runs.
    fn value(&self, id: Id) -> Check {
        match self.subject.module.def(id) {
            Def::Instruction { block, index } => {
                self.has_value(id)?;
                images::use_of_bytes(self.subject, self.instruction.op, id)?;
                self.sampled_image(id, Some(block))?;
                let before = if block == self.block {
                    index < self.position || !self.graph.dominators.reaches(block.block)
                } else {
                    block.function == self.block.function
                        && self.graph.dominators.dominates(block.block, self.block.block)
                };
                self.dominated(id, before)
            }
            _ => self.outside_blocks(id),
        }
    }

    /// As `value`, at the end of the phi's parent.
    fn phi_value(&self, id: Id, parent: Option<&Operand>) -> Check {
        let parent = match parent {
            Some(Operand::Id(parent)) => self.subject.module.def(*parent),
            _ => Def::None,
        };
        match (self.subject.module.def(id), parent) {
            (Def::Instruction { block, .. }, Def::Block(parent)) => {
                self.has_value(id)?;
                images::use_of_bytes(self.subject, self.instruction.op, id)?;
                self.sampled_image(id, None)?;
                let before =
                    block.function == self.block.function && self.graph.dominators.dominates(block.block, parent.block);
                self.dominated(id, before)
            }
            (Def::Instruction { .. }, _) => self.has_value(id),
            _ => self.outside_blocks(id),
        }
    }

    fn outside_blocks(&self, id: Id) -> Check {
        match self.subject.module.def(id) {
            Def::Constant(_) => self.small_constant(id),
            Def::Global(_) => Ok(()),
            Def::Parameter { function, .. } if function == self.block.function => Ok(()),
            Def::Parameter { .. } => self.kind(id, "a parameter of another function"),
            Def::Type(_) => self.kind(id, "a type"),
            Def::Function(_) => self.kind(id, "a function"),
            Def::Block(_) => self.kind(id, "a label"),
            _ => self.kind(id, "no value"),
        }
    }

    /// A composite constant is no larger than values may be.
    fn small_constant(&self, id: Id) -> Check {
        let Some(constant) = self.subject.module.constant(id) else { return Ok(()) };
        match (&constant.kind, self.subject.layouts.size_of(constant.ty)) {
            (ConstantKind::Composite(_), Some(size)) if size > MAX_CONSTANT => fault(
                Rule::DeviceLimit,
                format!(
                    "{} uses {id}, a constant of {size} bytes, more than {MAX_CONSTANT}",
                    op_name(self.instruction.op)
                ),
            ),
            _ => Ok(()),
        }
    }

    fn has_value(&self, id: Id) -> Check {
        let ty = self.subject.module.type_of(id);
        match ty.and_then(|ty| self.subject.declaration(ty)) {
            Some(Type::Void) | None => self.kind(id, "no value"),
            Some(_) => Ok(()),
        }
    }

    /// A sampled image, which `block` makes, is used there, by an instruction that takes one.
    fn sampled_image(&self, id: Id, block: Option<BlockRef>) -> Check {
        let ty = self.subject.module.type_of(id).and_then(|ty| self.subject.declaration(ty));
        let Some(Type::SampledImage { .. }) = ty else { return Ok(()) };
        let refuse = |what: &str| {
            fault(Rule::SampledImage, format!("{} uses {id}, a sampled image{what}", op_name(self.instruction.op)))
        };
        match self.instruction.op {
            Op::ImageSampleExplicitLod | Op::Image if block == Some(self.block) => Ok(()),
            Op::ImageSampleExplicitLod | Op::Image => refuse(" of another block"),
            _ => refuse(", which it does not take"),
        }
    }

    fn dominated(&self, id: Id, before: bool) -> Check {
        if before {
            return Ok(());
        }
        fault(Rule::Dominance, format!("{} uses {id}, which does not dominate it", op_name(self.instruction.op)))
    }
}
