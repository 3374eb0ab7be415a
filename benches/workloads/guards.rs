//! Kernels with a guard, each beside the same kernel without one: what the guard costs in work-groups of several
//! shapes.

use oxicl_client::{Buffer, Kernel};

use super::{Made, Row, Unit, Work, Workload, check};
use crate::{Failure, Random, Session, kernels};

/// What a kernel does, and its names without a guard and with one.
struct Case {
    names: [&'static str; 2],
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Copies cells of so many bytes.
    Copy(usize),
    Saxpy,
    /// Sums of the neighbours along so many axes.
    Star(usize),
}

const CASES: [Case; 7] = [
    Case { names: ["copy_float_plain", "copy_float_guarded"], kind: Kind::Copy(4) },
    Case { names: ["copy_short_plain", "copy_short_guarded"], kind: Kind::Copy(2) },
    Case { names: ["copy_uchar_plain", "copy_uchar_guarded"], kind: Kind::Copy(1) },
    Case { names: ["copy_uchar3_plain", "copy_uchar3_guarded"], kind: Kind::Copy(3) },
    Case { names: ["saxpy_plain", "saxpy_guarded"], kind: Kind::Saxpy },
    Case { names: ["stencil_plain", "stencil_guarded"], kind: Kind::Star(2) },
    Case { names: ["stencil_3d_plain", "stencil_3d_guarded"], kind: Kind::Star(3) },
];

/// Sizes of work-groups along x and y; the last is left to the driver.
const SHAPES: [Option<[usize; 2]>; 4] = [Some([16, 16]), Some([8, 8]), Some([64, 1]), None];

struct Guarded {
    kernel: Kernel,
    out: Buffer<u8>,
    /// Work-items, and those of a work-group.
    global: [usize; 3],
    local: Option<[usize; 3]>,
    bytes: usize,
    expected: Vec<u8>,
    kind: Kind,
}

/// The kernel `CASE` for about `size` by `size` work-items in work-groups of a shape. A plain one has whole work-groups
/// only.
fn make<const CASE: usize, const GUARDED: bool, const SHAPE: usize>(session: &Session, size: usize) -> Made {
    let case = &CASES[CASE];
    let size = if GUARDED { size } else { size.next_multiple_of(64) };
    let items = match case.kind {
        Kind::Copy(_) | Kind::Star(2) => [size, size, 1],
        Kind::Saxpy => [size * size, 1, 1],
        Kind::Star(_) if GUARDED => [size.div_ceil(4), size.div_ceil(16), size.div_ceil(16)],
        Kind::Star(_) => {
            [size.div_ceil(4).next_multiple_of(64), size.div_ceil(16).next_multiple_of(16), size.div_ceil(16)]
        }
    };
    let local = SHAPES[SHAPE].map(|[x, y]| if case.kind == Kind::Saxpy { [x * y, 1, 1] } else { [x, y, 1] });
    // Without a guard there is a border around the work-items' cells.
    let border = |axis: usize| if matches!(case.kind, Kind::Star(axes) if !GUARDED && axis < axes) { 2 } else { 0 };
    let field = [0, 1, 2].map(|axis| items[axis] + border(axis));
    let global = match local {
        Some(local) => [0, 1, 2].map(|axis| items[axis].next_multiple_of(local[axis])),
        None => items,
    };
    let (input, expected, bytes) = data(case.kind, field);
    let mut kernel = session.kernel(kernels::GUARDS, case.names[usize::from(GUARDED)])?;
    let out = Buffer::from_slice(&session.context, &vec![0u8; expected.len()])?;
    kernel.set_buffer(0, &out)?;
    kernel.give_buffer(1, Buffer::from_slice(&session.context, &input)?)?;
    for (index, extent) in (2..).zip(field) {
        kernel.set(index, extent as i32)?;
    }
    Ok(Box::new(Guarded { kernel, out, global, local, bytes, expected, kind: case.kind }))
}

/// The input, the expected output, and the bytes that a work-item reads and writes.
fn data(kind: Kind, field: [usize; 3]) -> (Vec<u8>, Vec<u8>, usize) {
    let (mut random, cells) = (Random::new(7), field.iter().product::<usize>());
    let bytes_of = |numbers: &[f32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    match kind {
        Kind::Copy(bytes) => {
            let input: Vec<u8> = (0..cells * bytes).map(|_| random.next_u32() as u8).collect();
            (input.clone(), input, 2 * bytes)
        }
        Kind::Saxpy => {
            let input = random.floats(2 * cells, -1.0, 1.0);
            let (x, y) = input.split_at(cells);
            let expected: Vec<f32> = x.iter().zip(y).map(|(x, y)| 2.5 * x + y).collect();
            (bytes_of(&input), bytes_of(&expected), 12)
        }
        Kind::Star(axes) => {
            let input = random.floats(cells, 0.0, 1.0);
            let steps = [1, field[0], field[0] * field[1]];
            let own = if axes == 2 { 0.5 } else { 0.25 };
            let cell = |at: usize| {
                let place = [at % field[0], at / field[0] % field[1], at / (field[0] * field[1])];
                let inside = (0..axes).all(|axis| place[axis] > 0 && place[axis] + 1 < field[axis]);
                let around = |axis: usize| input[at - steps[axis]] + input[at + steps[axis]];
                if inside { own * input[at] + 0.125 * (0..axes).map(around).sum::<f32>() } else { 0.0 }
            };
            (bytes_of(&input), bytes_of(&(0..cells).map(cell).collect::<Vec<f32>>()), 8)
        }
    }
}

impl Workload for Guarded {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, self.global, self.local)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        let found = session.queue.read(&self.out)?;
        if let Kind::Copy(_) = self.kind {
            return check::equal("out", &found, &self.expected);
        }
        let [found, expected] = [&found, &self.expected].map(|bytes| {
            let words = bytes.chunks_exact(4).map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]]));
            words.collect::<Vec<_>>()
        });
        check::close("out", &found, &expected, 1e-6)
    }

    fn work(&self) -> Work {
        Work { amount: self.bytes as f64 * self.global.iter().product::<usize>() as f64, unit: Unit::Byte }
    }
}

macro_rules! rows {
    ($($case:literal: $name:literal,)*) => {
        /// Kernels with guards and without, each in work-groups of four shapes.
        pub const GUARDS: &[Row] = &[$(
            row::<$case, false, 0>(concat!("plain ", $name, ", 16x16")),
            row::<$case, true, 0>(concat!("guarded ", $name, ", 16x16")),
            row::<$case, false, 1>(concat!("plain ", $name, ", 8x8")),
            row::<$case, true, 1>(concat!("guarded ", $name, ", 8x8")),
            row::<$case, false, 2>(concat!("plain ", $name, ", 64x1")),
            row::<$case, true, 2>(concat!("guarded ", $name, ", 64x1")),
            row::<$case, false, 3>(concat!("plain ", $name, ", any")),
            row::<$case, true, 3>(concat!("guarded ", $name, ", any")),
        )*];
    };
}

const fn row<const CASE: usize, const GUARDED: bool, const SHAPE: usize>(name: &'static str) -> Row {
    Row { name, make: make::<CASE, GUARDED, SHAPE>, size: 1024, odd_sizes: &[1, 5, 67, 130] }
}

rows! {
    0: "float copy",
    1: "short copy",
    2: "uchar copy",
    3: "uchar3 copy",
    4: "saxpy",
    5: "stencil",
    6: "3-d stencil",
}
