//! The device library: every function of OpenCL.std that is no single instruction, and what code generation calls by name.
//!
//! - **Takes**: nothing; `library/*.c` is compiled to bitcode when this package is built.
//! - **Gives**: [`bitcode`], one module with a function `oxicl.<name>.<types>` per scalar form, [`images_bitcode`] and
//!   [`apart_bitcode`], the same for images, and [`runtime_bitcode`], the functions of [`runtime_names`] under their C names.
//! - **Never**: links LLVM, holds state, or takes a pointer in a library function; only those of images touch memory.
//! - **Spec**: OpenCL C 3.0 section 7.4 (relative error, full profile) and 7.5 (edge cases), for float and double;
//!   denormals kept. Half is computed by `lower` in float; `docs/accuracy.md` has what was measured. The SPIR-V
//!   environment, image addressing and filtering.
#![forbid(unsafe_code)]

/// The library as LLVM bitcode. All functions are `nounwind`, those of numbers `memory(none)`, and carry no target.
pub fn bitcode() -> &'static [u8] {
    include_bytes!(concat!(env!("OUT_DIR"), "/library.bc"))
}

/// The same library for targets that do not fuse products and sums in one instruction: it has `oxicl.fma.f32`
/// and `oxicl.fma.f64` beside, and uses what they compute itself.
pub fn bitcode_without_fma() -> &'static [u8] {
    include_bytes!(concat!(env!("OUT_DIR"), "/library_without_fma.bc"))
}

/// The functions of images that become parts of what calls them, `oxicl.image_<name>.<types>`, as another module. Those that are
/// compiled apart are declared there, with the attribute `oxicl_ops::attribute::APART`.
pub fn images_bitcode() -> &'static [u8] {
    include_bytes!(concat!(env!("OUT_DIR"), "/images.bc"))
}

/// A function of images that is compiled apart, alone in a module: what it calls of others is declared there.
pub fn apart_bitcode(name: &str) -> Option<&'static [u8]> {
    APART.iter().find(|(of, _)| *of == name).map(|(_, bitcode)| *bitcode)
}

/// The names of those that there are.
pub fn apart_names() -> impl Iterator<Item = &'static str> {
    APART.iter().map(|(name, _)| *name)
}

const APART: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/apart.rs"));

/// What code generation may call, as LLVM bitcode: hidden functions, each in a section `.text.<name>`, `no-builtins`.
pub fn runtime_bitcode() -> &'static [u8] {
    include_bytes!(concat!(env!("OUT_DIR"), "/runtime.bc"))
}

/// The names that [`runtime_bitcode`] defines.
pub fn runtime_names() -> &'static [&'static str] {
    RUNTIME_NAMES
}

const RUNTIME_NAMES: &[&str] = &[
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "__extendhfsf2",
    "__extendhfdf2",
    "__truncsfhf2",
    "__truncdfhf2",
    "__udivti3",
    "__umodti3",
    "__divti3",
    "__modti3",
    "__multi3",
    "__ashlti3",
    "__lshrti3",
    "fmaf",
    "fma",
    "rint",
    "floor",
    "ceil",
    "trunc",
    "round",
    "nearbyint",
    "roundeven",
    "rintf",
    "floorf",
    "ceilf",
    "truncf",
    "roundf",
    "nearbyintf",
    "roundevenf",
    "fmaxf",
    "fminf",
    "fmax",
    "fmin",
    "__floatuntidf",
    "__floattidf",
    "__floatuntisf",
    "__floattisf",
    "__fixunsdfti",
    "__fixdfti",
    "__fixunssfti",
    "__fixsfti",
    "fmod",
    "fmodf",
];
