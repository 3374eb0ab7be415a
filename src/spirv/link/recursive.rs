//! Types that contain pointers to themselves. Equal ones cannot be found by comparing what they are made of, because
//! that is not known to be equal yet. So all are taken to be equal at first, and told apart round by round.

use std::collections::HashMap;
use std::num::NonZeroU32;

use spirv::Op;

use super::declare::result;
use super::merge::Merge;
use crate::instruction::Operand;
use crate::module::{Def, Id, Module};
use crate::parse::parse;
use crate::physical::raw_instructions;

/// Types that are not told apart after so many rounds stay apart.
const ROUNDS: usize = 64;

/// A type: its place, and what it is made of.
struct Node {
    module: usize,
    id: Id,
    /// What cannot change from round to round: opcode, literals, decorations.
    fixed: Vec<u32>,
    /// The types that it names.
    parts: Vec<Id>,
}

impl Merge<'_> {
    /// Lets pointer types that were announced stand for equal ones of modules before.
    pub(super) fn unify_recursive_types(&mut self) {
        let announced: Vec<Vec<Id>> = self.modules.iter().map(|module| announced(module)).collect();
        if announced.iter().filter(|ids| !ids.is_empty()).count() < 2 {
            return;
        }
        let mut nodes = Vec::new();
        for (number, module) in self.modules.iter().enumerate().filter(|(number, _)| !announced[*number].is_empty()) {
            self.nodes(number, module, &mut nodes);
        }
        let Some(classes) = classes(&nodes) else { return };
        let mut first: HashMap<u32, (usize, Id)> = HashMap::new();
        for (node, class) in nodes.iter().zip(classes) {
            if !announced[node.module].contains(&node.id) {
                continue;
            }
            match first.get(&class) {
                None => drop(first.insert(class, (node.module, node.id))),
                Some((module, id)) if *module != node.module => {
                    let target = self.ids.get(*module, *id);
                    self.ids.alias(node.module, node.id, target);
                }
                Some(_) => {}
            }
        }
    }

    fn nodes(&self, number: usize, module: &Module, nodes: &mut Vec<Node>) {
        for raw in raw_instructions(&module.words).take_while(|raw| raw.op() != Some(Op::Function)) {
            let Some(id) = result(raw).filter(|id| matches!(module.def(*id), Def::Type(_))) else { continue };
            let mut operands = Vec::new();
            if parse(raw, module.bound, module, &mut operands).is_err() {
                continue;
            }
            let (mut fixed, mut parts) = (vec![raw.opcode, operands.len() as u32], Vec::new());
            for operand in operands {
                match operand {
                    Operand::Word(word) => fixed.extend([0, word]),
                    // The length of an array.
                    Operand::Id(id) if matches!(module.def(id), Def::Constant(_)) => {
                        let bits = module.constant_bits(id).unwrap_or_default();
                        fixed.extend([1, bits as u32, (bits >> 32) as u32]);
                    }
                    Operand::Id(id) => parts.push(id),
                }
            }
            fixed.extend(self.decoration_words(number, module, id));
            nodes.push(Node { module: number, id, fixed, parts });
        }
    }
}

/// Classes of equal types, parallel to `nodes`; `None` if they are not found in time.
fn classes(nodes: &[Node]) -> Option<Vec<u32>> {
    let places: HashMap<(usize, Id), usize> =
        nodes.iter().enumerate().map(|(index, node)| ((node.module, node.id), index)).collect();
    let mut classes = vec![0u32; nodes.len()];
    let mut count = 1;
    for _ in 0..ROUNDS {
        let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
        let next: Vec<u32> = nodes
            .iter()
            .map(|node| {
                let mut key = node.fixed.clone();
                key.extend(
                    node.parts.iter().map(|part| places.get(&(node.module, *part)).map_or(0, |at| classes[*at])),
                );
                let number = numbers.len() as u32;
                *numbers.entry(key).or_insert(number)
            })
            .collect();
        if numbers.len() == count {
            return Some(next);
        }
        (classes, count) = (next, numbers.len());
    }
    None
}

/// Pointer types of a module that OpTypeForwardPointer announces.
fn announced(module: &Module) -> Vec<Id> {
    raw_instructions(&module.words)
        .take_while(|raw| raw.op() != Some(Op::Function))
        .filter(|raw| raw.op() == Some(Op::TypeForwardPointer))
        .filter_map(|raw| raw.words.get(1).copied().and_then(NonZeroU32::new).map(Id))
        .collect()
}
