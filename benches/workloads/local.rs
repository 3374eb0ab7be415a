//! Workloads with local memory and barriers.

use oxicl_client::{Buffer, Kernel};

use super::{Made, Unit, Work, Workload, check};
use crate::{Failure, Random, Session, kernels};

/// Work-items of a work-group in `reduce` and `histogram`, and the most work-groups.
const GROUP: usize = 256;
const GROUPS: usize = 64;

struct Reduce {
    kernel: Kernel,
    sums: Buffer<u32>,
    count: usize,
    expected: u32,
}

/// The sum of `size` integers.
pub fn reduce(session: &Session, size: usize) -> Made {
    let values = Random::new(7).words(size);
    let groups = size.div_ceil(GROUP).min(GROUPS);
    let mut kernel = session.kernel(kernels::REDUCE, "reduce")?;
    let sums = Buffer::new(&session.context, groups)?;
    kernel.set_buffer(0, &sums)?;
    kernel.give_buffer(1, Buffer::from_slice(&session.context, &values)?)?;
    kernel.set(2, size as u32)?;
    kernel.set_local(3, GROUP * size_of::<u32>())?;
    let expected = values.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
    Ok(Box::new(Reduce { kernel, sums, count: size, expected }))
}

impl Workload for Reduce {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, [self.sums.len() * GROUP], Some([GROUP]))?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        let sum = session.queue.read(&self.sums)?.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
        check::equal("sum", &[sum], &[self.expected])
    }

    fn work(&self) -> Work {
        Work { amount: 4.0 * self.count as f64, unit: Unit::Byte }
    }
}

struct Histogram {
    kernel: Kernel,
    bins: Buffer<u32>,
    groups: usize,
    count: usize,
    expected: Vec<u32>,
}

/// The histogram of `size` bytes.
pub fn histogram(session: &Session, size: usize) -> Made {
    let mut random = Random::new(8);
    let values: Vec<u8> = (0..size).map(|_| (random.next_u32() >> 16) as u8).collect();
    let mut kernel = session.kernel(kernels::HISTOGRAM, "histogram")?;
    let bins = Buffer::from_slice(&session.context, &[0u32; 256])?;
    kernel.set_buffer(0, &bins)?;
    kernel.give_buffer(1, Buffer::from_slice(&session.context, &values)?)?;
    kernel.set(2, size as u32)?;
    let mut expected = vec![0u32; 256];
    for value in values {
        expected[usize::from(value)] += 1;
    }
    Ok(Box::new(Histogram { kernel, bins, groups: size.div_ceil(GROUP).min(GROUPS), count: size, expected }))
}

impl Workload for Histogram {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        session.queue.fill(&self.bins, 0)?;
        Ok(session.queue.launch(&self.kernel, [self.groups * GROUP], Some([GROUP]))?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        check::equal("bins", &session.queue.read(&self.bins)?, &self.expected)
    }

    fn work(&self) -> Work {
        Work { amount: self.count as f64, unit: Unit::Byte }
    }
}

const TRANSPOSE_TILE: usize = 16;

struct Transpose {
    kernel: Kernel,
    out: Buffer<f32>,
    global: [usize; 2],
    expected: Vec<f32>,
}

/// The transposition of `size` columns and half as many rows (rounded up).
pub fn transpose(session: &Session, size: usize) -> Made {
    let (width, height) = (size, size.div_ceil(2));
    let input = Random::new(9).floats(width * height, 0.0, 1.0);
    let mut kernel = session.kernel(kernels::TRANSPOSE, "transpose")?;
    let out = Buffer::new(&session.context, input.len())?;
    kernel.set_buffer(0, &out)?;
    kernel.give_buffer(1, Buffer::from_slice(&session.context, &input)?)?;
    kernel.set(2, width as i32)?;
    kernel.set(3, height as i32)?;
    let expected = (0..input.len()).map(|i| input[(i % height) * width + i / height]).collect();
    let global = [width.next_multiple_of(TRANSPOSE_TILE), height.next_multiple_of(TRANSPOSE_TILE)];
    Ok(Box::new(Transpose { kernel, out, global, expected }))
}

impl Workload for Transpose {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, self.global, Some([TRANSPOSE_TILE; 2]))?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        check::equal("out", &session.queue.read(&self.out)?, &self.expected)
    }

    fn work(&self) -> Work {
        Work { amount: 2.0 * self.out.bytes() as f64, unit: Unit::Byte }
    }
}

/// Points of one transform, and work-items that compute it.
const POINTS: usize = 1024;
const FFT_GROUP: usize = 256;

struct Fft {
    kernel: Kernel,
    input: Buffer<[f32; 2]>,
    data: Buffer<[f32; 2]>,
    expected: Vec<f32>,
}

/// `size` transforms of 1024 points each. The data is copied first, so that every run has the same input.
pub fn fft(session: &Session, size: usize) -> Made {
    let mut random = Random::new(10);
    let input: Vec<[f32; 2]> =
        (0..size * POINTS).map(|_| [random.between(-1.0, 1.0), random.between(-1.0, 1.0)]).collect();
    let roots: Vec<[f32; 2]> = (0..POINTS).map(root).map(|[x, y]| [x as f32, y as f32]).collect();
    let mut kernel = session.kernel(kernels::FFT, "fft")?;
    let data = Buffer::new(&session.context, input.len())?;
    kernel.set_buffer(0, &data)?;
    kernel.give_buffer(1, Buffer::from_slice(&session.context, &roots)?)?;
    let expected = input.chunks_exact(POINTS).flat_map(transform).collect();
    let input = Buffer::from_slice(&session.context, &input)?;
    Ok(Box::new(Fft { kernel, input, data, expected }))
}

fn root(index: usize) -> [f64; 2] {
    let angle = -std::f64::consts::TAU * index as f64 / POINTS as f64;
    [angle.cos(), angle.sin()]
}

/// The textbook's transform, in double precision: bits reversed, then butterflies.
fn transform(input: &[[f32; 2]]) -> Vec<f32> {
    let bits = POINTS.trailing_zeros();
    let mut data: Vec<[f64; 2]> =
        (0..POINTS).map(|i| input[i.reverse_bits() >> (usize::BITS - bits)].map(f64::from)).collect();
    let mut half = 1;
    while half < POINTS {
        for start in (0..POINTS).step_by(2 * half) {
            for k in 0..half {
                let [wx, wy] = root(k * (POINTS / (2 * half)));
                let [ax, ay] = data[start + k];
                let [bx, by] = data[start + k + half];
                let [tx, ty] = [bx * wx - by * wy, bx * wy + by * wx];
                data[start + k] = [ax + tx, ay + ty];
                data[start + k + half] = [ax - tx, ay - ty];
            }
        }
        half *= 2;
    }
    data.into_iter().flatten().map(|value| value as f32).collect()
}

impl Workload for Fft {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        session.queue.copy(&self.input, &self.data)?;
        let items = self.data.len() / POINTS * FFT_GROUP;
        Ok(session.queue.launch(&self.kernel, [items], Some([FFT_GROUP]))?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        check::close("data", session.queue.read(&self.data)?.as_flattened(), &self.expected, 1e-3)
    }

    fn work(&self) -> Work {
        let transforms = (self.data.len() / POINTS) as f64;
        Work { amount: transforms * 5.0 * POINTS as f64 * (POINTS as f64).log2(), unit: Unit::Flop }
    }
}

struct GroupOfOne {
    kernel: Kernel,
    out: Buffer<u32>,
}

/// `size` work-groups of one work-item each, with a barrier.
pub fn group_of_one(session: &Session, size: usize) -> Made {
    let kernel = session.kernel(kernels::GROUP_OF_ONE, "group_of_one")?;
    let out = Buffer::new(&session.context, size)?;
    kernel.set_buffer(0, &out)?;
    kernel.set_local(1, size_of::<u32>())?;
    Ok(Box::new(GroupOfOne { kernel, out }))
}

impl Workload for GroupOfOne {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, [self.out.len()], Some([1]))?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        let expected: Vec<u32> = (0..self.out.len() as u32).map(|group| group.wrapping_mul(3)).collect();
        check::equal("groups", &session.queue.read(&self.out)?, &expected)
    }

    fn work(&self) -> Work {
        Work { amount: self.out.len() as f64, unit: Unit::Time("group") }
    }
}

struct GroupOfFour {
    kernel: Kernel,
    input: Vec<u32>,
    out: Buffer<u32>,
}

/// `size` work-groups of four work-items each, without a barrier.
pub fn group_of_four(session: &Session, size: usize) -> Made {
    let mut kernel = session.kernel(kernels::GROUP_OF_FOUR, "group_of_four")?;
    let input = Random::new(9).words(4 * size);
    let out = Buffer::new(&session.context, 4 * size)?;
    kernel.set_buffer(0, &out)?;
    kernel.give_buffer(1, Buffer::from_slice(&session.context, &input)?)?;
    Ok(Box::new(GroupOfFour { kernel, input, out }))
}

impl Workload for GroupOfFour {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, [self.out.len()], Some([4]))?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        let place = |(at, input): (usize, &u32)| input.wrapping_mul(3).wrapping_add(at as u32 / 4 * 5 + at as u32 % 4);
        let expected: Vec<u32> = self.input.iter().enumerate().map(place).collect();
        check::equal("out", &session.queue.read(&self.out)?, &expected)
    }

    fn work(&self) -> Work {
        Work { amount: self.out.len() as f64 / 4.0, unit: Unit::Time("group") }
    }
}
