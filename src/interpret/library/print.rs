//! printf.

use std::cell::RefCell;

use oxicl_printf::{Argument, Element, Shape, Strings};
use oxicl_spirv::{Instruction, Type};

use crate::Fault;
use crate::machine::Machine;
use crate::value::Value;

/// Memory in which strings are.
struct Reader<'r, 'p>(RefCell<&'r mut Machine<'p>>);

impl Strings for Reader<'_, '_> {
    fn read(&self, address: u64, most: usize, to: &mut Vec<u8>) -> bool {
        let mut machine = self.0.borrow_mut();
        for place in 0..most as u64 {
            let mut byte = [0];
            if machine.read(address.wrapping_add(place), &mut byte).is_err() {
                return false;
            }
            if byte == [0] {
                break;
            }
            to.push(byte[0]);
        }
        true
    }
}

impl Machine<'_> {
    /// Prints, and gives 0, or -1 if the format and its arguments do not fit.
    pub(super) fn print(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        let format = self.argument(inst, 0)?.scalar()?;
        let (mut shapes, mut values) = (Vec::new(), Vec::new());
        for index in 1..inst.operands(self.module()).len().saturating_sub(2) {
            let ty = self.operand_type(inst, index + 2)?;
            let element = match self.module().ty(self.component(ty)) {
                Type::Float { width, .. } => Element::Float(*width),
                Type::Pointer { .. } => Element::Pointer,
                _ => Element::Int(self.element_width(ty)?),
            };
            shapes.push(Shape { element, count: self.program.lane_count(ty) as u32 });
            values.push(self.argument(inst, index)?.lanes()?.to_vec());
        }
        let arguments: Vec<Argument<'_>> =
            shapes.iter().zip(&values).map(|(shape, values)| Argument { shape: *shape, values }).collect();
        let limit = self.print_limit;
        let text = {
            let reader = Reader(RefCell::new(self));
            let mut bytes = Vec::new();
            reader
                .read(format, limit, &mut bytes)
                .then_some(bytes)
                .and_then(|format| oxicl_printf::format(&format, &arguments, &reader, limit).ok())
        };
        Ok(Value::Scalar(match text {
            Some(text) => {
                self.memory.print(&text);
                0
            }
            None => 0xFFFF_FFFF,
        }))
    }
}
