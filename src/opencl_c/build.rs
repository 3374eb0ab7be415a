//! Compiles the shim against clang's headers, and takes clang's header for OpenCL C along.

#[path = "../llvm/link.rs"]
mod link;

use std::path::PathBuf;

use link::Linkage;

/// clang's archives that the shim uses, directly or not; the linker takes out of them what is used.
const ARCHIVES: &[&str] = &[
    "clangFrontend",
    "clangCodeGen",
    "clangSerialization",
    "clangDriver",
    "clangOptions",
    "clangParse",
    "clangSema",
    "clangAPINotes",
    "clangAnalysis",
    "clangAnalysisLifetimeSafety",
    "clangEdit",
    "clangASTMatchers",
    "clangAST",
    "clangLex",
    "clangSupport",
    "clangBasic",
];

fn main() -> Result<(), String> {
    let prefix = PathBuf::from(std::env::var_os("LLVM_SYS_221_PREFIX").ok_or("LLVM_SYS_221_PREFIX is not set")?);
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let header = prefix.join("lib/clang/22/include/opencl-c-base.h");
    std::fs::copy(&header, out.join("base.h")).map_err(|error| format!("{}: {error}", header.display()))?;
    let sources =
        ["assembly.cpp", "builtins.cpp", "clean_up.cpp", "files.cpp", "frontend.cpp", "replaced.cpp", "target.cpp"];
    let linkage = Linkage::chosen()?;
    let mut shim = cc::Build::new();
    linkage.complete(&mut shim);
    shim.cpp(true)
        .std("c++17")
        // Unoptimised, templates of LLVM make the object larger than the library it calls.
        .opt_level(1)
        .debug(false)
        .include(prefix.join("include"))
        .files(sources.iter().map(|name| format!("shim/{name}")))
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .define("_GNU_SOURCE", None)
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .flag_if_supported("-Wno-unused-parameter")
        .flag_if_supported("-Wno-comment")
        .flag_if_supported("-Wno-strict-aliasing")
        .flag_if_supported("-Wno-maybe-uninitialized")
        .try_compile("oxicl_clang")
        .map_err(|error| error.to_string())?;
    println!("cargo::rustc-link-search=native={}", prefix.join("lib").display());
    match linkage {
        Linkage::Shared => println!("cargo::rustc-link-lib=dylib:+verbatim=libclang-cpp.so.22.1"),
        Linkage::Static => ARCHIVES.iter().for_each(|name| link::link_archive(name)),
    }
    linkage.link_llvm(&prefix)?;
    println!("cargo::rerun-if-changed=shim");
    println!("cargo::rerun-if-changed=../llvm/link.rs");
    println!("cargo::rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    Ok(())
}
