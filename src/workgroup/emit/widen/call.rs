//! Calls of functions that stay functions: all lanes at once, where there is a version of the function for gangs.

use oxicl_llvm::Value;

use crate::analyse::shape::Shape;
use crate::emit::components::components_of;
use crate::emit::versions::Argument;
use crate::emit::widen::region::Widener;
use crate::failure::{Failure, failure};
use crate::ir::Inst;

impl<'m> Widener<'_, '_, 'm> {
    /// Calls a function for the lanes of the mask. `None` if it has no version for gangs.
    pub(crate) fn call(&mut self, inst: &Inst<'m>, mask: Option<Value<'m>>) -> Result<Option<Vec<Value<'m>>>, Failure> {
        let Some(callee) = inst.llvm.called_function() else { return Ok(None) };
        let operands = &inst.operands[..inst.llvm.arguments().len()];
        let mut wanted = Vec::with_capacity(operands.len());
        for operand in operands {
            let ty = self.type_of(*operand)?;
            wanted.push(match self.shape(*operand) {
                Shape::Uniform | Shape::Row => Argument::Same,
                Shape::Affine(stride) if ty.is_pointer() || ty.int_width() == 64 => Argument::Steps(stride),
                _ => Argument::Varies,
            });
        }
        let Some(version) = self.e.versions.get(self.e, callee, wanted, self.lanes)? else { return Ok(None) };
        let b = self.b;
        let mut arguments = Vec::new();
        for (operand, argument) in operands.iter().zip(&version.arguments) {
            match argument {
                Argument::Same | Argument::Steps(_) => arguments.push(self.first(*operand)?),
                Argument::Varies => arguments.extend(self.components(*operand)?),
            }
        }
        arguments.push(self.bits(self.full(mask)));
        if version.asks {
            let Some(hidden) = self.scalar.hidden else {
                return failure("a call needs the hidden block where there is none");
            };
            self.scalar.places.store_item(b, hidden);
            arguments.push(hidden);
        }
        let call = b.call(version.function, &arguments);
        call.set_fast_math(inst.llvm.fast_math());
        let count = components_of(inst.llvm.ty())?.len() as u32;
        Ok(Some(match count {
            1 => vec![call],
            _ => (0..count).map(|index| b.extract_value(call, index)).collect(),
        }))
    }
}
