//! Damaged SPIR-V: modules changed along their own structure, for tests that no input may bring down.
//!
//! - **Takes**: the words of a module, those of another one to take pieces of, and a random generator.
//! - **Gives**: words that are mostly still a module to look at: one to some places differ.
//! - **Never**: panics, whatever the words are; uses the library's own decoder, whose mistakes it must not share.
#![forbid(unsafe_code)]

mod change;
mod folder;
mod shape;

pub use folder::spv_files;
pub use oxicl_generator::Random;

use change::CHANGES;
use shape::Sketch;

/// Modules that grow past this many words are cut off, so that mutants of mutants stay small.
const LARGEST: usize = 1 << 20;

/// Changes `words` in one to four places. Pieces of `donor` may be put in.
pub fn mutate(words: &[u32], donor: &[u32], random: &mut Random) -> Vec<u32> {
    let mut sketch = Sketch::of(words);
    // Most mutants get one change: a second one often hides what the first would have reached.
    let count = if random.chance(60) { 1 } else { 1 + random.below(4) };
    for _ in 0..count {
        random.pick(CHANGES)(&mut sketch, donor, random);
    }
    let mut words = sketch.into_words();
    words.truncate(LARGEST);
    words
}

/// As [`mutate`] for bytes: sometimes the length is no multiple of four, or the byte order is the other one.
pub fn mutate_bytes(bytes: &[u8], donor: &[u8], random: &mut Random) -> Vec<u8> {
    let words =
        |bytes: &[u8]| -> Vec<u32> { bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect() };
    let mutant = mutate(&words(bytes), &words(donor), random);
    let swapped = random.chance(2);
    let mut bytes: Vec<u8> = Vec::with_capacity(mutant.len() * 4);
    for word in mutant {
        bytes.extend(if swapped { word.to_be_bytes() } else { word.to_le_bytes() });
    }
    if random.chance(2) {
        bytes.truncate(random.below(bytes.len() as u64 + 1) as usize);
    }
    bytes
}

/// What a seed stands for among `count` modules: the module that is damaged, the one that pieces are taken of, and the
/// random generator for [`mutate_bytes`].
pub fn of_seed(seed: u64, count: usize) -> (usize, usize, Random) {
    let mut random = Random::new(seed);
    let [module, donor] = [(); 2].map(|()| random.below(count as u64) as usize);
    (module, donor, random)
}

#[cfg(test)]
mod tests {
    use super::{Random, mutate};

    /// A kernel without a body, by hand.
    const MODULE: &[u32] = &[
        0x0723_0203,
        0x0001_0000,
        0,
        6,
        0, //
        2 << 16 | 17,
        6,
        2 << 16 | 17,
        4,
        3 << 16 | 14,
        2,
        2, //
        4 << 16 | 15,
        6,
        4,
        0x6b,
        2 << 16 | 19,
        1,
        3 << 16 | 33,
        2,
        1, //
        5 << 16 | 54,
        1,
        4,
        0,
        2,
        2 << 16 | 248,
        5,
        1 << 16 | 253,
        1 << 16 | 56,
    ];

    #[test]
    fn a_seed_gives_the_same_mutant_again() {
        for seed in 0..100 {
            let [a, b] = [(); 2].map(|()| mutate(MODULE, MODULE, &mut Random::new(seed)));
            assert_eq!(a, b);
        }
    }

    #[test]
    fn most_mutants_differ_and_are_still_laid_out_as_modules() {
        let (mut differ, mut whole) = (0, 0);
        for seed in 0..2000 {
            let mutant = mutate(MODULE, MODULE, &mut Random::new(seed));
            differ += usize::from(mutant != MODULE);
            let mut at = 5;
            while at < mutant.len() && mutant[at] >> 16 > 0 {
                at += (mutant[at] >> 16) as usize;
            }
            whole += usize::from(at == mutant.len());
        }
        assert!(differ > 1700, "{differ} of 2000 differ");
        assert!(whole > 1200, "{whole} of 2000 have their layout");
    }

    #[test]
    fn words_that_are_no_module_are_changed_too() {
        for seed in 0..3000 {
            let mut random = Random::new(seed);
            let mut words: Vec<u32> = (0..random.below(20)).map(|_| random.bits() as u32).collect();
            for _ in 0..10 {
                words = mutate(&words, MODULE, &mut random);
            }
        }
    }
}
