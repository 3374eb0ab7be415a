//! Link options of the library, and the name of the build.

#[path = "build_name.rs"]
mod build_name;

use std::path::Path;

/// What the library and its compiler are made of, from the root of the repository: all that the name of the build tells of.
const SOURCES: &[&str] = &["src", "icd", "khronos-headers", "Cargo.toml", "Cargo.lock"];

fn main() {
    // Threads of ours may still be inside the library when a loader closes it, and handles stay in the application's
    // hands: the library is never unmapped.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,relro,-z,now");
    // Build scripts run in the folder of their package.
    let root = Path::new("..");
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    match build_name::of(root, SOURCES) {
        Ok(name) => println!("cargo::rustc-env=OXICL_BUILD={name}"),
        Err(error) => println!("cargo::error=the sources cannot be read: {error}"),
    }
}
