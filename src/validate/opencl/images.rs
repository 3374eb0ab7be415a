//! Validation Rules and Supported Types: image types. They hold whether or not the device has images.
//!
//! And where images and samplers may be. To a kernel an image is the address of what the host said of it, so one that came
//! from memory that anybody writes could be any address. OpenCL C has them as parameters and as constants only. What
//! compilers make of that has them in variables of functions as well; nothing else may write these.

use oxicl_spirv::grammar::{Dim, Op, StorageClass};
use oxicl_spirv::{Def, Id, Module, Type, TypeRef};

use crate::at::{At, Subject};
use crate::rule::Rule;
use crate::violation::{Check, fault};

/// OpTypeImage is one that an OpenCL environment has.
pub(crate) fn image_type(subject: Subject<'_>, ty: &Type) -> Check {
    let Type::Image { sampled, operands } = ty else { return Ok(()) };
    let refuse = |detail: String| fault(Rule::ImageType, detail);
    let &[dim, depth, arrayed, multisampled, usage, format, ref access @ ..] = operands.as_slice() else {
        return refuse("an image type lacks operands".to_owned());
    };
    if subject.declaration(*sampled) != Some(&Type::Void) {
        return refuse(format!("the sampled type of an image is {}, not void", subject.describe(*sampled)));
    }
    if usage != 0 {
        return refuse(format!("the operand Sampled of an image type is {usage}, not 0"));
    }
    if multisampled != 0 {
        return refuse("an image type is multi-sampled, which needs an extension".to_owned());
    }
    if format != 0 {
        return refuse("an image type has a format, which is Unknown in OpenCL".to_owned());
    }
    if access.is_empty() {
        return refuse("an image type has no access qualifier".to_owned());
    }
    let dim = Dim::from_u32(dim);
    if arrayed > 0 && !matches!(dim, Some(Dim::Dim1D | Dim::Dim2D)) {
        return refuse("an image type is arrayed, but of neither one nor two dimensions".to_owned());
    }
    match (dim, depth, arrayed) {
        (Some(Dim::Dim1D), 0, 0 | 1) | (Some(Dim::Dim2D), 0 | 1, 0 | 1) => Ok(()),
        (Some(Dim::Dim3D | Dim::DimBuffer), 0, 0) => Ok(()),
        _ => refuse(format!("there are no images of {dim:?}, depth {depth}, arrayed {arrayed} in OpenCL")),
    }
}

/// Whether a type is an image, a sampler or a sampled image.
pub(crate) fn is_opaque(ty: &Type) -> bool {
    matches!(ty, Type::Image { .. } | Type::Sampler | Type::SampledImage { .. })
}

/// Which types are images or samplers, hold some, or lead to some; none at all in most modules.
pub(crate) fn holders(module: &Module) -> Vec<bool> {
    if !module.types.iter().any(is_opaque) {
        return Vec::new();
    }
    // Pointers may name types that are declared behind them: what is found to hold some is handed to those that name it.
    let mut named_by = vec![Vec::new(); module.types.len()];
    for (index, ty) in module.types.iter().enumerate() {
        let parts = match ty {
            Type::Pointer { pointee: part, .. } | Type::Array { element: part, .. } => std::slice::from_ref(part),
            Type::Vector { component, .. } => std::slice::from_ref(component),
            Type::Struct { members } => members,
            _ => continue,
        };
        for part in parts {
            if let Some(users) = named_by.get_mut(part.0 as usize) {
                users.push(index);
            }
        }
    }
    let mut holders: Vec<bool> = module.types.iter().map(is_opaque).collect();
    let mut open: Vec<usize> = (0..holders.len()).filter(|index| holders[*index]).collect();
    while let Some(index) = open.pop() {
        for &user in &named_by[index] {
            if !std::mem::replace(&mut holders[user], true) {
                open.push(user);
            }
        }
    }
    holders
}

/// A pointer type leads to images and samplers, and to pointers that do, in variables of functions and in constants only.
pub(crate) fn pointer_type(subject: Subject<'_>, ty: &Type) -> Check {
    let Type::Pointer { storage, pointee } = ty else { return Ok(()) };
    if !subject.holds_opaque(*pointee) || matches!(storage, StorageClass::Function | StorageClass::UniformConstant) {
        return Ok(());
    }
    fault(
        Rule::OpaqueMemory,
        format!("a {} in {storage:?} memory holds images or samplers, or leads there", subject.describe(*pointee)),
    )
}

/// A pointer to images or samplers is not made of anything else, nor are numbers made of one.
pub(crate) fn not_converted(at: &At<'_>, ty: TypeRef) -> Check {
    if at.subject.leads_to_opaque(ty) {
        return fault(Rule::OpaqueMemory, format!("{} has a pointer to images or samplers", at.name()));
    }
    Ok(())
}

/// OpBitcast: what a variable of images or samplers lives for is told by a pointer to its bytes; it is used for nothing else.
pub(crate) fn bitcast(at: &At<'_>) -> Check {
    let (to, from) = (at.result()?, at.operand(0)?);
    not_converted(at, to)?;
    match at.subject.pointer(from) {
        Some((StorageClass::Function, _)) => Ok(()),
        _ => not_converted(at, from),
    }
}

/// An instruction `user` uses `id`, which may be a pointer to the bytes of a variable of images or samplers.
pub(crate) fn use_of_bytes(subject: Subject<'_>, user: Op, id: Id) -> Check {
    let Def::Instruction { block, index } = subject.module.def(id) else { return Ok(()) };
    if subject.holders.is_empty() || matches!(user, Op::LifetimeStart | Op::LifetimeStop) {
        return Ok(());
    }
    let function = subject.module.functions.get(block.function as usize);
    let of_block = function.and_then(|function| function.blocks.get(block.block as usize));
    let Some(made) = of_block.and_then(|of_block| of_block.instructions.get(index as usize)) else { return Ok(()) };
    let source = match (made.op, made.operands(subject.module).first()) {
        (Op::Bitcast, Some(oxicl_spirv::Operand::Id(source))) => subject.module.type_of(*source),
        _ => None,
    };
    if source.is_some_and(|ty| subject.leads_to_opaque(ty)) {
        let name = oxicl_spirv::op_name(user);
        return fault(Rule::OpaqueMemory, format!("{name} uses {id}, a pointer to the bytes of images or samplers"));
    }
    Ok(())
}

/// An index of an access chain, where images or samplers are: the number of an element that there is.
pub(crate) fn index(at: &At<'_>, operand: usize, count: Option<u64>) -> Check {
    let number = at.module().constant_bits(at.id(operand)?);
    if number.is_some_and(|number| Some(number) < count) {
        return Ok(());
    }
    let detail = format!("{} goes along images or samplers by no constant that is one of them", at.name());
    fault(Rule::OpaqueMemory, detail)
}
