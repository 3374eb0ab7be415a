//! A module to the rules that it breaks.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use oxicl_caps::DeviceCaps;
use oxicl_fuzz::mutate_module;
use oxicl_spirv::{decode, words_from_bytes};
use oxicl_validate::validate;

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { mutate_module(data, size, max_size, seed) });

fuzz_target!(|data: &[u8]| {
    let Ok(module) = words_from_bytes(data).and_then(|words| decode(&words)) else { return };
    if let Err(violations) = validate(module, DeviceCaps::host()) {
        assert!(!violations.is_empty(), "a refusal has a reason");
        for violation in violations {
            let _ = violation.to_string();
        }
    }
});
