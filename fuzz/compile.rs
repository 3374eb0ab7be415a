//! A module to machine code: all stages of the compiler process, in this one.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use oxicl_compiler::flow::{Observer, compile};
use oxicl_fuzz::mutate_module;
use oxicl_protocol::{CompileOptions, CompileRequest, Progress, Tier};
use oxicl_spirv::words_from_bytes;
use oxicl_target::Target;

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { mutate_module(data, size, max_size, seed) });

/// Nobody looks.
struct Nobody;

impl Observer for Nobody {
    fn begin(&mut self, _: Progress) {}
}

fuzz_target!(|data: &[u8]| {
    let Ok(spirv) = words_from_bytes(data) else { return };
    let target = Target::host();
    let options = CompileOptions::default();
    let request = CompileRequest { spirv, kernels: Vec::new(), options, target, tier: Tier::Full };
    if let Err(failure) = compile(&request, &mut Nobody) {
        assert!(!failure.to_string().is_empty(), "a failure has a log");
    }
});
