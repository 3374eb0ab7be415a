//! What clang knows of kernels and SPIR-V has no place for: kept as OpStrings, as the Khronos translator does.

use crate::shim::Fact;

const HEADER_WORDS: usize = 5;
/// Index of the header's word that bounds the ids.
const BOUND: usize = 3;
const OP_STRING: u32 = 7;
const OP_LINE: u32 = 8;
/// OpCapability, OpExtension, OpExtInstImport, OpMemoryModel, OpEntryPoint, OpExecutionMode, OpExecutionModeId: what stands
/// before the debug instructions.
const BEFORE_DEBUG: [u32; 7] = [17, 10, 11, 14, 15, 16, 331];
/// The most words that an instruction can have.
const LARGEST_INSTRUCTION: usize = 0xffff;

/// `words` with the facts, and with names of files for the numbers in OpLine. What is no module stays as it is: the validator
/// will say so.
pub(crate) fn with_strings(words: &[u32], facts: &[Fact], line_files: &[String]) -> Vec<u32> {
    let Some(&bound) = words.get(BOUND) else { return words.to_vec() };
    let mut at = HEADER_WORDS;
    while let Some(word) = words.get(at).filter(|word| BEFORE_DEBUG.contains(&(*word & 0xffff))) {
        at += ((word >> 16) as usize).max(1);
    }
    let (before, after) = words.split_at(at.min(words.len()));
    let mut result = before.to_vec();
    let mut id = bound;
    for text in facts.iter().map(text_of) {
        let instruction = op_string(id, &text);
        if instruction.len() <= LARGEST_INSTRUCTION {
            result.extend(instruction);
            id += 1;
        }
    }
    let (first_file, start) = (id, result.len());
    for file in line_files {
        let instruction = op_string(id, file);
        let is_small = instruction.len() <= LARGEST_INSTRUCTION;
        result.extend(if is_small { instruction } else { op_string(id, "") });
        id += 1;
    }
    result.extend(after);
    if !line_files.is_empty() {
        name_files(&mut result, start, first_file);
    }
    result[BOUND] = id;
    result
}

/// Makes ids of the numbers in OpLine, from `at` on.
fn name_files(words: &mut [u32], mut at: usize, first: u32) {
    while let Some(word) = words.get(at).copied() {
        if word & 0xffff == OP_LINE
            && let Some(file) = words.get_mut(at + 1)
        {
            *file += first;
        }
        at += ((word >> 16) as usize).max(1);
    }
}

/// `kernel_arg_type.name.float*,int,`: each value is followed by a comma. Attributes have spaces between them.
fn text_of(fact: &Fact) -> String {
    let values = match fact.kind.as_str() {
        "kernel_attributes" => fact.values.join(" "),
        _ => fact.values.iter().map(|value| format!("{value},")).collect(),
    };
    format!("{}.{}.{values}", fact.kind, fact.kernel)
}

fn op_string(id: u32, text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    // At least one null character ends it.
    bytes.resize((bytes.len() + 1).next_multiple_of(4), 0);
    let length = 2 + bytes.len() / 4;
    let mut words = vec![(length as u32) << 16 | OP_STRING, id];
    words.extend(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)));
    words
}
