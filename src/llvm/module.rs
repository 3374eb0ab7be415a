//! Modules: what is in them, text and bitcode, linking, verification, passes.
#![allow(unsafe_code, reason = "calls LLVM's C API")]

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_reader::{LLVMGetBitcodeModuleInContext2, LLVMParseBitcodeInContext2};
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core as sys;
use llvm_sys::ir_reader::LLVMParseIRInContext2;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::{LLVMMemoryBufferRef, LLVMModuleRef};
use llvm_sys::target::{LLVMGetModuleDataLayout, LLVMTargetDataRef};
use llvm_sys::transforms::pass_builder as pb;

use crate::context::{Context, DiagnosticSeverity};
use crate::error::{Error, c_string, check, take_message};
use crate::machine::TargetMachine;
use crate::types::Type;
use crate::value::Value;

/// A module and all in it. Handles of its functions, blocks and instructions borrow it; what deletes takes `&mut`.
pub struct Module<'c> {
    pub(crate) raw: LLVMModuleRef,
    context: &'c Context,
}

/// Options of [`Module::run_passes`].
#[derive(Clone, Copy, Debug)]
pub struct PassOptions {
    /// Verify after each pass; slow.
    pub verify_each: bool,
    /// Let loop vectorisation happen in `default<..>` pipelines.
    pub loop_vectorization: bool,
    /// Let straight-line vectorisation happen in `default<..>` pipelines.
    pub slp_vectorization: bool,
    /// Let loops be unrolled in `default<..>` pipelines.
    pub loop_unrolling: bool,
    /// Threshold of the inliner; `None` for its own.
    pub inliner_threshold: Option<i32>,
}

impl Default for PassOptions {
    fn default() -> Self {
        PassOptions {
            verify_each: false,
            loop_vectorization: true,
            slp_vectorization: true,
            loop_unrolling: true,
            inliner_threshold: None,
        }
    }
}

impl PassOptions {
    /// Does something with these options in LLVM's form.
    fn with<R>(self, run: impl FnOnce(pb::LLVMPassBuilderOptionsRef) -> R) -> R {
        // SAFETY: the options are made here, and disposed of once, behind their last use.
        unsafe {
            let raw = pb::LLVMCreatePassBuilderOptions();
            pb::LLVMPassBuilderOptionsSetVerifyEach(raw, self.verify_each.into());
            pb::LLVMPassBuilderOptionsSetLoopVectorization(raw, self.loop_vectorization.into());
            pb::LLVMPassBuilderOptionsSetLoopInterleaving(raw, self.loop_vectorization.into());
            pb::LLVMPassBuilderOptionsSetSLPVectorization(raw, self.slp_vectorization.into());
            pb::LLVMPassBuilderOptionsSetLoopUnrolling(raw, self.loop_unrolling.into());
            if let Some(threshold) = self.inliner_threshold {
                pb::LLVMPassBuilderOptionsSetInlinerThreshold(raw, threshold);
            }
            let result = run(raw);
            pb::LLVMDisposePassBuilderOptions(raw);
            result
        }
    }
}

/// A memory buffer of LLVM that disposes of itself.
pub(crate) struct Buffer(pub(crate) LLVMMemoryBufferRef);

impl Buffer {
    fn copy_of(bytes: &[u8], name: &str) -> Buffer {
        let name = c_string(name);
        // SAFETY: LLVM copies the bytes, of the length given, and adds the terminator that the text parser needs.
        Buffer(unsafe {
            sys::LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.as_ptr().cast(), bytes.len(), name.as_ptr())
        })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the buffer is alive and this long.
        unsafe {
            let length = sys::LLVMGetBufferSize(self.0);
            std::slice::from_raw_parts(sys::LLVMGetBufferStart(self.0).cast(), length)
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: disposed of once.
        unsafe { sys::LLVMDisposeMemoryBuffer(self.0) }
    }
}

/// The errors that the context collected, as one text.
fn collected_errors(context: &Context, otherwise: &str) -> Error {
    let text: Vec<String> = context
        .take_diagnostics()
        .into_iter()
        .filter(|d| d.severity == DiagnosticSeverity::Error)
        .map(|d| d.message)
        .collect();
    Error(if text.is_empty() { otherwise.to_owned() } else { text.join("; ") })
}

impl<'c> Module<'c> {
    /// An empty module.
    pub fn new(context: &'c Context, name: &str) -> Self {
        let name = c_string(name);
        // SAFETY: the context is alive and outlives the module.
        Module { raw: unsafe { sys::LLVMModuleCreateWithNameInContext(name.as_ptr(), context.raw) }, context }
    }

    /// A module from bitcode.
    pub fn parse_bitcode(context: &'c Context, bitcode: &[u8]) -> Result<Self, Error> {
        let buffer = Buffer::copy_of(bitcode, "bitcode");
        let mut raw = std::ptr::null_mut();
        // SAFETY: the parser reads the buffer whole before it returns.
        let failed = unsafe { LLVMParseBitcodeInContext2(context.raw, buffer.0, &mut raw) };
        if failed != 0 || raw.is_null() {
            return Err(collected_errors(context, "invalid bitcode"));
        }
        Ok(Module { raw, context })
    }

    /// A module from bitcode whose functions are read when they are needed. For linking: of functions that are
    /// `linkonce`, only those that the other module refers to, and what they refer to, are ever read.
    pub fn parse_bitcode_lazily(context: &'c Context, bitcode: &'static [u8]) -> Result<Self, Error> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the bytes live for ever. On success the module owns the buffer, on failure LLVM has disposed of it.
        let failed = unsafe {
            let name = c"bitcode".as_ptr();
            let buffer = sys::LLVMCreateMemoryBufferWithMemoryRange(bitcode.as_ptr().cast(), bitcode.len(), name, 0);
            LLVMGetBitcodeModuleInContext2(context.raw, buffer, &mut raw)
        };
        if failed != 0 || raw.is_null() {
            return Err(collected_errors(context, "invalid bitcode"));
        }
        Ok(Module { raw, context })
    }

    /// A module from textual IR.
    pub fn parse_text(context: &'c Context, text: &str) -> Result<Self, Error> {
        let buffer = Buffer::copy_of(text.as_bytes(), "text");
        let (mut raw, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: this form of the parser leaves the buffer ours; the message is ours too.
        let (failed, message) = context.with_names(|| unsafe {
            let failed = LLVMParseIRInContext2(context.raw, buffer.0, &mut raw, &mut message);
            (failed, take_message(message))
        });
        if failed != 0 || raw.is_null() {
            return Err(Error(message));
        }
        Ok(Module { raw, context })
    }

    /// The context.
    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// The module as bitcode.
    pub fn to_bitcode(&self) -> Vec<u8> {
        // SAFETY: the module is alive; the buffer is ours.
        Buffer(unsafe { LLVMWriteBitcodeToMemoryBuffer(self.raw) }).bytes().to_vec()
    }

    /// The module as textual IR.
    pub fn to_text(&self) -> String {
        // SAFETY: the module is alive; the message is ours.
        unsafe { take_message(sys::LLVMPrintModuleToString(self.raw)) }
    }

    /// Says what breaks LLVM's rules.
    pub fn verify(&self) -> Result<(), Error> {
        let mut message = std::ptr::null_mut();
        // SAFETY: the module is alive; the message is ours.
        let (broken, message) = unsafe {
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let broken = LLVMVerifyModule(self.raw, action, &mut message);
            (broken, take_message(message))
        };
        if broken != 0 { Err(Error(message)) } else { Ok(()) }
    }

    /// Moves everything of `source` here. On an error this module may be half linked and should be dropped.
    pub fn link(&mut self, source: Module<'c>) -> Result<(), Error> {
        let raw = source.raw;
        std::mem::forget(source);
        // SAFETY: LLVM takes over the source, whose handles ended with the value passed.
        if unsafe { LLVMLinkModules2(self.raw, raw) } != 0 {
            return Err(collected_errors(self.context, "modules do not link"));
        }
        Ok(())
    }

    /// Runs a pipeline in LLVM's textual form, such as `function(sroa,early-cse)`.
    pub fn run_passes(
        &mut self,
        pipeline: &str,
        machine: Option<&TargetMachine>,
        options: PassOptions,
    ) -> Result<(), Error> {
        let pipeline = c_string(pipeline);
        let machine = machine.map_or(std::ptr::null_mut(), |m| m.raw);
        // SAFETY: module and machine are alive; no handle into the module exists, as it is borrowed mutably.
        options.with(|raw| unsafe { check(pb::LLVMRunPasses(self.raw, pipeline.as_ptr(), machine, raw)) })
    }

    /// Runs on each function that has a body the pipeline that `choose` has for it, if any, in the form of
    /// `sroa,loop(indvars)`: passes for functions need no `function()` around them.
    pub fn run_function_passes(
        &mut self,
        choose: impl Fn(Value<'_>) -> Option<String>,
        machine: &TargetMachine,
    ) -> Result<(), Error> {
        let defined = self.functions().into_iter().filter(|function| !function.is_declaration());
        let chosen: Vec<_> = defined.filter_map(|function| Some((function.raw, choose(function)?))).collect();
        PassOptions::default().with(|raw| {
            chosen.iter().try_for_each(|(function, pipeline)| {
                let pipeline = c_string(pipeline);
                // SAFETY: as above; such passes delete no functions.
                unsafe { check(pb::LLVMRunPassesOnFunction(*function, pipeline.as_ptr(), machine.raw, raw)) }
            })
        })
    }

    /// The data layout as text.
    pub fn data_layout(&self) -> String {
        // SAFETY: the module is alive; LLVM keeps the text, which is copied at once.
        unsafe { std::ffi::CStr::from_ptr(sys::LLVMGetDataLayoutStr(self.raw)).to_string_lossy().into_owned() }
    }

    /// Sets the data layout.
    pub fn set_data_layout(&self, layout: &str) {
        let layout = c_string(layout);
        // SAFETY: the module is alive.
        unsafe { sys::LLVMSetDataLayout(self.raw, layout.as_ptr()) }
    }

    /// The target triple.
    pub fn triple(&self) -> String {
        // SAFETY: the module is alive; LLVM keeps the text, which is copied at once.
        unsafe { std::ffi::CStr::from_ptr(sys::LLVMGetTarget(self.raw)).to_string_lossy().into_owned() }
    }

    /// Sets the target triple.
    pub fn set_triple(&self, triple: &str) {
        let triple = c_string(triple);
        // SAFETY: the module is alive.
        unsafe { sys::LLVMSetTarget(self.raw, triple.as_ptr()) }
    }

    /// Declares a function, or gives the one that has this name.
    pub fn declare<'a>(&'a self, name: &str, ty: Type<'a>) -> Value<'a> {
        self.function(name).unwrap_or_else(|| self.add_function(name, ty))
    }

    /// Adds a function; LLVM appends a number if the name is taken.
    pub fn add_function<'a>(&'a self, name: &str, ty: Type<'a>) -> Value<'a> {
        let name = c_string(name);
        // SAFETY: the module is alive and the type is a function type by the caller's duty.
        Value::from_raw(unsafe { sys::LLVMAddFunction(self.raw, name.as_ptr(), ty.raw) })
    }

    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<Value<'_>> {
        // SAFETY: the module is alive, the name has the length given.
        Value::from_nullable(unsafe { sys::LLVMGetNamedFunctionWithLength(self.raw, name.as_ptr().cast(), name.len()) })
    }

    /// All functions in order, declarations included.
    pub fn functions(&self) -> Vec<Value<'_>> {
        let mut functions = Vec::new();
        // SAFETY: the module is alive.
        unsafe {
            let mut next = sys::LLVMGetFirstFunction(self.raw);
            while !next.is_null() {
                functions.push(Value::from_raw(next));
                next = sys::LLVMGetNextFunction(next);
            }
        }
        functions
    }

    /// Adds a global variable without initial value.
    pub fn add_global<'a>(&'a self, name: &str, ty: Type<'a>, address_space: u32) -> Value<'a> {
        let name = c_string(name);
        // SAFETY: the module is alive.
        Value::from_raw(unsafe { sys::LLVMAddGlobalInAddressSpace(self.raw, ty.raw, name.as_ptr(), address_space) })
    }

    /// The global variable of this name.
    pub fn global(&self, name: &str) -> Option<Value<'_>> {
        // SAFETY: the module is alive, the name has the length given.
        Value::from_nullable(unsafe { sys::LLVMGetNamedGlobalWithLength(self.raw, name.as_ptr().cast(), name.len()) })
    }

    /// All global variables in order.
    pub fn globals(&self) -> Vec<Value<'_>> {
        // SAFETY: the module is alive.
        let first = Value::from_nullable(unsafe { sys::LLVMGetFirstGlobal(self.raw) });
        std::iter::successors(first, |g| g.next_global()).collect()
    }

    /// Declares an intrinsic by its name without overload types (`llvm.fma`), with the types that it is overloaded
    /// on. `None` if LLVM has no such intrinsic.
    pub fn intrinsic<'a>(&'a self, name: &str, overloads: &[Type<'a>]) -> Option<Value<'a>> {
        // SAFETY: the module is alive.
        unsafe { declare_intrinsic(self.raw, name, overloads) }
    }

    fn layout(&self) -> LLVMTargetDataRef {
        // SAFETY: the module is alive and keeps its layout.
        unsafe { LLVMGetModuleDataLayout(self.raw) }
    }

    /// Size of a type in memory, in bytes, padding to its alignment included.
    pub fn size_of(&self, ty: Type<'_>) -> u64 {
        // SAFETY: the layout is alive and the type has a size by the caller's duty.
        unsafe { llvm_sys::target::LLVMABISizeOfType(self.layout(), ty.raw) }
    }

    /// Bytes that storing a value of a type writes.
    pub fn store_size_of(&self, ty: Type<'_>) -> u64 {
        // SAFETY: as above.
        unsafe { llvm_sys::target::LLVMStoreSizeOfType(self.layout(), ty.raw) }
    }

    /// Alignment of a type in memory, in bytes.
    pub fn align_of(&self, ty: Type<'_>) -> u32 {
        // SAFETY: as above.
        unsafe { llvm_sys::target::LLVMABIAlignmentOfType(self.layout(), ty.raw) }
    }

    /// Offset of a member of a structure, in bytes.
    pub fn offset_of(&self, ty: Type<'_>, member: u32) -> u64 {
        // SAFETY: as above, and a structure with that member by the caller's duty.
        unsafe { llvm_sys::target::LLVMOffsetOfElement(self.layout(), ty.raw, member) }
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: handles borrow the module, so none is left.
        unsafe { sys::LLVMDisposeModule(self.raw) }
    }
}

/// Declares an intrinsic.
///
/// # Safety
/// The module is alive.
pub(crate) unsafe fn declare_intrinsic<'a>(
    module: LLVMModuleRef,
    name: &str,
    overloads: &[Type<'a>],
) -> Option<Value<'a>> {
    let mut raw: Vec<_> = overloads.iter().map(|t| t.raw).collect();
    // SAFETY: the module is alive, the name has the length given; overload types fit by the caller's duty.
    unsafe {
        let id = sys::LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
        if id == 0 {
            return None;
        }
        Value::from_nullable(sys::LLVMGetIntrinsicDeclaration(module, id, raw.as_mut_ptr(), raw.len()))
    }
}
