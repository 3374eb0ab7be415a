//! Loads in guards: those that give the same where the region begins.

use crate::ir::{BlockId, Function, Inst, Kind, Opcode, Operand, space};

use super::Finder;
use crate::analyse::overlap::are_of_different_objects;

impl<'m> Finder<'_, 'm> {
    /// Does a load give the same where the region begins, and is it safe there: run by all, or dereferenceable for any?
    pub(super) fn can_load(&mut self, load: &Inst<'m>) -> bool {
        let scope = self.scope;
        let plain = load.is_ordinary();
        if !plain || scope.node(load.block).is_none() {
            return false;
        }
        let mut at = load.operands[0];
        // Bytes from the root, where that is known.
        let mut offset = Some(0);
        let root = loop {
            match at {
                Operand::Parameter(index) => break index,
                Operand::Inst(id) if scope.function.inst(id).opcode == Opcode::GetElementPtr => {
                    let address = scope.function.inst(id);
                    if !self.all_available(&address.operands[1..]) {
                        return false;
                    }
                    offset = offset
                        .zip(bytes_on(scope.function, address))
                        .and_then(|(bytes, more)| u64::checked_add(bytes, more));
                    at = address.operands[0];
                }
                _ => return false,
            }
        };
        let bytes = u64::from(load.ty.int_width().div_ceil(8));
        let there = scope.function.parameters[root as usize].dereferenceable;
        let is_there = offset.is_some_and(|offset| u64::saturating_add(offset, bytes) <= there);
        if !is_there && !self.is_passed(load.block) {
            return false;
        }
        if !scope.shapes.of_operand(Operand::Parameter(root)).is_row_uniform() {
            return false;
        }
        let space = scope.function.parameters[root as usize].ty.address_space();
        let insts = || scope.graph.blocks.iter().flat_map(|block| &scope.function.block(*block).insts);
        scope.shapes.is_read_only(root)
            || space == space::CONSTANT
            || !insts().any(|id| self.may_write(scope.function.inst(*id), root))
    }

    /// Does every work-item that enters the region run a block exactly once?
    fn is_passed(&self, block: BlockId) -> bool {
        let graph = self.scope.graph;
        self.scope.node(block).is_some_and(|node| graph.depth(node) == 0 && graph.post_dominates(node, 0))
    }

    /// May an instruction write the memory that parameter `root` points to?
    fn may_write(&self, inst: &Inst<'m>, root: u32) -> bool {
        let function = self.scope.function;
        match (&inst.kind, inst.opcode) {
            (Kind::Plain, Opcode::Store) => {}
            (Kind::Plain, Opcode::Call) => return !inst.is_pure(),
            (Kind::Plain, Opcode::AtomicRmw | Opcode::AtomicCmpXchg | Opcode::Fence | Opcode::Other) => return true,
            (Kind::Plain | Kind::Phi(_) | Kind::Query(_) | Kind::Alloca | Kind::StorageClass, _) => return false,
            _ => return true,
        }
        let places = [inst.operands[1], Operand::Parameter(root)];
        !are_of_different_objects(function, places, function.buffers)
    }
}

/// The bytes that an address computation adds, if they are a constant.
fn bytes_on(function: &Function<'_>, address: &Inst<'_>) -> Option<u64> {
    let is_bytes = address.operands.len() == 2 && address.source_type().is_some_and(|ty| ty.is_int_of(8));
    function.i64_at(address, 1).filter(|_| is_bytes)?.try_into().ok()
}
