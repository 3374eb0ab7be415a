//! Words to a module and back to text; specialisation constants at their defaults and at other values.
#![no_main]

use std::collections::HashMap;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use oxicl_fuzz::mutate_module;
use oxicl_spirv::{decode, disassemble, spec_constants, specialise, words_from_bytes};

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { mutate_module(data, size, max_size, seed) });

fuzz_target!(|data: &[u8]| {
    let Ok(module) = words_from_bytes(data).and_then(|words| decode(&words)) else { return };
    let _ = disassemble(&module);
    let values = spec_constants(&module).into_iter().map(|constant| (constant.spec_id, u64::from(constant.spec_id)));
    for values in [HashMap::new(), values.collect()] {
        if let Ok(words) = specialise(&module, &values) {
            decode(&words.words).expect("a specialised module is a module");
        }
    }
});
