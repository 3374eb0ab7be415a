//! Program binaries to programs, and these to a linked program. The input is one binary, or a module that becomes one.
#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use oxicl_caps::DeviceCaps;
use oxicl_cpu::CpuBackend;
use oxicl_fuzz::mutate_module;
use oxicl_objects::context::Context;
use oxicl_objects::device::Device;
use oxicl_objects::program::{Binary, BinaryKind, Program};
use oxicl_objects::properties::PropertyList;
use oxicl_protocol::CompileOptions;

/// The device. Nothing is built for it.
static DEVICE: LazyLock<Arc<Device>> = LazyLock::new(|| Device::root(DeviceCaps::host(), Arc::new(CpuBackend)));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { mutate_module(data, size, max_size, seed) });

fuzz_target!(|data: &[u8]| {
    let devices = vec![Arc::clone(&DEVICE)];
    let context = Context::create(PropertyList::absent(), |_| true, devices.clone(), None).expect("a context");
    // The input as the words of an object.
    let empty = Binary {
        kind: BinaryKind::Object,
        options: String::new(),
        compile: CompileOptions::default(),
        words: Arc::new([]),
    };
    let framed = [&empty.to_bytes(), data].concat();
    for bytes in [data, &framed] {
        let (_, program) = Program::from_binaries(&context, devices.clone(), &[Some(bytes)]);
        if let Ok(program) = program {
            let _ = Program::link(&context, None, "-create-library", &[Arc::clone(&program), program]);
        }
    }
});
