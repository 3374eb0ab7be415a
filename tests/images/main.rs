//! Images and samplers through a real loader: error codes per entry point, and what the commands do to texels, held
//! against models on the host. The device has images here because the environment asks for them.
#![allow(unsafe_code, reason = "calls of the C API; the library reads its environment")]

mod commands;
mod creation;
mod errors;
mod filling;
mod formats;
mod kernels;
#[path = "../memory/loader.rs"]
mod loader;
mod mapping;
mod picture;
mod recorded;
mod requirements;
mod samplers;
#[allow(dead_code, unused_imports, unused_macros, reason = "shared with the tests of memory objects")]
#[path = "../memory/support.rs"]
mod support;

use std::sync::Once;

/// A context and a queue on a device with images.
fn setup() -> support::Setup {
    static ON: Once = Once::new();
    // SAFETY: every test comes here first, and goes on only when the variable is set; nothing else reads the environment
    // meanwhile.
    ON.call_once(|| unsafe { std::env::set_var("OXICL_IMAGES", "on") });
    support::Setup::new()
}

#[test]
fn the_reference_device_agrees() {
    oxicl_tests::again_on_the_reference_device(&[]);
}
