//! Compiles what LLVM's C API lacks against LLVM's headers, and links LLVM.

mod link;

use std::path::PathBuf;

use link::Linkage;

fn main() -> Result<(), String> {
    let prefix = PathBuf::from(std::env::var_os("LLVM_SYS_221_PREFIX").ok_or("LLVM_SYS_221_PREFIX is not set")?);
    let linkage = Linkage::chosen()?;
    let mut shim = cc::Build::new();
    linkage.complete(&mut shim);
    shim.cpp(true)
        .std("c++17")
        .opt_level(1)
        .debug(false)
        .include(prefix.join("include"))
        .files(["shim/emitter.cpp", "shim/costs.cpp"])
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .define("_GNU_SOURCE", None)
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .flag_if_supported("-Wno-unused-parameter")
        .flag_if_supported("-Wno-comment")
        .try_compile("oxicl_llvm")
        .map_err(|error| error.to_string())?;
    linkage.link_llvm(&prefix)?;
    println!("cargo::rerun-if-changed=shim");
    println!("cargo::rerun-if-changed=link.rs");
    println!("cargo::rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    Ok(())
}
