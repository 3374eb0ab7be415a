//! The type arena.

use spirv::StorageClass;

use crate::module::Id;

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
