//! Calls the C++ shim.
#![allow(unsafe_code, reason = "clang has a C++ interface only; the shim's has pointers")]

use std::ffi::{CString, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use oxicl_protocol::FileSeen;

/// A file in memory.
pub(crate) struct File<'a> {
    pub(crate) name: String,
    pub(crate) text: &'a [u8],
}

/// What the shim says of a kernel: `kind`, then values in the order of arguments.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) kind: String,
    pub(crate) kernel: String,
    pub(crate) values: Vec<String>,
}

/// The shim's answer.
#[derive(Default)]
pub(crate) struct Output {
    pub(crate) good: bool,
    pub(crate) spirv: Vec<u32>,
    pub(crate) log: Vec<u8>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) files: Vec<FileSeen>,
    pub(crate) has_time: bool,
    /// Files that the operands of OpLine number.
    pub(crate) line_files: Vec<String>,
    /// Bitcode of a program of which the module has only what kernels reach; else empty.
    pub(crate) rest: Vec<u8>,
}

#[repr(C)]
struct RawFile {
    name: *const c_char,
    name_size: usize,
    text: *const c_char,
    text_size: usize,
}

/// How to compile.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct How {
    /// Nothing is linked with the program.
    pub(crate) whole: bool,
    /// Much that kernels do not reach is left for later.
    pub(crate) defers: bool,
    /// This process dies as before.
    pub(crate) rehearsal: bool,
    /// Which files may be read: a number of `OxiclInclude`.
    pub(crate) include: c_int,
}

type Give = extern "C" fn(owner: *mut c_void, piece: c_int, data: *const c_char, size: usize);

unsafe extern "C" {
    fn oxicl_clang_start(extensions: *const c_char);
    fn oxicl_clang_compile(
        arguments: *const *const c_char,
        argument_count: usize,
        files: *const RawFile,
        file_count: usize,
        folder: *const c_char,
        how: How,
        owner: *mut c_void,
        give: Give,
    ) -> bool;
    fn oxicl_clang_translate(bitcode: *const c_char, size: usize, how: How, owner: *mut c_void, give: Give) -> bool;
}

/// Who takes what the shim gives.
struct Taker<'a> {
    output: Output,
    /// Is told how many tokens have been read.
    size: &'a mut dyn FnMut(u32),
}

/// Takes a piece of an answer. The numbers are those of `OxiclPiece`.
extern "C" fn give(owner: *mut c_void, piece: c_int, data: *const c_char, size: usize) {
    // SAFETY: `owner` is the `Taker` that `compile` lent for the call that this happens in, on the same thread, and nobody
    // else uses it meanwhile.
    let taker = unsafe { &mut *owner.cast::<Taker<'_>>() };
    let bytes: &[u8] = if size == 0 {
        &[]
    } else {
        // SAFETY: the shim passes `size` readable bytes, which outlive the call.
        unsafe { std::slice::from_raw_parts(data.cast(), size) }
    };
    match (piece, bytes.first_chunk()) {
        (8, Some(tokens)) => (taker.size)(u32::from_le_bytes(*tokens)),
        _ => taker.output.take(piece, bytes),
    }
}

impl Output {
    fn take(&mut self, piece: c_int, bytes: &[u8]) {
        let path = || PathBuf::from(std::ffi::OsString::from_vec(bytes.to_vec()));
        match piece {
            0 => self.spirv = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect(),
            1 => self.log.extend_from_slice(bytes),
            2 => self.facts.extend(Fact::read(bytes)),
            6 => self.has_time = true,
            7 => self.line_files.push(String::from_utf8_lossy(bytes).into_owned()),
            9 => self.rest = bytes.to_vec(),
            3 | 5 => self.files.push(FileSeen { path: path(), content: None }),
            _ => {
                if let Some(file) = self.files.last_mut() {
                    file.content = Some(*blake3::hash(bytes).as_bytes());
                }
            }
        }
    }
}

impl Fact {
    /// Fields that each end with a null character: kind, kernel, values.
    fn read(bytes: &[u8]) -> Option<Fact> {
        let text = String::from_utf8_lossy(bytes);
        let mut fields = text.strip_suffix('\0')?.split('\0').map(str::to_owned);
        Some(Fact { kind: fields.next()?, kernel: fields.next()?, values: fields.collect() })
    }
}

fn c_string(text: impl AsRef<OsStr>) -> Result<CString, String> {
    CString::new(text.as_ref().as_bytes()).map_err(|_| "an option has a null character".to_owned())
}

/// One at a time: options of LLVM and the SPIR-V target's state belong to the process. Tests have several threads.
static STARTED: Mutex<bool> = Mutex::new(false);

/// Sets LLVM's SPIR-V target up, if nobody did. `extensions` is the value of LLVM's option spirv-ext; the first one of the
/// process stays.
fn start(extensions: &str) -> Result<MutexGuard<'static, bool>, String> {
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let extensions = c_string(extensions)?;
    if !std::mem::replace(&mut *started, true) {
        // SAFETY: a C string; the shim copies it.
        unsafe { oxicl_clang_start(extensions.as_ptr()) }
    }
    Ok(started)
}

/// Translates the rest that a compilation left.
///
/// # Errors
/// None that the output does not have.
pub(crate) fn translate(bitcode: &[u8], extensions: &str, how: How) -> Result<Output, String> {
    let _one = start(extensions)?;
    let mut taker = Taker { output: Output::default(), size: &mut |_| () };
    // SAFETY: the pointer is to as many bytes as are said, which live until the call returns; the shim keeps none. `give` gets
    // `taker` back as its owner, as in `compile`.
    taker.output.good =
        unsafe { oxicl_clang_translate(bitcode.as_ptr().cast(), bitcode.len(), how, (&raw mut taker).cast(), give) };
    Ok(taker.output)
}

/// Compiles `files[0]`, the others beside it. `extensions` is the value of LLVM's option spirv-ext; the first one of the
/// process stays. `size` is told now and then how many tokens have been read.
///
/// # Errors
/// An argument or the folder has a null character.
pub(crate) fn compile(
    arguments: &[String],
    files: &[File<'_>],
    folder: &Path,
    extensions: &str,
    how: How,
    size: &mut dyn FnMut(u32),
) -> Result<Output, String> {
    let _one = start(extensions)?;
    let arguments: Vec<CString> = arguments.iter().map(c_string).collect::<Result<_, _>>()?;
    let arguments: Vec<*const c_char> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    let folder = c_string(folder)?;
    let raw = |file: &File<'_>| RawFile {
        name: file.name.as_ptr().cast(),
        name_size: file.name.len(),
        text: file.text.as_ptr().cast(),
        text_size: file.text.len(),
    };
    let raw: Vec<RawFile> = files.iter().map(raw).collect();
    let mut taker = Taker { output: Output::default(), size };
    // SAFETY: every pointer is to something that lives until the call returns, with the length that stands beside it; the
    // shim keeps none. `give` gets `taker` back as its owner, and does not unwind: it appends to vectors, where an
    // allocation that fails aborts, and calls a closure, which a panic does not leave through a C function.
    taker.output.good = unsafe {
        oxicl_clang_compile(
            arguments.as_ptr(),
            arguments.len(),
            raw.as_ptr(),
            raw.len(),
            folder.as_ptr(),
            how,
            (&raw mut taker).cast(),
            give,
        )
    };
    Ok(taker.output)
}
