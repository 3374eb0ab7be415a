//! Workloads of integers and indices: sorting, hashing, sparse rows.

use oxicl_client::{Buffer, Kernel};

use super::{Made, Unit, Work, Workload, check};
use crate::{Failure, Random, Session, kernels};

struct Bitonic {
    kernel: Kernel,
    input: Buffer<u32>,
    values: Buffer<u32>,
    expected: Vec<u32>,
}

/// Sorts `size` integers, padded to a power of two.
pub fn bitonic(session: &Session, size: usize) -> Made {
    let mut expected = Random::new(11).words(size);
    expected.resize(size.next_power_of_two(), u32::MAX);
    let input = Buffer::from_slice(&session.context, &expected)?;
    let values = Buffer::new(&session.context, expected.len())?;
    let kernel = session.kernel(kernels::BITONIC, "bitonic")?;
    kernel.set_buffer(0, &values)?;
    expected.sort_unstable();
    Ok(Box::new(Bitonic { kernel, input, values, expected }))
}

impl Workload for Bitonic {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        session.queue.copy(&self.input, &self.values)?;
        let count = self.values.len() as u32;
        let mut block = 2;
        while block <= count {
            let mut distance = block / 2;
            while distance > 0 {
                self.kernel.set(1, distance)?;
                self.kernel.set(2, block)?;
                session.queue.launch(&self.kernel, [self.values.len() / 2], None)?;
                distance /= 2;
            }
            block *= 2;
        }
        Ok(())
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        check::equal("values", &session.queue.read(&self.values)?, &self.expected)
    }

    fn work(&self) -> Work {
        Work { amount: self.values.len() as f64, unit: Unit::Each("numbers") }
    }
}

struct Sha256 {
    kernel: Kernel,
    digests: Buffer<u32>,
    count: usize,
}

/// The digests of `size` messages.
pub fn sha256(session: &Session, size: usize) -> Made {
    let kernel = session.kernel(kernels::SHA256, "sha256")?;
    let digests = Buffer::new(&session.context, size * 8)?;
    kernel.set_buffer(0, &digests)?;
    kernel.set(1, FIRST)?;
    Ok(Box::new(Sha256 { kernel, digests, count: size }))
}

const FIRST: u32 = 0x2000_0000;

impl Workload for Sha256 {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, [self.count], None)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        let expected: Vec<u32> = (0..self.count as u32).flat_map(|item| digest(FIRST.wrapping_add(item))).collect();
        check::equal("digests", &session.queue.read(&self.digests)?, &expected)
    }

    fn work(&self) -> Work {
        Work { amount: self.count as f64, unit: Unit::Each("blocks") }
    }
}

/// The digest of the eight words `first`, `first + 1`, and so on. The constants are computed as the standard defines
/// them, from the roots of primes, so that the kernel's table is checked too.
fn digest(first: u32) -> [u32; 8] {
    static CONSTANTS: std::sync::OnceLock<([u32; 8], [u32; 64])> = std::sync::OnceLock::new();
    let (start, round) = CONSTANTS.get_or_init(|| {
        let mut primes = (2u64..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0));
        let first: Vec<u64> = primes.by_ref().take(64).collect();
        let mut squares = [0; 8];
        let mut cubes = [0; 64];
        for (i, prime) in first.iter().enumerate() {
            cubes[i] = root_fraction(*prime, 3);
            if let Some(slot) = squares.get_mut(i) {
                *slot = root_fraction(*prime, 2);
            }
        }
        (squares, cubes)
    });
    let mut w = [0u32; 64];
    for (i, word) in w.iter_mut().take(8).enumerate() {
        *word = first.wrapping_add(i as u32);
    }
    w[8] = 0x8000_0000;
    w[15] = 256;
    for i in 16..64 {
        let (near, far) = (w[i - 15], w[i - 2]);
        let s0 = near.rotate_right(7) ^ near.rotate_right(18) ^ (near >> 3);
        let s1 = far.rotate_right(17) ^ far.rotate_right(19) ^ (far >> 10);
        w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
    }
    let mut state = *start;
    for i in 0..64 {
        let [a, b, c, d, e, f, g, h] = state;
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(round[i]).wrapping_add(w[i]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        state = [t1.wrapping_add(s0).wrapping_add(majority), a, b, c, d.wrapping_add(t1), e, f, g];
    }
    std::array::from_fn(|i| state[i].wrapping_add(start[i]))
}

/// The first 32 bits of the fraction of a number's square or cube root: the integer root of `number * 2^(32 * degree)`.
fn root_fraction(number: u64, degree: u32) -> u32 {
    let target = u128::from(number) << (32 * degree);
    let (mut low, mut high) = (0u128, 1u128 << 42);
    while high - low > 1 {
        let middle = (low + high) / 2;
        // 42 bits to the third power are 126 bits.
        if middle.pow(degree) <= target { low = middle } else { high = middle }
    }
    low as u32
}

struct Sparse {
    kernel: Kernel,
    out: Buffer<f32>,
    entries: usize,
    expected: Vec<f32>,
}

/// A matrix of `size` rows with 1 to 31 entries each.
pub fn spmv(session: &Session, size: usize) -> Made {
    let mut random = Random::new(12);
    let vector = random.floats(size, -1.0, 1.0);
    let (mut starts, mut columns, mut values, mut expected) = (vec![0u32], Vec::new(), Vec::new(), Vec::new());
    for _ in 0..size {
        let mut sum = 0.0f32;
        for _ in 0..1 + random.next_u32() % 31 {
            let column = random.next_u32() as usize % size;
            let value = random.between(-1.0, 1.0);
            sum += value * vector[column];
            columns.push(column as u32);
            values.push(value);
        }
        starts.push(columns.len() as u32);
        expected.push(sum);
    }
    let mut kernel = session.kernel(kernels::SPMV, "spmv")?;
    let out = Buffer::new(&session.context, size)?;
    kernel.set_buffer(0, &out)?;
    kernel.give_buffer(1, Buffer::from_slice(&session.context, &starts)?)?;
    kernel.give_buffer(2, Buffer::from_slice(&session.context, &columns)?)?;
    kernel.give_buffer(3, Buffer::from_slice(&session.context, &values)?)?;
    kernel.give_buffer(4, Buffer::from_slice(&session.context, &vector)?)?;
    Ok(Box::new(Sparse { kernel, out, entries: values.len(), expected }))
}

impl Workload for Sparse {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, [self.out.len()], None)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        check::close("out", &session.queue.read(&self.out)?, &self.expected, 1e-5)
    }

    fn work(&self) -> Work {
        Work { amount: 2.0 * self.entries as f64, unit: Unit::Flop }
    }
}
