//! OpenCL.std. Every result is the exact one rounded once, to nearest even; where the specification gives a function as a
//! formula (`mix`, `smoothstep`), it is the formula's.

mod common;
mod geometric;
mod integer;
mod math;
mod memory;
mod print;
mod remainder;

use oxicl_spirv::grammar::OpenclStd100Op as Std;
use oxicl_spirv::{Def, Instruction, Type};

use crate::Fault;
use crate::machine::Machine;
use crate::value::{Value, truncate};

/// What a function looks at, and so where it is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Memory behind a pointer.
    Memory,
    /// The format and values of a printf.
    Print,
    /// The components of vectors as a table.
    Shuffle,
    /// All components together.
    Geometric,
    /// One component of each argument at a time.
    Lanes,
}

impl Place {
    fn of(std: Std) -> Place {
        match std {
            Std::vloadn
            | Std::vstoren
            | Std::vload_half
            | Std::vload_halfn
            | Std::vloada_halfn
            | Std::vstore_half
            | Std::vstore_half_r
            | Std::vstore_halfn
            | Std::vstore_halfn_r
            | Std::vstorea_halfn
            | Std::vstorea_halfn_r
            | Std::prefetch
            | Std::fract
            | Std::modf
            | Std::frexp
            | Std::remquo
            | Std::lgamma_r
            | Std::sincos => Place::Memory,
            Std::printf => Place::Print,
            Std::shuffle | Std::shuffle2 => Place::Shuffle,
            Std::cross
            | Std::distance
            | Std::length
            | Std::normalize
            | Std::fast_distance
            | Std::fast_length
            | Std::fast_normalize => Place::Geometric,
            _ => Place::Lanes,
        }
    }
}

impl Machine<'_> {
    /// OpExtInst: operands are the set, the number, then the arguments.
    pub(crate) fn library_call(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        let set = self.operand_id(inst, 0)?;
        let number = inst.word(self.module(), 1).ok_or(Fault::Malformed("OpExtInst without a number"))?;
        let known = matches!(self.module().def(set), Def::InstructionSet)
            && matches!(self.module().instruction_sets.get(&set), Some((oxicl_spirv::InstructionSet::OpenClStd, _)));
        if !known {
            // Debug information and non-semantic instructions have no value that anything could use.
            return Ok(Value::Scalar(0));
        }
        let std = Std::from_u32(number).ok_or(Fault::LibraryFunction(number))?;
        match Place::of(std) {
            Place::Memory => self.memory_function(inst, std),
            Place::Print => self.print(inst),
            Place::Shuffle => self.shuffle(inst, std),
            Place::Geometric => self.geometric(inst, std),
            Place::Lanes => self.lanewise(inst, std),
        }
    }

    fn argument(&self, inst: &Instruction, index: usize) -> Result<Value, Fault> {
        self.operand(inst, index + 2)
    }

    /// Functions of each component by itself.
    fn lanewise(&self, inst: &Instruction, std: Std) -> Result<Value, Fault> {
        let count = inst.operands(self.module()).len() - 2;
        let arguments = (0..count).map(|index| self.argument(inst, index)).collect::<Result<Vec<_>, _>>()?;
        let is_float = matches!(self.element_type(self.operand_type(inst, 2)?), Type::Float { .. });
        let (width, result_width) = (self.operand_width(inst, 2)?, self.result_width(inst)?);
        let first = arguments.first().ok_or(Fault::Malformed("a function without arguments"))?;
        let lanes = first.lanes()?.len();
        let mut results = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            let mut row = Vec::with_capacity(count);
            for argument in &arguments {
                let argument = argument.lanes()?;
                // Scalars among the arguments stand for a vector of equal components.
                row.push(*argument.get(lane).or(argument.first()).ok_or(Fault::Malformed("an empty argument"))?);
            }
            let result = match (is_float, std) {
                (_, Std::bitselect) => Some((row[0] & !row[2]) | (row[1] & row[2])),
                (_, Std::select) => {
                    let condition_width = self.operand_width(inst, 4)?;
                    let taken = if lanes == 1 { row[2] != 0 } else { row[2] >> (condition_width - 1) & 1 == 1 };
                    Some(if taken { row[1] } else { row[0] })
                }
                (true, _) => common::float_function(std, &row, width).or_else(|| math::function(std, &row, width)),
                (false, Std::nan) => Some(math::nan(row[0], width)),
                (false, _) => integer::function(std, &row, width),
            };
            let result = result.ok_or(Fault::LibraryFunction(std as u32))?;
            results.push(truncate(result, result_width));
        }
        Ok(first.with_lanes(results))
    }

    fn element_type(&self, ty: oxicl_spirv::TypeRef) -> &Type {
        match self.module().ty(ty) {
            Type::Vector { component, .. } => self.module().ty(*component),
            other => other,
        }
    }

    fn shuffle(&self, inst: &Instruction, std: Std) -> Result<Value, Fault> {
        let mut all = self.argument(inst, 0)?.lanes()?.to_vec();
        let mask = if std == Std::shuffle2 {
            all.extend_from_slice(self.argument(inst, 1)?.lanes()?);
            self.argument(inst, 2)?
        } else {
            self.argument(inst, 1)?
        };
        mask.map(|index| all[index as usize % all.len()])
    }
}

#[cfg(test)]
mod tests {
    use oxicl_spirv::grammar::OpenclStd100Op as Std;

    use super::{Place, common, integer, math};

    #[test]
    fn every_function_of_the_set_is_executed() {
        let row = [1, 1, 1];
        let unknown: Vec<Std> = (0..1000)
            .filter_map(Std::from_u32)
            .filter(|std| {
                // `lanewise` itself has the functions that need the widths of their operands.
                let in_lanewise = matches!(std, Std::nan | Std::select | Std::bitselect);
                Place::of(*std) == Place::Lanes
                    && !in_lanewise
                    && common::float_function(*std, &row, 32).is_none()
                    && math::function(*std, &row, 32).is_none()
                    && integer::function(*std, &row, 32).is_none()
            })
            .collect();
        assert!(unknown.is_empty(), "not executed: {unknown:?}");
    }
}
