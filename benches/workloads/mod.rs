//! The workloads, a file per field, and the table of them.

mod check;
mod dense;
mod edges;
mod finance;
mod guards;
mod images;
mod launches;
mod local;
mod pictures;
mod streams;
mod words;

pub use check::{close, close_or_few, equal};
pub use dense::{matmul_reference, nbody_reference};
pub use edges::EDGES;
pub use guards::GUARDS;

use crate::{Failure, Session};

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Floating-point operations.
    Flop,
    /// Bytes read and written.
    Byte,
    /// Elements of the problem, named.
    Each(&'static str),
    /// No rate: the figure is the time itself, per named thing.
    Time(&'static str),
}

/// The work of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// How much.
    pub amount: f64,
    /// Of what.
    pub unit: Unit,
}

/// A kernel with its data.
pub trait Workload {
    /// Enqueues one run.
    fn enqueue(&self, session: &Session) -> Result<(), Failure>;

    /// Compares what a run left, after one or more runs, with the host's result.
    fn check(&self, session: &Session) -> Result<(), Failure>;

    /// The work of one run.
    fn work(&self) -> Work;
}

/// A workload with its data on the device.
pub type Made = Result<Box<dyn Workload>, Failure>;

/// A row of the table.
pub struct Row {
    /// A name for tables and filters.
    pub name: &'static str,
    /// Makes the workload for a size, whose meaning is the workload's.
    pub make: fn(&Session, usize) -> Made,
    /// The size that is measured.
    pub size: usize,
    /// Sizes that tests run: small, and no multiple of anything where the kernel allows it.
    pub odd_sizes: &'static [usize],
}

/// The workloads that are measured if no rows are named.
pub const TABLE: &[Row] = &[
    Row { name: "stream triad", make: streams::triad, size: 1 << 24, odd_sizes: &[1, 7, 1009, 65_537] },
    Row { name: "matrix product, naive", make: dense::naive, size: 512, odd_sizes: &[1, 3, 37, 101] },
    Row { name: "matrix product, tiled", make: dense::tiled, size: 512, odd_sizes: &[1, 15, 17, 101] },
    Row { name: "n-body", make: dense::nbody, size: 8192, odd_sizes: &[1, 13, 509] },
    Row { name: "half-precision chain", make: dense::half_chain, size: 1 << 17, odd_sizes: &[1, 13, 1009] },
    Row { name: "mandelbrot", make: pictures::mandelbrot, size: 1024, odd_sizes: &[1, 17, 131] },
    Row { name: "black-scholes", make: finance::black_scholes, size: 1 << 22, odd_sizes: &[1, 9, 4099] },
    Row { name: "reduction", make: local::reduce, size: 1 << 24, odd_sizes: &[1, 255, 257, 100_003] },
    Row { name: "histogram", make: local::histogram, size: 1 << 24, odd_sizes: &[1, 255, 257, 100_003] },
    Row { name: "5-point stencil", make: streams::stencil, size: 4096, odd_sizes: &[1, 2, 3, 129] },
    Row { name: "transpose", make: local::transpose, size: 4096, odd_sizes: &[1, 15, 33, 127] },
    Row { name: "bitonic sort", make: words::bitonic, size: 1 << 20, odd_sizes: &[2, 3, 1000, 4097] },
    Row { name: "sha-256", make: words::sha256, size: 1 << 18, odd_sizes: &[1, 63, 1001] },
    Row { name: "sparse matrix-vector", make: words::spmv, size: 1 << 18, odd_sizes: &[1, 19, 1003] },
    Row { name: "monte carlo, double", make: finance::monte_carlo, size: 1 << 12, odd_sizes: &[1, 5, 67] },
    Row { name: "fft, local memory", make: local::fft, size: 1 << 11, odd_sizes: &[1, 3, 17] },
    Row { name: "ray marcher", make: pictures::raymarch, size: 512, odd_sizes: &[1, 31, 97] },
    Row { name: "resize, bilinear RGBA8", make: images::resize, size: 1024, odd_sizes: &[1, 17, 131] },
    Row { name: "blur 3x3, RGBA8", make: images::blur, size: 1024, odd_sizes: &[1, 17, 131] },
    Row { name: "trilinear, 3D float", make: images::trilinear, size: 96, odd_sizes: &[1, 5, 33] },
    Row { name: "image copy, kernel", make: images::copy, size: 2048, odd_sizes: &[1, 17, 131] },
    Row { name: "image to buffer, kernel", make: images::to_buffer, size: 2048, odd_sizes: &[1, 17, 131] },
    Row { name: "image copy", make: images::copied, size: 4096, odd_sizes: &[1, 17, 131] },
    Row { name: "image to buffer", make: images::copied_to_buffer, size: 4096, odd_sizes: &[1, 17, 131] },
    Row { name: "copy buffer", make: streams::copy, size: 1 << 26, odd_sizes: &[1, 4097, 100_003] },
    Row { name: "fill buffer", make: streams::fill, size: 1 << 26, odd_sizes: &[4, 4100, 100_004] },
    Row { name: "empty, batched launch", make: launches::batched, size: 1000, odd_sizes: &[3] },
    Row { name: "empty, launch and wait", make: launches::waited, size: 1000, odd_sizes: &[3] },
    Row { name: "empty, work-group of one", make: launches::groups_of_one, size: 1_000_000, odd_sizes: &[1001] },
    Row { name: "work-group of one, barrier", make: local::group_of_one, size: 1_000_000, odd_sizes: &[1, 1001] },
    Row { name: "work-group of four", make: local::group_of_four, size: 250_000, odd_sizes: &[1, 7, 1001] },
];
