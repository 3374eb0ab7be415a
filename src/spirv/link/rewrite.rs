//! What linking changes in a module by itself: names of exports, and calls of a printf that is imported.

use std::collections::{HashMap, HashSet};

use spirv::{Decoration as Kind, LinkageType, Op, OpenclStd100Op, StorageClass};

use crate::module::{Id, InstructionSet, Module};
use crate::physical::{HEADER_WORDS, raw_instructions};
use crate::strings::{decode_string, encode_string};
use crate::types::Type;

/// The extension by which a format need not be in constant memory.
const RELAXED_PRINTF: &str = "SPV_EXT_relaxed_printf_string_address_space";
/// The extension of [`LinkageType::LinkOnceODR`].
const LINK_ONCE: &str = "SPV_KHR_linkonce_odr";
/// Index of the header's word that bounds the ids.
const BOUND: usize = 3;

/// Names by which producers import OpenCL C's printf: as C has it, and mangled with every address space that a format may be in.
const PRINTF: [&str; 6] = [
    "printf",
    "_Z6printfPKcz",
    "_Z6printfPU3AS1Kcz",
    "_Z6printfPU3AS2Kcz",
    "_Z6printfPU3AS4Kcz",
    "_Z18__spirv_ocl_printfPU3AS2Kcz",
];

/// Whether a function is OpenCL C's printf, imported: it takes a pointer and gives an integer. A call passes more arguments
/// than its type has parameters, which no other function allows.
pub fn is_imported_printf(module: &Module, function: Id) -> bool {
    let Some((name, LinkageType::Import)) = module.linkage(function) else { return false };
    let ty = module.type_of(function).map(|ty| module.ty(ty));
    let Some(Type::Function { result, parameters }) = ty else { return false };
    let is_pointer = parameters.first().is_some_and(|ty| matches!(module.ty(*ty), Type::Pointer { .. }));
    PRINTF.contains(&name.as_str()) && is_pointer && matches!(module.ty(*result), Type::Int { width: 32, .. })
}

/// The words of a module with OpenCL.std's printf in place of calls of an imported one; `None` if it imports none.
pub fn with_printf(module: &Module) -> Option<Vec<u32>> {
    let imported: Vec<_> = module.functions.iter().filter(|function| is_imported_printf(module, function.id)).collect();
    if imported.is_empty() {
        return None;
    }
    let functions: HashSet<u32> = imported.iter().map(|function| function.id.number()).collect();
    let parameters = imported.iter().flat_map(|function| &function.parameters).map(|parameter| parameter.id.number());
    let gone: HashSet<u32> = functions.iter().copied().chain(parameters).collect();
    let is_constant = |ty| matches!(module.ty(ty), Type::Pointer { storage: StorageClass::UniformConstant, .. });
    let relaxed =
        imported.iter().any(|function| !function.parameters.first().is_some_and(|first| is_constant(first.ty)));
    let known = module.instruction_sets.iter().find(|(_, (set, _))| *set == InstructionSet::OpenClStd);
    let set = known.map_or(module.bound, |(id, _)| id.number());
    let mut words = module.words.get(..HEADER_WORDS)?.to_vec();
    if known.is_none() {
        words[BOUND] = module.bound + 1;
    }
    let (mut inside, mut begun) = (false, false);
    for raw in raw_instructions(&module.words) {
        let names = |at: usize, ids: &HashSet<u32>| raw.words.get(at).is_some_and(|id| ids.contains(id));
        if !begun && !matches!(raw.op(), Some(Op::Capability | Op::Extension)) {
            begun = true;
            if relaxed && module.extensions.iter().all(|(name, _)| name != RELAXED_PRINTF) {
                words.extend(instruction(Op::Extension, &encode_string(RELAXED_PRINTF)));
            }
            if known.is_none() {
                words.extend(instruction(Op::ExtInstImport, &[vec![set], encode_string("OpenCL.std")].concat()));
            }
        }
        match raw.op() {
            Some(Op::Name | Op::Decorate | Op::DecorateId | Op::DecorateString) if names(1, &gone) => {}
            Some(Op::Function) if names(2, &functions) => inside = true,
            Some(Op::FunctionEnd) if inside => inside = false,
            _ if inside => {}
            Some(Op::FunctionCall) if names(3, &functions) => {
                let typed = raw.words.get(1..3).unwrap_or_default();
                let arguments = raw.words.get(4..).unwrap_or_default();
                words.extend(instruction(
                    Op::ExtInst,
                    &[typed, &[set, OpenclStd100Op::printf as u32], arguments].concat(),
                ));
            }
            _ => words.extend(raw.words),
        }
    }
    Some(words)
}

/// `words`, a module whose exports have other names: those that `names` has for them. They yield to exports of the same name,
/// and to each other.
pub fn with_weak_exports(words: &[u32], names: &HashMap<String, String>) -> Vec<u32> {
    let mut result = words.get(..HEADER_WORDS).unwrap_or_default().to_vec();
    let link_once = instruction(Op::Extension, &encode_string(LINK_ONCE));
    let has_extension = raw_instructions(words).any(|raw| raw.words == link_once);
    let mut begun = has_extension;
    for raw in raw_instructions(words) {
        if !begun && !matches!(raw.op(), Some(Op::Capability | Op::Extension)) {
            begun = true;
            result.extend(&link_once);
        }
        match (raw.op(), raw.words) {
            (Some(Op::Decorate), [_, target, kind, linkage @ ..]) if *kind == Kind::LinkageAttributes as u32 => {
                let other = decode_string(linkage).and_then(|(name, _)| names.get(&name));
                let Some(other) = other else {
                    result.extend(raw.words);
                    continue;
                };
                let operands =
                    [vec![*target, *kind], encode_string(other), vec![LinkageType::LinkOnceODR as u32]].concat();
                result.extend(instruction(Op::Decorate, &operands));
            }
            _ => result.extend(raw.words),
        }
    }
    result
}

/// An instruction in words. A string that is longer than one can be is cut off, which decoding notices.
fn instruction(op: Op, operands: &[u32]) -> Vec<u32> {
    let count = u16::try_from(operands.len() + 1).unwrap_or(u16::MAX);
    let first = u32::from(count) << 16 | op as u32;
    std::iter::once(first).chain(operands.iter().copied()).take(usize::from(count)).collect()
}
