//! What the crate declares, as data. The comparison with the C headers is made from it; so are lists of entry points.

/// A type that is an alias of another.
#[derive(Clone, Copy, Debug)]
pub struct Type {
    /// C name.
    pub name: &'static str,
    /// Size in bytes.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
}

/// A structure.
#[derive(Clone, Copy, Debug)]
pub struct Struct {
    /// C name.
    pub name: &'static str,
    /// Size in bytes.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// Members in order.
    pub fields: &'static [Field],
}

/// A member of a structure.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// C name, with `r#` before it where Rust reserves the word.
    pub name: &'static str,
    /// Offset in bytes.
    pub offset: usize,
    /// Size in bytes.
    pub size: usize,
}

/// An integer constant.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// C name.
    pub name: &'static str,
    /// Value.
    pub value: i128,
    /// Size in bytes of the type that it has here.
    pub size: usize,
}

/// A function or callback type. The texts are Rust types as they are written in this crate.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Name of the Rust alias: `clFlush` for an entry point.
    pub name: &'static str,
    /// Result, empty for none.
    pub result: &'static str,
    /// Parameters in order.
    pub parameters: &'static [&'static str],
}

/// What one module declares.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// Path of the module.
    pub module: &'static str,
    /// Aliases.
    pub types: &'static [Type],
    /// Structures.
    pub structs: &'static [Struct],
    /// Integer constants.
    pub constants: &'static [Constant],
    /// Entry points.
    pub functions: &'static [Function],
    /// Callback types, which are `Option`s of function pointers.
    pub callbacks: &'static [Function],
}

/// Everything, module by module.
pub const AREAS: &[Area] = &[
    crate::scalar::AREA,
    crate::callback::AREA,
    crate::error::AREA,
    crate::limits::AREA,
    crate::version::AREA,
    crate::platform::AREA,
    crate::device::AREA,
    crate::context::AREA,
    crate::queue::AREA,
    crate::memory::AREA,
    crate::image::AREA,
    crate::pipe::AREA,
    crate::sampler::AREA,
    crate::program::AREA,
    crate::kernel::AREA,
    crate::event::AREA,
    crate::extensions::ext::AREA,
    crate::extensions::intel::AREA,
    crate::extensions::intel_unified_shared_memory::AREA,
    crate::extensions::khr::AREA,
    crate::extensions::khr_command_buffer::AREA,
    crate::extensions::khr_external_memory::AREA,
    crate::extensions::khr_icd::AREA,
    crate::extensions::khr_semaphore::AREA,
    crate::extensions::khr_unified_svm::AREA,
];

/// Floating-point constants by name.
pub const FLOATS: &[(&str, f64)] = crate::limits::FLOATS;
