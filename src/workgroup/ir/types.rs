//! Types: what they are made of, and how they lie in memory.
//!
//! Sizes and alignments are those of x86-64 and of AArch64, which agree for all that kernels are made of.

use std::fmt;
use std::rc::Rc;

use crate::ir::names::listed;
use crate::prices::Number;

/// A number or pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scalar {
    /// An integer of this many bits.
    Int(u32),
    Half,
    BFloat,
    Float,
    Double,
    /// A pointer into an address space.
    Pointer(u32),
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// No value.
    Void,
    Scalar(Scalar),
    /// A vector of the language.
    Vector(Scalar, u32),
    Array(Rc<Type>, u64),
    Struct(Rc<Struct>),
    /// Any other type, by its name: lanes have no vectors of it, and it is copied as it is.
    Other(Rc<str>),
}

/// The members of a structure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Struct {
    pub(crate) members: Vec<Type>,
    /// Without padding.
    pub(crate) is_packed: bool,
}

impl Scalar {
    /// Bits of its value.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Scalar::Int(bits) => bits,
            Scalar::Half | Scalar::BFloat => 16,
            Scalar::Float => 32,
            Scalar::Double | Scalar::Pointer(_) => 64,
        }
    }

    pub(crate) fn is_int(self) -> bool {
        matches!(self, Scalar::Int(_))
    }

    pub(crate) fn is_float(self) -> bool {
        !matches!(self, Scalar::Int(_) | Scalar::Pointer(_))
    }

    /// Bytes from one value to the next in memory.
    pub(crate) fn size(self) -> u64 {
        u64::from(self.bits()).div_ceil(8).next_multiple_of(self.align())
    }

    /// Alignment, in bytes.
    pub(crate) fn align(self) -> u64 {
        const MOST: u64 = 16;
        u64::from(self.bits()).div_ceil(8).next_power_of_two().min(MOST)
    }
}

impl Number {
    /// The numbers of a type, as prices know them; a type without any counts as a 64-bit integer.
    pub(crate) fn of(ty: &Type) -> Number {
        ty.scalar().map_or(Number::Int(64), Number::of_scalar)
    }

    pub(crate) fn of_scalar(scalar: Scalar) -> Number {
        match scalar {
            Scalar::Int(bits) => Number::Int(bits.next_power_of_two().clamp(8, 64)),
            Scalar::Half => Number::Half,
            Scalar::BFloat => Number::Bfloat,
            Scalar::Float => Number::Float,
            Scalar::Double => Number::Double,
            Scalar::Pointer(_) => Number::Int(64),
        }
    }
}

impl Type {
    /// An integer type of `bits` bits.
    pub(crate) const fn int(bits: u32) -> Type {
        Type::Scalar(Scalar::Int(bits))
    }

    /// The number or pointer that it is, or that a vector has several of.
    pub(crate) fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) | Type::Vector(scalar, _) => Some(*scalar),
            _ => None,
        }
    }

    /// The number or pointer that it is; `None` for a vector.
    pub(crate) fn single(&self) -> Option<Scalar> {
        if let Type::Scalar(scalar) = self { Some(*scalar) } else { None }
    }

    pub(crate) fn is_int(&self) -> bool {
        matches!(self, Type::Scalar(Scalar::Int(_)))
    }

    /// Is it an integer of at most `bits` bits?
    pub(crate) fn is_int_up_to(&self, bits: u32) -> bool {
        self.is_int() && self.int_width() <= bits
    }

    /// Is it an integer of `bits` bits?
    pub(crate) fn is_int_of(&self, bits: u32) -> bool {
        self.int_width() == bits
    }

    /// Bits of an integer, 0 of anything else.
    pub(crate) fn int_width(&self) -> u32 {
        if let Type::Scalar(Scalar::Int(bits)) = self { *bits } else { 0 }
    }

    pub(crate) fn is_pointer(&self) -> bool {
        matches!(self, Type::Scalar(Scalar::Pointer(_)))
    }

    /// The address space of a pointer; 0 for anything else.
    pub(crate) fn address_space(&self) -> u32 {
        if let Type::Scalar(Scalar::Pointer(space)) = self { *space } else { 0 }
    }

    pub(crate) fn is_vector(&self) -> bool {
        matches!(self, Type::Vector(..))
    }

    /// Bits of an integer, or of the elements of a vector of integers.
    pub(crate) fn element_int_width(&self) -> Option<u32> {
        if let Some(Scalar::Int(bits)) = self.scalar() { Some(bits) } else { None }
    }

    /// Bits that a number or pointer, or an element of a vector, takes in a register: 8 or more; 64 for other types.
    pub(crate) fn element_bits(&self) -> u32 {
        self.scalar().map_or(64, |scalar| scalar.bits().max(8))
    }

    /// Bytes of an element of a vector, or of anything else.
    pub(crate) fn element_size(&self) -> u64 {
        if let Type::Vector(element, _) = self { element.size() } else { self.size() }
    }

    /// How many elements a vector or array has, or members a structure; 0 for anything else.
    pub(crate) fn length(&self) -> u64 {
        match self {
            Type::Vector(_, length) => u64::from(*length),
            Type::Array(_, length) => *length,
            Type::Struct(of) => of.members.len() as u64,
            _ => 0,
        }
    }

    /// How many parts a vector of the language has; anything else is one.
    pub(crate) fn parts(&self) -> u32 {
        if let Type::Vector(_, length) = self { *length } else { 1 }
    }

    /// The type of an element of a vector or array.
    pub(crate) fn element(&self) -> Option<Type> {
        match self {
            Type::Vector(element, _) => Some(Type::Scalar(*element)),
            Type::Array(element, _) => Some((**element).clone()),
            _ => None,
        }
    }

    /// The type of a member or element, by its number.
    pub(crate) fn member(&self, index: u64) -> Option<Type> {
        match self {
            Type::Struct(of) => of.members.get(usize::try_from(index).ok()?).cloned(),
            _ => self.element(),
        }
    }

    /// Bytes from one value to the next in memory.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Type::Void | Type::Other(_) => 0,
            Type::Scalar(scalar) => scalar.size(),
            Type::Vector(..) => self.vector_bytes().next_multiple_of(self.align()),
            Type::Array(element, length) => element.size().saturating_mul(*length),
            Type::Struct(of) => of.offsets().last().copied().unwrap_or(0),
        }
    }

    /// Alignment, in bytes.
    pub(crate) fn align(&self) -> u64 {
        match self {
            Type::Void | Type::Other(_) => 1,
            Type::Scalar(scalar) => scalar.align(),
            Type::Vector(..) => self.vector_bytes().max(1).next_power_of_two(),
            Type::Array(element, _) => element.align(),
            Type::Struct(of) => of.align(),
        }
    }

    /// Bytes that the elements of a vector fill, packed bit by bit.
    fn vector_bytes(&self) -> u64 {
        let Type::Vector(element, length) = self else { return 0 };
        (u64::from(element.bits()) * u64::from(*length)).div_ceil(8)
    }
}

impl Struct {
    fn align(&self) -> u64 {
        let most = self.members.iter().map(Type::align).max().unwrap_or(1);
        if self.is_packed { 1 } else { most }
    }

    /// The offset of each member, and behind these the size of the structure, in bytes.
    pub(crate) fn offsets(&self) -> Vec<u64> {
        let mut end = 0u64;
        let mut offsets = Vec::with_capacity(self.members.len() + 1);
        for member in &self.members {
            let begin = end.next_multiple_of(if self.is_packed { 1 } else { member.align() });
            offsets.push(begin);
            end = begin.saturating_add(member.size());
        }
        offsets.push(end.next_multiple_of(self.align()));
        offsets
    }
}

impl From<Scalar> for Type {
    fn from(scalar: Scalar) -> Type {
        Type::Scalar(scalar)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Int(bits) => write!(f, "i{bits}"),
            Scalar::Half => f.write_str("half"),
            Scalar::BFloat => f.write_str("bfloat"),
            Scalar::Float => f.write_str("float"),
            Scalar::Double => f.write_str("double"),
            Scalar::Pointer(0) => f.write_str("ptr"),
            Scalar::Pointer(space) => write!(f, "ptr addrspace({space})"),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Void => f.write_str("void"),
            Type::Scalar(scalar) => scalar.fmt(f),
            Type::Vector(element, length) => write!(f, "<{length} x {element}>"),
            Type::Array(element, length) => write!(f, "[{length} x {element}]"),
            Type::Struct(of) => {
                let none = of.members.is_empty();
                let text = if none { "{}".into() } else { format!("{{ {} }}", listed(&of.members)) };
                if of.is_packed { write!(f, "<{text}>") } else { f.write_str(&text) }
            }
            Type::Other(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use oxicl_llvm::{Context, Module};

    use crate::ir::type_of;

    /// The layouts of the machines that code is generated for.
    const LAYOUTS: [&str; 2] = [
        "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
        "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32",
    ];

    #[test]
    fn types_lie_in_memory_as_llvm_has_them() {
        let context = Context::new();
        let types = "i1; i8; i17; i24; i32; i48; i64; i65; i128; half; bfloat; float; double; ptr; ptr addrspace(3); \
                     <2 x i1>; <9 x i1>; <3 x i8>; <3 x float>; <4 x i24>; <16 x double>; <2 x ptr addrspace(1)>; \
                     [7 x i16]; [3 x <3 x i32>]; { i8, i64 }; <{ i8, i64 }>; {}; \
                     { i8, { i16, <4 x float> }, [2 x i128] }; { i1, i128, i8 }";
        let types: Vec<&str> = types.split("; ").collect();
        for layout in LAYOUTS {
            let globals: String =
                types.iter().enumerate().map(|(i, ty)| format!("@g{i} = external global {ty}\n")).collect();
            let module = Module::parse_text(&context, &globals).expect("valid IR");
            module.set_data_layout(layout);
            for (number, text) in types.iter().enumerate() {
                let llvm = module.global(&format!("g{number}")).and_then(|g| g.value_type()).expect("it was declared");
                let own = type_of(llvm);
                assert_eq!(own.to_string(), *text);
                let theirs = (module.size_of(llvm), u64::from(module.align_of(llvm)));
                assert_eq!((own.size(), own.align()), theirs, "{text} under {layout}");
            }
        }
    }
}
