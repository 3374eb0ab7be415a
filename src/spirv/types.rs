//! The type arena.

use spirv::{AccessQualifier, Dim, StorageClass};

use crate::module::{Id, Module};

/// A type: index into [`Module::types`](crate::Module::types).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeRef(pub u32);

/// A constant: index into [`Module::constants`](crate::Module::constants).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConstantRef(pub u32);

/// A type declaration. Each declares the result id that [`Module::type_ids`](crate::Module::type_ids) gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the OpType instructions")]
pub enum Type {
    Void,
    Bool,
    Int {
        width: u32,
        signed: bool,
    },
    /// `encoding` is the optional FP Encoding operand (bfloat16 and the like).
    Float {
        width: u32,
        encoding: Option<u32>,
    },
    Vector {
        component: TypeRef,
        count: u32,
    },
    Array {
        element: TypeRef,
        length: Id,
    },
    Struct {
        members: Vec<TypeRef>,
    },
    Opaque {
        name: String,
    },
    /// `pointee` may be a type declared later where OpTypeForwardPointer announced it.
    Pointer {
        storage: StorageClass,
        pointee: TypeRef,
    },
    Function {
        result: TypeRef,
        parameters: Vec<TypeRef>,
    },
    Event,
    DeviceEvent,
    ReserveId,
    Queue,
    Sampler,
    Pipe {
        access: u32,
    },
    PipeStorage,
    NamedBarrier,
    /// Operand words of OpTypeImage after the sampled type: Dim, Depth, Arrayed, MS, Sampled, Format, access.
    Image {
        sampled: TypeRef,
        operands: Vec<u32>,
    },
    SampledImage {
        image: TypeRef,
    },
    /// Any other OpType instruction, by its opcode and operand words; `validate` refuses it by name.
    Other {
        opcode: u32,
        operands: Vec<u32>,
    },
}

/// What an image type of OpenCL says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageType {
    /// 1D, 2D, 3D or Buffer.
    pub dim: Dim,
    /// Its texels are depths.
    pub depth: bool,
    /// It is an array of images.
    pub arrayed: bool,
    /// Whether kernels read it, write it, or both.
    pub access: AccessQualifier,
}

impl Module {
    /// `ty` as an image type, if it is one that OpenCL has.
    pub fn image_type(&self, ty: TypeRef) -> Option<ImageType> {
        let Type::Image { operands, .. } = self.types.get(ty.0 as usize)? else { return None };
        let &[dim, depth, arrayed, 0, 0, 0, access] = operands.as_slice() else { return None };
        let (dim, access) = (Dim::from_u32(dim)?, AccessQualifier::from_u32(access)?);
        Some(ImageType { dim, depth: depth == 1, arrayed: arrayed == 1, access })
    }
}
