//! Calls of functions for all lanes of a gang.

use oxicl_llvm::Value;

use crate::analyse::components::components_of;
use crate::emit::versions::Declared;
use crate::emit::widen::region::{Active, Widener};
use crate::failure::{OrFail, Result};
use crate::ir::Inst;
use crate::recipe::{Argument, VersionId};

impl<'m> Widener<'_, '_, 'm> {
    /// Calls a version of a function for the lanes of the mask.
    pub(crate) fn call(
        &mut self,
        inst: &Inst<'m>,
        version: Option<VersionId>,
        mask: Active<'m>,
    ) -> Result<Vec<Value<'m>>> {
        let version = version.or_fail("a call whose version is not planned")?;
        let Declared { function, arguments, needs_block } = self.e.versions.get(self.e.module, version, self.lanes)?;
        let b = self.b;
        let mut given = Vec::new();
        for (operand, argument) in inst.operands.iter().zip(arguments) {
            match argument {
                Argument::Same | Argument::Steps(_) => given.push(self.first(*operand)?),
                Argument::Varies => given.extend(self.components(*operand)?),
            }
        }
        given.push(self.bits(self.full(mask)));
        if needs_block {
            let hidden = self.scalar.hidden.or_fail("a call needs the hidden block where there is none")?;
            self.scalar.places.store_item(b, hidden);
            given.push(hidden);
        }
        let call = b.call(function, &given);
        call.set_fast_math(inst.llvm.fast_math());
        let count = components_of(&inst.ty)?.len() as u32;
        Ok(match count {
            1 => vec![call],
            _ => (0..count).map(|index| b.extract_value(call, index)).collect(),
        })
    }
}
