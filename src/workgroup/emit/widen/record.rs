//! Accesses to all numbers of a record, one after the other: lanes whose records lie side by side load and store these whole, and
//! take the numbers from each other by shuffles, as with vectors of the language.

use oxicl_llvm::{GepFlags, Opcode, Value};

use crate::analyse::idioms::record::record;
use crate::arena::InstId;
use crate::emit::widen::access::{Address, Loaded};
use crate::emit::widen::piece::Widener;
use crate::failure::Failure;

impl<'m> Widener<'_, '_, 'm> {
    /// Loads a whole record where the first of its numbers is wanted, and stores it where the last one is known. `None` if it is
    /// not one.
    pub(crate) fn in_record(&mut self, id: InstId, mask: Option<Value<'m>>) -> Result<Option<Vec<Value<'m>>>, Failure> {
        let function = self.function;
        let inst = function.inst(id);
        if !self.e.plan.gathers() || !matches!(inst.opcode, Opcode::Load | Opcode::Store) {
            return Ok(None);
        }
        let lanes = u64::from(self.lanes);
        let Some(record) = record(self.e.module, function, &self.e.plan.shapes, id, lanes) else { return Ok(None) };
        if self.unit(record.address).is_some() {
            return Ok(None);
        }
        let Address::Steps(own, stride) = self.address(record.address)? else { return Ok(None) };
        let before = self.b.context().int_type(64).const_signed(-record.before);
        let start = Address::Steps(self.b.gep(self.b.context().int_type(8), own, &[before], GepFlags::NONE), stride);
        let whole = record.element.vector(record.members.len() as u32);
        if inst.opcode == Opcode::Store {
            let block = &function.block(inst.block).insts;
            let last = block.iter().rev().find(|other| record.members.contains(other));
            if last != Some(&id) {
                return Ok(Some(Vec::new()));
            }
            let values = record.members.iter().map(|member| self.leaf(function.inst(*member).operands[0]));
            let values = values.collect::<Result<Vec<_>, Failure>>()?;
            self.store(whole, &values, start, mask, record.align)?;
            return Ok(Some(Vec::new()));
        }
        let known =
            |member: &&InstId| self.state.wide.contains_key(member) || self.state.variables.contains_key(member);
        if record.members.iter().any(|member| known(&member)) {
            return Ok(None);
        }
        let values = self.load(Loaded::apart(whole), start, mask, record.align)?;
        let mut own = None;
        for (member, value) in record.members.iter().zip(values) {
            if *member == id {
                own = Some(vec![value]);
            } else {
                self.state.wide.insert(*member, vec![value]);
            }
        }
        Ok(own)
    }
}
