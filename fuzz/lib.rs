//! What the fuzz targets have in common: no input may make them panic, run out of a stack of 8 MiB or of 512 MiB of
//! memory, or take longer than ten seconds.
//!
//! - **Takes**: bytes of libFuzzer, whose own mutations alternate with those of `oxicl-mutator`.
//! - **Gives**: nothing; a fault ends the process, and libFuzzer keeps the input.
//! - **Never**: runs a kernel.

use libfuzzer_sys::fuzzer_mutate;
use oxicl_mutator::{Random, mutate_bytes};
use oxicl_spirv::grammar::MAGIC_NUMBER;

/// libFuzzer's hook for structured input: half the mutants are changed along the structure of SPIR-V.
pub fn mutate_module(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random::new(u64::from(seed));
    if random.chance(50) {
        return fuzzer_mutate(data, size, max_size);
    }
    let Some(module) = data.get(..size) else { return size };
    let mutant = mutate_bytes(module, module, &mut random);
    let length = mutant.len().min(max_size).min(data.len());
    data[..length].copy_from_slice(&mutant[..length]);
    length
}

/// Cuts bytes before each magic word but the first: the modules in them, one after the other.
pub fn modules_in(bytes: &[u8]) -> Vec<Vec<u32>> {
    let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    let mut modules: Vec<Vec<u32>> = Vec::new();
    for word in words {
        if word == MAGIC_NUMBER || modules.is_empty() {
            modules.push(Vec::new());
        }
        if let Some(module) = modules.last_mut() {
            module.push(word);
        }
    }
    modules
}
