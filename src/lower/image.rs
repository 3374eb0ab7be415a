//! Section 3.49.10, images. An image is the address of its descriptor, a sampler is its bits; both as
//! `oxicl_abi` has them. What reads or writes texels is a function of the device library, one for each
//! kind of image; what asks for sizes and formats reads the descriptor.
//!
//! Zeroed memory holds the address 0 for an image. It means one without texels, which can be read and written like others.

use std::mem::offset_of;

use oxicl_abi::ImageDescriptor;
use oxicl_llvm::{IntPredicate, Type as LlvmType, Value};
use oxicl_ops::library;
use oxicl_spirv::{ImageType, Instruction, Type, TypeRef};
use spirv::{Dim, ImageOperands, Op};

use crate::body::Body;
use crate::composite::elements;
use crate::refusal::{Refusal, Result};
use crate::sub_group;
use crate::types::type_name;
use crate::unit::Effects;

/// The image type that operand `index` has, or that it samples.
fn image_type(body: &Body<'_, '_>, instruction: &Instruction, index: usize) -> Result<ImageType> {
    let module = body.unit.module;
    let image = |ty: TypeRef| match module.ty(ty) {
        Type::SampledImage { image } => *image,
        _ => ty,
    };
    let ty = image(body.operand_ref(instruction, index)?);
    module.image_type(ty).ok_or_else(|| Refusal::new("the operand is no image"))
}

/// The part of a library function's name that says which images it is for.
fn kind(image: ImageType) -> &'static str {
    match (image.dim, image.arrayed) {
        (Dim::Dim1D, true) => "1d_array",
        (Dim::Dim2D, false) => "2d",
        (Dim::Dim2D, true) => "2d_array",
        (Dim::Dim3D, _) => "3d",
        _ => "1d",
    }
}

/// A coordinate as three numbers; those that there are none for are zero.
fn coordinate<'a>(body: &mut Body<'_, 'a>, instruction: &Instruction, index: usize) -> Result<[Value<'a>; 3]> {
    let value = body.operand(instruction, index)?;
    let given = elements(body, value);
    let zero = value.ty().scalar().zero();
    Ok(std::array::from_fn(|number| given.get(number).copied().unwrap_or(zero)))
}

/// Calls a function of the library.
fn call<'a>(body: &Body<'_, 'a>, name: &str, result: LlvmType<'a>, arguments: &[Value<'a>]) -> Value<'a> {
    let types: Vec<_> = arguments.iter().map(|argument| argument.ty()).collect();
    let function = body.unit.declare(name, result.function(&types), Effects::Memory);
    body.builder.call(function, arguments)
}

/// The descriptor of the image in operand 0. Arguments of kernels are known not to be 0: see `function`.
fn descriptor<'a>(body: &mut Body<'_, 'a>, instruction: &Instruction) -> Result<Value<'a>> {
    let image = body.operand(instruction, 0)?;
    let none = body.builder.icmp(IntPredicate::Eq, image, image.ty().zero());
    Ok(body.builder.select(none, body.unit.no_image(), image))
}

/// OpSampledImage.
pub(crate) fn op_sampled_image(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (image, sampler) = (descriptor(body, instruction)?, body.operand(instruction, 1)?);
    let pair = body.result_type(instruction)?.zero();
    let pair = body.builder.insert_value(pair, image, 0);
    let pair = body.builder.insert_value(pair, sampler, 1);
    body.define(instruction, pair)
}

/// OpImage.
pub(crate) fn op_image(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let pair = body.operand(instruction, 0)?;
    let image = body.builder.extract_value(pair, 0);
    body.define(instruction, image)
}

/// Whether an operand is the constant number of the level of detail that images begin with.
fn is_first_level(body: &Body<'_, '_>, instruction: &Instruction, index: usize) -> bool {
    let module = body.unit.module;
    instruction.id(module, index).and_then(|id| module.constant_bits(id)) == Some(0)
}

/// The first of the values that image operand `wanted` has, where the operands begin with the mask at `mask`; none if it is not
/// there, or if it is the level of detail that images begin with.
fn image_operand(body: &Body<'_, '_>, instruction: &Instruction, mask: usize, wanted: ImageOperands) -> Option<usize> {
    let module = body.unit.module;
    let bits = ImageOperands::from_bits_truncate(instruction.word(module, mask)?);
    // A level of detail comes first, gradients next; nothing before them is accepted.
    let first = wanted == ImageOperands::LOD && is_first_level(body, instruction, mask + 1);
    let counts = bits.contains(wanted) && !first;
    counts.then_some(mask + 1)
}

/// The descriptor of the level of detail that is asked for, a number, of the image whose descriptor is given.
fn level<'a>(body: &mut Body<'_, 'a>, instruction: &Instruction, index: usize, image: Value<'a>) -> Result<Value<'a>> {
    let number = body.operand(instruction, index)?;
    Ok(call(body, &library::name("image_level", "i32"), image.ty(), &[image, number]))
}

/// OpImageSampleExplicitLod.
pub(crate) fn op_image_sample_explicit_lod(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let of = image_type(body, instruction, 0)?;
    let pair = body.operand(instruction, 0)?;
    let (image, sampler) = (body.builder.extract_value(pair, 0), body.builder.extract_value(pair, 1));
    let float = body.unit.context.float_type();
    let lod = if let Some(index) = image_operand(body, instruction, 2, ImageOperands::GRAD) {
        let gradients = [coordinate(body, instruction, index)?, coordinate(body, instruction, index + 1)?];
        let arguments = [&[image, sampler], gradients[0].as_slice(), &gradients[1]].concat();
        let name = library::name(&format!("image_gradients_{}", kind(of)), "f32");
        call(body, &name, float, &arguments)
    } else if let Some(index) = image_operand(body, instruction, 2, ImageOperands::LOD) {
        body.operand(instruction, index)?
    } else {
        return read(body, instruction, of, image, sampler);
    };
    let at = coordinate(body, instruction, 1)?;
    let wanted = body.result_type(instruction)?;
    if at[0].ty().is_int() || wanted.scalar().is_int() {
        // Neither numbers of texels nor integers are interpolated.
        let name = library::name("image_nearest_level", "f32");
        let image = call(body, &name, image.ty(), &[image, sampler, lod]);
        return read(body, instruction, of, image, sampler);
    }
    let name = library::name(&format!("image_lod_{}", kind(of)), "f32");
    let texel = call(body, &name, float.vector(4), &[image, sampler, at[0], at[1], at[2], lod]);
    define_texel(body, instruction, texel)
}

/// OpImageRead: as with a sampler that does nothing.
pub(crate) fn op_image_read(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let of = image_type(body, instruction, 0)?;
    let mut image = descriptor(body, instruction)?;
    if let Some(index) = image_operand(body, instruction, 2, ImageOperands::LOD) {
        image = level(body, instruction, index, image)?;
    }
    let sampler = body.unit.context.int_type(64).zero();
    read(body, instruction, of, image, sampler)
}

/// The texel at the coordinate in operand 1.
fn read<'a>(
    body: &mut Body<'_, 'a>,
    instruction: &Instruction,
    of: ImageType,
    image: Value<'a>,
    sampler: Value<'a>,
) -> Result<()> {
    let at = coordinate(body, instruction, 1)?;
    let wanted = body.result_type(instruction)?;
    let (float, int) = (body.unit.context.float_type(), body.unit.context.int_type(32));
    let (channel, suffix) = if wanted.scalar().is_int() { (int, "i32") } else { (float, "f32") };
    let verb = if at[0].ty().is_int() { "pick" } else { "sample" };
    let name = library::name(&format!("image_{verb}_{}", kind(of)), suffix);
    let texel = call(body, &name, channel.vector(4), &[image, sampler, at[0], at[1], at[2]]);
    define_texel(body, instruction, texel)
}

/// Four channels as what the instruction gives.
fn define_texel<'a>(body: &mut Body<'_, 'a>, instruction: &Instruction, texel: Value<'a>) -> Result<()> {
    let wanted = body.result_type(instruction)?;
    // A depth is the first of four numbers.
    let texel = if wanted.is_vector() { texel } else { body.builder.extract_element(texel, body.index(0)) };
    let texel = if texel.ty() == wanted { texel } else { body.builder.fp_trunc(texel, wanted) };
    body.define(instruction, texel)
}

/// OpImageWrite.
pub(crate) fn op_image_write(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let of = image_type(body, instruction, 0)?;
    let mut image = descriptor(body, instruction)?;
    if let Some(index) = image_operand(body, instruction, 3, ImageOperands::LOD) {
        image = level(body, instruction, index, image)?;
    }
    let at = coordinate(body, instruction, 1)?;
    let texel = body.operand(instruction, 2)?;
    let (float, int) = (body.unit.context.float_type(), body.unit.context.int_type(32));
    let (channel, suffix) = if texel.ty().scalar().is_int() { (int, "i32") } else { (float, "f32") };
    let wide = if texel.ty().is_vector() { channel.vector(4) } else { channel };
    let texel = if texel.ty() == wide { texel } else { body.builder.fp_ext(texel, wide) };
    let texel = if wide.is_vector() {
        texel
    } else {
        body.builder.insert_element(channel.vector(4).zero(), texel, body.index(0))
    };
    let name = library::name(&format!("image_write_{}", kind(of)), suffix);
    call(body, &name, body.unit.context.void_type(), &[image, at[0], at[1], at[2], texel]);
    Ok(())
}

/// A 32-bit field of the descriptor of the image in operand 0, at the level of detail that is asked for.
fn field<'a>(body: &mut Body<'_, 'a>, instruction: &Instruction, offset: usize) -> Result<Value<'a>> {
    let mut image = descriptor(body, instruction)?;
    if instruction.op == Op::ImageQuerySizeLod && !is_first_level(body, instruction, 1) {
        image = level(body, instruction, 1, image)?;
    }
    let address = body.builder.byte_offset(image, body.unit.context.int_type(64).const_int(offset as u64));
    Ok(body.builder.load(body.unit.context.int_type(32), address, 4))
}

/// OpImageQuerySizeLod and OpImageQuerySize.
pub(crate) fn op_image_query_size(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let of = image_type(body, instruction, 0)?;
    let mut offsets = vec![offset_of!(ImageDescriptor, width)];
    if matches!(of.dim, Dim::Dim2D | Dim::Dim3D) {
        offsets.push(offset_of!(ImageDescriptor, height));
    }
    if of.dim == Dim::Dim3D {
        offsets.push(offset_of!(ImageDescriptor, depth));
    }
    if of.arrayed {
        offsets.push(offset_of!(ImageDescriptor, layers));
    }
    let ty = body.result_type(instruction)?;
    let mut result = ty.zero();
    for (number, offset) in offsets.into_iter().enumerate() {
        let size = field(body, instruction, offset)?;
        let size = if ty.scalar() == size.ty() { size } else { body.builder.zext(size, ty.scalar()) };
        result =
            if ty.is_vector() { body.builder.insert_element(result, size, body.index(number as u64)) } else { size };
    }
    body.define(instruction, result)
}

/// A field, counted from `first` on.
fn enumerant(body: &mut Body<'_, '_>, instruction: &Instruction, offset: usize, first: u32) -> Result<()> {
    let value = field(body, instruction, offset)?;
    let value = body.builder.sub(value, value.ty().const_int(first.into()));
    body.define(instruction, value)
}

/// OpImageQueryFormat.
pub(crate) fn op_image_query_format(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    enumerant(body, instruction, offset_of!(ImageDescriptor, data_type), ImageDescriptor::FIRST_TYPE)
}

/// OpImageQueryOrder.
pub(crate) fn op_image_query_order(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    enumerant(body, instruction, offset_of!(ImageDescriptor, order), ImageDescriptor::FIRST_ORDER)
}

/// OpImageQueryLevels.
pub(crate) fn op_image_query_levels(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let ty = body.result_type(instruction)?;
    let levels = field(body, instruction, offset_of!(ImageDescriptor, levels))?;
    let levels = if ty == levels.ty() { levels } else { body.builder.zext(levels, ty) };
    body.define(instruction, levels)
}

/// The columns, in bytes, and the rows of a work-item's parts of a block: those of its first component. The block begins at the
/// coordinate in operand 1; parts are as large as `bytes`.
fn block_place<'a>(body: &mut Body<'_, 'a>, instruction: &Instruction, bytes: u64) -> Result<[Value<'a>; 2]> {
    let [x, y, _] = coordinate(body, instruction, 1)?;
    let i64_type = body.unit.context.int_type(64);
    let lane = sub_group::own(body);
    let b = &body.builder;
    let beside = b.mul(b.zext(lane, i64_type), i64_type.const_int(bytes));
    // Small numbers.
    beside.set_no_wrap(true, true);
    let x = b.add(b.sext(x, i64_type), beside);
    x.set_no_wrap(false, true);
    Ok([x, b.sext(y, i64_type)])
}

/// The parts of 32 bits at most that an integer of `bits` is read and written by: how many bytes each is behind the first.
fn parts(bits: u32) -> &'static [u64] {
    if bits == 64 { &[0, 4] } else { &[0] }
}

/// OpSubgroupImageBlockReadINTEL: component i is in the row i rows behind the first.
pub(crate) fn op_block_read_intel(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let image = descriptor(body, instruction)?;
    let ty = body.result_type(instruction)?;
    let (scalar, bits) = (ty.scalar(), ty.scalar().int_width());
    let [x, y] = block_place(body, instruction, u64::from(bits / 8))?;
    let i64_type = x.ty();
    let part_type = body.unit.context.int_type(bits.min(32));
    let name = library::name("image_block_read", &type_name(part_type));
    let mut result = ty.zero();
    for index in 0..if ty.is_vector() { ty.length() } else { 1 } {
        let mut value = scalar.zero();
        for &behind in parts(bits) {
            let b = &body.builder;
            let place = [b.add(x, i64_type.const_int(behind)), b.add(y, i64_type.const_int(index))];
            let part = call(body, &name, part_type, &[image, place[0], place[1]]);
            let b = &body.builder;
            let wide = if part.ty() == scalar { part } else { b.zext(part, scalar) };
            value = b.or(value, b.shl(wide, scalar.const_int(8 * behind)));
        }
        result = if ty.is_vector() { body.builder.insert_element(result, value, body.index(index)) } else { value };
    }
    body.define(instruction, result)
}

/// OpSubgroupImageBlockWriteINTEL.
pub(crate) fn op_block_write_intel(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let image = descriptor(body, instruction)?;
    let data = body.operand(instruction, 2)?;
    let bits = data.ty().scalar().int_width();
    let [x, y] = block_place(body, instruction, u64::from(bits / 8))?;
    let i64_type = x.ty();
    let part_type = body.unit.context.int_type(bits.min(32));
    let name = library::name("image_block_write", &type_name(part_type));
    for (index, value) in (0..).zip(elements(body, data)) {
        for &behind in parts(bits) {
            let b = &body.builder;
            let place = [b.add(x, i64_type.const_int(behind)), b.add(y, i64_type.const_int(index))];
            let part = b.lshr(value, value.ty().const_int(8 * behind));
            let part = if part.ty() == part_type { part } else { b.trunc(part, part_type) };
            call(body, &name, body.unit.context.void_type(), &[image, place[0], place[1], part]);
        }
    }
    Ok(())
}
