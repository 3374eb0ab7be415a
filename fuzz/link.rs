//! Modules to one linked module, as a library and as a program. The input is modules one after the other.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use oxicl_caps::DeviceCaps;
use oxicl_fuzz::{modules_in, mutate_module};
use oxicl_spirv::{Module, decode, link};
use oxicl_validate::validate_object;

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { mutate_module(data, size, max_size, seed) });

fuzz_target!(|data: &[u8]| {
    // Only valid modules are linked, as by clLinkProgram; a module with itself too.
    let valid: Vec<Module> = modules_in(data)
        .iter()
        .filter_map(|words| validate_object(decode(words).ok()?, DeviceCaps::host()).ok())
        .map(|valid| valid.module().clone())
        .collect();
    let mut modules: Vec<&Module> = valid.iter().collect();
    if modules.len() == 1 {
        modules.push(&valid[0]);
    }
    for library in [false, true] {
        if let Ok(words) = link(&modules, library) {
            decode(&words).expect("a linked module is a module");
        }
    }
});
