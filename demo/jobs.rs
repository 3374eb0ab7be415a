//! The jobs whose kernels the benches have too: N-body and the tiled matrix product.

use std::time::{Duration, Instant};

use oxicl_benches::workloads::{close, matmul_reference, nbody_reference};
use oxicl_benches::{Failure, Random, Session, kernels};
use oxicl_client::{Buffer, Kernel, Program};

use crate::Job;

/// Side of a tile of `matmul_tiled`.
const TILE: usize = 16;

/// One step of N-body.
#[derive(Debug)]
pub struct NBody {
    kernel: Kernel,
    start: Vec<[f32; 4]>,
    position: Buffer<[f32; 4]>,
    velocity: Buffer<[f32; 4]>,
    expected: Vec<[f32; 4]>,
}

const STEP: f32 = 0.01;
const SOFTENING: f32 = 0.01;

/// An N-body step of `count` bodies from rest, and how long its build took.
pub fn n_body(session: &Session, count: usize) -> Result<(NBody, Duration), Failure> {
    let clock = Instant::now();
    let mut kernel = Program::build(&session.context, kernels::NBODY.at(session.level), "")?.kernel("nbody")?;
    let build = clock.elapsed();
    let mut random = Random::new(1);
    let start: Vec<[f32; 4]> = (0..count)
        .map(|_| {
            let [x, y, z] = [(); 3].map(|()| random.between(-1.0, 1.0));
            [x, y, z, 1.0 / count as f32]
        })
        .collect();
    let (position, velocity) = (Buffer::new(&session.context, count)?, Buffer::new(&session.context, count)?);
    kernel.set_buffer(0, &position)?;
    kernel.set_buffer(1, &velocity)?;
    kernel.give_buffer(2, Buffer::from_slice(&session.context, &start)?)?;
    kernel.set(3, count as i32)?;
    kernel.set(4, STEP)?;
    kernel.set(5, SOFTENING)?;
    Ok((NBody { kernel, start, position, velocity, expected: Vec::new() }, build))
}

impl Job for NBody {
    fn name(&self) -> String {
        format!("n-body step, {} bodies", self.start.len())
    }

    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        session.queue.fill(&self.velocity, [0.0; 4])?;
        Ok(session.queue.launch(&self.kernel, [self.start.len()], None)?)
    }

    fn on_host(&mut self) {
        self.expected = nbody_reference(&self.start, STEP, SOFTENING);
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        let found = session.queue.read(&self.position)?;
        close("position", found.as_flattened(), self.expected.as_flattened(), 1e-5)
    }

    fn work(&self) -> (f64, &'static str) {
        (20.0 * (self.start.len() as f64).powi(2), "FLOP")
    }
}

/// The product of two square matrices through tiles in local memory.
#[derive(Debug)]
pub struct Product {
    kernel: Kernel,
    side: usize,
    factors: [Vec<f32>; 2],
    out: Buffer<f32>,
    expected: Vec<f32>,
}

/// A product of matrices of `side` rows, and how long its build took.
pub fn matrix_product(session: &Session, side: usize) -> Result<(Product, Duration), Failure> {
    let clock = Instant::now();
    let mut kernel = Program::build(&session.context, kernels::MATMUL.at(session.level), "")?.kernel("matmul_tiled")?;
    let build = clock.elapsed();
    let mut random = Random::new(2);
    let factors = [random.floats(side * side, -1.0, 1.0), random.floats(side * side, -1.0, 1.0)];
    let out = Buffer::new(&session.context, side * side)?;
    kernel.set_buffer(0, &out)?;
    kernel.give_buffer(1, Buffer::from_slice(&session.context, &factors[0])?)?;
    kernel.give_buffer(2, Buffer::from_slice(&session.context, &factors[1])?)?;
    kernel.set(3, side as i32)?;
    Ok((Product { kernel, side, factors, out, expected: Vec::new() }, build))
}

impl Job for Product {
    fn name(&self) -> String {
        format!("tiled matrix product, {0}x{0}", self.side)
    }

    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        let padded = self.side.next_multiple_of(TILE);
        Ok(session.queue.launch(&self.kernel, [padded, padded], Some([TILE, TILE]))?)
    }

    fn on_host(&mut self) {
        self.expected = matmul_reference(&self.factors[0], &self.factors[1], self.side);
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        close("c", &session.queue.read(&self.out)?, &self.expected, 1e-4)
    }

    fn work(&self) -> (f64, &'static str) {
        (2.0 * (self.side as f64).powi(3), "FLOP")
    }
}
