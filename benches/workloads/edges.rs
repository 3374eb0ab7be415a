//! Kernels that leave out edges or treat them apart, for numbers of one to eight bytes.

use oxicl_client::{Buffer, Kernel};

use super::{Made, Row, Unit, Work, Workload, check};
use crate::{Failure, Random, Session, kernels};

/// A kind of number, by its name in the kernels.
struct Type {
    name: &'static str,
    bytes: usize,
    /// The bytes of a number, which wraps if there is not enough room for it.
    write: fn(i64) -> [u8; 8],
}

const TYPES: [Type; 4] = [
    Type { name: "uchar", bytes: 1, write: i64::to_le_bytes },
    Type { name: "short", bytes: 2, write: i64::to_le_bytes },
    Type { name: "float", bytes: 4, write: |number| u64::from((number as f32).to_bits()).to_le_bytes() },
    Type { name: "double", bytes: 8, write: |number| (number as f64).to_le_bytes() },
];

/// A kernel: its name, the dimensions of its range, its work-groups, and its result at a place.
struct Case {
    name: &'static str,
    dimensions: usize,
    local: [usize; 3],
    result: fn(&Field, [usize; 3]) -> i64,
}

const CASES: [Case; 5] = [
    Case { name: "tail", dimensions: 1, local: [256, 1, 1], result: |field, place| 3 * field.at(place, [0; 3]) + 1 },
    Case {
        name: "border",
        dimensions: 2,
        local: [16, 16, 1],
        result: |field, place| match field.is_inside(place, 2) {
            true => field.at(place, [0; 3]) + field.around(place, 2),
            false => field.at(place, [0; 3]),
        },
    },
    Case {
        name: "inside",
        dimensions: 2,
        local: [64, 4, 1],
        result: |field, place| match field.is_inside(place, 2) {
            true => field.around(place, 1),
            false => 0,
        },
    },
    Case { name: "clamped", dimensions: 2, local: [32, 8, 1], result: |field, place| field.around(place, 2) },
    Case {
        name: "solid",
        dimensions: 3,
        local: [8, 8, 4],
        result: |field, place| match field.is_inside(place, 3) {
            true => field.at(place, [0; 3]) + field.around(place, 3),
            false => 0,
        },
    },
];

/// Numbers in three dimensions.
struct Field {
    size: [usize; 3],
    numbers: Vec<i64>,
}

impl Field {
    /// The number that lies `steps` from a place along each dimension; beyond the border, that of the border.
    fn at(&self, place: [usize; 3], steps: [isize; 3]) -> i64 {
        let [x, y, z] = [0, 1, 2].map(|axis| place[axis].saturating_add_signed(steps[axis]).min(self.size[axis] - 1));
        self.numbers[(z * self.size[1] + y) * self.size[0] + x]
    }

    /// The sum of the neighbours along the first `axes` axes.
    fn around(&self, place: [usize; 3], axes: usize) -> i64 {
        let step = |axis: usize, by: isize| [0, 1, 2].map(|other| if other == axis { by } else { 0 });
        (0..axes).map(|axis| self.at(place, step(axis, -1)) + self.at(place, step(axis, 1))).sum()
    }

    /// Whether a place is not at the border along the first `axes` axes.
    fn is_inside(&self, place: [usize; 3], axes: usize) -> bool {
        (0..axes).all(|axis| place[axis] > 0 && place[axis] + 1 < self.size[axis])
    }
}

struct Edges {
    kernel: Kernel,
    out: Buffer<u8>,
    global: [usize; 3],
    local: [usize; 3],
    expected: Vec<u8>,
}

/// The kernel `CASE` for numbers of the kind `TYPE`, about `size` by `size` of them, in work-groups that do not divide
/// the range.
fn make<const CASE: usize, const TYPE: usize>(session: &Session, size: usize) -> Made {
    let (case, number) = (&CASES[CASE], &TYPES[TYPE]);
    let size = match case.dimensions {
        1 => [size * size + 1, 1, 1],
        2 => [size + 1, size.max(2), 1],
        _ => [size.div_ceil(4) + 1, size.div_ceil(16) + 2, size.div_ceil(16) + 3],
    };
    let mut random = Random::new(11);
    let field =
        Field { size, numbers: (0..size.iter().product()).map(|_| i64::from(random.next_u32() % 100)).collect() };
    let bytes = |numbers: &[i64]| -> Vec<u8> {
        numbers.iter().flat_map(|value| (number.write)(*value).into_iter().take(number.bytes)).collect()
    };
    let places = (0..field.numbers.len()).map(|at| [at % size[0], at / size[0] % size[1], at / (size[0] * size[1])]);
    let expected = bytes(&places.map(|place| (case.result)(&field, place)).collect::<Vec<_>>());
    let mut kernel = session.kernel(kernels::EDGES, &format!("{}_{}", case.name, number.name))?;
    let out = Buffer::from_slice(&session.context, &vec![0u8; expected.len()])?;
    kernel.set_buffer(0, &out)?;
    kernel.give_buffer(1, Buffer::from_slice(&session.context, &bytes(&field.numbers))?)?;
    for (index, side) in (2..).zip(size) {
        kernel.set(index, side as i32)?;
    }
    let global = [0, 1, 2].map(|axis| size[axis].next_multiple_of(case.local[axis]));
    Ok(Box::new(Edges { kernel, out, global, local: case.local, expected }))
}

impl Workload for Edges {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, self.global, Some(self.local))?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        // All numbers are small integers, so that results are exact.
        check::equal("out", &session.queue.read(&self.out)?, &self.expected)
    }

    fn work(&self) -> Work {
        Work { amount: 2.0 * self.expected.len() as f64, unit: Unit::Byte }
    }
}

macro_rules! rows {
    ($($case:literal: $name:literal,)*) => {
        /// Kernels with edges, each for four kinds of numbers.
        pub const EDGES: &[Row] = &[$(
            row::<$case, 0>(concat!("edges, ", $name, ", uchar")),
            row::<$case, 1>(concat!("edges, ", $name, ", short")),
            row::<$case, 2>(concat!("edges, ", $name, ", float")),
            row::<$case, 3>(concat!("edges, ", $name, ", double")),
        )*];
    };
}

const fn row<const CASE: usize, const TYPE: usize>(name: &'static str) -> Row {
    Row { name, make: make::<CASE, TYPE>, size: 1024, odd_sizes: &[1, 5, 67, 130] }
}

rows! {
    0: "tail",
    1: "border",
    2: "inside",
    3: "clamped",
    4: "solid",
}
