//! Image Instructions, with the environment's tables of coordinates and texels.

use oxicl_caps::Feature;
use oxicl_spirv::grammar::{AccessQualifier, Dim, ImageOperands};
use oxicl_spirv::{ImageType, Type, TypeRef};

use crate::at::{At, Scalar, Shape, shape_name};
use crate::rule::Rule;
use crate::violation::{Check, fault};

/// Numbers that a coordinate of an image has; the last of four is not looked at.
fn coordinates(image: ImageType) -> u32 {
    match (image.dim, image.arrayed) {
        (Dim::Dim1D, true) | (Dim::Dim2D, false) => 2,
        (Dim::Dim2D, true) | (Dim::Dim3D, _) => 4,
        _ => 1,
    }
}

/// Numbers that the size of an image has.
fn dimensions(image: ImageType) -> u32 {
    let of_dim = match image.dim {
        Dim::Dim2D => 2,
        Dim::Dim3D => 3,
        _ => 1,
    };
    of_dim + u32::from(image.arrayed)
}

/// `ty` as an image type.
fn image_of(at: &At<'_>, ty: TypeRef) -> Check<ImageType> {
    match at.module().image_type(ty) {
        Some(image) => Ok(image),
        None => at.fault(format!("has a {}, not an image", at.subject.describe(ty))),
    }
}

/// Operand `index` as an image.
fn image(at: &At<'_>, index: usize) -> Check<ImageType> {
    image_of(at, at.operand(index)?)
}

/// The coordinate in operand `index` is one of `image`; floating-point numbers only where an image is read.
fn coordinate(at: &At<'_>, index: usize, image: ImageType, floats: bool) -> Check {
    let found = at.shape(index)?;
    let number = found.scalar == Scalar::Int(32) || floats && found.scalar == Scalar::Float(32);
    let count = coordinates(image);
    at.require(number && found.count == count, || {
        let numbers = if floats { "numbers" } else { "integers" };
        format!("has {} as a coordinate, not {count} 32-bit {numbers}", shape_name(found))
    })
}

/// What a texel is: four numbers, or one floating-point number of a depth image where `scalar`.
fn texel(at: &At<'_>, found: Shape, scalar: bool) -> Check {
    let float = matches!(found.scalar, Scalar::Float(16 | 32));
    let fits = if scalar { float && found.count == 1 } else { found.count == 4 };
    at.require(fits && (float || found.scalar == Scalar::Int(32)), || {
        let wanted = if scalar { "one floating-point number" } else { "four numbers" };
        format!("has {} as a texel, not {wanted} of 16 or 32 bits", shape_name(found))
    })
}

/// The image operands from `first` on: those in `allowed`. A level of detail is a `level`, a gradient has `grad` numbers.
fn operands(at: &At<'_>, first: usize, allowed: ImageOperands, level: Scalar, grad: u32) -> Check<ImageOperands> {
    let refuse = |detail: String| fault(Rule::ImageOperands, format!("{} {detail}", at.name()));
    let Some(bits) = at.instruction.word(at.module(), first) else {
        return Ok(ImageOperands::NONE);
    };
    let Some(mask) = ImageOperands::from_bits(bits) else {
        return refuse(format!("has unknown image operands {bits:#x}"));
    };
    if !allowed.contains(mask) {
        return refuse(format!("has the image operands {:?}, which this device does not take there", mask - allowed));
    }
    let mut next = first + 1;
    let float = Shape { scalar: Scalar::Float(32), count: 1 };
    if mask.contains(ImageOperands::LOD) {
        at.operand_has(next, Shape { scalar: level, count: 1 })?;
        next += 1;
    }
    if mask.contains(ImageOperands::GRAD) {
        at.operand_has(next, Shape { count: grad, ..float })?;
        at.operand_has(next + 1, Shape { count: grad, ..float })?;
        next += 2;
    }
    if mask.contains(ImageOperands::SIGN_EXTEND | ImageOperands::ZERO_EXTEND) {
        return refuse("extends signs and zeros at the same time".to_owned());
    }
    if at.operand_count() != next {
        return refuse("has another number of operands than its image operands ask for".to_owned());
    }
    Ok(mask)
}

/// What every access to texels takes: how integers are extended, and a hint that the texels are not needed again.
const EVERYWHERE: ImageOperands =
    ImageOperands::SIGN_EXTEND.union(ImageOperands::ZERO_EXTEND).union(ImageOperands::NONTEMPORAL);

/// OpSampledImage: image, sampler. What it gives is for image instructions of the same block only.
pub(crate) fn sampled_image(at: &At<'_>) -> Check {
    let ty = at.result()?;
    let Some(Type::SampledImage { image: of }) = at.subject.declaration(ty) else {
        return at.fault(format!("gives a {}, not a sampled image", at.subject.describe(ty)));
    };
    let image = image(at, 0)?;
    at.operand_is(0, *of)?;
    at.require(image.access != AccessQualifier::WriteOnly, || "samples an image that is only written".to_owned())?;
    at.require(image.dim != Dim::DimBuffer, || "samples a buffer".to_owned())?;
    let sampler = at.operand(1)?;
    at.require(at.subject.declaration(sampler) == Some(&Type::Sampler), || {
        format!("has a {} as operand 1, not a sampler", at.subject.describe(sampler))
    })
}

/// The image in a sampled image that is operand `index`.
fn sampled(at: &At<'_>, index: usize) -> Check<(TypeRef, ImageType)> {
    let ty = at.operand(index)?;
    match at.subject.declaration(ty) {
        Some(Type::SampledImage { image }) => Ok((*image, image_of(at, *image)?)),
        _ => at.fault(format!("has a {}, not a sampled image", at.subject.describe(ty))),
    }
}

/// OpImage: the image of a sampled image.
pub(crate) fn image_of_sampled(at: &At<'_>) -> Check {
    let (ty, _) = sampled(at, 0)?;
    at.require(at.result()? == ty, || "gives another type than the image's".to_owned())
}

/// OpImageSampleExplicitLod: sampled image, coordinate, image operands.
pub(crate) fn sample(at: &At<'_>) -> Check {
    let (_, image) = sampled(at, 0)?;
    coordinate(at, 1, image, true)?;
    texel(at, at.result_shape()?, false)?;
    let level = ImageOperands::LOD.union(ImageOperands::GRAD);
    let grad = dimensions(ImageType { arrayed: false, ..image });
    let mask = operands(at, 2, level.union(EVERYWHERE), Scalar::Float(32), grad)?;
    if (mask & level).bits().count_ones() != 1 {
        let detail = format!("{} has not one of Lod and Grad", at.name());
        return fault(Rule::ImageOperands, detail);
    }
    Ok(())
}

/// What reads or writes a texel that is there takes: a level of detail, if the device has these.
fn at_texels(at: &At<'_>, levels: Feature, image: ImageType) -> ImageOperands {
    let has_levels = image.dim != Dim::DimBuffer && at.subject.caps.has(levels);
    if has_levels { EVERYWHERE | ImageOperands::LOD } else { EVERYWHERE }
}

/// OpImageRead: image, coordinate, image operands.
pub(crate) fn read(at: &At<'_>) -> Check {
    let image = image(at, 0)?;
    at.require(image.access != AccessQualifier::WriteOnly, || "reads an image that is only written".to_owned())?;
    coordinate(at, 1, image, true)?;
    texel(at, at.result_shape()?, image.depth)?;
    operands(at, 2, at_texels(at, Feature::MipmapImages, image), Scalar::Int(32), 0).map(|_| ())
}

/// OpImageWrite: image, coordinate, texel, image operands.
pub(crate) fn write(at: &At<'_>) -> Check {
    let image = image(at, 0)?;
    at.require(image.access != AccessQualifier::ReadOnly, || "writes to an image that is only read".to_owned())?;
    if image.dim == Dim::Dim3D && !at.subject.caps.has(Feature::ImageWrites3d) {
        return fault(Rule::NotSupported, "writes to three-dimensional images are not supported by this device");
    }
    coordinate(at, 1, image, false)?;
    texel(at, at.shape(2)?, image.depth)?;
    operands(at, 3, at_texels(at, Feature::MipmapImageWrites, image), Scalar::Int(32), 0).map(|_| ())
}

/// The result is `count` integers.
fn integers(at: &At<'_>, count: u32) -> Check {
    let found = at.result_shape()?;
    let integer = matches!(found.scalar, Scalar::Int(32 | 64));
    at.require(integer && found.count == count, || {
        format!("gives {}, not {count} integers of 32 or 64 bits", shape_name(found))
    })
}

/// OpImageQuerySizeLod: image, level of detail.
pub(crate) fn query_size_lod(at: &At<'_>) -> Check {
    let image = image(at, 0)?;
    at.require(image.dim != Dim::DimBuffer, || "asks a buffer for a level of detail".to_owned())?;
    integers(at, dimensions(image))?;
    let width = at.int_scalar(1)?;
    at.require(width == 32, || format!("has a level of detail of {width} bits, not of 32"))
}

/// OpImageQuerySize: image.
pub(crate) fn query_size(at: &At<'_>) -> Check {
    let image = image(at, 0)?;
    integers(at, dimensions(image))
}

/// OpImageQueryFormat and OpImageQueryOrder: image.
pub(crate) fn query_format(at: &At<'_>) -> Check {
    image(at, 0)?;
    let found = at.result_shape()?;
    at.require(found == Shape { scalar: Scalar::Int(32), count: 1 }, || {
        format!("gives {}, not a 32-bit integer", shape_name(found))
    })
}

/// OpImageQueryLevels: image.
pub(crate) fn query_levels(at: &At<'_>) -> Check {
    let image = image(at, 0)?;
    at.require(image.dim != Dim::DimBuffer, || "asks a buffer for its levels of detail".to_owned())?;
    integers(at, 1)
}

/// A block of a two-dimensional image: image, coordinate in bytes and rows; `data` is a work-item's part of it.
fn block(at: &At<'_>, data: Shape, forbidden: AccessQualifier) -> Check {
    let image = image(at, 0)?;
    let flat = (image.dim, image.depth, image.arrayed) == (Dim::Dim2D, false, false);
    at.require(flat, || "has an image that is not of two dimensions and colours".to_owned())?;
    at.require(image.access != forbidden, || "has an image that is not there for this access".to_owned())?;
    at.operand_has(1, Shape { scalar: Scalar::Int(32), count: 2 })?;
    let fits = matches!((data.scalar, data.count), (Scalar::Int(8 | 16 | 32 | 64), 1 | 2 | 4 | 8))
        || matches!((data.scalar, data.count), (Scalar::Int(8 | 16), 16));
    at.require(fits, || format!("transfers {}", shape_name(data)))
}

/// OpSubgroupImageBlockReadINTEL.
pub(crate) fn block_read(at: &At<'_>) -> Check {
    block(at, at.result_shape()?, AccessQualifier::WriteOnly)
}

/// OpSubgroupImageBlockWriteINTEL: image, coordinate, data.
pub(crate) fn block_write(at: &At<'_>) -> Check {
    block(at, at.shape(2)?, AccessQualifier::ReadOnly)
}
