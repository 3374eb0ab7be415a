//! Sizes, alignments and member offsets of types in memory.

use crate::instruction::Operand;
use crate::module::{ConstantKind, Id, Module};
use crate::types::{Type, TypeRef};

/// Size and alignment of a type, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Size, a multiple of the alignment.
    pub size: u64,
    /// Alignment, a power of two.
    pub align: u64,
}

impl Layout {
    const POINTER: Layout = Layout { size: 8, align: 8 };
}

/// The layouts of all types of a module. Booleans take a byte, pointers and opaque handles 8 bytes, vectors of three
/// components as much as vectors of four.
#[derive(Clone, Debug, Default)]
pub struct Layouts {
    types: Vec<Option<Layout>>,
    /// Where the offsets of a structure's members start in `offsets`, by type.
    members: Vec<u32>,
    offsets: Vec<u64>,
}

impl Layouts {
    /// Computes the layouts. A declaration only names earlier types or pointers, so one pass in order does it.
    pub fn of(module: &Module) -> Layouts {
        let mut layouts = Layouts::default();
        for (index, ty) in module.types.iter().enumerate() {
            layouts.members.push(u32::try_from(layouts.offsets.len()).unwrap_or(u32::MAX));
            let layout = match ty {
                Type::Struct { members } => {
                    let packed = module
                        .type_ids
                        .get(index)
                        .is_some_and(|id| module.has_decoration(*id, spirv::Decoration::CPacked));
                    layouts.structure(module, members, packed)
                }
                _ => layouts.plain(module, ty),
            };
            layouts.types.push(layout);
        }
        layouts
    }

    /// The layout of `ty`; `None` for types that have no place in memory, arrays whose length is not known yet, and
    /// sizes beyond 63 bits.
    pub fn get(&self, ty: TypeRef) -> Option<Layout> {
        self.types.get(ty.0 as usize).copied().flatten()
    }

    /// Size of `ty` in bytes, where it has one.
    pub fn size_of(&self, ty: TypeRef) -> Option<u64> {
        self.get(ty).map(|layout| layout.size)
    }

    /// Alignment of `ty` in bytes, where it has one.
    pub fn align_of(&self, ty: TypeRef) -> Option<u64> {
        self.get(ty).map(|layout| layout.align)
    }

    /// Offset of a member of the structure `ty`, in bytes.
    pub fn member_offset(&self, ty: TypeRef, member: usize) -> Option<u64> {
        let start = *self.members.get(ty.0 as usize)? as usize;
        let end = self.members.get(ty.0 as usize + 1).map_or(self.offsets.len(), |end| *end as usize);
        self.offsets.get(start..end)?.get(member).copied()
    }

    /// The layout of a part of a declaration, which is a pointer if it is not known yet.
    fn part(&self, module: &Module, ty: TypeRef) -> Option<Layout> {
        match module.types.get(ty.0 as usize) {
            Some(Type::Pointer { .. }) => Some(Layout::POINTER),
            _ => self.get(ty),
        }
    }

    fn plain(&self, module: &Module, ty: &Type) -> Option<Layout> {
        match ty {
            Type::Bool => Some(Layout { size: 1, align: 1 }),
            // Integers of any width take as many bytes as the next integer of OpenCL C.
            Type::Int { width, .. } | Type::Float { width, .. } => {
                let size = u64::from(*width).div_ceil(8).next_power_of_two();
                (1..=64).contains(width).then_some(Layout { size, align: size })
            }
            Type::Vector { component, count } => {
                let slots = if *count == 3 { 4 } else { u64::from(*count).checked_next_power_of_two()? };
                let size = self.part(module, *component)?.size.checked_mul(slots)?;
                Some(Layout { size, align: size })
            }
            Type::Array { element, length } => {
                let element = self.part(module, *element)?;
                let size = element.size.checked_mul(module.constant_bits(*length)?)?;
                (size <= i64::MAX as u64).then_some(Layout { size, align: element.align })
            }
            Type::Void
            | Type::Function { .. }
            | Type::Struct { .. }
            | Type::Opaque { .. }
            | Type::SampledImage { .. }
            // Nothing that a kernel may write says which barrier it is.
            | Type::NamedBarrier
            | Type::Other { .. } => None,
            Type::Pointer { .. }
            | Type::Event
            | Type::DeviceEvent
            | Type::ReserveId
            | Type::Queue
            | Type::Sampler
            | Type::Pipe { .. }
            | Type::PipeStorage
            | Type::Image { .. } => Some(Layout::POINTER),
        }
    }

    fn structure(&mut self, module: &Module, members: &[TypeRef], packed: bool) -> Option<Layout> {
        let mut size = 0u64;
        let mut align = 1u64;
        for member in members {
            let layout = self.part(module, *member)?;
            let member_align = if packed { 1 } else { layout.align };
            size = size.checked_next_multiple_of(member_align)?;
            self.offsets.push(size);
            size = size.checked_add(layout.size)?;
            align = align.max(member_align);
        }
        let size = size.checked_next_multiple_of(align)?;
        (size <= i64::MAX as u64).then_some(Layout { size, align })
    }
}

impl Module {
    /// Bits of a scalar constant, zero-extended: integers, floating-point numbers, booleans, and null of these.
    pub fn constant_bits(&self, id: Id) -> Option<u64> {
        let constant = self.constant(id)?;
        match &constant.kind {
            ConstantKind::Scalar(bits) => Some(*bits),
            ConstantKind::Bool(value) => Some(u64::from(*value)),
            ConstantKind::Null => match self.types.get(constant.ty.0 as usize)? {
                Type::Int { .. } | Type::Float { .. } | Type::Bool => Some(0),
                _ => None,
            },
            _ => None,
        }
    }

    /// A scalar integer constant, sign-extended from its width.
    pub fn constant_signed(&self, id: Id) -> Option<i64> {
        let bits = self.constant_bits(id)?;
        match self.types.get(self.constant(id)?.ty.0 as usize)? {
            Type::Int { width: width @ 1..=64, .. } => {
                let unused = 64 - width;
                Some(((bits << unused) as i64) >> unused)
            }
            _ => None,
        }
    }

    /// The bytes from the start of a variable, where a constant of type `ty` is a place in a variable as clang 22 writes
    /// it: OpInBoundsPtrAccessChain to a pointer to bytes, by 0 and a number of bytes, whatever the variable holds.
    pub fn bytes_into_variable(&self, ty: TypeRef, op: spirv::Op, operands: &[Operand]) -> Option<i64> {
        let pointee = |ty: TypeRef| match self.types.get(ty.0 as usize)? {
            Type::Pointer { pointee, .. } => self.types.get(pointee.0 as usize),
            _ => None,
        };
        let is_byte = |ty: Option<&Type>| matches!(ty, Some(Type::Int { width: 8, .. }));
        let [Operand::Id(base), Operand::Id(element), Operand::Id(bytes)] = operands else { return None };
        if op != spirv::Op::InBoundsPtrAccessChain || !is_byte(pointee(ty)) || self.constant_bits(*element) != Some(0) {
            return None;
        }
        // Along bytes, that is what such a chain means.
        if let Type::Array { element, .. } = pointee(self.type_of(*base)?)?
            && is_byte(self.types.get(element.0 as usize))
        {
            return None;
        }
        self.constant_signed(*bytes)
    }
}
