//! Reading constants.
#![allow(unsafe_code, reason = "calls LLVM's C API")]

use llvm_sys::LLVMValueKind;
use llvm_sys::core as sys;

use crate::kinds::{Opcode, TypeKind};
use crate::value::Value;

/// Kinds of constant that is no global.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstantKind {
    /// An integer.
    Int,
    /// A floating-point number.
    Float,
    /// Null pointer.
    Null,
    /// All zero, of an aggregate or vector.
    Zero,
    /// `undef`.
    Undef,
    /// `poison`.
    Poison,
    /// An array, structure or vector with elements.
    Aggregate,
    /// An expression with an opcode.
    Expression,
}

impl<'a> Value<'a> {
    /// What kind of constant this is; `None` for other values and for globals.
    pub fn constant_kind(self) -> Option<ConstantKind> {
        use LLVMValueKind as K;
        // SAFETY: the value is alive.
        Some(match unsafe { sys::LLVMGetValueKind(self.raw) } {
            K::LLVMConstantIntValueKind => ConstantKind::Int,
            K::LLVMConstantFPValueKind => ConstantKind::Float,
            K::LLVMConstantPointerNullValueKind => ConstantKind::Null,
            K::LLVMConstantAggregateZeroValueKind => ConstantKind::Zero,
            K::LLVMUndefValueValueKind => ConstantKind::Undef,
            K::LLVMPoisonValueKind => ConstantKind::Poison,
            K::LLVMConstantArrayValueKind
            | K::LLVMConstantStructValueKind
            | K::LLVMConstantVectorValueKind
            | K::LLVMConstantDataArrayValueKind
            | K::LLVMConstantDataVectorValueKind => ConstantKind::Aggregate,
            K::LLVMConstantExprValueKind => ConstantKind::Expression,
            _ => return None,
        })
    }

    /// Value of an integer constant of at most 64 bits, zero-extended.
    pub fn as_u64(self) -> Option<u64> {
        (self.constant_kind() == Some(ConstantKind::Int) && self.ty().is_int() && self.ty().int_width() <= 64)
            // SAFETY: an integer constant that fits.
            .then(|| unsafe { sys::LLVMConstIntGetZExtValue(self.raw) })
    }

    /// Value of an integer constant of at most 128 bits, zero-extended.
    pub fn as_u128(self) -> Option<u128> {
        let width = self.ty().int_width();
        if width <= 64 || width > 128 || self.constant_kind() != Some(ConstantKind::Int) {
            return self.as_u64().map(u128::from);
        }
        // The C API has no way to more than the lowest 64 bits but the text, a decimal number with its sign.
        let text = self.to_string();
        let value: i128 = text.split_whitespace().last()?.parse().ok()?;
        Some(value as u128 & u128::MAX >> (128 - width))
    }

    /// The bits of a floating-point constant of at most 64.
    pub fn float_bits(self) -> Option<u64> {
        let bits = match self.ty().kind() {
            TypeKind::Half | TypeKind::BFloat => 16,
            TypeKind::Float => 32,
            TypeKind::Double => 64,
            _ => return None,
        };
        // SAFETY: a floating-point constant by its kind, and an integer type of as many bits; bits as another type are folded.
        (self.constant_kind() == Some(ConstantKind::Float))
            .then(|| unsafe {
                let ty = sys::LLVMIntTypeInContext(sys::LLVMGetTypeContext(self.ty().raw), bits);
                Value::from_raw(sys::LLVMConstBitCast(self.raw, ty))
            })?
            .as_u64()
    }

    /// Value of an integer constant of at most 64 bits, sign-extended.
    pub fn as_i64(self) -> Option<i64> {
        (self.constant_kind() == Some(ConstantKind::Int) && self.ty().is_int() && self.ty().int_width() <= 64)
            // SAFETY: an integer constant that fits.
            .then(|| unsafe { sys::LLVMConstIntGetSExtValue(self.raw) })
    }

    /// Value of a floating-point constant.
    pub fn as_f64(self) -> Option<f64> {
        let float = matches!(self.ty().kind(), TypeKind::Half | TypeKind::BFloat | TypeKind::Float | TypeKind::Double);
        let mut loses = 0;
        (self.constant_kind() == Some(ConstantKind::Float) && float)
            // SAFETY: a floating-point constant.
            .then(|| unsafe { sys::LLVMConstRealGetDouble(self.raw, &mut loses) })
    }

    /// Is it zero, null or an aggregate of these?
    pub fn is_zero(self) -> bool {
        // SAFETY: the value is alive.
        unsafe { sys::LLVMIsNull(self.raw) != 0 }
    }

    /// Is it `undef` or `poison`?
    pub fn is_undef(self) -> bool {
        matches!(self.constant_kind(), Some(ConstantKind::Undef | ConstantKind::Poison))
    }

    /// An element of an aggregate or vector constant.
    pub fn constant_element(self, index: u32) -> Option<Value<'a>> {
        match self.constant_kind()? {
            ConstantKind::Aggregate | ConstantKind::Zero | ConstantKind::Undef | ConstantKind::Poison
                if u64::from(index) < self.ty().length() =>
            {
                // SAFETY: an aggregate constant with that many elements.
                Value::from_nullable(unsafe { sys::LLVMGetAggregateElement(self.raw, index) })
            }
            _ => None,
        }
    }

    /// Opcode of a constant expression.
    pub fn expression_opcode(self) -> Option<Opcode> {
        (self.constant_kind() == Some(ConstantKind::Expression))
            // SAFETY: a constant expression.
            .then(|| Opcode::from_raw(unsafe { sys::LLVMGetConstOpcode(self.raw) }))
    }

    /// A constant address: `self` plus `indices` into `source_type`.
    pub fn const_gep(self, source_type: crate::Type<'a>, indices: &[Value<'a>]) -> Value<'a> {
        let mut raw: Vec<_> = indices.iter().map(|v| v.raw).collect();
        // SAFETY: constants by the caller's duty.
        Value::from_raw(unsafe { sys::LLVMConstGEP2(source_type.raw, self.raw, raw.as_mut_ptr(), raw.len() as u32) })
    }

    /// A constant pointer in another address space.
    pub fn const_addrspace_cast(self, ty: crate::Type<'a>) -> Value<'a> {
        // SAFETY: a constant pointer by the caller's duty.
        Value::from_raw(unsafe { sys::LLVMConstAddrSpaceCast(self.raw, ty.raw) })
    }

    /// A constant pointer as integer.
    pub fn const_ptr_to_int(self, ty: crate::Type<'a>) -> Value<'a> {
        // SAFETY: a constant pointer by the caller's duty.
        Value::from_raw(unsafe { sys::LLVMConstPtrToInt(self.raw, ty.raw) })
    }

    /// A constant integer as pointer.
    pub fn const_int_to_ptr(self, ty: crate::Type<'a>) -> Value<'a> {
        // SAFETY: a constant integer by the caller's duty.
        Value::from_raw(unsafe { sys::LLVMConstIntToPtr(self.raw, ty.raw) })
    }

    /// A constant with the same bits and another type.
    pub fn const_bit_cast(self, ty: crate::Type<'a>) -> Value<'a> {
        // SAFETY: a constant of the same size by the caller's duty.
        Value::from_raw(unsafe { sys::LLVMConstBitCast(self.raw, ty.raw) })
    }
}
