//! Target machines: triple and features in, object code out.
#![allow(unsafe_code, reason = "calls LLVM's C API and what our shim adds to it")]

use std::cell::Cell;
use std::ffi::CStr;
use std::sync::{Mutex, Once, PoisonError};

use libloading::os::unix::Library;
use llvm_sys::prelude::LLVMModuleRef;
use llvm_sys::support::LLVMParseCommandLineOptions;
use llvm_sys::target;
use llvm_sys::target_machine as sys;
use llvm_sys::target_machine::{LLVMCodeGenOptLevel, LLVMCodeModel, LLVMRelocMode};

use crate::error::{Error, c_string, take_message};
use crate::module::Module;

/// Effort of the code generator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CodegenLevel {
    /// None.
    None,
    /// Little.
    Less,
    /// Normal.
    #[default]
    Default,
    /// Much.
    Aggressive,
}

/// What a target machine is made from.
#[derive(Clone, Debug, Default)]
pub struct MachineOptions {
    /// Target triple, such as `x86_64-unknown-linux-gnu`.
    pub triple: String,
    /// Name of the base processor, such as `x86-64`; empty for the triple's own.
    pub cpu: String,
    /// Features as `+name` or `-name`.
    pub features: Vec<String>,
    /// Effort.
    pub level: CodegenLevel,
}

/// The list of passes that makes object code, of `shim/emitter.cpp`.
#[repr(C)]
struct Emitter {
    _private: [u8; 0],
}

/// What the shim knows of a function's frame.
#[repr(C)]
struct RawFrame {
    name: RawName,
    bytes: u64,
    grows: bool,
    first_callee: usize,
    callees: usize,
}

/// Text of the shim's or the module's.
#[repr(C)]
struct RawName {
    text: *const u8,
    length: usize,
}

unsafe extern "C" {
    fn oxicl_emitter_new(machine: sys::LLVMTargetMachineRef, assembly: bool, all: bool) -> *mut Emitter;
    fn oxicl_emitter_unknown(emitter: *const Emitter) -> usize;
    fn oxicl_emitter_run(emitter: *mut Emitter, module: LLVMModuleRef, size: &mut usize) -> *const u8;
    fn oxicl_emitter_frames(emitter: *const Emitter, count: &mut usize) -> *const RawFrame;
    fn oxicl_emitter_callees(emitter: *const Emitter, count: &mut usize) -> *const RawName;
    fn oxicl_emitter_delete(emitter: *mut Emitter);
}

/// What a function that was compiled has on the stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Name of the function.
    pub name: String,
    /// Bytes from behind the return address to the lowest in front of a call: variables, saved registers, arguments for
    /// callees. Never too few, and too many by at most twice the frame's alignment. `None` if the function takes more while
    /// it runs.
    pub bytes: Option<u64>,
    /// Names of the functions that it calls or takes the addresses of, without those whose addresses it is given.
    pub callees: Vec<String>,
}

/// A module compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectCode {
    /// The object file.
    pub bytes: Vec<u8>,
    /// The frames of its functions, in no order.
    pub frames: Vec<Frame>,
}

/// Makes machine code, position-independent in the small code model.
pub struct TargetMachine {
    pub(crate) raw: sys::LLVMTargetMachineRef,
    /// Made with the first object; null until then.
    emitter: Cell<*mut Emitter>,
    /// No pass of the code generator is left out.
    all_passes: bool,
}

/// Options of the code generator that LLVM has no other way to set.
const OPTIONS: &[&CStr] = &[
    c"oxicl",
    // Loop strength reduction is the costliest pass in front of instruction selection and rarely gains anything on x86-64;
    // `optimize` runs it as a pass of its own where it does.
    c"-disable-lsr",
    // Memory accesses of a block from which on the scheduler keeps order instead of asking of each pair. With LLVM's
    // thousand, a block of scattered bytes takes a third of a kernel's time.
    c"-dag-maps-huge-region=200",
    // LLVM makes branches of selects in loops where it expects them to be foretold. What work-items choose between depends
    // on data: binary searches take twice the time.
    c"-x86-cmov-converter=false",
];

/// Sets options as a command line would; the first word is the program's name.
///
/// # Safety
/// Runs once and in one thread. LLVM ends the process if it does not know an option.
unsafe fn set_options(options: &[&CStr]) {
    let words: Vec<_> = options.iter().map(|word| word.as_ptr()).collect();
    // SAFETY: the words end with zeros and outlive the call; the rest is the caller's duty.
    unsafe { LLVMParseCommandLineOptions(words.len() as i32, words.as_ptr(), std::ptr::null()) }
}

/// Makes another architecture's target known to LLVM, once, if this LLVM has it. Its functions are asked for by name, as an LLVM
/// that is linked into the executable has no more than what we run on.
///
/// # Errors
/// It does not have it.
fn initialise_other(architecture: &str) -> Result<(), Error> {
    static ONCE: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut known = ONCE.lock().unwrap_or_else(PoisonError::into_inner);
    if known.iter().any(|name| name == architecture) {
        return Ok(());
    }
    let process = Library::this();
    let function = |part: &str| {
        // SAFETY: LLVM's functions of these names have neither parameters nor results.
        unsafe { process.get::<unsafe extern "C" fn()>(format!("LLVMInitialize{architecture}{part}").as_bytes()) }
    };
    let functions: Result<Vec<_>, _> =
        ["TargetInfo", "Target", "TargetMC", "AsmPrinter"].map(function).into_iter().collect();
    let functions = functions.map_err(|_| Error(format!("this LLVM has no target {architecture}")))?;
    // SAFETY: they register tables, and are called once, as the lock is held.
    functions.iter().for_each(|function| unsafe { function() });
    known.push(architecture.to_owned());
    Ok(())
}

/// Makes the target known to LLVM, once.
fn initialise() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: these register tables and may be called once from one thread, as `Once` guarantees.
        unsafe {
            target::LLVMInitializeX86TargetInfo();
            target::LLVMInitializeX86Target();
            target::LLVMInitializeX86TargetMC();
            target::LLVMInitializeX86AsmPrinter();
            target::LLVMInitializeX86AsmParser();
            set_options(OPTIONS);
        }
    });
}

impl TargetMachine {
    /// A machine for the options: of the architecture that we run on, or AArch64 if this LLVM has it.
    pub fn new(options: &MachineOptions) -> Result<Self, Error> {
        initialise();
        if options.triple.starts_with("aarch64") {
            initialise_other("AArch64")?;
        }
        let triple = c_string(&options.triple);
        let cpu = c_string(&options.cpu);
        let features = c_string(&options.features.join(","));
        let (mut found, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the strings are NUL-terminated; the message is ours.
        unsafe {
            let failed = sys::LLVMGetTargetFromTriple(triple.as_ptr(), &mut found, &mut message);
            let message = take_message(message);
            if failed != 0 {
                return Err(Error(message));
            }
            let level = match options.level {
                CodegenLevel::None => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
                CodegenLevel::Less => LLVMCodeGenOptLevel::LLVMCodeGenLevelLess,
                CodegenLevel::Default => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
                CodegenLevel::Aggressive => LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
            };
            let raw = sys::LLVMCreateTargetMachine(
                found,
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                level,
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelSmall,
            );
            if raw.is_null() {
                return Err(Error(format!("LLVM makes no target machine for {}", options.triple)));
            }
            Ok(TargetMachine { raw, emitter: Cell::new(std::ptr::null_mut()), all_passes: false })
        }
    }

    /// The machine with all passes of LLVM's code generator, those too that find nothing to do in kernels.
    pub fn with_all_passes(mut self) -> Self {
        self.all_passes = true;
        self
    }

    /// Gives a module this machine's data layout and triple.
    pub fn prepare(&self, module: &Module<'_>) {
        // SAFETY: both are alive; the layout is disposed of after the module copied it; the triple is ours.
        let triple = unsafe {
            let layout = sys::LLVMCreateTargetDataLayout(self.raw);
            target::LLVMSetModuleDataLayout(module.raw, layout);
            target::LLVMDisposeTargetData(layout);
            take_message(sys::LLVMGetTargetMachineTriple(self.raw))
        };
        module.set_triple(&triple);
    }

    /// The data layout as text.
    pub fn data_layout(&self) -> String {
        // SAFETY: the machine is alive; layout and text are ours.
        unsafe {
            let layout = sys::LLVMCreateTargetDataLayout(self.raw);
            let text = take_message(target::LLVMCopyStringRepOfTargetData(layout));
            target::LLVMDisposeTargetData(layout);
            text
        }
    }

    /// The module as an object file. Its functions touch the stack at least once in 32 KiB of their frames, from the top down.
    pub fn emit_object(&self, module: &mut Module<'_>) -> Result<ObjectCode, Error> {
        // SAFETY: machine and module are alive, and the machine outlives its emitter; code generation changes the module, to
        // which no handle exists; all is copied before the next call.
        unsafe {
            if self.emitter.get().is_null() {
                self.emitter.set(oxicl_emitter_new(self.raw, false, self.all_passes));
            }
            if self.emitter.get().is_null() {
                return Err(Error("LLVM makes no object code for this machine".into()));
            }
            let mut size = 0;
            let bytes = oxicl_emitter_run(self.emitter.get(), module.raw, &mut size);
            let bytes = std::slice::from_raw_parts(bytes, size).to_vec();
            Ok(ObjectCode { bytes, frames: frames(self.emitter.get()) })
        }
    }

    /// How many of the passes that are left out, or out of large functions, LLVM does not have, once an object was made; for
    /// tests.
    pub fn unknown_passes(&self) -> usize {
        let emitter = self.emitter.get();
        // SAFETY: the emitter lives as long as the machine.
        if emitter.is_null() { 0 } else { unsafe { oxicl_emitter_unknown(emitter) } }
    }

    /// The code that [`emit_object`](Self::emit_object) makes, as assembly, for people.
    pub fn emit_assembly(&self, module: &mut Module<'_>) -> Result<String, Error> {
        // SAFETY: machine and module are alive, and the machine outlives the emitter, which is used here alone and deleted once;
        // code generation changes the module, to which no handle exists; the text is copied before its emitter goes.
        unsafe {
            let emitter = oxicl_emitter_new(self.raw, true, self.all_passes);
            if emitter.is_null() {
                return Err(Error("LLVM makes no assembly for this machine".into()));
            }
            let mut size = 0;
            let text = oxicl_emitter_run(emitter, module.raw, &mut size);
            let text = String::from_utf8_lossy(std::slice::from_raw_parts(text, size)).into_owned();
            oxicl_emitter_delete(emitter);
            Ok(text)
        }
    }
}

impl Drop for TargetMachine {
    fn drop(&mut self) {
        // SAFETY: disposed of once, the passes before what they refer to; nothing keeps either, and null is no harm.
        unsafe {
            oxicl_emitter_delete(self.emitter.get());
            sys::LLVMDisposeTargetMachine(self.raw);
        }
    }
}

/// The frames of the functions of the last module.
///
/// # Safety
/// The emitter has run, and the module is alive.
unsafe fn frames(emitter: *const Emitter) -> Vec<Frame> {
    // SAFETY: lists and names are the emitter's or the module's, and live until the next run; an empty list may be null.
    unsafe {
        let (mut count, mut names) = (0, 0);
        let frames = oxicl_emitter_frames(emitter, &mut count);
        let frames = if count == 0 { &[] } else { std::slice::from_raw_parts(frames, count) };
        let callees = oxicl_emitter_callees(emitter, &mut names);
        let callees = if names == 0 { &[] } else { std::slice::from_raw_parts(callees, names) };
        let text = |name: &RawName| {
            let bytes = if name.length == 0 { &[] } else { std::slice::from_raw_parts(name.text, name.length) };
            String::from_utf8_lossy(bytes).into_owned()
        };
        let frame = |frame: &RawFrame| Frame {
            name: text(&frame.name),
            bytes: (!frame.grows).then_some(frame.bytes),
            callees: callees[frame.first_callee..][..frame.callees].iter().map(text).collect(),
        };
        frames.iter().map(frame).collect()
    }
}

/// The triple of the machine that we run on.
pub fn host_triple() -> String {
    // SAFETY: the message is ours.
    unsafe { take_message(sys::LLVMGetDefaultTargetTriple()) }
}

/// The version of the LLVM that runs, such as `22.1.0`.
pub fn version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: the out-parameters outlive the call.
    unsafe { llvm_sys::core::LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}

/// The features of the processor that we run on as LLVM reads them from CPUID; for tests.
pub fn host_cpu_features() -> Vec<String> {
    // SAFETY: the message is ours.
    let text = unsafe { take_message(sys::LLVMGetHostCPUFeatures()) };
    text.split(',').filter(|f| !f.is_empty()).map(str::to_owned).collect()
}
