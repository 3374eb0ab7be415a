//! Workloads bound by arithmetic: matrix products, N-body, a chain in half precision.

use half::f16;
use oxicl_client::{Buffer, Kernel};

use super::{Made, Unit, Work, Workload, check};
use crate::{Failure, Random, Session, kernels};

/// Side of the tiles of `matmul_tiled`.
const TILE: usize = 16;

struct Product {
    kernel: Kernel,
    out: Buffer<f32>,
    side: usize,
    global: [usize; 2],
    local: Option<[usize; 2]>,
    expected: Vec<f32>,
}

/// The product of two matrices of `size` rows, without local memory.
pub fn naive(session: &Session, size: usize) -> Made {
    product(session, "matmul_naive", size, [size, size], None)
}

/// The same through tiles in local memory.
pub fn tiled(session: &Session, size: usize) -> Made {
    let padded = size.next_multiple_of(TILE);
    product(session, "matmul_tiled", size, [padded, padded], Some([TILE, TILE]))
}

fn product(session: &Session, name: &str, side: usize, global: [usize; 2], local: Option<[usize; 2]>) -> Made {
    let mut random = Random::new(4);
    let (a, b) = (random.floats(side * side, -1.0, 1.0), random.floats(side * side, -1.0, 1.0));
    let mut kernel = session.kernel(kernels::MATMUL, name)?;
    let out = Buffer::new(&session.context, side * side)?;
    kernel.set_buffer(0, &out)?;
    kernel.give_buffer(1, Buffer::from_slice(&session.context, &a)?)?;
    kernel.give_buffer(2, Buffer::from_slice(&session.context, &b)?)?;
    kernel.set(3, side as i32)?;
    let expected = matmul_reference(&a, &b, side);
    Ok(Box::new(Product { kernel, out, side, global, local, expected }))
}

/// The product of two row-major square matrices on one host thread.
pub fn matmul_reference(a: &[f32], b: &[f32], side: usize) -> Vec<f32> {
    let mut c = vec![0.0f32; side * side];
    for (row, out) in c.chunks_exact_mut(side).enumerate() {
        for k in 0..side {
            let factor = a[row * side + k];
            for (sum, value) in out.iter_mut().zip(&b[k * side..(k + 1) * side]) {
                *sum += factor * value;
            }
        }
    }
    c
}

impl Workload for Product {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, self.global, self.local)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        check::close("c", &session.queue.read(&self.out)?, &self.expected, 1e-4)
    }

    fn work(&self) -> Work {
        Work { amount: 2.0 * (self.side as f64).powi(3), unit: Unit::Flop }
    }
}

struct Bodies {
    kernel: Kernel,
    position: Buffer<[f32; 4]>,
    velocity: Buffer<[f32; 4]>,
    expected: Vec<f32>,
}

/// A time step and a softening at which single precision suffices for a comparison.
const STEP: f32 = 0.01;
const SOFTENING: f32 = 0.01;

/// One step of `size` bodies from rest.
pub fn nbody(session: &Session, size: usize) -> Made {
    let mut random = Random::new(5);
    let start: Vec<[f32; 4]> = (0..size)
        .map(|_| {
            let [x, y, z] = [(); 3].map(|()| random.between(-1.0, 1.0));
            [x, y, z, random.between(0.1, 1.0) / size as f32]
        })
        .collect();
    let mut kernel = session.kernel(kernels::NBODY, "nbody")?;
    let position = Buffer::new(&session.context, size)?;
    let velocity = Buffer::new(&session.context, size)?;
    kernel.set_buffer(0, &position)?;
    kernel.set_buffer(1, &velocity)?;
    kernel.give_buffer(2, Buffer::from_slice(&session.context, &start)?)?;
    kernel.set(3, size as i32)?;
    kernel.set(4, STEP)?;
    kernel.set(5, SOFTENING)?;
    let expected = nbody_reference(&start, STEP, SOFTENING).as_flattened().to_vec();
    Ok(Box::new(Bodies { kernel, position, velocity, expected }))
}

/// Positions after one step from rest, on one host thread. The mass is in the fourth component.
pub fn nbody_reference(start: &[[f32; 4]], step: f32, softening: f32) -> Vec<[f32; 4]> {
    start
        .iter()
        .map(|own| {
            let mut pull = [0.0f32; 3];
            for other in start {
                let [dx, dy, dz] = [other[0] - own[0], other[1] - own[1], other[2] - own[2]];
                let inverse = 1.0 / (dx * dx + dy * dy + dz * dz + softening).sqrt();
                let strength = other[3] * inverse * inverse * inverse;
                pull = [pull[0] + dx * strength, pull[1] + dy * strength, pull[2] + dz * strength];
            }
            let moved = |axis: usize| own[axis] + pull[axis] * step * step;
            [moved(0), moved(1), moved(2), own[3]]
        })
        .collect()
}

impl Workload for Bodies {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        session.queue.fill(&self.velocity, [0.0; 4])?;
        Ok(session.queue.launch(&self.kernel, [self.position.len()], None)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        let found = session.queue.read(&self.position)?;
        check::close("position", found.as_flattened(), &self.expected, 1e-5)
    }

    fn work(&self) -> Work {
        Work { amount: 20.0 * (self.position.len() as f64).powi(2), unit: Unit::Flop }
    }
}

struct HalfChain {
    kernel: Kernel,
    out: Buffer<u16>,
    expected: Vec<u16>,
}

/// Links of the chain.
const LENGTH: u32 = 256;
const FACTOR: f16 = f16::from_f32_const(-0.994);
const TERM: f16 = f16::from_f32_const(0.3);

/// `size` chains of multiplications and additions in half precision.
pub fn half_chain(session: &Session, size: usize) -> Made {
    let mut kernel = session.kernel(kernels::HALF_CHAIN, "half_chain")?;
    let out = Buffer::new(&session.context, size)?;
    let first: Vec<f16> = Random::new(21).floats(size, -1.0, 1.0).into_iter().map(f16::from_f32).collect();
    let bits: Vec<u16> = first.iter().map(|value| value.to_bits()).collect();
    kernel.set_buffer(0, &out)?;
    kernel.give_buffer(1, Buffer::from_slice(&session.context, &bits)?)?;
    kernel.set(2, FACTOR.to_bits())?;
    kernel.set(3, TERM.to_bits())?;
    kernel.set(4, LENGTH)?;
    let last = |value: &f16| (0..LENGTH).fold(*value, |value, _| half_fma(value, FACTOR, TERM)).to_bits();
    let expected = first.iter().map(last).collect();
    Ok(Box::new(HalfChain { kernel, out, expected }))
}

/// `value * factor + term` in one rounding: the sum is exact in double precision, as long as its terms are about 1, and
/// is rounded there to half precision.
fn half_fma(value: f16, factor: f16, term: f16) -> f16 {
    let exact = value.to_f64() * factor.to_f64() + term.to_f64();
    // The weight of the last of a half's eleven bits; the smallest numbers have fewer bits.
    let exponent = ((exact.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let unit = f64::from(exponent.max(-14) - 10).exp2();
    f16::from_f64((exact / unit).round_ties_even() * unit)
}

impl Workload for HalfChain {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, [self.expected.len()], None)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        check::equal("chains", &session.queue.read(&self.out)?, &self.expected)
    }

    fn work(&self) -> Work {
        Work { amount: 2.0 * f64::from(LENGTH) * self.expected.len() as f64, unit: Unit::Flop }
    }
}
