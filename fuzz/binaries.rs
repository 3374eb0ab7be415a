//! Program binaries to programs, and these to a linked program. The input is one binary, or a module that becomes one.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use oxicl_fuzz::mutate_module;
use oxicl_objects::context::Context;
use oxicl_objects::platform::Platform;
use oxicl_objects::program::Program;
use oxicl_objects::properties::PropertyList;

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { mutate_module(data, size, max_size, seed) });

/// The first bytes of a binary: magic, version, an object, options of length 0.
const HEADER: &[u8] = b"oxicl\0\r\n\x01\0\0\0\x01\0\0\0\0\0\0\0";

fuzz_target!(|data: &[u8]| {
    let devices = Platform::get().devices.clone();
    let context = Context::create(PropertyList::absent(), |_| true, devices.clone(), None).expect("a context");
    let framed = [HEADER, data].concat();
    for bytes in [data, &framed] {
        let (_, program) = Program::from_binaries(&context, devices.clone(), &[Some(bytes)]);
        if let Ok(program) = program {
            let _ = Program::link(&context, None, "-create-library", &[Arc::clone(&program), program]);
        }
    }
});
