//! Link options of the library, and the name of the build.

#[path = "build_name.rs"]
mod build_name;

use std::path::Path;

fn main() {
    // Threads of ours may still be inside the library when a loader closes it, and handles stay in the application's
    // hands: the library is never unmapped.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,relro,-z,now");
    // Build scripts run in the folder of their package.
    let root = Path::new("..");
    for source in build_name::SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    match build_name::of(root, build_name::SOURCES) {
        Ok(name) => println!("cargo::rustc-env=OXICL_BUILD_NAME={name}"),
        Err(error) => println!("cargo::error=the sources cannot be read: {error}"),
    }
}
