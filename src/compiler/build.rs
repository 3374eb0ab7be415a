//! The name of the build, which the library of the same sources has, too.

#[path = "../../icd/build_name.rs"]
mod build_name;

use std::path::Path;

fn main() {
    // Build scripts run in the folder of their package.
    let root = Path::new("../..");
    for source in build_name::SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    match build_name::of(root, build_name::SOURCES) {
        Ok(name) => println!("cargo::rustc-env=OXICL_BUILD={name}"),
        Err(error) => println!("cargo::error=the sources cannot be read: {error}"),
    }
}
