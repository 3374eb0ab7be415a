//! Workloads bound by memory.

use oxicl_client::{Buffer, Kernel};

use super::{Made, Unit, Work, Workload, check};
use crate::{Failure, Random, Session, kernels};

struct Triad {
    kernel: Kernel,
    out: Buffer<f32>,
    expected: Vec<f32>,
}

/// a = b + s * c over `size` numbers.
pub fn triad(session: &Session, size: usize) -> Made {
    let mut random = Random::new(1);
    let (b, c, scale) = (random.floats(size, -1.0, 1.0), random.floats(size, -1.0, 1.0), 3.0f32);
    let mut kernel = session.kernel(kernels::TRIAD, "triad")?;
    let out = Buffer::new(&session.context, size)?;
    kernel.set_buffer(0, &out)?;
    kernel.give_buffer(1, Buffer::from_slice(&session.context, &b)?)?;
    kernel.give_buffer(2, Buffer::from_slice(&session.context, &c)?)?;
    kernel.set(3, scale)?;
    let expected = b.iter().zip(&c).map(|(b, c)| b + scale * c).collect();
    Ok(Box::new(Triad { kernel, out, expected }))
}

impl Workload for Triad {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, [self.out.len()], None)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        check::close("a", &session.queue.read(&self.out)?, &self.expected, 1e-6)
    }

    fn work(&self) -> Work {
        Work { amount: 3.0 * self.out.bytes() as f64, unit: Unit::Byte }
    }
}

struct Stencil {
    kernel: Kernel,
    out: Buffer<f32>,
    shape: [usize; 2],
    expected: Vec<f32>,
}

/// A Jacobi step over `size` columns and half as many rows (rounded up).
pub fn stencil(session: &Session, size: usize) -> Made {
    let shape = [size, size.div_ceil(2)];
    let [width, height] = shape;
    let input = Random::new(2).floats(width * height, 0.0, 1.0);
    let mut kernel = session.kernel(kernels::STENCIL, "stencil")?;
    let out = Buffer::new(&session.context, input.len())?;
    kernel.set_buffer(0, &out)?;
    kernel.give_buffer(1, Buffer::from_slice(&session.context, &input)?)?;
    kernel.set(2, width as i32)?;
    kernel.set(3, height as i32)?;
    let mut expected = input.clone();
    for y in 1..height.saturating_sub(1) {
        for i in y * width + 1..(y * width + width).saturating_sub(1) {
            expected[i] = 0.5 * input[i] + 0.125 * (input[i - 1] + input[i + 1] + input[i - width] + input[i + width]);
        }
    }
    Ok(Box::new(Stencil { kernel, out, shape, expected }))
}

impl Workload for Stencil {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, self.shape, None)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        check::close("out", &session.queue.read(&self.out)?, &self.expected, 1e-6)
    }

    fn work(&self) -> Work {
        Work { amount: 2.0 * self.out.bytes() as f64, unit: Unit::Byte }
    }
}

struct Copy {
    from: Buffer<u8>,
    to: Buffer<u8>,
    expected: Vec<u8>,
}

/// clEnqueueCopyBuffer of `size` bytes.
pub fn copy(session: &Session, size: usize) -> Made {
    let mut random = Random::new(3);
    let expected: Vec<u8> = (0..size).map(|_| random.next_u32() as u8).collect();
    let from = Buffer::from_slice(&session.context, &expected)?;
    let to = Buffer::from_slice(&session.context, &vec![0u8; size])?;
    Ok(Box::new(Copy { from, to, expected }))
}

impl Workload for Copy {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.copy(&self.from, &self.to)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        check::equal("copy", &session.queue.read(&self.to)?, &self.expected)
    }

    fn work(&self) -> Work {
        Work { amount: 2.0 * self.to.bytes() as f64, unit: Unit::Byte }
    }
}

struct Fill(Buffer<u32>);

const PATTERN: u32 = 0x0102_0304;

/// clEnqueueFillBuffer of `size` bytes, a multiple of 4, with a pattern of 4 bytes.
pub fn fill(session: &Session, size: usize) -> Made {
    Ok(Box::new(Fill(Buffer::from_slice(&session.context, &vec![0u32; size / 4])?)))
}

impl Workload for Fill {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.fill(&self.0, PATTERN)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        check::equal("fill", &session.queue.read(&self.0)?, &vec![PATTERN; self.0.len()])
    }

    fn work(&self) -> Work {
        Work { amount: self.0.bytes() as f64, unit: Unit::Byte }
    }
}
