//! Functions that LLVM's SPIR-V target leaves as calls of imported functions, though there are instructions: their calls
//! become these. One is built in; the others are names by which the shim calls what the target would forget half of.

use std::collections::HashMap;

const HEADER_WORDS: usize = 5;
const OP_NAME: u32 = 5;
const OP_FUNCTION: u32 = 54;
const OP_FUNCTION_END: u32 = 56;
const OP_FUNCTION_CALL: u32 = 57;
const OP_DECORATE: u32 = 71;
const OP_IMAGE_SAMPLE_EXPLICIT_LOD: u32 = 88;
const OP_IMAGE_WRITE: u32 = 99;
const OP_IMAGE_QUERY_ORDER: u32 = 102;
const LINKAGE_ATTRIBUTES: u32 = 41;
const IMPORT: u32 = 1;
/// Image operands.
const LOD: u32 = 2;
const GRAD: u32 = 4;

/// What an imported function is.
#[derive(Clone, Copy)]
enum Meaning {
    /// Channel order of an image.
    Order,
    /// Write: image, coordinate, level of detail, texel.
    WriteLevel,
    /// Sample: sampled image, coordinate, two gradients.
    SampleGradients,
}

/// What names begin with; types follow.
const NAMES: &[(&[u8], Meaning)] = &[
    (b"_Z23get_image_channel_order", Meaning::Order),
    (b"oxicl.write_level.", Meaning::WriteLevel),
    (b"oxicl.sample_gradients.", Meaning::SampleGradients),
];

impl Meaning {
    /// What a function is whose name is the string that `words` begin with, if it is one of these.
    fn of(words: &[u32]) -> Option<Meaning> {
        let bytes: Vec<u8> = words.iter().take(8).flat_map(|word| word.to_le_bytes()).collect();
        NAMES.iter().find(|(name, _)| bytes.starts_with(name)).map(|(_, meaning)| *meaning)
    }

    /// The instruction in place of a call, if it has as many arguments.
    fn instruction(self, call: &[u32]) -> Option<Vec<u32>> {
        let first = |op: u32, count: u32| count << 16 | op;
        match (self, call) {
            (Meaning::Order, [_, ty, result, _, image]) => {
                Some(vec![first(OP_IMAGE_QUERY_ORDER, 4), *ty, *result, *image])
            }
            (Meaning::WriteLevel, [_, _, _, _, image, coordinate, level, texel]) => {
                Some(vec![first(OP_IMAGE_WRITE, 6), *image, *coordinate, *texel, LOD, *level])
            }
            (Meaning::SampleGradients, [_, ty, result, _, pair, coordinate, x, y]) => {
                Some(vec![first(OP_IMAGE_SAMPLE_EXPLICIT_LOD, 8), *ty, *result, *pair, *coordinate, GRAD, *x, *y])
            }
            _ => None,
        }
    }
}

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

/// `words` with the instructions in place of the calls, and without the functions.
pub(crate) fn replaced(words: Vec<u32>) -> Vec<u32> {
    let imported: HashMap<u32, Meaning> = instructions(&words)
        .filter_map(|instruction| match instruction {
            // A function of the program that has the name is exported.
            [first, id, LINKAGE_ATTRIBUTES, name @ .., IMPORT] if first & 0xffff == OP_DECORATE => {
                Meaning::of(name).map(|meaning| (*id, meaning))
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
        let of = |index: usize| instruction.get(index).and_then(|id| imported.get(id));
        match instruction[0] & 0xffff {
            OP_NAME | OP_DECORATE if of(1).is_some() => {}
            OP_FUNCTION if of(2).is_some() => inside = true,
            OP_FUNCTION_END if inside => inside = false,
            _ if inside => {}
            OP_FUNCTION_CALL => match of(3).and_then(|meaning| meaning.instruction(instruction)) {
                Some(made) => result.extend(made),
                None => result.extend(instruction),
            },
            _ => result.extend(instruction),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function with a name, and a call of it.
    fn module(name: &str, linkage: u32, arguments: &[u32]) -> Vec<u32> {
        let mut name = name.as_bytes().to_vec();
        name.push(0);
        name.resize(name.len().next_multiple_of(4), 0);
        let name: Vec<u32> =
            name.chunks(4).map(|word| word.iter().rev().fold(0, |all, b| all << 8 | u32::from(*b))).collect();
        let mut words = vec![0x0723_0203, 0x0001_0400, 0, 10, 0];
        words.extend([(name.len() as u32 + 4) << 16 | OP_DECORATE, 5, LINKAGE_ATTRIBUTES]);
        words.extend(name);
        words.extend([linkage, 5 << 16 | OP_FUNCTION, 1, 5, 0, 2, 1 << 16 | OP_FUNCTION_END]);
        words.extend([(arguments.len() as u32 + 4) << 16 | OP_FUNCTION_CALL, 1, 7, 5]);
        words.extend(arguments);
        words
    }

    #[test]
    fn only_calls_of_what_is_imported_become_instructions() {
        for (name, arguments, made) in [
            ("_Z23get_image_channel_order14ocl_image2d_ro", &[6][..], vec![4 << 16 | OP_IMAGE_QUERY_ORDER, 1, 7, 6]),
            ("oxicl.write_level.i", &[11, 12, 13, 14], vec![6 << 16 | OP_IMAGE_WRITE, 11, 12, 14, LOD, 13]),
            (
                "oxicl.sample_gradients.f",
                &[11, 12, 13, 14],
                vec![8 << 16 | OP_IMAGE_SAMPLE_EXPLICIT_LOD, 1, 7, 11, 12, GRAD, 13, 14],
            ),
        ] {
            assert_eq!(replaced(module(name, IMPORT, arguments))[HEADER_WORDS..], made, "{name}");
            let exported = module(name, 0, arguments);
            assert_eq!(replaced(exported.clone()), exported, "{name}");
        }
        let other = module("oxicl.write", IMPORT, &[11, 12, 13, 14]);
        assert_eq!(replaced(other.clone()), other);
    }
}
