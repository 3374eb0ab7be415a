//! The context: owner of types, constants and metadata.
#![allow(unsafe_code, reason = "calls LLVM's C API")]

use std::cell::RefCell;
use std::ffi::c_void;
use std::marker::PhantomData;

use llvm_sys::LLVMDiagnosticSeverity;
use llvm_sys::core as sys;
use llvm_sys::prelude::{LLVMContextRef, LLVMDiagnosticInfoRef, LLVMMetadataRef};

use crate::error::take_message;
use crate::types::Type;
use crate::value::Value;

/// Severity of a [`DiagnosticMessage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are LLVM's")]
pub enum DiagnosticSeverity {
    Error,
    Warning,
    Remark,
    Note,
}

/// What LLVM reported beside results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosticMessage {
    /// How bad it is.
    pub severity: DiagnosticSeverity,
    /// What LLVM says.
    pub message: String,
}

/// Owner of types, constants and metadata. Not shared between threads.
pub struct Context {
    pub(crate) raw: LLVMContextRef,
    /// Boxed, since LLVM keeps its address.
    diagnostics: Box<RefCell<Vec<DiagnosticMessage>>>,
}

extern "C" fn on_diagnostic(info: LLVMDiagnosticInfoRef, sink: *mut c_void) {
    // SAFETY: `sink` is the box of the context that reports, which is alive, and only used as `&RefCell`. The
    // description is ours to dispose of.
    let (sink, message, severity) = unsafe {
        let sink = &*sink.cast::<RefCell<Vec<DiagnosticMessage>>>();
        let message = take_message(sys::LLVMGetDiagInfoDescription(info));
        (sink, message, sys::LLVMGetDiagInfoSeverity(info))
    };
    let severity = match severity {
        LLVMDiagnosticSeverity::LLVMDSError => DiagnosticSeverity::Error,
        LLVMDiagnosticSeverity::LLVMDSWarning => DiagnosticSeverity::Warning,
        LLVMDiagnosticSeverity::LLVMDSRemark => DiagnosticSeverity::Remark,
        LLVMDiagnosticSeverity::LLVMDSNote => DiagnosticSeverity::Note,
    };
    if let Ok(mut sink) = sink.try_borrow_mut() {
        sink.push(DiagnosticMessage { severity, message });
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl Context {
    /// An empty context.
    pub fn new() -> Self {
        let diagnostics = Box::new(RefCell::new(Vec::new()));
        // SAFETY: the context is new; the handler gets the address of a box that lives as long as the context.
        let raw = unsafe {
            let raw = sys::LLVMContextCreate();
            let sink: *const RefCell<Vec<DiagnosticMessage>> = &*diagnostics;
            sys::LLVMContextSetDiagnosticHandler(raw, Some(on_diagnostic), sink.cast_mut().cast());
            raw
        };
        Context { raw, diagnostics }
    }

    /// From now on nothing but functions and global variables has a name: for when nobody is to read the text of a module.
    /// Names take their time.
    pub fn discard_names(&self) {
        // SAFETY: the context is alive.
        unsafe { sys::LLVMContextSetDiscardValueNames(self.raw, 1) }
    }

    /// Does something with names that are kept: LLVM reads no text without.
    pub(crate) fn with_names<R>(&self, something: impl FnOnce() -> R) -> R {
        // SAFETY: the context is alive.
        let before = unsafe { sys::LLVMContextShouldDiscardValueNames(self.raw) };
        // SAFETY: as above.
        unsafe { sys::LLVMContextSetDiscardValueNames(self.raw, 0) }
        let result = something();
        // SAFETY: as above.
        unsafe { sys::LLVMContextSetDiscardValueNames(self.raw, before) }
        result
    }

    /// Diagnostics that came in since the last call.
    pub fn take_diagnostics(&self) -> Vec<DiagnosticMessage> {
        self.diagnostics.take()
    }

    /// The number of a synchronisation scope; the empty name is the whole system, `singlethread` this thread.
    pub fn sync_scope(&self, name: &str) -> u32 {
        // SAFETY: the context is alive, the name has the length given.
        unsafe { sys::LLVMGetSyncScopeID(self.raw, name.as_ptr().cast(), name.len()) }
    }

    /// The number of a kind of metadata on instructions and globals.
    pub fn metadata_kind(&self, name: &str) -> u32 {
        // SAFETY: the context is alive, the name has the length given.
        unsafe { sys::LLVMGetMDKindIDInContext(self.raw, name.as_ptr().cast(), name.len() as u32) }
    }

    /// A metadata string.
    pub fn metadata_string(&self, text: &str) -> Metadata<'_> {
        // SAFETY: the context is alive, the text has the length given.
        Metadata::from_raw(unsafe { sys::LLVMMDStringInContext2(self.raw, text.as_ptr().cast(), text.len()) })
    }

    /// A uniqued metadata node; equal operands give the same node.
    pub fn metadata_node<'a>(&'a self, operands: &[Metadata<'a>]) -> Metadata<'a> {
        let mut raw: Vec<LLVMMetadataRef> = operands.iter().map(|m| m.raw).collect();
        // SAFETY: the context is alive, the operands belong to it by the caller's duty.
        Metadata::from_raw(unsafe { sys::LLVMMDNodeInContext2(self.raw, raw.as_mut_ptr(), raw.len()) })
    }

    /// A metadata node that is like no other, as loop identifiers are: its first operand is itself.
    fn self_referential_node<'a>(&'a self, rest: &[Metadata<'a>]) -> Metadata<'a> {
        let placeholder = self.metadata_string(&format!("oxicl.self.{:p}.{}", self, rest.len()));
        let mut operands = vec![placeholder];
        operands.extend_from_slice(rest);
        let node = self.metadata_node(&operands);
        // SAFETY: the node has a first operand; replacing it by the node itself makes the node distinct.
        unsafe {
            let value = sys::LLVMMetadataAsValue(self.raw, node.raw);
            sys::LLVMReplaceMDNodeOperandWith(value, 0, node.raw);
        }
        node
    }

    /// A property of loops that is there or not.
    pub fn loop_property<'a>(&'a self, name: &str) -> Metadata<'a> {
        self.metadata_node(&[self.metadata_string(name)])
    }

    /// Gives a loop properties, by the branch that ends its turns.
    pub fn set_loop_properties<'a>(&'a self, latch: Value<'a>, properties: &[Metadata<'a>]) {
        latch.set_metadata(self, self.metadata_kind("llvm.loop"), self.self_referential_node(properties));
    }

    /// An empty metadata node that is like no other: an access group. `None` if LLVM does not make one.
    pub fn access_group(&self) -> Option<Metadata<'_>> {
        // The C API makes no such node, the parser does; the node belongs to the context, not to the module.
        let text = "!group = !{!0}\n!0 = distinct !{}\n";
        let module = crate::module::Module::parse_text(self, text).ok()?;
        // SAFETY: the module is alive and has that named node with one operand, which is a node as a value.
        unsafe {
            if sys::LLVMGetNamedMetadataNumOperands(module.raw, c"group".as_ptr()) != 1 {
                return None;
            }
            let mut operand = std::ptr::null_mut();
            sys::LLVMGetNamedMetadataOperands(module.raw, c"group".as_ptr(), &mut operand);
            Some(Metadata::from_raw(sys::LLVMValueAsMetadata(operand)))
        }
    }

    /// The type `void`.
    pub fn void_type(&self) -> Type<'_> {
        // SAFETY: the context is alive.
        Type::from_raw(unsafe { sys::LLVMVoidTypeInContext(self.raw) })
    }

    /// An integer type.
    pub fn int_type(&self, bits: u32) -> Type<'_> {
        // SAFETY: the context is alive.
        Type::from_raw(unsafe { sys::LLVMIntTypeInContext(self.raw, bits) })
    }

    /// 16-bit IEEE floating point.
    pub fn half_type(&self) -> Type<'_> {
        // SAFETY: the context is alive.
        Type::from_raw(unsafe { sys::LLVMHalfTypeInContext(self.raw) })
    }

    /// 16-bit brain floating point.
    pub fn bfloat_type(&self) -> Type<'_> {
        // SAFETY: the context is alive.
        Type::from_raw(unsafe { sys::LLVMBFloatTypeInContext(self.raw) })
    }

    /// 32-bit IEEE floating point.
    pub fn float_type(&self) -> Type<'_> {
        // SAFETY: the context is alive.
        Type::from_raw(unsafe { sys::LLVMFloatTypeInContext(self.raw) })
    }

    /// 64-bit IEEE floating point.
    pub fn double_type(&self) -> Type<'_> {
        // SAFETY: the context is alive.
        Type::from_raw(unsafe { sys::LLVMDoubleTypeInContext(self.raw) })
    }

    /// A pointer into an address space.
    pub fn pointer_type(&self, address_space: u32) -> Type<'_> {
        // SAFETY: the context is alive.
        Type::from_raw(unsafe { sys::LLVMPointerTypeInContext(self.raw, address_space) })
    }

    /// A structure without name: equal members give the same type.
    pub fn struct_type<'a>(&'a self, members: &[Type<'a>], packed: bool) -> Type<'a> {
        let mut raw: Vec<_> = members.iter().map(|t| t.raw).collect();
        // SAFETY: the context is alive, the members belong to it by the caller's duty.
        Type::from_raw(unsafe {
            sys::LLVMStructTypeInContext(self.raw, raw.as_mut_ptr(), raw.len() as u32, packed.into())
        })
    }

    /// An array of bytes.
    pub fn const_bytes(&self, bytes: &[u8]) -> Value<'_> {
        // SAFETY: the context is alive, the bytes have the length given; no terminator is added.
        Value::from_raw(unsafe { sys::LLVMConstStringInContext2(self.raw, bytes.as_ptr().cast(), bytes.len(), 1) })
    }

    /// A structure constant of the type without name that its members give.
    pub fn const_struct<'a>(&'a self, members: &[Value<'a>], packed: bool) -> Value<'a> {
        let mut raw: Vec<_> = members.iter().map(|v| v.raw).collect();
        // SAFETY: the context is alive, the members are constants of it by the caller's duty.
        Value::from_raw(unsafe {
            sys::LLVMConstStructInContext(self.raw, raw.as_mut_ptr(), raw.len() as u32, packed.into())
        })
    }

    /// A vector constant.
    pub fn const_vector<'a>(&'a self, elements: &[Value<'a>]) -> Value<'a> {
        let mut raw: Vec<_> = elements.iter().map(|v| v.raw).collect();
        // SAFETY: the elements are constants of one type by the caller's duty.
        Value::from_raw(unsafe { sys::LLVMConstVector(raw.as_mut_ptr(), raw.len() as u32) })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules, types, values and metadata borrow the context, so none is left.
        unsafe { sys::LLVMContextDispose(self.raw) }
    }
}

/// A metadata node or string.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Metadata<'a> {
    pub(crate) raw: LLVMMetadataRef,
    context: PhantomData<&'a Context>,
}

impl Metadata<'_> {
    pub(crate) fn from_raw(raw: LLVMMetadataRef) -> Self {
        Metadata { raw, context: PhantomData }
    }
}

impl<'a> Metadata<'a> {
    /// A constant as metadata, for operands of nodes.
    pub fn from_constant(constant: Value<'a>) -> Self {
        // SAFETY: the handle is alive.
        Metadata::from_raw(unsafe { sys::LLVMValueAsMetadata(constant.raw) })
    }
}
