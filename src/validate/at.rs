//! One instruction under check: its operands and their types, with the fault named where they do not fit.

use oxicl_spirv::grammar::StorageClass;
use oxicl_spirv::{Def, Id, Instruction, Layouts, Module, Type, TypeRef, op_name};

use crate::opencl::images;
use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::universal::capabilities::Declared;
use crate::violation::{Check, Location, Warnings, fault};
use oxicl_caps::DeviceCaps;

/// What every check may look at.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'m> {
    pub(crate) module: &'m Module,
    pub(crate) layouts: &'m Layouts,
    pub(crate) declared: &'m Declared,
    /// Which types are images or samplers, or hold some: see [`crate::opencl::images::holders`].
    pub(crate) holders: &'m [bool],
    pub(crate) caps: &'m DeviceCaps,
    /// Where what is accepted against the specifications is noted.
    pub(crate) warnings: &'m Warnings,
    /// Functions and variables may be imported.
    pub(crate) is_object: bool,
    /// Operations on constants have been folded into plain constants.
    pub(crate) folded: bool,
    /// Specialisation constants have no values yet.
    pub(crate) unspecialised: bool,
}

/// What a scalar, or each component of a vector, is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Bool,
    /// Width in bits.
    Int(u32),
    /// Width in bits.
    Float(u32),
}

/// A scalar or a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) scalar: Scalar,
    /// Components; 1 for a scalar.
    pub(crate) count: u32,
}

impl Scalar {
    pub(crate) fn is_int(self) -> bool {
        matches!(self, Scalar::Int(_))
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Scalar::Float(_))
    }

    /// Bits of the representation; none for booleans.
    pub(crate) fn width(self) -> Option<u32> {
        match self {
            Scalar::Bool => None,
            Scalar::Int(width) | Scalar::Float(width) => Some(width),
        }
    }
}

impl<'m> Subject<'m> {
    /// A type's declaration.
    pub(crate) fn declaration(&self, ty: TypeRef) -> Option<&'m Type> {
        self.module.types.get(ty.0 as usize)
    }

    /// `ty` as a scalar.
    pub(crate) fn scalar(&self, ty: TypeRef) -> Option<Scalar> {
        match self.declaration(ty)? {
            Type::Bool => Some(Scalar::Bool),
            Type::Int { width, .. } => Some(Scalar::Int(*width)),
            Type::Float { width, .. } => Some(Scalar::Float(*width)),
            _ => None,
        }
    }

    /// `ty` as a scalar or vector.
    pub(crate) fn shape(&self, ty: TypeRef) -> Option<Shape> {
        match self.declaration(ty)? {
            Type::Vector { component, count } => self.scalar(*component).map(|scalar| Shape { scalar, count: *count }),
            _ => self.scalar(ty).map(|scalar| Shape { scalar, count: 1 }),
        }
    }

    /// Storage class and pointee of a pointer type.
    pub(crate) fn pointer(&self, ty: TypeRef) -> Option<(StorageClass, TypeRef)> {
        match self.declaration(ty)? {
            Type::Pointer { storage, pointee } => Some((*storage, *pointee)),
            _ => None,
        }
    }

    /// `ty` in words, for messages.
    pub(crate) fn describe(&self, ty: TypeRef) -> String {
        match self.declaration(ty) {
            Some(Type::Void) => "void".to_owned(),
            Some(Type::Bool) => "bool".to_owned(),
            Some(Type::Int { width, .. }) => format!("{width}-bit integer"),
            Some(Type::Float { width, .. }) => format!("{width}-bit float"),
            Some(Type::Vector { component, count }) => match self.scalar(*component) {
                Some(Scalar::Bool) => format!("vector of {count} bools"),
                Some(Scalar::Int(width)) => format!("vector of {count} {width}-bit integers"),
                Some(Scalar::Float(width)) => format!("vector of {count} {width}-bit floats"),
                None => "vector".to_owned(),
            },
            Some(Type::Pointer { storage, .. }) => format!("pointer to {storage:?}"),
            Some(Type::Array { .. }) => "array".to_owned(),
            Some(Type::Struct { .. }) => "structure".to_owned(),
            Some(Type::Function { .. }) => "function type".to_owned(),
            Some(other) => {
                let name = format!("{other:?}");
                name.split([' ', '{']).next().unwrap_or_default().to_owned()
            }
            None => "unknown type".to_owned(),
        }
    }

    /// `ty` has a size. Aggregates of a module that is yet to be specialised are taken to have one: what they are is
    /// looked at afterwards.
    pub(crate) fn is_sized(&self, ty: TypeRef) -> bool {
        let aggregate = || matches!(self.declaration(ty), Some(Type::Array { .. } | Type::Struct { .. }));
        self.layouts.get(ty).is_some() || (self.unspecialised && aggregate())
    }

    /// Whether `ty` is an image, a sampler or a sampled image: what only arguments and literal samplers give values of.
    pub(crate) fn is_opaque(&self, ty: TypeRef) -> bool {
        self.declaration(ty).is_some_and(images::is_opaque)
    }

    /// Whether `ty` is an image or a sampler, or an aggregate or a pointer that leads to one, however deep.
    pub(crate) fn holds_opaque(&self, ty: TypeRef) -> bool {
        self.holders.get(ty.0 as usize).copied().unwrap_or(false)
    }

    /// Whether `ty` is a pointer to what [`Self::holds_opaque`], or a vector of such.
    pub(crate) fn leads_to_opaque(&self, ty: TypeRef) -> bool {
        let may_point = || matches!(self.declaration(ty), Some(Type::Pointer { .. } | Type::Vector { .. }));
        self.holds_opaque(ty) && may_point()
    }

    /// Where the instruction stands.
    pub(crate) fn location(&self, instruction: &Instruction) -> Location {
        Location { op: Some(instruction.op), result: instruction.result, offset: instruction.offset }
    }
}

/// An instruction, with the rule that its operands are held against.
#[derive(Clone, Copy)]
pub(crate) struct At<'m> {
    pub(crate) subject: Subject<'m>,
    pub(crate) instruction: &'m Instruction,
    pub(crate) rule: Rule,
}

impl<'m> At<'m> {
    pub(crate) fn module(&self) -> &'m Module {
        self.subject.module
    }

    /// The instruction's name.
    pub(crate) fn name(&self) -> String {
        op_name(self.instruction.op)
    }

    /// A fault of this instruction's rule.
    pub(crate) fn fault<T>(&self, detail: impl Into<String>) -> Check<T> {
        fault(self.rule, format!("{} {}", op_name(self.instruction.op), detail.into()))
    }

    /// Accepts what a producer does against the specifications, with a warning.
    pub(crate) fn accept(&self, quirk: Quirk, detail: impl Into<String>) {
        let detail = format!("{} {}", op_name(self.instruction.op), detail.into());
        self.subject.warnings.add(quirk, self.subject.location(self.instruction), detail);
    }

    /// A fault unless `holds`.
    pub(crate) fn require(&self, holds: bool, detail: impl FnOnce() -> String) -> Check {
        if holds { Ok(()) } else { self.fault(detail()) }
    }

    /// How many operands there are.
    pub(crate) fn operand_count(&self) -> usize {
        self.instruction.operands(self.module()).len()
    }

    /// Operand `index` as an id.
    pub(crate) fn id(&self, index: usize) -> Check<Id> {
        match self.instruction.id(self.module(), index) {
            Some(id) => Ok(id),
            None => self.fault(format!("has no id as operand {index}")),
        }
    }

    /// Operand `index` as a literal word.
    pub(crate) fn word(&self, index: usize) -> Check<u32> {
        match self.instruction.word(self.module(), index) {
            Some(word) => Ok(word),
            None => self.fault(format!("has no literal as operand {index}")),
        }
    }

    /// Type of the value that `id` names.
    pub(crate) fn type_of(&self, id: Id) -> Check<TypeRef> {
        match self.module().type_of(id) {
            Some(ty) if !matches!(self.module().def(id), Def::Function(_)) => Ok(ty),
            _ => self.fault(format!("uses {id}, which is no value")),
        }
    }

    /// Type of operand `index`.
    pub(crate) fn operand(&self, index: usize) -> Check<TypeRef> {
        self.type_of(self.id(index)?)
    }

    /// The result type.
    pub(crate) fn result(&self) -> Check<TypeRef> {
        match self.instruction.result_type {
            Some(ty) => Ok(ty),
            None => self.fault("has no result type"),
        }
    }

    /// The result as a scalar or vector.
    pub(crate) fn result_shape(&self) -> Check<Shape> {
        let ty = self.result()?;
        match self.subject.shape(ty) {
            Some(shape) => Ok(shape),
            None => self.fault(format!("gives a {}, not a scalar or vector", self.subject.describe(ty))),
        }
    }

    /// Operand `index` as a scalar or vector.
    pub(crate) fn shape(&self, index: usize) -> Check<Shape> {
        let ty = self.operand(index)?;
        match self.subject.shape(ty) {
            Some(shape) => Ok(shape),
            None => {
                self.fault(format!("has a {} as operand {index}, not a scalar or vector", self.subject.describe(ty)))
            }
        }
    }

    /// Operand `index` has exactly the type `ty`.
    pub(crate) fn operand_is(&self, index: usize, ty: TypeRef) -> Check {
        let found = self.operand(index)?;
        self.require(found == ty, || {
            let (found_name, wanted) = (self.subject.describe(found), self.subject.describe(ty));
            if found_name == wanted {
                format!("has another {wanted} type as operand {index} than it asks for")
            } else {
                format!("has a {found_name} as operand {index}, not a {wanted}")
            }
        })
    }

    /// All operands from `first` on have exactly the type `ty`.
    pub(crate) fn operands_are(&self, first: usize, ty: TypeRef) -> Check {
        (first..self.operand_count()).try_for_each(|index| self.operand_is(index, ty))
    }

    /// Operand `index` has the shape `shape`.
    pub(crate) fn operand_has(&self, index: usize, shape: Shape) -> Check {
        let found = self.shape(index)?;
        self.require(found == shape, || {
            format!("has {} as operand {index}, not {}", shape_name(found), shape_name(shape))
        })
    }

    /// Operand `index` as a pointer: storage class and pointee.
    pub(crate) fn pointer(&self, index: usize) -> Check<(StorageClass, TypeRef)> {
        let ty = self.operand(index)?;
        match self.subject.pointer(ty) {
            Some(pointer) => Ok(pointer),
            None => self.fault(format!("has a {} as operand {index}, not a pointer", self.subject.describe(ty))),
        }
    }

    /// `ty` as a pointer, or a vector of pointers: storage class, pointee, and components, 1 for a pointer.
    pub(crate) fn pointers(&self, ty: TypeRef) -> Check<(StorageClass, TypeRef, u32)> {
        let (pointer, count) = match self.subject.declaration(ty) {
            Some(Type::Vector { component, count }) => (*component, *count),
            _ => (ty, 1),
        };
        match self.subject.pointer(pointer) {
            Some((storage, pointee)) => Ok((storage, pointee, count)),
            None => self.fault(format!("has a {}, not pointers", self.subject.describe(ty))),
        }
    }

    /// The result type as a pointer: storage class and pointee.
    pub(crate) fn result_pointer(&self) -> Check<(StorageClass, TypeRef)> {
        let ty = self.result()?;
        match self.subject.pointer(ty) {
            Some(pointer) => Ok(pointer),
            None => self.fault(format!("gives a {}, not a pointer", self.subject.describe(ty))),
        }
    }

    /// Operand `index` is an integer scalar; gives its width.
    pub(crate) fn int_scalar(&self, index: usize) -> Check<u32> {
        match self.shape(index)? {
            Shape { scalar: Scalar::Int(width), count: 1 } => Ok(width),
            other => self.fault(format!("has {} as operand {index}, not an integer", shape_name(other))),
        }
    }
}

/// A shape in words.
pub(crate) fn shape_name(shape: Shape) -> String {
    let scalar = match shape.scalar {
        Scalar::Bool => "bool".to_owned(),
        Scalar::Int(width) => format!("{width}-bit integer"),
        Scalar::Float(width) => format!("{width}-bit float"),
    };
    match shape.count {
        1 => format!("a {scalar}"),
        count => format!("{count} x {scalar}"),
    }
}
