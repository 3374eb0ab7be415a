//! Every pair of halves, and every half with every int of 16 bits: results held against the host's arithmetic in double.

use crate::format::Format;
use crate::measure::{BATCH, Found, SLACK, Subject, screening};
use crate::reference::{Reference, quotient_of};
use crate::samples::Random;
use crate::screen::{Screen, rootn, screen, suspects_half};
use crate::table::{Bound, Function, Second};

/// Pairs that are looked at together: few enough for the fastest cache.
const CHUNK: usize = 1 << 11;

/// A way through all pairs, and room for the pairs with one second operand.
pub struct Pairs {
    way: Way,
    bits: Vec<u16>,
    numbers: Vec<f64>,
    second: Vec<u8>,
    results: Vec<u8>,
    exact: Vec<f64>,
}

/// How the results are judged.
#[derive(Clone, Copy)]
enum Way {
    /// They are the nearest halves to what is exact in double.
    Nearest(fn(f64, f64) -> f64),
    /// They are the host's.
    Same(fn(Format, &[f64]) -> f64),
    /// By units from the host's result in double.
    Units(Screen),
}

/// x / y's whole part in double: a quotient of halves has so few digits that it is never rounded across a whole number, or
/// across a half.
fn whole(x: f64, y: f64, to: fn(f64) -> f64) -> f64 {
    to(x / y)
}

/// What is left of x after so many y, exactly.
fn rest(x: f64, y: f64, to: fn(f64) -> f64) -> f64 {
    if x.is_finite() && y.is_infinite() {
        return x;
    }
    let rest = x - whole(x, y, to) * y;
    if rest == 0.0 { rest.copysign(x) } else { rest }
}

fn difference(x: f64, y: f64) -> f64 {
    if x <= y { 0.0 } else { x - y }
}

/// The same to more places than a half has, beyond both its ends.
fn scaled(x: f64, n: f64) -> f64 {
    x * f64::from_bits(((n.clamp(-99.0, 99.0) + 1023.0) as u64) << 52)
}

fn way(function: &Function) -> Option<Way> {
    Some(match (function.name.as_str(), function.reference) {
        ("OpFAdd", _) => Way::Nearest(|x, y| x + y),
        ("OpFSub", _) => Way::Nearest(|x, y| x - y),
        ("OpFMul", _) => Way::Nearest(|x, y| x * y),
        ("fmod", _) => Way::Nearest(|x, y| rest(x, y, f64::trunc)),
        ("remainder" | "remquo", _) => Way::Nearest(|x, y| rest(x, y, f64::round_ties_even)),
        ("remquo (quotient)", _) => Way::Same(|_, x| quotient_of(x, whole(x[0], x[1], f64::round_ties_even) as i64)),
        ("fdim", _) => Way::Nearest(difference),
        ("ldexp", _) => Way::Nearest(scaled),
        ("pown", _) => Way::Units(screen("mpfr_pow")?),
        ("rootn", _) => Way::Units(screen("mpfr_pow").and(Some(rootn as Screen))?),
        (_, Reference::Host(host)) => Way::Same(host),
        _ => Way::Units(screening(function, Format::Half)?),
    })
}

impl Pairs {
    /// The way for a function of two operands, if there is one.
    pub fn of(function: &Function) -> Option<Pairs> {
        if function.arity != 2 || matches!(function.bound(Format::Half), Bound::None) {
            return None;
        }
        let width = |integer: bool| if integer { 4 } else { 2 };
        Some(Pairs {
            way: way(function)?,
            bits: (0..=u16::MAX).collect(),
            numbers: (0..BATCH).map(|bits| Format::Half.number(bits)).collect(),
            second: vec![0; BATCH as usize * width(function.second == Second::Integer)],
            results: vec![0; BATCH as usize * width(function.integer)],
            exact: vec![0.0; CHUNK],
        })
    }
}

impl Subject<'_> {
    /// Every half with one second operand: the half of these bits, or this int. MPFR judges what is doubtful, and one of
    /// the others.
    pub(crate) fn pairs(
        &self,
        found: &mut Found,
        pairs: &mut Pairs,
        y: u16,
        random: &mut Random,
    ) -> Result<(), String> {
        let Pairs { way, bits, numbers, second, results, exact } = pairs;
        let number = if self.function.second == Second::Integer {
            let int = i32::from(y as i16);
            second.chunks_exact_mut(4).for_each(|slot| slot.copy_from_slice(&int.to_le_bytes()));
            f64::from(int)
        } else {
            second.chunks_exact_mut(2).for_each(|slot| slot.copy_from_slice(&y.to_le_bytes()));
            Format::Half.number(u64::from(y))
        };
        self.kernels.run_halves(self.number, bits, second, results)?;
        let size = results.len() / bits.len();
        let seconds = [number; CHUNK];
        for (x, got) in numbers.chunks(CHUNK).zip(results.chunks(size * CHUNK)) {
            match *way {
                Way::Nearest(function) => self.matching(found, x, number, got, |x| function(x, number)),
                Way::Same(host) => self.matching(found, x, number, got, |x| host(Format::Half, &[x, number])),
                Way::Units(screen) => {
                    screen(x, &seconds, exact);
                    self.near(found, x, number, got, exact);
                }
            }
        }
        let one = random.next() as usize % numbers.len();
        self.note(found, &[numbers[one], number], self.result_of_halves(&results[one * size..]));
        found.count += BATCH;
        Ok(())
    }

    fn result_of_halves(&self, bytes: &[u8]) -> f64 {
        match *bytes {
            [a, b, c, d, ..] if self.function.integer => f64::from(i32::from_le_bytes([a, b, c, d])),
            _ => Format::Half.read(bytes),
        }
    }

    fn matching(&self, found: &mut Found, x: &[f64], y: f64, got: &[u8], right: impl Fn(f64) -> f64) {
        let size = got.len() / x.len();
        let rounded = !self.function.integer;
        for (x, got) in x.iter().zip(got.chunks_exact(size)) {
            let right = right(*x);
            let same = if rounded {
                let (bits, right_bits) = (u16::from_le_bytes([got[0], got[1]]), Format::Half.bits(right) as u16);
                let zeros = self.function.zeros && (bits | right_bits) & 0x7fff == 0;
                bits == right_bits || zeros || (right.is_nan() && bits & 0x7fff > 0x7c00)
            } else {
                self.result_of_halves(got) == right
            };
            if !same {
                self.note(found, &[*x, y], self.result_of_halves(got));
            }
        }
    }

    fn near(&self, found: &mut Found, x: &[f64], y: f64, got: &[u8], exact: &[f64]) {
        let bits: [u16; CHUNK] = std::array::from_fn(|i| u16::from_le_bytes([got[2 * i], got[2 * i + 1]]));
        if !suspects_half(&bits, exact, found.worst + SLACK) {
            return;
        }
        for ((x, got), exact) in x.iter().zip(bits).zip(exact) {
            let got = Format::Half.number(u64::from(got));
            if Format::Half.error(got, *exact) > found.worst + SLACK {
                self.note(found, &[*x, y], got);
            }
        }
    }
}
