//! `get_image_channel_order`, which LLVM's SPIR-V target leaves as a call of an imported function: its calls become
//! OpImageQueryOrder.

use std::collections::HashSet;

const HEADER_WORDS: usize = 5;
const OP_NAME: u32 = 5;
const OP_FUNCTION: u32 = 54;
const OP_FUNCTION_END: u32 = 56;
const OP_FUNCTION_CALL: u32 = 57;
const OP_DECORATE: u32 = 71;
const OP_IMAGE_QUERY_ORDER: u32 = 102;
const LINKAGE_ATTRIBUTES: u32 = 41;
const IMPORT: u32 = 1;
/// What the mangled name begins with; the type of the image follows.
const NAME: &[u8] = b"_Z23get_image_channel_order";

/// The instructions of a module.
fn instructions(words: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = words.get(HEADER_WORDS..).unwrap_or_default();
    std::iter::from_fn(move || {
        let length = (rest.first()? >> 16).max(1) as usize;
        let (instruction, behind) = rest.split_at(length.min(rest.len()));
        rest = behind;
        Some(instruction)
    })
}

/// Whether words are a string that begins with the name.
fn is_named(words: &[u32]) -> bool {
    let bytes: Vec<u8> = words.iter().take(NAME.len().div_ceil(4)).flat_map(|word| word.to_le_bytes()).collect();
    bytes.starts_with(NAME)
}

/// `words` with the instruction in place of the calls, and without the function.
pub(crate) fn with_queries(words: Vec<u32>) -> Vec<u32> {
    let imported: HashSet<u32> = instructions(&words)
        .filter_map(|instruction| match instruction {
            // A function of the program that has the name is exported.
            [first, id, LINKAGE_ATTRIBUTES, name @ .., IMPORT] if first & 0xffff == OP_DECORATE && is_named(name) => {
                Some(*id)
            }
            _ => None,
        })
        .collect();
    if imported.is_empty() {
        return words;
    }
    let mut result = words.get(..HEADER_WORDS).unwrap_or_default().to_vec();
    let mut inside = false;
    for instruction in instructions(&words) {
        let has = |index: usize| instruction.get(index).is_some_and(|id| imported.contains(id));
        match instruction[0] & 0xffff {
            OP_NAME | OP_DECORATE if has(1) => {}
            OP_FUNCTION if has(2) => inside = true,
            OP_FUNCTION_END if inside => inside = false,
            _ if inside => {}
            OP_FUNCTION_CALL if has(3) && instruction.len() == 5 => {
                result.extend([4 << 16 | OP_IMAGE_QUERY_ORDER, instruction[1], instruction[2], instruction[4]]);
            }
            _ => result.extend(instruction),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function with the name, and a call of it.
    fn module(linkage: u32) -> Vec<u32> {
        let mut name = NAME.to_vec();
        name.extend(b"14ocl_image2d_ro");
        name.resize(name.len().next_multiple_of(4), 0);
        let name: Vec<u32> =
            name.chunks(4).map(|word| word.iter().rev().fold(0, |all, b| all << 8 | u32::from(*b))).collect();
        let mut words = vec![0x0723_0203, 0x0001_0400, 0, 10, 0];
        words.extend([(name.len() as u32 + 4) << 16 | OP_DECORATE, 5, LINKAGE_ATTRIBUTES]);
        words.extend(name);
        words.extend([linkage, 5 << 16 | OP_FUNCTION, 1, 5, 0, 2, 1 << 16 | OP_FUNCTION_END]);
        words.extend([5 << 16 | OP_FUNCTION_CALL, 1, 7, 5, 6]);
        words
    }

    #[test]
    fn only_calls_of_what_is_imported_become_queries() {
        let found = with_queries(module(IMPORT));
        assert_eq!(found[HEADER_WORDS..], [4 << 16 | OP_IMAGE_QUERY_ORDER, 1, 7, 6]);
        let exported = module(0);
        assert_eq!(with_queries(exported.clone()), exported);
    }
}
