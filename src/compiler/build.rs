//! Sets the name of the build, which the library from the same sources has, too, and link options of the executable.

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
        Ok(name) => println!("cargo::rustc-env=OXICL_BUILD_NAME={name}"),
        Err(error) => println!("cargo::error=the sources cannot be read: {error}"),
    }
    println!("cargo::rerun-if-env-changed=OXICL_LINK_LLVM");
    if std::env::var("OXICL_LINK_LLVM").is_ok_and(|linkage| linkage == "static") {
        // Half of what comes out of LLVM's archives is never called, and of templates there are many equal copies. With
        // these folded, the executable has 81 MB in place of 88. `safe` would fold none, as the archives' symbols were
        // stripped after they were made. LLVM and clang do not mind that two functions may share an address, as
        // Microsoft's linker folds them so by default; what they tell apart by address is data. -O2 merges the ends of
        // strings.
        println!("cargo::rustc-link-arg-bins=-Wl,--gc-sections,--icf=all,-O2");
    }
}
