//! Global variables, and what they share with functions.
#![allow(unsafe_code, reason = "calls LLVM's C API")]

use llvm_sys::core as sys;
use llvm_sys::{LLVMLinkage, LLVMUnnamedAddr, LLVMVisibility};

use crate::context::Metadata;
use crate::types::Type;
use crate::value::{Value, ValueKind};

/// Linkage of a global.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// Visible outside.
    External,
    /// This module's own.
    Internal,
    /// This module's own, without symbol.
    Private,
    /// One of several definitions that are the same.
    LinkOnceOdr,
    /// Anything else.
    Other,
}

/// Visibility of a global in an object file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are LLVM's")]
pub enum Visibility {
    Default,
    Hidden,
    Protected,
}

/// Whether the address of a global matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnnamedAddr {
    /// It does.
    No,
    /// Not inside the module.
    Local,
    /// Nowhere.
    Global,
}

impl<'a> Value<'a> {
    fn is_global(self) -> bool {
        matches!(self.kind(), ValueKind::Function | ValueKind::GlobalVariable)
    }

    fn is_variable(self) -> bool {
        self.kind() == ValueKind::GlobalVariable
    }

    /// Has a global no definition here?
    pub fn is_declaration(self) -> bool {
        // SAFETY: asked of globals only.
        self.is_global() && unsafe { sys::LLVMIsDeclaration(self.raw) != 0 }
    }

    /// Linkage of a global.
    pub fn linkage(self) -> Linkage {
        if !self.is_global() {
            return Linkage::Other;
        }
        // SAFETY: a global.
        match unsafe { sys::LLVMGetLinkage(self.raw) } {
            LLVMLinkage::LLVMExternalLinkage => Linkage::External,
            LLVMLinkage::LLVMInternalLinkage => Linkage::Internal,
            LLVMLinkage::LLVMPrivateLinkage => Linkage::Private,
            LLVMLinkage::LLVMLinkOnceODRLinkage => Linkage::LinkOnceOdr,
            _ => Linkage::Other,
        }
    }

    /// Sets the linkage of a global.
    pub fn set_linkage(self, linkage: Linkage) {
        let raw = match linkage {
            Linkage::External => LLVMLinkage::LLVMExternalLinkage,
            Linkage::Internal => LLVMLinkage::LLVMInternalLinkage,
            Linkage::Private => LLVMLinkage::LLVMPrivateLinkage,
            Linkage::LinkOnceOdr => LLVMLinkage::LLVMLinkOnceODRLinkage,
            Linkage::Other => return,
        };
        if self.is_global() {
            // SAFETY: a global.
            unsafe { sys::LLVMSetLinkage(self.raw, raw) }
        }
    }

    /// Sets the visibility of a global.
    pub fn set_visibility(self, visibility: Visibility) {
        let raw = match visibility {
            Visibility::Default => LLVMVisibility::LLVMDefaultVisibility,
            Visibility::Hidden => LLVMVisibility::LLVMHiddenVisibility,
            Visibility::Protected => LLVMVisibility::LLVMProtectedVisibility,
        };
        if self.is_global() {
            // SAFETY: a global.
            unsafe { sys::LLVMSetVisibility(self.raw, raw) }
        }
    }

    /// Says whether the address of a global matters.
    pub fn set_unnamed_addr(self, unnamed: UnnamedAddr) {
        let raw = match unnamed {
            UnnamedAddr::No => LLVMUnnamedAddr::LLVMNoUnnamedAddr,
            UnnamedAddr::Local => LLVMUnnamedAddr::LLVMLocalUnnamedAddr,
            UnnamedAddr::Global => LLVMUnnamedAddr::LLVMGlobalUnnamedAddr,
        };
        if self.is_global() {
            // SAFETY: a global.
            unsafe { sys::LLVMSetUnnamedAddress(self.raw, raw) }
        }
    }

    /// Type of a global variable's content, or the function type of a function.
    pub fn value_type(self) -> Option<Type<'a>> {
        // SAFETY: asked of globals only.
        self.is_global().then(|| Type::from_raw(unsafe { sys::LLVMGlobalGetValueType(self.raw) }))
    }

    /// Initial value of a global variable.
    pub fn initializer(self) -> Option<Value<'a>> {
        // SAFETY: asked of global variables only.
        if self.is_variable() { Value::from_nullable(unsafe { sys::LLVMGetInitializer(self.raw) }) } else { None }
    }

    /// Gives a global variable its initial value, which makes it a definition.
    pub fn set_initializer(self, value: Value<'a>) {
        if self.is_variable() {
            // SAFETY: a global variable; that the type fits is the caller's duty.
            unsafe { sys::LLVMSetInitializer(self.raw, value.raw) }
        }
    }

    /// Is a global variable never written?
    pub fn is_global_constant(self) -> bool {
        // SAFETY: asked of global variables only.
        self.is_variable() && unsafe { sys::LLVMIsGlobalConstant(self.raw) != 0 }
    }

    /// Says whether a global variable is never written.
    pub fn set_global_constant(self, constant: bool) {
        if self.is_variable() {
            // SAFETY: a global variable.
            unsafe { sys::LLVMSetGlobalConstant(self.raw, constant.into()) }
        }
    }

    /// Puts metadata on a function or global variable.
    pub fn set_global_metadata(self, kind: u32, metadata: Metadata<'a>) {
        if self.is_global() {
            // SAFETY: a global.
            unsafe { sys::LLVMGlobalSetMetadata(self.raw, kind, metadata.raw) }
        }
    }

    /// The next global variable of its module.
    pub(crate) fn next_global(self) -> Option<Value<'a>> {
        // SAFETY: asked of global variables only.
        if self.is_variable() { Value::from_nullable(unsafe { sys::LLVMGetNextGlobal(self.raw) }) } else { None }
    }
}
