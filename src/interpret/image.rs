//! SPIR-V 3.3.10, image instructions. An image is the address of its descriptor, a sampler is its bits.

use oxicl_abi::{ImageDescriptor, SamplerBits};
use oxicl_spirv::grammar::{Dim, ImageOperands, Op};
use oxicl_spirv::{ImageType, Instruction, Type};
use oxicl_texel::{Color, Coordinate, Dimensions, Format, Kind, Place, level, level_of_gradients, sample};

use crate::Fault;
use crate::float::{decode, encode};
use crate::machine::Machine;
use crate::value::Value;

/// The bits of a sampler that is a constant.
pub(crate) fn literal(addressing: u32, normalized: bool, filter: u32) -> Result<u64, Fault> {
    let sampler = SamplerBits::from_literal(addressing, normalized, filter);
    sampler.map(SamplerBits::bits).ok_or(Fault::Malformed("a sampler has no such modes"))
}

fn dimensions(of: ImageType) -> Dimensions {
    Dimensions { rows: matches!(of.dim, Dim::Dim2D | Dim::Dim3D), slices: of.dim == Dim::Dim3D, layers: of.arrayed }
}

/// The components of a colour as numbers of `width` bits.
fn components(color: Color, width: u32) -> Vec<u64> {
    match color {
        Color::Float(color) => color.map(|number| encode(decode(u64::from(number.to_bits()), 32), width)).to_vec(),
        Color::Signed(color) => color.map(|number| u64::from(number.cast_unsigned())).to_vec(),
        Color::Unsigned(color) => color.map(u64::from).to_vec(),
    }
}

impl Machine<'_> {
    /// An image instruction that gives a value.
    pub(crate) fn image(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        let first = self.operand(inst, 0)?;
        match inst.op {
            Op::SampledImage => Ok(Value::Composite(vec![first, self.operand(inst, 1)?])),
            Op::Image => self.sampled(&first).map(|(image, _)| Value::Scalar(image)),
            Op::ImageSampleExplicitLod => {
                let (image, sampler) = self.sampled(&first)?;
                self.sample_image(inst, image, sampler)
            }
            Op::ImageRead => {
                let image = self.at_level(inst, first.scalar()?, 2)?;
                self.read_image(inst, image, 0).map(|color| self.texel_value(inst, color))?
            }
            _ => self.query_image(inst, first.scalar()?),
        }
    }

    /// Image and sampler of a sampled image.
    fn sampled(&self, value: &Value) -> Result<(u64, u64), Fault> {
        match value {
            Value::Composite(parts) => match parts.as_slice() {
                [image, sampler] => Ok((image.scalar()?, sampler.scalar()?)),
                _ => Err(Fault::Malformed("no sampled image")),
            },
            _ => Err(Fault::Malformed("no sampled image")),
        }
    }

    fn image_type(&self, inst: &Instruction) -> Result<ImageType, Fault> {
        let module = self.program.module();
        let ty = self.operand_type(inst, 0)?;
        let ty = match module.ty(ty) {
            Type::SampledImage { image } => *image,
            _ => ty,
        };
        module.image_type(ty).ok_or(Fault::Malformed("the operand is no image"))
    }

    fn descriptor(&mut self, address: u64) -> Result<(ImageDescriptor, Format), Fault> {
        let mut bytes = [0; size_of::<ImageDescriptor>()];
        self.read(address, &mut bytes)?;
        let image = ImageDescriptor::from_bytes(&bytes);
        let format = Format::new(image.order, image.data_type).ok_or(Fault::Malformed("an image has no format"))?;
        Ok((image, format))
    }

    fn coordinate(&self, inst: &Instruction, index: usize) -> Result<Coordinate, Fault> {
        let value = self.operand(inst, index)?;
        let lanes = value.lanes()?;
        let number = |place: usize| lanes.get(place).copied().unwrap_or_default() as u32;
        let component = self.program.module().ty(self.operand_type(inst, index)?);
        let component = match component {
            Type::Vector { component, .. } => self.program.module().ty(*component),
            _ => component,
        };
        Ok(match component {
            Type::Float { .. } => Coordinate::Float(std::array::from_fn(|place| f32::from_bits(number(place)))),
            _ => Coordinate::Int(std::array::from_fn(|place| number(place).cast_signed())),
        })
    }

    /// The image operand of an instruction whose mask is at `mask`: a level of detail or gradients.
    fn image_operand(&self, inst: &Instruction, mask: usize, wanted: ImageOperands) -> Option<usize> {
        let bits = ImageOperands::from_bits_truncate(inst.word(self.program.module(), mask)?);
        bits.contains(wanted).then_some(mask + 1)
    }

    /// The descriptor of level `number`, or the nearest that there is, of the image at `address`.
    fn nth_level(&mut self, address: u64, number: u32) -> Result<u64, Fault> {
        let (image, _) = self.descriptor(address)?;
        let number = number.min(image.levels.max(1) - 1);
        Ok(address.wrapping_add(u64::from(number) * size_of::<ImageDescriptor>() as u64))
    }

    /// The descriptor of the level of detail that an instruction asks for.
    fn at_level(&mut self, inst: &Instruction, address: u64, mask: usize) -> Result<u64, Fault> {
        let Some(index) = self.image_operand(inst, mask, ImageOperands::LOD) else { return Ok(address) };
        let number = (self.operand(inst, index)?.scalar()? as u32).cast_signed();
        self.nth_level(address, number.max(0).cast_unsigned())
    }

    /// OpImageSampleExplicitLod.
    fn sample_image(&mut self, inst: &Instruction, address: u64, sampler: u64) -> Result<Value, Fault> {
        let (image, format) = self.descriptor(address)?;
        let numbers = |machine: &Self, index| match machine.coordinate(inst, index)? {
            Coordinate::Float(numbers) => Ok(numbers),
            Coordinate::Int(_) => Err(Fault::Malformed("a gradient is an integer")),
        };
        let bits = SamplerBits::from_bits(sampler).ok_or(Fault::Malformed("no sampler"))?;
        let lod = if let Some(index) = self.image_operand(inst, 2, ImageOperands::GRAD) {
            let gradients = [numbers(self, index)?, numbers(self, index + 1)?];
            level_of_gradients(&image, bits, dimensions(self.image_type(inst)?), gradients)
        } else {
            let index = self.image_operand(inst, 2, ImageOperands::LOD).unwrap_or(3);
            f32::from_bits(self.operand(inst, index)?.scalar()? as u32)
        };
        let integers = format.kind() != Kind::Float || matches!(self.coordinate(inst, 1)?, Coordinate::Int(_));
        let held = if integers { bits.with_levels(false, bits.levels()[0], bits.levels()[1]) } else { bits };
        let (first, share) = level(held, image.levels, lod);
        let below = self.nth_level(address, first)?;
        let below = self.read_image(inst, below, sampler)?;
        let color = match below {
            Color::Float(below) if share != 0.0 => {
                let above = self.nth_level(address, first + 1)?;
                let Color::Float(above) = self.read_image(inst, above, sampler)? else {
                    return Err(Fault::Malformed("levels of detail have different formats"));
                };
                Color::Float(std::array::from_fn(|index| (1.0 - share) * below[index] + share * above[index]))
            }
            color => color,
        };
        self.texel_value(inst, color)
    }

    /// A colour as what the instruction gives.
    fn texel_value(&self, inst: &Instruction, color: Color) -> Result<Value, Fault> {
        self.value_of(inst, components(color, self.result_width(inst)?))
    }

    /// The vector of some numbers, or the first of them, whichever the instruction gives.
    fn value_of(&self, inst: &Instruction, lanes: Vec<u64>) -> Result<Value, Fault> {
        match self.program.module().ty(self.result_type_ref(inst)?) {
            Type::Vector { .. } => Ok(Value::Vector(lanes)),
            _ => Ok(Value::Scalar(lanes.first().copied().unwrap_or_default())),
        }
    }

    fn read_image(&mut self, inst: &Instruction, address: u64, sampler: u64) -> Result<Color, Fault> {
        let of = dimensions(self.image_type(inst)?);
        let coordinate = self.coordinate(inst, 1)?;
        let (image, format) = self.descriptor(address)?;
        let sampler = SamplerBits::from_bits(sampler).ok_or(Fault::Malformed("no sampler"))?;
        let mut fetch = |place: Place| {
            let mut bytes = [0; 16];
            let texel = bytes.get_mut(..format.bytes()).unwrap_or_default();
            self.read(texel_address(&image, format, place), texel)?;
            Ok(format.decode(texel))
        };
        sample(&image, format, of, sampler, coordinate, &mut fetch)
    }

    /// OpImageWrite. What is outside of the image is not written.
    pub(crate) fn write_image(&mut self, inst: &Instruction) -> Result<(), Fault> {
        let of = dimensions(self.image_type(inst)?);
        let Coordinate::Int(at) = self.coordinate(inst, 1)? else {
            return Err(Fault::Malformed("a texel is written between others"));
        };
        let address = self.operand(inst, 0)?.scalar()?;
        let address = self.at_level(inst, address, 3)?;
        let (image, format) = self.descriptor(address)?;
        let third = at[if of.rows { 2 } else { 1 }];
        let sizes = [
            (at[0], image.width, true),
            (at[1], image.height, of.rows),
            (third, if of.layers { image.layers } else { image.depth }, of.slices || of.layers),
        ];
        let mut place = [0; 3];
        for (number, (at, size, _)) in sizes.into_iter().enumerate().filter(|(_, (_, _, counts))| *counts) {
            match u32::try_from(at) {
                Ok(at) if at < size => place[number] = at,
                _ => return Ok(()),
            }
        }
        let texel = self.operand(inst, 2)?;
        let width = self.operand_width(inst, 2)?;
        let lanes = texel.lanes()?;
        let lane = |index: usize| lanes.get(index).copied().unwrap_or_default();
        let color = match format.kind() {
            Kind::Float => {
                Color::Float(std::array::from_fn(|index| f32::from_bits(encode(decode(lane(index), width), 32) as u32)))
            }
            Kind::Signed => Color::Signed(std::array::from_fn(|index| (lane(index) as u32).cast_signed())),
            Kind::Unsigned => Color::Unsigned(std::array::from_fn(|index| lane(index) as u32)),
        };
        let bytes = format.encode(color);
        let texel = bytes.get(..format.bytes()).unwrap_or_default();
        self.write(texel_address(&image, format, place), texel)
    }

    /// The image of a block operation, and where the work-item's first component begins: column in bytes, row.
    fn place_of_block(&mut self, inst: &Instruction, bytes: i64) -> Result<(ImageDescriptor, i64, i64), Fault> {
        let Coordinate::Int([column, row, _]) = self.coordinate(inst, 1)? else {
            return Err(Fault::Malformed("a block begins between texels"));
        };
        let address = self.operand(inst, 0)?.scalar()?;
        let (image, _) = self.descriptor(address)?;
        let lane = self.current as i64 % self.group.sub_group_size as i64;
        Ok((image, i64::from(column) + lane * bytes, i64::from(row)))
    }

    /// OpSubgroupImageBlockReadINTEL: a row for each component. Outside of the image the last four bytes of a row, or the
    /// first, go on.
    pub(crate) fn image_block_read(&mut self, inst: &Instruction) -> Result<Value, Fault> {
        let (ty, bytes) = (self.result_type_ref(inst)?, i64::from(self.result_width(inst)? / 8));
        let (image, column, row) = self.place_of_block(inst, bytes)?;
        let width = i64::from(image.width) * i64::from(image.texel_bytes);
        let part = bytes.min(4);
        let mut lanes = Vec::new();
        for index in 0..self.program.lane_count(ty) as i64 {
            let row = (row + index).clamp(0, (i64::from(image.height) - 1).max(0));
            let mut value = [0; 8];
            for (behind, place) in (0..bytes).step_by(part as usize).zip(value.chunks_mut(part as usize)) {
                let wanted = column + behind;
                let found = match wanted {
                    _ if width < part => continue,
                    ..0 => wanted.rem_euclid(4),
                    _ if wanted + part > width => width - 4 + wanted.rem_euclid(4),
                    _ => wanted,
                };
                let found = found.min(width - part).max(0);
                let address = image.base.wrapping_add((row as u64).wrapping_mul(image.row_pitch));
                self.read(address.wrapping_add(found as u64), place)?;
            }
            lanes.push(u64::from_le_bytes(value));
        }
        self.value_of(inst, lanes)
    }

    /// OpSubgroupImageBlockWriteINTEL. What is outside of the image is not written.
    pub(crate) fn image_block_write(&mut self, inst: &Instruction) -> Result<(), Fault> {
        let bytes = i64::from(self.operand_width(inst, 2)? / 8);
        let (image, column, row) = self.place_of_block(inst, bytes)?;
        let width = i64::from(image.width) * i64::from(image.texel_bytes);
        let data = self.operand(inst, 2)?;
        let part = bytes.min(4);
        for (row, value) in (row..).zip(data.lanes()?) {
            let value = value.to_le_bytes();
            for (behind, place) in (0..bytes).step_by(part as usize).zip(value.chunks(part as usize)) {
                let column = column + behind;
                if column >= 0 && column + part <= width && (0..i64::from(image.height)).contains(&row) {
                    let address = image.base.wrapping_add((row as u64).wrapping_mul(image.row_pitch));
                    self.write(address.wrapping_add(column as u64), place)?;
                }
            }
        }
        Ok(())
    }

    /// A question about an image.
    fn query_image(&mut self, inst: &Instruction, address: u64) -> Result<Value, Fault> {
        let of = dimensions(self.image_type(inst)?);
        let address = match inst.op {
            Op::ImageQuerySizeLod => {
                let number = (self.operand(inst, 1)?.scalar()? as u32).cast_signed();
                self.nth_level(address, number.max(0).cast_unsigned())?
            }
            _ => address,
        };
        let (image, _) = self.descriptor(address)?;
        let number = match inst.op {
            Op::ImageQueryFormat => image.data_type.wrapping_sub(ImageDescriptor::FIRST_TYPE),
            Op::ImageQueryOrder => image.order.wrapping_sub(ImageDescriptor::FIRST_ORDER),
            Op::ImageQueryLevels => image.levels,
            Op::ImageQuerySize | Op::ImageQuerySizeLod => {
                let sizes =
                    [(true, image.width), (of.rows, image.height), (of.slices, image.depth), (of.layers, image.layers)];
                let sizes: Vec<u64> =
                    sizes.into_iter().filter(|(counts, _)| *counts).map(|(_, size)| u64::from(size)).collect();
                return Ok(match sizes.as_slice() {
                    [size] => Value::Scalar(*size),
                    _ => Value::Vector(sizes),
                });
            }
            op => return Err(Fault::Instruction(op)),
        };
        Ok(Value::Scalar(u64::from(number)))
    }
}

fn texel_address(image: &ImageDescriptor, format: Format, place: Place) -> u64 {
    let [column, row, third] = place.map(u64::from);
    image
        .base
        .wrapping_add(column.wrapping_mul(format.bytes() as u64))
        .wrapping_add(row.wrapping_mul(image.row_pitch))
        .wrapping_add(third.wrapping_mul(image.slice_pitch))
}
