//! The quick way through every float: kernels over consecutive bit patterns, results held against the host's functions.

use crate::format::Format;
use crate::measure::{BATCH, Found, SLACK, Subject, approximate, denormal, ordinary, part, screening};
use crate::reference::Reference;
use crate::samples::Random;
use crate::screen::{Screen, suspects};
use crate::table::{Allowed, Bound, Function, Judge};

/// Numbers that are looked at together: few enough for the fastest cache.
const CHUNK: usize = 1 << 11;

/// Shares of a bound that are larger by no more than this factor are not looked at again.
const GROWTH: f64 = 1.002;

/// A way through all floats, and room for a batch of them.
pub struct Quick {
    way: Way,
    inputs: Vec<f32>,
    results: Vec<f32>,
    wide: Vec<f64>,
    exact: Vec<f64>,
}

/// How the results of a float function of one operand are judged.
#[derive(Clone, Copy)]
enum Way {
    /// They are the host's.
    Same(fn(Format, &[f64]) -> f64),
    /// By units from the host's result in double.
    Units(Screen),
    /// By what is allowed around the host's result in double.
    Parts(Screen, Judge),
}

impl Quick {
    /// The way for a function, if there is one.
    pub fn of(function: &Function) -> Option<Quick> {
        let way = match (function.reference, function.bound(Format::Float)) {
            (Reference::Host(host), _) => Way::Same(host),
            (_, Bound::Relaxed(allowed, _)) => Way::Parts(approximate(function)?, allowed),
            _ => Way::Units(screening(function, Format::Float)?),
        };
        let room = || vec![0f32; BATCH as usize];
        Some(Quick { way, inputs: room(), results: room(), wide: vec![0.0; CHUNK], exact: vec![0.0; CHUNK] })
    }
}

/// Whether there is anything to hold a result to, whatever it is.
fn measured(allowed: Judge, x: f64) -> bool {
    ordinary(&[x], 0.0) && allowed(&[x]) != Allowed::Anything
}

impl Subject<'_> {
    /// A batch of consecutive floats, from the bit pattern `first`. MPFR judges what is doubtful, and one of the others.
    pub(crate) fn floats(
        &self,
        found: &mut Found,
        quick: &mut Quick,
        first: u32,
        random: &mut Random,
    ) -> Result<(), String> {
        let Quick { way, inputs, results, wide, exact } = quick;
        inputs.iter_mut().zip(first..=u32::MAX).for_each(|(input, bits)| *input = f32::from_bits(bits));
        self.kernels.run_floats(self.number, inputs, results)?;
        for (x, got) in inputs.chunks(CHUNK).zip(results.chunks(CHUNK)) {
            wide.iter_mut().zip(x).for_each(|(wide, x)| *wide = f64::from(*x));
            match *way {
                Way::Same(host) => self.same(found, host, wide, got),
                Way::Units(screen) => {
                    screen(wide, &[], exact);
                    self.units(found, wide, got, exact);
                }
                Way::Parts(_, allowed) if !wide.iter().any(|x| measured(allowed, *x)) => {}
                Way::Parts(screen, allowed) => {
                    screen(wide, &[], exact);
                    self.parts(found, allowed, wide, got, exact);
                }
            }
        }
        let one = random.next() as usize % results.len();
        self.note(found, &[f64::from(inputs[one])], self.result(results[one]));
        found.count += BATCH;
        Ok(())
    }

    /// A result as a number; an int's bits are in the float.
    fn result(&self, got: f32) -> f64 {
        if self.function.integer { f64::from(got.to_bits() as i32) } else { f64::from(got) }
    }

    fn same(&self, found: &mut Found, host: fn(Format, &[f64]) -> f64, x: &[f64], got: &[f32]) {
        for (x, got) in x.iter().zip(got) {
            let (got, right) = (self.result(*got), host(Format::Float, &[*x]));
            if got.to_bits() != right.to_bits() && !(got.is_nan() && right.is_nan()) {
                self.note(found, &[*x], got);
            }
        }
    }

    fn units(&self, found: &mut Found, x: &[f64], got: &[f32], exact: &[f64]) {
        if !suspects(got, exact, found.worst + SLACK) {
            return;
        }
        let flushing = matches!(self.function.bound(Format::Float), Bound::Flushed(_));
        for ((x, got), exact) in x.iter().zip(got).zip(exact) {
            let got = f64::from(*got);
            let flushed = flushing && (denormal(*exact) || denormal(*x));
            if !flushed && Format::Float.error(got, *exact) > found.worst + SLACK {
                self.note(found, &[*x], got);
            }
        }
    }

    fn parts(&self, found: &mut Found, allowed: Judge, x: &[f64], got: &[f32], exact: &[f64]) {
        for ((x, got), exact) in x.iter().zip(got).zip(exact) {
            if !ordinary(&[*x], *exact) {
                continue;
            }
            let got = f64::from(*got);
            let units = || Format::Float.error(got, *exact);
            let (error, _) = part(allowed(&[*x]), units, (got - exact).abs(), *exact);
            // What is no number is not at most anything.
            let small = error <= found.worst * GROWTH;
            if !small {
                self.note(found, &[*x], got);
            }
        }
    }
}
