//! Attributes of functions, calls, parameters and results.
#![allow(unsafe_code, reason = "calls LLVM's C API")]

use std::marker::PhantomData;

use llvm_sys::core as sys;
use llvm_sys::prelude::LLVMAttributeRef;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeReturnIndex};

use crate::context::Context;
use crate::error::bytes_at;
use crate::types::Type;
use crate::value::{Value, ValueKind};

/// What an attribute stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The function or call.
    Function,
    /// The result.
    Return,
    /// A parameter, counted from 0.
    Parameter(u32),
}

impl Place {
    fn index(self) -> u32 {
        match self {
            Place::Function => LLVMAttributeFunctionIndex,
            Place::Return => LLVMAttributeReturnIndex,
            Place::Parameter(index) => index + 1,
        }
    }
}

/// An attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Attribute<'a> {
    raw: LLVMAttributeRef,
    context: PhantomData<&'a Context>,
}

fn kind_of(name: &str) -> u32 {
    // SAFETY: the name has the length given.
    unsafe { sys::LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

impl<'a> Attribute<'a> {
    fn from_raw(raw: LLVMAttributeRef) -> Self {
        Attribute { raw, context: PhantomData }
    }

    /// The number of an attribute with a value, or 0.
    pub fn value(self) -> u64 {
        // SAFETY: asked of enum attributes only.
        unsafe { if sys::LLVMIsEnumAttribute(self.raw) != 0 { sys::LLVMGetEnumAttributeValue(self.raw) } else { 0 } }
    }

    /// The type of a type attribute such as `byval`.
    pub fn ty(self) -> Option<Type<'a>> {
        // SAFETY: asked of type attributes only.
        unsafe {
            (sys::LLVMIsTypeAttribute(self.raw) != 0).then(|| Type::from_raw(sys::LLVMGetTypeAttributeValue(self.raw)))
        }
    }

    /// Key and value of a string attribute.
    pub fn text(self) -> Option<(String, String)> {
        // SAFETY: asked of string attributes only; both texts are copied at once.
        unsafe {
            if sys::LLVMIsStringAttribute(self.raw) == 0 {
                return None;
            }
            let mut length = 0;
            let key = sys::LLVMGetStringAttributeKind(self.raw, &mut length);
            let key = String::from_utf8_lossy(bytes_at(key, length as usize)).into_owned();
            let value = sys::LLVMGetStringAttributeValue(self.raw, &mut length);
            Some((key, String::from_utf8_lossy(bytes_at(value, length as usize)).into_owned()))
        }
    }
}

impl Context {
    /// An attribute by its name in textual IR, with a number for those that have one (`align`, `dereferenceable`,
    /// `memory`), 0 otherwise. `None` if LLVM knows no such attribute.
    pub fn attribute(&self, name: &str, value: u64) -> Option<Attribute<'_>> {
        let kind = kind_of(name);
        // SAFETY: the context is alive and the kind is one of LLVM's.
        (kind != 0).then(|| Attribute::from_raw(unsafe { sys::LLVMCreateEnumAttribute(self.raw, kind, value) }))
    }

    /// An attribute with a type, such as `byval`.
    pub fn type_attribute<'a>(&'a self, name: &str, ty: Type<'a>) -> Option<Attribute<'a>> {
        let kind = kind_of(name);
        // SAFETY: the context is alive and the kind is one of LLVM's.
        (kind != 0).then(|| Attribute::from_raw(unsafe { sys::LLVMCreateTypeAttribute(self.raw, kind, ty.raw) }))
    }

    /// An attribute of two texts.
    pub fn text_attribute(&self, key: &str, value: &str) -> Attribute<'_> {
        // SAFETY: the context is alive, the texts have the lengths given.
        Attribute::from_raw(unsafe {
            sys::LLVMCreateStringAttribute(
                self.raw,
                key.as_ptr().cast(),
                key.len() as u32,
                value.as_ptr().cast(),
                value.len() as u32,
            )
        })
    }
}

impl<'a> Value<'a> {
    /// Adds an attribute to a function or a call.
    pub fn add_attribute(self, place: Place, attribute: Attribute<'a>) {
        // SAFETY: the value is of the kind that each function takes.
        unsafe {
            if self.kind() == ValueKind::Function {
                sys::LLVMAddAttributeAtIndex(self.raw, place.index(), attribute.raw);
            } else if self.is_call() {
                sys::LLVMAddCallSiteAttribute(self.raw, place.index(), attribute.raw);
            }
        }
    }

    /// An attribute of a function or a call, by its name in textual IR.
    pub fn attribute(self, place: Place, name: &str) -> Option<Attribute<'a>> {
        let kind = kind_of(name);
        if kind == 0 {
            return None;
        }
        // SAFETY: the value is of the kind that each function takes.
        let raw = unsafe {
            if self.kind() == ValueKind::Function {
                sys::LLVMGetEnumAttributeAtIndex(self.raw, place.index(), kind)
            } else if self.is_call() {
                sys::LLVMGetCallSiteEnumAttribute(self.raw, place.index(), kind)
            } else {
                std::ptr::null_mut()
            }
        };
        (!raw.is_null()).then(|| Attribute::from_raw(raw))
    }

    /// The text of a string attribute of a function or a call, by its key; `None` if it has none of this key.
    pub fn attribute_text(self, place: Place, key: &str) -> Option<String> {
        let mut texts = self.attributes(place).into_iter().filter_map(Attribute::text);
        texts.find_map(|(found, text)| (found == key).then_some(text))
    }

    /// All attributes of a function or a call at a place.
    pub fn attributes(self, place: Place) -> Vec<Attribute<'a>> {
        // SAFETY: the value is of the kind that each function takes, the buffer as long as LLVM says.
        let raw = unsafe {
            if self.kind() == ValueKind::Function {
                let mut raw =
                    vec![std::ptr::null_mut(); sys::LLVMGetAttributeCountAtIndex(self.raw, place.index()) as usize];
                sys::LLVMGetAttributesAtIndex(self.raw, place.index(), raw.as_mut_ptr());
                raw
            } else if self.is_call() {
                let mut raw =
                    vec![std::ptr::null_mut(); sys::LLVMGetCallSiteAttributeCount(self.raw, place.index()) as usize];
                sys::LLVMGetCallSiteAttributes(self.raw, place.index(), raw.as_mut_ptr());
                raw
            } else {
                Vec::new()
            }
        };
        raw.into_iter().map(Attribute::from_raw).collect()
    }

    /// Removes a named attribute from a function or a call.
    pub fn remove_attribute(self, place: Place, name: &str) {
        let kind = kind_of(name);
        // SAFETY: the value is of the kind that each function takes.
        unsafe {
            if self.kind() == ValueKind::Function {
                if kind != 0 {
                    sys::LLVMRemoveEnumAttributeAtIndex(self.raw, place.index(), kind);
                } else {
                    sys::LLVMRemoveStringAttributeAtIndex(
                        self.raw,
                        place.index(),
                        name.as_ptr().cast(),
                        name.len() as u32,
                    );
                }
            } else if self.is_call() && kind != 0 {
                sys::LLVMRemoveCallSiteEnumAttribute(self.raw, place.index(), kind);
            }
        }
    }
}
