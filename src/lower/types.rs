//! Section 3.49.6, types: what each is in a register and in memory.
//!
//! A boolean is `i1` in a register and `i8` in memory. Structures and arrays have one form, that of memory, so that they
//! can be loaded and stored whole; their boolean members are converted when taken out or put in.

use oxicl_llvm::{Context, Module as LlvmModule, Type as LlvmType, TypeKind};
use oxicl_ops::space;
use oxicl_spirv::{Layouts, Module, Type, TypeRef};
use spirv::StorageClass;

/// The address space of descriptors of images: constant memory.
pub(crate) const IMAGE_SPACE: u32 = space::CONSTANT;

/// A type in LLVM's terms.
#[derive(Clone, Debug)]
pub(crate) struct Lowered<'a> {
    /// As the type of an SSA value.
    pub register: LlvmType<'a>,
    /// As the type of a memory cell.
    pub memory: LlvmType<'a>,
    /// For structures: which LLVM member each SPIR-V member is.
    pub members: Vec<u32>,
}

/// The LLVM types of a module's types; `None` for those without one, which only opaque uses can mention.
pub(crate) struct Types<'a> {
    lowered: Vec<Option<Lowered<'a>>>,
    /// Which types are images, or have images in them or pointers to such.
    images: Vec<bool>,
}

impl<'a> Types<'a> {
    /// Lowers all types. A declaration only names earlier types, pointers aside, so one pass in order does it.
    pub fn of(context: &'a Context, out: &'a LlvmModule<'_>, module: &Module, layouts: &Layouts) -> Self {
        let count = module.types.len();
        let mut types = Types { lowered: Vec::with_capacity(count), images: Vec::with_capacity(count) };
        for (index, ty) in module.types.iter().enumerate() {
            let reference = TypeRef(index as u32);
            let lowered = types.one(context, out, module, layouts, reference);
            types.lowered.push(lowered);
            let images = match ty {
                Type::Image { .. } => true,
                Type::Array { element, .. } => types.holds_images(*element),
                Type::Struct { members } => members.iter().any(|member| types.holds_images(*member)),
                Type::Pointer { pointee, .. } => types.holds_images(*pointee),
                _ => false,
            };
            types.images.push(images);
        }
        types
    }

    /// A type, if it has a form.
    pub fn get(&self, ty: TypeRef) -> Option<&Lowered<'a>> {
        self.lowered.get(ty.0 as usize)?.as_ref()
    }

    /// Whether a type is an image, or has images in it or pointers to such.
    pub fn holds_images(&self, ty: TypeRef) -> bool {
        self.images.get(ty.0 as usize).copied().unwrap_or(false)
    }

    fn one(
        &self,
        context: &'a Context,
        out: &LlvmModule<'_>,
        module: &Module,
        layouts: &Layouts,
        ty: TypeRef,
    ) -> Option<Lowered<'a>> {
        let same = |ty: LlvmType<'a>| Some(Lowered { register: ty, memory: ty, members: Vec::new() });
        match module.ty(ty) {
            Type::Void => same(context.void_type()),
            Type::Bool => {
                Some(Lowered { register: context.int_type(1), memory: context.int_type(8), members: Vec::new() })
            }
            // Widths between are those of the next integer in memory, the bits above zero.
            Type::Int { width, .. } => Some(Lowered {
                register: context.int_type(*width),
                memory: context.int_type(width.div_ceil(8).next_power_of_two() * 8),
                members: Vec::new(),
            }),
            // Of asynchronous copies: see there.
            Type::Event => same(context.int_type(64)),
            // See `named_barrier`.
            Type::NamedBarrier => same(context.int_type(64)),
            // See `image`.
            Type::Image { .. } => same(context.pointer_type(IMAGE_SPACE)),
            Type::Sampler => same(context.int_type(64)),
            Type::SampledImage { .. } => {
                same(context.struct_type(&[context.pointer_type(IMAGE_SPACE), context.int_type(64)], false))
            }
            Type::Float { width: 16, encoding: None } => same(context.half_type()),
            Type::Float { width: 32, encoding: None } => same(context.float_type()),
            Type::Float { width: 64, encoding: None } => same(context.double_type()),
            Type::Vector { component, count } => {
                let component = self.get(*component)?;
                Some(Lowered {
                    register: component.register.vector(*count),
                    memory: component.memory.vector(*count),
                    members: Vec::new(),
                })
            }
            Type::Array { element, length } => {
                let element = self.in_memory(context, module, *element)?;
                same(element.array(module.constant_bits(*length)?))
            }
            Type::Struct { members } => self.structure(context, out, module, layouts, ty, members),
            Type::Pointer { storage, .. } => same(context.pointer_type(address_space(*storage)?)),
            _ => None,
        }
    }

    /// The memory form of a part of a declaration, which is a pointer if it is not known yet.
    fn in_memory(&self, context: &'a Context, module: &Module, ty: TypeRef) -> Option<LlvmType<'a>> {
        match module.ty(ty) {
            Type::Pointer { storage, .. } => Some(context.pointer_type(address_space(*storage)?)),
            _ => Some(self.get(ty)?.memory),
        }
    }

    /// A structure: LLVM's own layout where it agrees with ours, else packed with the padding written out.
    fn structure(
        &self,
        context: &'a Context,
        out: &LlvmModule<'_>,
        module: &Module,
        layouts: &Layouts,
        ty: TypeRef,
        members: &[TypeRef],
    ) -> Option<Lowered<'a>> {
        let size = layouts.size_of(ty)?;
        let parts: Option<Vec<_>> = members.iter().map(|m| self.in_memory(context, module, *m)).collect();
        let parts = parts?;
        let natural = context.struct_type(&parts, false);
        let agrees = out.size_of(natural) == size
            && (0..members.len()).all(|m| layouts.member_offset(ty, m) == Some(out.offset_of(natural, m as u32)));
        if agrees {
            let members = (0..members.len() as u32).collect();
            return Some(Lowered { register: natural, memory: natural, members });
        }
        let byte = context.int_type(8);
        let (mut fields, mut indices, mut end) = (Vec::new(), Vec::new(), 0u64);
        for (member, part) in parts.iter().enumerate() {
            let offset = layouts.member_offset(ty, member)?;
            if offset > end {
                fields.push(byte.array(offset - end));
            }
            indices.push(fields.len() as u32);
            fields.push(*part);
            end = offset + out.size_of(*part);
        }
        if size > end {
            fields.push(byte.array(size - end));
        }
        let packed = context.struct_type(&fields, true);
        Some(Lowered { register: packed, memory: packed, members: indices })
    }
}

/// The LLVM address space of a storage class; `None` for those that the OpenCL environment does not have.
pub(crate) fn address_space(storage: StorageClass) -> Option<u32> {
    match storage {
        StorageClass::Function | StorageClass::Private | StorageClass::Input => Some(space::PRIVATE),
        StorageClass::CrossWorkgroup | StorageClass::DeviceOnlyALTERA | StorageClass::HostOnlyALTERA => {
            Some(space::GLOBAL)
        }
        StorageClass::UniformConstant => Some(space::CONSTANT),
        StorageClass::Workgroup => Some(space::LOCAL),
        StorageClass::Generic => Some(space::GENERIC),
        _ => None,
    }
}

/// A type's part of a named operation's name: `i32`, `f64`, `v4f32`, `p1`.
pub(crate) fn type_name(ty: LlvmType<'_>) -> String {
    if ty.is_vector() {
        return format!("v{}{}", ty.length(), type_name(ty.scalar()));
    }
    match ty.kind() {
        TypeKind::Half => "f16".to_owned(),
        TypeKind::BFloat => "bf16".to_owned(),
        TypeKind::Float => "f32".to_owned(),
        TypeKind::Double => "f64".to_owned(),
        TypeKind::Pointer => format!("p{}", ty.address_space()),
        _ => format!("i{}", ty.int_width()),
    }
}
