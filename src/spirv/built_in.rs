//! Built-in variables as older translators write them: in UniformConstant, where OpenCL has them in Input.

use spirv::{Decoration, Op, StorageClass};

use crate::physical::raw_instructions;

const INPUT: u32 = StorageClass::Input as u32;
const UNIFORM_CONSTANT: u32 = StorageClass::UniformConstant as u32;
/// Where a header has the bound of ids.
const BOUND: usize = 3;

/// The module with such variables in Input, and pointer types for them, and listed by the entry points; `None` if it has none, or declares what stands in
/// the way. `words` have passed the check of the physical layout.
pub(crate) fn moved_to_input(words: &[u32]) -> Option<Vec<u32>> {
    let built_in = [Decoration::BuiltIn as u32];
    let is_decoration = |words: &[u32]| words.get(2..3) == Some(&built_in[..]);
    let decorated: Vec<u32> = raw_instructions(words)
        .filter(|raw| raw.op() == Some(Op::Decorate) && is_decoration(raw.words))
        .filter_map(|raw| raw.words.get(1).copied())
        .collect();
    // Pointer types that variables need, each with the type that it gets instead.
    let mut types: Vec<(u32, u32)> = Vec::new();
    let mut variables: Vec<u32> = Vec::new();
    let mut bound = *words.get(BOUND)?;
    for raw in raw_instructions(words).take_while(|raw| raw.op() != Some(Op::Function)) {
        if let (Some(Op::Variable), [_, kind, id, UNIFORM_CONSTANT, ..]) = (raw.op(), raw.words)
            && decorated.contains(id)
        {
            variables.push(*id);
            if types.iter().all(|(known, _)| known != kind) {
                types.push((*kind, bound));
                bound = bound.checked_add(1)?;
            }
        }
    }
    if types.is_empty() {
        return None;
    }
    let mut moved = words.get(..raw_instructions(words).next()?.offset as usize)?.to_vec();
    *moved.get_mut(BOUND)? = bound;
    for raw in raw_instructions(words) {
        let start = moved.len();
        moved.extend_from_slice(raw.words);
        match (raw.op(), raw.words) {
            // Entry points list the variables in Input that they use. None of these is listed yet.
            (Some(Op::EntryPoint), words) => {
                let count = u32::try_from(words.len() + variables.len()).ok().filter(|count| *count <= 0xFFFF)?;
                *moved.get_mut(start)? = count << 16 | Op::EntryPoint as u32;
                moved.extend_from_slice(&variables);
            }
            // Two declarations of one type are not allowed.
            (Some(Op::TypePointer), [_, _, INPUT, _]) => return None,
            (Some(Op::TypePointer), [first, id, UNIFORM_CONSTANT, pointee]) => {
                if let Some((_, new)) = types.iter().find(|(kind, _)| kind == id) {
                    moved.extend([*first, *new, INPUT, *pointee]);
                }
            }
            (Some(Op::Variable), [_, kind, id, UNIFORM_CONSTANT, ..]) if decorated.contains(id) => {
                let (_, new) = types.iter().find(|(known, _)| known == kind)?;
                *moved.get_mut(start + 1)? = *new;
                *moved.get_mut(start + 3)? = INPUT;
            }
            _ => {}
        }
    }
    Some(moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// OpTypeInt, OpTypePointer and OpVariable behind an OpDecorate.
    fn module(storage: u32, decoration: u32) -> Vec<u32> {
        let header = [spirv::MAGIC_NUMBER, 0x1_0000, 0, 10, 0];
        let instructions: [&[u32]; 4] = [
            &[4 << 16 | Op::Decorate as u32, 3, decoration, 28],
            &[4 << 16 | Op::TypeInt as u32, 1, 64, 0],
            &[4 << 16 | Op::TypePointer as u32, 2, storage, 1],
            &[4 << 16 | Op::Variable as u32, 2, 3, storage],
        ];
        [&header[..], &instructions.concat()].concat()
    }

    #[test]
    fn a_built_in_variable_gets_a_pointer_type_of_its_own() {
        let moved = moved_to_input(&module(UNIFORM_CONSTANT, Decoration::BuiltIn as u32)).expect("moved");
        assert_eq!(moved[BOUND], 11);
        let (before, after) = moved.split_at(moved.len() - 8);
        assert_eq!(&before[before.len() - 4..], [4 << 16 | Op::TypePointer as u32, 2, UNIFORM_CONSTANT, 1]);
        let pointer = [4 << 16 | Op::TypePointer as u32, 10, INPUT, 1];
        assert_eq!(after, [pointer, [4 << 16 | Op::Variable as u32, 10, 3, INPUT]].concat());
    }

    #[test]
    fn all_else_stays_as_it_is() {
        assert_eq!(moved_to_input(&module(INPUT, Decoration::BuiltIn as u32)), None);
        assert_eq!(moved_to_input(&module(UNIFORM_CONSTANT, Decoration::Constant as u32)), None);
        assert_eq!(moved_to_input(&[]), None);
    }
}
