//! Type-Declaration Instructions, with the environment's list of types.

use std::collections::HashMap;

use oxicl_spirv::grammar::{AccessQualifier, Capability, Op, StorageClass};
use oxicl_spirv::{ConstantKind, Def, Id, Type, TypeRef, raw_instructions};

use crate::at::Subject;
use crate::opencl::images;
use crate::rule::Rule;
use crate::supported::type_lacking;
use crate::violation::{Check, Location, Report, fault};

/// How deep structures and arrays may nest.
const MAX_DEPTH: u32 = 255;
/// Members of a structure.
const MAX_MEMBERS: usize = 16_383;
/// Most parameters of a function. The universal limit is what an implementation supports at least, 255; kernels have up to
/// as many as `CL_DEVICE_MAX_PARAMETER_SIZE` holds.
const MAX_PARAMETERS: usize = 1024;

/// Checks all types.
pub(crate) fn check(subject: Subject<'_>, report: &mut Report) {
    forward_declarations(subject, report);
    let mut depths: Vec<u32> = Vec::with_capacity(subject.module.types.len());
    let mut seen: HashMap<&Type, TypeRef> = HashMap::new();
    for (index, ty) in subject.module.types.iter().enumerate() {
        let ty_ref = TypeRef(index as u32);
        let location = location(subject, ty_ref);
        report.check(location, declaration(subject, ty_ref, ty));
        report.check(location, images::image_type(subject, ty));
        report.check(location, images::pointer_type(subject, ty));
        report.check(location, environment(subject, ty));
        depths.push(depth(&depths, ty));
        if depths[index] > MAX_DEPTH {
            report.check(location, fault(Rule::UniversalLimit, format!("the type nests deeper than {MAX_DEPTH}")));
        }
        if is_unique(ty) && seen.insert(ty, ty_ref).is_some() {
            let detail = format!("the same {} is declared before", subject.describe(ty_ref));
            report.check(location, fault(Rule::TypeUnique, detail));
        }
    }
}

/// Where a type is declared.
pub(crate) fn location(subject: Subject<'_>, ty: TypeRef) -> Location {
    let offset = subject.module.type_offsets.get(ty.0 as usize).copied().unwrap_or_default();
    let op = subject.module.words.get(offset as usize).and_then(|word| Op::from_u32(word & 0xffff));
    Location { op, result: subject.module.type_ids.get(ty.0 as usize).copied(), offset }
}

/// Aggregates and pointers may be declared again; the rest may not.
fn is_unique(ty: &Type) -> bool {
    !matches!(ty, Type::Array { .. } | Type::Struct { .. } | Type::Pointer { .. } | Type::Other { .. })
}

/// Nesting of aggregates; pointers end it.
fn depth(depths: &[u32], ty: &Type) -> u32 {
    let of = |part: &TypeRef| depths.get(part.0 as usize).copied().unwrap_or_default();
    match ty {
        Type::Array { element, .. } => of(element).saturating_add(1),
        Type::Struct { members } => members.iter().map(of).max().unwrap_or_default().saturating_add(1),
        _ => 0,
    }
}

fn declaration(subject: Subject<'_>, ty_ref: TypeRef, ty: &Type) -> Check {
    let declared = |part: TypeRef| subject.declaration(part);
    match ty {
        Type::Int { .. } => signedness(subject, ty_ref),
        Type::Vector { component, count } => match subject.scalar(*component) {
            Some(_) if *count < 2 => fault(Rule::VectorType, format!("a vector has {count} components")),
            Some(_) => Ok(()),
            None if subject.pointer(*component).is_some()
                && subject.declared.has(Capability::MaskedGatherScatterINTEL) =>
            {
                Ok(())
            }
            None => fault(Rule::VectorType, "a vector has components that are no scalars"),
        },
        Type::Array { element, length } => {
            holdable(subject, *element, Rule::ArrayType, "an array")?;
            array_length(subject, *length, ty_ref)
        }
        Type::Struct { members } => {
            if members.len() > MAX_MEMBERS {
                return fault(Rule::UniversalLimit, format!("a structure has {} members", members.len()));
            }
            members.iter().try_for_each(|member| holdable(subject, *member, Rule::StructureType, "a structure"))
        }
        Type::Pointer { pointee, .. } => match declared(*pointee) {
            Some(Type::Function { .. }) => {
                fault(Rule::PointerType, "a pointer to a function; kernels have no function pointers")
            }
            _ => Ok(()),
        },
        Type::Function { result, parameters } => {
            if parameters.len() > MAX_PARAMETERS {
                return fault(Rule::UniversalLimit, format!("a function type has {} parameters", parameters.len()));
            }
            if let Some(Type::Function { .. }) = declared(*result) {
                return fault(Rule::FunctionType, "a function returns a function");
            }
            for parameter in parameters {
                if let Some(Type::Void | Type::Function { .. }) = declared(*parameter) {
                    return fault(Rule::FunctionType, "a function has a parameter of type void or function");
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The signedness of an integer type is 0 or 1.
fn signedness(subject: Subject<'_>, ty: TypeRef) -> Check {
    let word = subject.module.words.get(location(subject, ty).offset as usize + 3);
    match word {
        Some(0 | 1) | None => Ok(()),
        Some(word) => fault(Rule::ScalarType, format!("an integer type has the signedness {word}")),
    }
}

/// Forward declarations name the storage class that the pointer type has.
fn forward_declarations(subject: Subject<'_>, report: &mut Report) {
    let raws = raw_instructions(&subject.module.words).take_while(|raw| raw.op() != Some(Op::Function));
    for raw in raws.filter(|raw| raw.op() == Some(Op::TypeForwardPointer)) {
        let &[_, id, storage] = raw.words else { continue };
        let Some(id) = std::num::NonZeroU32::new(id).map(Id) else { continue };
        let location = Location { op: raw.op(), result: None, offset: raw.offset };
        let ty = subject.module.type_ref(id);
        match ty.and_then(|ty| subject.pointer(ty)) {
            Some((found, _)) if found as u32 != storage => {
                let detail = format!("{id} is announced with another storage class than it has, {found:?}");
                report.check(location, fault(Rule::ForwardPointer, detail));
            }
            Some(_) if ty.is_some_and(|ty| self::location(subject, ty).offset < raw.offset) => {
                report.check(location, fault(Rule::ForwardPointer, format!("{id} is announced after its declaration")));
            }
            _ => {}
        }
    }
}

/// A part of an aggregate has a size in memory.
fn holdable(subject: Subject<'_>, part: TypeRef, rule: Rule, what: &str) -> Check {
    match subject.declaration(part) {
        Some(
            Type::Void | Type::Function { .. } | Type::Opaque { .. } | Type::SampledImage { .. } | Type::NamedBarrier,
        ) => fault(rule, format!("{what} holds a {}", subject.describe(part))),
        _ => Ok(()),
    }
}

fn array_length(subject: Subject<'_>, length: Id, ty_ref: TypeRef) -> Check {
    let Some(constant) = subject.module.constant(length) else {
        return match subject.module.def(length) {
            Def::None => fault(Rule::IdDefined, format!("the length {length} of an array is not defined")),
            _ => fault(Rule::ArrayType, format!("the length {length} of an array is no constant")),
        };
    };
    if constant.offset > location(subject, ty_ref).offset {
        return fault(Rule::IdOrder, format!("the length {length} of an array is declared after it"));
    }
    let is_int = matches!(subject.declaration(constant.ty), Some(Type::Int { .. }));
    match (&constant.kind, is_int) {
        (ConstantKind::Scalar(1..), true) => {
            let fits = subject.layouts.get(ty_ref).is_some();
            if fits { Ok(()) } else { fault(Rule::DeviceLimit, "an array is larger than the address space") }
        }
        (_, true) => fault(Rule::ArrayType, "the length of an array is no number above 0"),
        (_, false) => fault(Rule::ArrayType, "the length of an array is no integer"),
    }
}

/// The type is one that an OpenCL environment has, and the capabilities for it are declared.
fn environment(subject: Subject<'_>, ty: &Type) -> Check {
    let declared = subject.declared;
    if let Some(why) = type_lacking(subject.caps, ty) {
        return fault(Rule::NotSupported, why);
    }
    match ty {
        Type::Int { width, signed } => {
            if *signed {
                return fault(Rule::EnvironmentType, "an integer type has signedness 1; OpenCL asks for 0");
            }
            let any = Capability::ArbitraryPrecisionIntegersALTERA;
            match width {
                8 => declared.needs(&[Capability::Int8, any], "an 8-bit integer"),
                16 => declared.needs(&[Capability::Int16, any], "a 16-bit integer"),
                32 => Ok(()),
                64 => declared.needs(&[Capability::Int64], "a 64-bit integer"),
                1..64 if declared.has(any) => Ok(()),
                _ if declared.has(any) => {
                    fault(Rule::EnvironmentType, format!("integers of {width} bits: the device has those of 1 to 64"))
                }
                _ => fault(Rule::ScalarType, format!("integers of {width} bits are not among 8, 16, 32, 64")),
            }
        }
        Type::Float { encoding: Some(encoding), .. } => {
            fault(Rule::NotSupported, format!("floating-point encoding {encoding} is not supported"))
        }
        Type::Float { width, .. } => match width {
            16 => declared.needs(&[Capability::Float16, Capability::Float16Buffer], "a 16-bit float"),
            32 => Ok(()),
            64 => declared.needs(&[Capability::Float64], "a 64-bit float"),
            _ => fault(Rule::ScalarType, format!("floats of {width} bits are not among 16, 32, 64")),
        },
        Type::Vector { count, .. } => match count {
            2..=4 => Ok(()),
            8 | 16 => declared.needs(&[Capability::Vector16], "a vector of 8 or 16 components"),
            _ => fault(Rule::VectorType, format!("vectors of {count} components are not among 2, 3, 4, 8, 16")),
        },
        Type::Pointer { storage, .. } => match storage {
            StorageClass::Function
            | StorageClass::Workgroup
            | StorageClass::CrossWorkgroup
            | StorageClass::UniformConstant
            | StorageClass::Input => Ok(()),
            StorageClass::Generic => declared.needs(&[Capability::GenericPointer], "a Generic pointer"),
            StorageClass::DeviceOnlyALTERA | StorageClass::HostOnlyALTERA => {
                declared.needs(&[Capability::USMStorageClassesALTERA], &format!("a pointer to {storage:?}"))
            }
            other => fault(Rule::StorageClass, format!("storage class {other:?} is not one of OpenCL kernels")),
        },
        Type::Image { operands, .. } => {
            declared.needs(&[Capability::ImageBasic], "an image")?;
            match operands.get(6).copied().and_then(AccessQualifier::from_u32) {
                Some(AccessQualifier::ReadWrite) => {
                    declared.needs(&[Capability::ImageReadWrite], "an image that is read and written")
                }
                _ => Ok(()),
            }
        }
        Type::Sampler => declared.needs(&[Capability::ImageBasic], "a sampler"),
        Type::SampledImage { image } => match subject.declaration(*image) {
            Some(Type::Image { .. }) => Ok(()),
            _ => fault(Rule::ImageType, format!("a {} cannot be sampled", subject.describe(*image))),
        },
        Type::Other { opcode, .. } => {
            let name = Op::from_u32(*opcode).map(oxicl_spirv::op_name).unwrap_or_default();
            fault(Rule::NotSupported, format!("{name} is not supported by this device"))
        }
        _ => Ok(()),
    }
}
