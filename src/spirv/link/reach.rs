//! The variables that an entry point reaches. From SPIR-V 1.4 on an entry point lists them, and linking adds to what it
//! reaches.

use std::collections::{HashMap, HashSet};

use spirv::Op;

use super::LinkError;
use super::merge::Merge;
use crate::instruction::Operand;
use crate::module::{Constant, ConstantKind, Def, Id, Module};

/// Functions looked at for all entry points together.
const BUDGET: usize = 1 << 24;

type Place = (usize, Id);

/// What a function uses itself.
#[derive(Default)]
struct Uses {
    variables: Vec<Place>,
    callees: Vec<Place>,
}

impl Merge<'_> {
    /// The variables that each entry point reaches, as ids of the result, without duplicates.
    pub(super) fn reached(&self) -> Result<HashMap<Place, Vec<u32>>, LinkError> {
        let mut uses: HashMap<Place, Uses> = HashMap::new();
        for (number, module) in self.modules.iter().enumerate() {
            for function in &module.functions {
                if !self.symbols.dropped.contains(&(number, function.id)) {
                    uses.insert((number, function.id), self.uses(number, module, function));
                }
            }
        }
        let mut budget = BUDGET;
        let mut reached = HashMap::new();
        for (number, module) in self.modules.iter().enumerate() {
            for entry in &module.entry_points {
                let start = self.symbols.stands_for(number, entry.function);
                let (mut seen, mut variables) = (HashSet::from([start]), HashSet::new());
                let mut work = vec![start];
                while let Some(place) = work.pop() {
                    let Some(uses) = uses.get(&place) else { continue };
                    budget = budget
                        .checked_sub(1 + uses.variables.len() + uses.callees.len())
                        .ok_or_else(|| LinkError::new("the kernels' call trees have too many functions together"))?;
                    variables.extend(uses.variables.iter().map(|(module, id)| self.ids.get(*module, *id)));
                    work.extend(uses.callees.iter().filter(|callee| seen.insert(**callee)));
                }
                let mut variables: Vec<u32> = variables.into_iter().collect();
                variables.sort_unstable();
                reached.insert((number, entry.function), variables);
            }
        }
        Ok(reached)
    }

    fn uses(&self, number: usize, module: &Module, function: &crate::module::Function) -> Uses {
        let mut uses = Uses::default();
        let mut constants = HashSet::new();
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            if instruction.op == Op::ExtInst && super::merge::is_debug(module, instruction.operands(module)) {
                continue;
            }
            for operand in instruction.operands(module) {
                let Operand::Id(id) = *operand else { continue };
                match module.def(id) {
                    Def::Function(_) => uses.callees.push(self.symbols.stands_for(number, id)),
                    Def::Global(_) => uses.variables.push(self.symbols.stands_for(number, id)),
                    Def::Constant(_) => self.of_constant(number, module, id, &mut constants, &mut uses),
                    _ => {}
                }
            }
        }
        uses.variables.sort_unstable();
        uses.variables.dedup();
        uses.callees.sort_unstable();
        uses.callees.dedup();
        uses
    }

    /// The variables whose addresses a constant holds.
    fn of_constant(&self, number: usize, module: &Module, id: Id, seen: &mut HashSet<Id>, uses: &mut Uses) {
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            match module.def(id) {
                Def::Global(_) => uses.variables.push(self.symbols.stands_for(number, id)),
                Def::Constant(_) => match module.constant(id) {
                    Some(Constant { kind: ConstantKind::Composite(parts), .. }) => work.extend(parts),
                    Some(Constant { kind: ConstantKind::Operation { operands, .. }, .. }) => {
                        let range = operands.start as usize..(operands.start + operands.len) as usize;
                        let operands = module.operands.get(range).unwrap_or_default();
                        work.extend(
                            operands.iter().filter_map(|o| if let Operand::Id(id) = o { Some(*id) } else { None }),
                        );
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }
}
