//! Workloads on images: resizing, blurring, sampling a volume, copying.

use oxicl_client::{Buffer, Image, Kernel, sys};

use super::{Made, Unit, Work, Workload, check};
use crate::{Failure, Random, Session, kernels};

/// Red, green, blue, alpha.
type Pixel = [u8; 4];

const RGBA8: (u32, u32) = (sys::CL_RGBA, sys::CL_UNORM_INT8);
const FLOAT: (u32, u32) = (sys::CL_R, sys::CL_FLOAT);

/// Columns, and three quarters as many rows (rounded up).
fn shape(size: usize) -> [usize; 2] {
    [size, (size * 3).div_ceil(4)]
}

fn pixels([width, height]: [usize; 2]) -> Vec<Pixel> {
    Random::new(21).words(width * height).into_iter().map(u32::to_le_bytes).collect()
}

/// Whether every channel is within `tolerance` of what is expected.
fn near(found: &[Pixel], expected: &[Pixel], tolerance: f32) -> Result<(), Failure> {
    let channels = |pixels: &[Pixel]| -> Vec<f32> { pixels.iter().flatten().map(|byte| f32::from(*byte)).collect() };
    let (found, expected) = (channels(found), channels(expected));
    match found.iter().zip(&expected).position(|(found, expected)| (found - expected).abs() > tolerance) {
        None if found.len() == expected.len() => Ok(()),
        at => Err(Failure::Wrong(format!("channel {at:?}: {:?}", at.map(|at| (found[at], expected[at]))))),
    }
}

/// A kernel that makes one picture from another.
struct Filter {
    kernel: Kernel,
    out: Image<Pixel>,
    expected: Vec<Pixel>,
    /// By how much a channel may be off.
    tolerance: f32,
}

impl Filter {
    fn new(session: &Session, name: &str, from: [usize; 2], to: [usize; 2]) -> Result<(Filter, Vec<Pixel>), Failure> {
        let input = pixels(from);
        let mut kernel = session.kernel(kernels::IMAGES, name)?;
        let out = Image::new(&session.context, RGBA8, &to, &[])?;
        kernel.give_image(0, Image::new(&session.context, RGBA8, &from, &input)?)?;
        kernel.set_image(1, &out)?;
        Ok((Filter { kernel, out, expected: Vec::new(), tolerance: 0.0 }, input))
    }
}

impl Workload for Filter {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        let [width, height, _] = self.out.size();
        Ok(session.queue.launch(&self.kernel, [width, height], None)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        near(&session.queue.read_image(&self.out)?, &self.expected, self.tolerance)
    }

    fn work(&self) -> Work {
        Work { amount: self.out.len() as f64, unit: Unit::Each("pixels") }
    }
}

/// A picture of `size` columns from one of two thirds as many, rounded up.
pub fn resize(session: &Session, size: usize) -> Made {
    let (to, from) = (shape(size), shape((2 * size).div_ceil(3)));
    let (mut filter, input) = Filter::new(session, "resize", from, to)?;
    filter.kernel.set(2, to.map(|side| 1.0 / side as f32))?;
    // For a place along an axis: the texels on both sides of it, and the weight of the second.
    let between = |at: usize, axis: usize| {
        let place = (at as f64 + 0.5) / to[axis] as f64 * from[axis] as f64 - 0.5;
        let texel = |place: f64| place.clamp(0.0, from[axis] as f64 - 1.0) as usize;
        (texel(place.floor()), texel(place.floor() + 1.0), place - place.floor())
    };
    for y in 0..to[1] {
        let (top, bottom, below) = between(y, 1);
        for x in 0..to[0] {
            let (left, right, beside) = between(x, 0);
            let channel = |row: usize, column: usize, channel: usize| f64::from(input[row * from[0] + column][channel]);
            filter.expected.push(std::array::from_fn(|number| {
                let row = |row| channel(row, left, number) * (1.0 - beside) + channel(row, right, number) * beside;
                (row(top) * (1.0 - below) + row(bottom) * below).round() as u8
            }));
        }
    }
    // Drivers may round weights to as few as eight bits.
    filter.tolerance = 2.0;
    Ok(Box::new(filter))
}

/// The mean of each pixel and its eight neighbours, of `size` columns.
pub fn blur(session: &Session, size: usize) -> Made {
    let shape = shape(size);
    let (mut filter, input) = Filter::new(session, "blur", shape, shape)?;
    let side = |at: usize, step: usize, axis: usize| (at + step).saturating_sub(1).min(shape[axis] - 1);
    for y in 0..shape[1] {
        for x in 0..shape[0] {
            filter.expected.push(std::array::from_fn(|channel| {
                let around = (0..9).map(|number| side(y, number / 3, 1) * shape[0] + side(x, number % 3, 0));
                let sum: u32 = around.map(|at| u32::from(input[at][channel])).sum();
                (f64::from(sum) / 9.0).round() as u8
            }));
        }
    }
    filter.tolerance = 1.0;
    Ok(Box::new(filter))
}

/// Every pixel of `size` columns, read and written.
pub fn copy(session: &Session, size: usize) -> Made {
    let (mut filter, input) = Filter::new(session, "copy", shape(size), shape(size))?;
    filter.expected = input;
    Ok(Box::new(filter))
}

struct Volume {
    kernel: Kernel,
    out: Buffer<f32>,
    side: usize,
    expected: Vec<f32>,
}

/// `size` slanted planes of as many rows and columns through a volume of as many slices.
pub fn trilinear(session: &Session, size: usize) -> Made {
    let texels = Random::new(22).floats(size * size * size, -1.0, 1.0);
    let step = 0.625 / size as f32;
    let mut kernel = session.kernel(kernels::IMAGES, "trilinear")?;
    let out = Buffer::new(&session.context, texels.len())?;
    // To the client, an image of one slice has two dimensions.
    let deep = size.max(2);
    let twice: Vec<f32> = if size == 1 { [texels[0]; 8].to_vec() } else { texels.clone() };
    kernel.give_image(0, Image::new(&session.context, FLOAT, &[deep; 3], &twice)?)?;
    kernel.set_buffer(1, &out)?;
    kernel.set(2, step)?;
    let expected = (0..texels.len()).map(|index| {
        let [x, y, z] = [index % size, index / size % size, index / size / size].map(|number| number as f64);
        let step = f64::from(step);
        let at = [x + 0.25 * y, y + 0.125 * z, z + 0.5 * x].map(|number| number * step * deep as f64 - 0.5);
        (0..8).map(|corner: usize| part(&twice, deep, at, corner)).sum::<f64>() as f32
    });
    let expected = expected.collect();
    Ok(Box::new(Volume { kernel, out, side: size, expected }))
}

/// What one of the eight texels around a place adds to the interpolated number.
fn part(texels: &[f32], side: usize, at: [f64; 3], corner: usize) -> f64 {
    let (mut weight, mut index) = (1.0, 0);
    for axis in (0..3).rev() {
        let second = corner >> axis & 1;
        let share = at[axis] - at[axis].floor();
        weight *= if second == 1 { share } else { 1.0 - share };
        let texel = (at[axis].floor() + second as f64).clamp(0.0, side as f64 - 1.0);
        index = index * side + texel as usize;
    }
    weight * f64::from(texels[index])
}

impl Workload for Volume {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, [self.side; 3], None)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        // Drivers may round weights to as few as eight bits.
        check::close("out", &session.queue.read(&self.out)?, &self.expected, 0.02)
    }

    fn work(&self) -> Work {
        Work { amount: self.out.len() as f64, unit: Unit::Each("samples") }
    }
}

/// A kernel or a command that moves pixels to a buffer.
struct ToBuffer {
    /// None for the command.
    kernel: Option<Kernel>,
    from: Image<Pixel>,
    out: Buffer<Pixel>,
    expected: Vec<Pixel>,
}

impl ToBuffer {
    fn new(session: &Session, size: usize, kernel: Option<Kernel>) -> Result<ToBuffer, Failure> {
        let expected = pixels(shape(size));
        let from = Image::new(&session.context, RGBA8, &shape(size), &expected)?;
        let out = Buffer::new(&session.context, expected.len())?;
        if let Some(kernel) = &kernel {
            kernel.set_image(0, &from)?;
            kernel.set_buffer(1, &out)?;
        }
        Ok(ToBuffer { kernel, from, out, expected })
    }
}

/// Every pixel of `size` columns, read as floating-point numbers and put into a buffer as bytes.
pub fn to_buffer(session: &Session, size: usize) -> Made {
    let kernel = session.kernel(kernels::IMAGES, "to_buffer")?;
    Ok(Box::new(ToBuffer::new(session, size, Some(kernel))?))
}

/// clEnqueueCopyImageToBuffer of `size` columns.
pub fn copied_to_buffer(session: &Session, size: usize) -> Made {
    Ok(Box::new(ToBuffer::new(session, size, None)?))
}

impl Workload for ToBuffer {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        let [width, height, _] = self.from.size();
        match &self.kernel {
            Some(kernel) => session.queue.launch(kernel, [width, height], None)?,
            None => session.queue.copy_image_to_buffer(&self.from, &self.out)?,
        }
        Ok(())
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        near(&session.queue.read(&self.out)?, &self.expected, 0.0)
    }

    fn work(&self) -> Work {
        Work { amount: 2.0 * self.from.bytes() as f64, unit: Unit::Byte }
    }
}

struct Copy {
    from: Image<Pixel>,
    to: Image<Pixel>,
    expected: Vec<Pixel>,
}

/// clEnqueueCopyImage of `size` columns.
pub fn copied(session: &Session, size: usize) -> Made {
    let expected = pixels(shape(size));
    let from = Image::new(&session.context, RGBA8, &shape(size), &expected)?;
    let to = Image::new(&session.context, RGBA8, &shape(size), &vec![[0; 4]; expected.len()])?;
    Ok(Box::new(Copy { from, to, expected }))
}

impl Workload for Copy {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.copy_image(&self.from, &self.to)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        near(&session.queue.read_image(&self.to)?, &self.expected, 0.0)
    }

    fn work(&self) -> Work {
        Work { amount: 2.0 * self.to.bytes() as f64, unit: Unit::Byte }
    }
}
