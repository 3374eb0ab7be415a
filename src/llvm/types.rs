//! Types.
#![allow(unsafe_code, reason = "calls LLVM's C API")]

use std::fmt;
use std::marker::PhantomData;

use llvm_sys::core as sys;
use llvm_sys::prelude::LLVMTypeRef;

use crate::context::Context;
use crate::error::take_message;
use crate::kinds::TypeKind;
use crate::value::Value;

/// A type of the context `'a`; equal types are equal handles.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type<'a> {
    pub(crate) raw: LLVMTypeRef,
    context: PhantomData<&'a Context>,
}

impl fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the type is alive; the message is ours.
        f.write_str(&unsafe { take_message(sys::LLVMPrintTypeToString(self.raw)) })
    }
}

impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl<'a> Type<'a> {
    pub(crate) fn from_raw(raw: LLVMTypeRef) -> Self {
        debug_assert!(!raw.is_null());
        Type { raw, context: PhantomData }
    }

    /// What kind of type this is.
    pub fn kind(self) -> TypeKind {
        // SAFETY: the type is alive.
        TypeKind::from_raw(unsafe { sys::LLVMGetTypeKind(self.raw) })
    }

    /// Width of an integer type, in bits; 0 for other types.
    pub fn int_width(self) -> u32 {
        if self.kind() != TypeKind::Integer {
            return 0;
        }
        // SAFETY: an integer type.
        unsafe { sys::LLVMGetIntTypeWidth(self.raw) }
    }

    /// Is it `half`, `bfloat`, `float` or `double`?
    pub fn is_float(self) -> bool {
        matches!(self.kind(), TypeKind::Half | TypeKind::BFloat | TypeKind::Float | TypeKind::Double)
    }

    /// Is it an integer?
    pub fn is_int(self) -> bool {
        self.kind() == TypeKind::Integer
    }

    /// Is it a pointer?
    pub fn is_pointer(self) -> bool {
        self.kind() == TypeKind::Pointer
    }

    /// Is it a vector of fixed length?
    pub fn is_vector(self) -> bool {
        self.kind() == TypeKind::Vector
    }

    /// Is it `void`?
    pub fn is_void(self) -> bool {
        self.kind() == TypeKind::Void
    }

    /// The address space of a pointer type; 0 for other types.
    pub fn address_space(self) -> u32 {
        if self.kind() != TypeKind::Pointer {
            return 0;
        }
        // SAFETY: a pointer type.
        unsafe { sys::LLVMGetPointerAddressSpace(self.raw) }
    }

    /// The element type of a vector or array.
    pub fn element(self) -> Option<Type<'a>> {
        match self.kind() {
            // SAFETY: a sequential type.
            TypeKind::Vector | TypeKind::Array => Some(Type::from_raw(unsafe { sys::LLVMGetElementType(self.raw) })),
            _ => None,
        }
    }

    /// The element type of a vector, the type itself otherwise.
    pub fn scalar(self) -> Type<'a> {
        if self.is_vector() { self.element().unwrap_or(self) } else { self }
    }

    /// Number of elements of a vector or array, number of members of a structure; 0 for other types.
    pub fn length(self) -> u64 {
        // SAFETY: each query matches the kind.
        unsafe {
            match self.kind() {
                TypeKind::Vector => u64::from(sys::LLVMGetVectorSize(self.raw)),
                TypeKind::Array => sys::LLVMGetArrayLength2(self.raw),
                TypeKind::Struct => u64::from(sys::LLVMCountStructElementTypes(self.raw)),
                _ => 0,
            }
        }
    }

    /// The type of a member of a structure, or of any element of a vector or array.
    pub fn member(self, index: u32) -> Option<Type<'a>> {
        match self.kind() {
            TypeKind::Struct if u64::from(index) < self.length() => {
                // SAFETY: a structure with that many members.
                Some(Type::from_raw(unsafe { sys::LLVMStructGetTypeAtIndex(self.raw, index) }))
            }
            TypeKind::Vector | TypeKind::Array => self.element(),
            _ => None,
        }
    }

    /// Is it a structure without padding?
    pub fn is_packed(self) -> bool {
        // SAFETY: asked of structures only.
        self.kind() == TypeKind::Struct && unsafe { sys::LLVMIsPackedStruct(self.raw) != 0 }
    }

    /// A vector of this type.
    pub fn vector(self, length: u32) -> Type<'a> {
        // SAFETY: the type is alive; that it is a scalar and the length is not 0 is the caller's duty.
        Type::from_raw(unsafe { sys::LLVMVectorType(self.raw, length) })
    }

    /// An array of this type.
    pub fn array(self, length: u64) -> Type<'a> {
        // SAFETY: the type is alive.
        Type::from_raw(unsafe { sys::LLVMArrayType2(self.raw, length) })
    }

    /// A function type with this result.
    pub fn function(self, parameters: &[Type<'a>]) -> Type<'a> {
        let mut raw: Vec<_> = parameters.iter().map(|t| t.raw).collect();
        // SAFETY: the types are alive.
        Type::from_raw(unsafe { sys::LLVMFunctionType(self.raw, raw.as_mut_ptr(), raw.len() as u32, 0) })
    }

    /// The result type of a function type.
    pub fn return_type(self) -> Option<Type<'a>> {
        if self.kind() != TypeKind::Function {
            return None;
        }
        // SAFETY: a function type.
        Some(Type::from_raw(unsafe { sys::LLVMGetReturnType(self.raw) }))
    }

    /// The parameter types of a function type.
    pub fn parameters(self) -> Vec<Type<'a>> {
        if self.kind() != TypeKind::Function {
            return Vec::new();
        }
        // SAFETY: a function type; the buffer holds as many as LLVM says that it writes.
        unsafe {
            let mut raw = vec![std::ptr::null_mut(); sys::LLVMCountParamTypes(self.raw) as usize];
            sys::LLVMGetParamTypes(self.raw, raw.as_mut_ptr());
            raw.into_iter().map(Type::from_raw).collect()
        }
    }

    /// Zero, null or an aggregate of these.
    pub fn zero(self) -> Value<'a> {
        // SAFETY: the type is alive.
        Value::from_raw(unsafe { sys::LLVMConstNull(self.raw) })
    }

    /// All bits set, of an integer or vector of integers.
    pub fn all_ones(self) -> Value<'a> {
        // SAFETY: the type is alive.
        Value::from_raw(unsafe { sys::LLVMConstAllOnes(self.raw) })
    }

    /// `undef`.
    pub fn undef(self) -> Value<'a> {
        // SAFETY: the type is alive.
        Value::from_raw(unsafe { sys::LLVMGetUndef(self.raw) })
    }

    /// `poison`.
    pub fn poison(self) -> Value<'a> {
        // SAFETY: the type is alive.
        Value::from_raw(unsafe { sys::LLVMGetPoison(self.raw) })
    }

    /// An integer constant; bits beyond the width are dropped, those beyond 64 are zero.
    pub fn const_int(self, value: u64) -> Value<'a> {
        let width = self.int_width();
        let value = if width < 64 { value & ((1u64 << width) - 1) } else { value };
        // SAFETY: the type is alive.
        Value::from_raw(unsafe { sys::LLVMConstInt(self.raw, value, 0) })
    }

    /// An integer constant from a signed number, sign-extended to the width.
    pub fn const_signed(self, value: i64) -> Value<'a> {
        if self.int_width() <= 64 {
            return self.const_int(value as u64);
        }
        // SAFETY: the type is alive.
        Value::from_raw(unsafe { sys::LLVMConstInt(self.raw, value as u64, 1) })
    }

    /// An integer constant from 64-bit words, the least significant first.
    pub fn const_words(self, words: &[u64]) -> Value<'a> {
        // SAFETY: the type is alive, the words have the length given.
        Value::from_raw(unsafe { sys::LLVMConstIntOfArbitraryPrecision(self.raw, words.len() as u32, words.as_ptr()) })
    }

    /// A floating-point constant from its bits; NaN payloads are kept.
    pub fn const_float_bits(self, bits: u64) -> Value<'a> {
        let words = [bits, 0];
        // SAFETY: a floating-point type of at most 64 bits by the caller's duty; two words cover any type there is.
        Value::from_raw(unsafe { sys::LLVMConstFPFromBits(self.raw, words.as_ptr()) })
    }

    /// A floating-point constant, rounded to the type.
    pub fn const_float(self, value: f64) -> Value<'a> {
        // SAFETY: a floating-point type by the caller's duty.
        Value::from_raw(unsafe { sys::LLVMConstReal(self.raw, value) })
    }

    /// An array constant with this element type.
    pub fn const_array(self, elements: &[Value<'a>]) -> Value<'a> {
        let mut raw: Vec<_> = elements.iter().map(|v| v.raw).collect();
        // SAFETY: the elements are constants of this type by the caller's duty.
        Value::from_raw(unsafe { sys::LLVMConstArray2(self.raw, raw.as_mut_ptr(), raw.len() as u64) })
    }

    /// A constant of this named structure type.
    pub fn const_named_struct(self, members: &[Value<'a>]) -> Value<'a> {
        let mut raw: Vec<_> = members.iter().map(|v| v.raw).collect();
        // SAFETY: the members are constants of the member types by the caller's duty.
        Value::from_raw(unsafe { sys::LLVMConstNamedStruct(self.raw, raw.as_mut_ptr(), raw.len() as u32) })
    }
}
