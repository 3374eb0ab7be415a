//! Measures functions: kernels over many inputs, each result judged.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::format::Format;
use crate::kernel::{GROUP, Kernels};
use crate::pairs::Pairs;
use crate::quick::Quick;
use crate::reference::{Reference, Right};
use crate::samples::{Random, operands, special_operands};
use crate::screen::{CHUNK, Screen, screen};
use crate::table::{Allowed, Bound, Function, Second};

/// Errors that are larger by no more than this are not looked at again: many functions have errors that grow slowly with the
/// operand, and each would be the largest so far.
pub const SLACK: f64 = 0.0005;

/// Inputs of one run of a kernel.
pub(crate) const BATCH: u64 = 1 << 16;

/// Which inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// All combinations of special numbers, and so many samples.
    Samples(u64),
    /// Every bit pattern of the one operand, or of both operands of halves. Of ints beside halves, those of 16 bits.
    All,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The largest error, in the measure that the bound has.
    pub worst: f64,
    /// The same in units in the last place, where the bound is another.
    pub text: String,
    /// Inputs tried.
    pub count: u64,
    /// Results judged by MPFR, not only by the screening.
    pub judged: u64,
    /// Results beyond the bound.
    pub wrong: u64,
    /// The first of them.
    pub examples: Vec<String>,
}

impl Found {
    fn merge(&mut self, other: Found) {
        if other.worst > self.worst {
            self.worst = other.worst;
            self.text = other.text;
        }
        self.count += other.count;
        self.judged += other.judged;
        self.wrong += other.wrong;
        self.examples.extend(other.examples);
        self.examples.truncate(8);
    }
}

/// A judgement: the error in the bound's measure, and whether it is allowed.
struct Verdict {
    error: f64,
    allowed: bool,
    exact: f64,
}

pub(crate) fn denormal(x: f64) -> bool {
    x != 0.0 && x.abs() < f64::from(f32::MIN_POSITIVE)
}

/// Finite and normal, as floats.
pub(crate) fn ordinary(x: &[f64], exact: f64) -> bool {
    let normal = f64::from(f32::MIN_POSITIVE)..=f64::from(f32::MAX);
    let ordinary = |x: &f64| *x == 0.0 || normal.contains(&x.abs());
    x.iter().all(ordinary) && ordinary(&exact)
}

/// How much of what is allowed was used by a result that is so many units, and so much, from the exact one; and whether
/// that is allowed. Where anything is allowed that is measured, the error itself.
pub(crate) fn part(allowed: Allowed, units: impl FnOnce() -> f64, absolute: f64, exact: f64) -> (f64, bool) {
    let finite = |error: f64| if error.is_finite() { error } else { 0.0 };
    match allowed {
        Allowed::Anything => (0.0, true),
        Allowed::Ulps(limit) if limit.is_nan() => (0.0, true),
        Allowed::Ulps(limit) if limit.is_infinite() => (finite(units()), true),
        Allowed::Absolute(limit) if limit.is_infinite() => (finite(absolute / exact.abs().max(1.0)), true),
        Allowed::Ulps(limit) => {
            let error = units();
            (error / limit, error <= limit)
        }
        Allowed::Absolute(limit) => (absolute / limit, absolute <= limit),
    }
}

/// The screening that is precise enough for the function's bound, if there is one.
pub(crate) fn screening(function: &Function, format: Format) -> Option<Screen> {
    let units = matches!(function.bound(format), Bound::Ulps(_) | Bound::Flushed(_) | Bound::Open);
    if format == Format::Double || !units { None } else { approximate(function) }
}

/// The host's function in double.
pub(crate) fn approximate(function: &Function) -> Option<Screen> {
    let plain = |name: &str| format!("mpfr_{}", name.trim_start_matches("half_").trim_start_matches("native_"));
    match function.reference {
        Reference::Unary(name) | Reference::Binary(name) => screen(name),
        Reference::Real(_) => screen(&plain(&function.name)),
        _ => None,
    }
}

/// Whether all inputs are few enough to be tried: where MPFR judges each, a million takes seconds.
pub fn countable(function: &Function, format: Format) -> bool {
    match format {
        Format::Half => function.arity == 1 || (function.arity == 2 && Pairs::of(function).is_some()),
        Format::Float => function.arity == 1 && Quick::of(function).is_some(),
        Format::Double => false,
    }
}

/// A function's kernel and what to hold it to.
pub struct Subject<'a> {
    /// What is measured.
    pub function: &'a Function,
    /// In which format.
    pub format: Format,
    /// Where its kernel is.
    pub kernels: &'a Kernels,
    /// Its number there.
    pub number: usize,
}

impl Subject<'_> {
    /// Whether the function says anything about these inputs.
    fn applies(&self, x: &[f64]) -> bool {
        match self.function.name.as_str() {
            "fclamp" => !x.iter().any(|x| x.is_nan()) && x[1] <= x[2],
            "mix" => x.iter().all(|x| x.abs() <= 1.0) && x[2] >= 0.0,
            "smoothstep" => x.iter().all(|x| x.abs() <= 1.0) && x[1] - x[0] > 1e-3,
            // max and min of the common functions leave NaN open.
            "fmax_common" | "fmin_common" => !x.iter().any(|x| x.is_nan()),
            "lgamma_r (sign)" => !x[0].is_nan(),
            // The fast forms square what they get.
            name if name.starts_with("fast_") => x.iter().all(|x| *x == 0.0 || (2e-9..2e9).contains(&x.abs())),
            // A NaN beside a difference that overflows may give either.
            name if name.starts_with("distance") => {
                let (a, b) = x.split_at(x.len() / 2);
                !a.iter().zip(b).any(|(a, b)| (a - b).is_nan())
            }
            _ => true,
        }
    }

    fn judge(&self, x: &[f64], got: f64) -> Verdict {
        let (format, bound) = (self.format, self.function.bound(self.format));
        let format = if self.function.integer { Format::Double } else { format };
        let mut prescribed = false;
        let (error, exact, matches) = match self.function.reference.evaluate(self.format, x) {
            Right::Numbers(numbers) => {
                let same = |n: f64| {
                    (n.is_nan() && got.is_nan())
                        || n.to_bits() == got.to_bits()
                        || (self.function.zeros && n == 0.0 && got == 0.0)
                };
                let matches = numbers.iter().any(|n| same(*n));
                (if matches { 0.0 } else { f64::INFINITY }, numbers[0], matches)
            }
            Right::Real(real) => {
                let rounded = real.round(format);
                // Edge cases prescribe the result, not only how far it may be.
                let edge = self.function.arity <= 2 && !self.function.name.contains(" of ");
                let edge = edge && x.iter().any(|x| *x == 0.0 || x.is_infinite());
                prescribed = edge && real.error(format, rounded) == 0.0;
                let zeros = self.function.zeros && rounded == 0.0 && got == 0.0;
                let matches = zeros || rounded.to_bits() == got.to_bits() || (rounded.is_nan() && got.is_nan());
                (if zeros { 0.0 } else { real.error(format, got) }, real.double(), matches)
            }
        };
        let absolute = if error == 0.0 { 0.0 } else { (got - exact).abs() };
        match bound {
            Bound::Exact | Bound::Rounded => Verdict { error, allowed: matches, exact },
            Bound::Flushed(_) if x.iter().chain([&exact]).any(|x| denormal(*x)) => {
                Verdict { error: 0.0, allowed: true, exact }
            }
            Bound::Ulps(_) if prescribed => Verdict { error, allowed: matches, exact },
            Bound::Ulps(limit) | Bound::Flushed(limit) => Verdict { error, allowed: error <= limit, exact },
            Bound::Absolute(limit) => Verdict { error: absolute, allowed: absolute <= limit, exact },
            Bound::Products(limit) => {
                let largest = x.iter().fold(0f64, |m, x| m.max(x.abs()));
                // Neither overflow nor underflow is part of this bound.
                let top = format.max().min(1e300);
                let inside = largest * largest < top / 8.0
                    && largest * largest > 2f64.powi(format.least() + format.fraction() + 2);
                let units = if inside { absolute / (largest * largest * 2f64.powi(-format.fraction())) } else { 0.0 };
                Verdict { error: units, allowed: units <= limit, exact }
            }
            Bound::Open => Verdict { error: if exact.is_finite() { error } else { 0.0 }, allowed: true, exact },
            // Options and native_ forms assume that arguments and results are numbers, and may flush denormals.
            Bound::Relaxed(..) if !ordinary(x, exact) => Verdict { error: 0.0, allowed: true, exact },
            Bound::Relaxed(allowed, _) => {
                let (error, allowed) = part(allowed(x), || error, absolute, exact);
                Verdict { error, allowed, exact }
            }
            Bound::None => Verdict { error: 0.0, allowed: true, exact },
        }
    }

    pub(crate) fn note(&self, found: &mut Found, x: &[f64], got: f64) {
        if !self.applies(x) {
            return;
        }
        found.judged += 1;
        let verdict = self.judge(x, got);
        let describe = || {
            let arguments: Vec<String> = x.iter().map(|x| format!("{x:e}")).collect();
            format!("({}) gives {got:e}, exact is {:e}", arguments.join(", "), verdict.exact)
        };
        if verdict.error > found.worst {
            found.worst = verdict.error;
            found.text = describe();
        }
        if !verdict.allowed {
            found.wrong += 1;
            if found.examples.len() < 4 {
                found.examples.push(describe());
            }
        }
    }

    /// Runs the kernel and reads its results.
    fn run(&self, operands: &[Vec<f64>], output: &mut Vec<f64>) -> Result<(), String> {
        let count = operands[0].len();
        let padded = count.next_multiple_of(GROUP);
        let mut buffers = Vec::new();
        for (index, numbers) in operands.iter().enumerate() {
            let integer = index == 1 && self.function.second == Second::Integer;
            let size = if integer { 4 } else { self.format.size() };
            let mut bytes = vec![0u8; padded * size];
            for (slot, x) in bytes.chunks_exact_mut(size).zip(numbers) {
                if integer {
                    slot.copy_from_slice(&(*x as i32).to_le_bytes());
                } else {
                    self.format.write(slot, self.format.bits(*x));
                }
            }
            buffers.push(bytes);
        }
        let inputs: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
        let size = if self.function.integer { 4 } else { self.format.size() };
        let mut bytes = vec![0u8; padded * size];
        self.kernels.run(self.number, &inputs, &mut bytes, padded)?;
        output.clear();
        output.extend(bytes.chunks_exact(size).take(count).map(|b| {
            if self.function.integer {
                f64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            } else {
                self.format.read(b)
            }
        }));
        Ok(())
    }

    /// Judges results, by MPFR where the screening shows more than was found so far, and for one in 8,192.
    fn screened(&self, found: &mut Found, screen: Screen, operands: &[Vec<f64>], output: &[f64], random: &mut Random) {
        let count = output.len();
        let mut exact = vec![0.0; count];
        let none = Vec::new();
        let second = operands.get(1).unwrap_or(&none);
        for start in (0..count).step_by(CHUNK) {
            let end = (start + CHUNK).min(count);
            let y = second.get(start..end).unwrap_or(&[]);
            screen(&operands[0][start..end], y, &mut exact[start..end]);
        }
        let flushing = matches!(self.function.bound(self.format), Bound::Flushed(_));
        let mut next = random.next() as usize % 8192;
        for (i, (got, exact)) in output.iter().zip(&exact).enumerate() {
            let error = self.format.error(*got, *exact);
            let flushed = || flushing && (denormal(*exact) || operands.iter().any(|o| denormal(o[i])));
            if (error > found.worst + SLACK && !flushed()) || i == next {
                let x: Vec<f64> = operands.iter().map(|o| o[i]).collect();
                self.note(found, &x, *got);
                if i == next {
                    next += 1 + random.next() as usize % 16384;
                }
            }
        }
        found.count += count as u64;
    }

    fn batch(&self, found: &mut Found, operands: &[Vec<f64>], random: &mut Random) -> Result<(), String> {
        let mut output = Vec::new();
        self.run(operands, &mut output)?;
        match screening(self.function, self.format) {
            Some(screen) if output.len().is_multiple_of(4) && output.len() >= 4096 => {
                self.screened(found, screen, operands, &output, random);
            }
            _ => {
                for (i, got) in output.iter().enumerate() {
                    let x: Vec<f64> = operands.iter().map(|o| o[i]).collect();
                    self.note(found, &x, *got);
                }
                found.count += output.len() as u64;
            }
        }
        Ok(())
    }

    /// Measures with as many threads.
    ///
    /// # Errors
    /// If the kernel does not run.
    pub fn measure(&self, inputs: Inputs, threads: usize) -> Result<Found, String> {
        let bits = 8 * self.format.size() as u32 * self.function.arity as u32;
        let total = match inputs {
            Inputs::Samples(count) => count,
            Inputs::All => 1u64 << bits,
        };
        let mut special = Found::default();
        if inputs == Inputs::All && self.function.second == Second::Integer {
            // Ints of more than 16 bits.
            self.batch(&mut special, &self.sample(0, 0..0), &mut Random::new(7))?;
        }
        let (next, result) = (AtomicU64::new(0), Mutex::new(Ok(special)));
        let work = || {
            let mut found = Found::default();
            let mut random = Random::new(7);
            let mut quick = Quick::of(self.function);
            let mut pairs = Pairs::of(self.function);
            loop {
                let batch = next.fetch_add(1, Ordering::Relaxed);
                if batch * BATCH >= total {
                    return Ok(found);
                }
                let range = batch * BATCH..total.min((batch + 1) * BATCH);
                match (self.format, self.function.arity, inputs, &mut quick, &mut pairs) {
                    (Format::Float, 1, Inputs::All, Some(quick), _) => {
                        self.floats(&mut found, quick, range.start as u32, &mut random)?;
                        continue;
                    }
                    (Format::Half, 2, Inputs::All, _, Some(pairs)) => {
                        self.pairs(&mut found, pairs, batch as u16, &mut random)?;
                        continue;
                    }
                    _ => {}
                }
                let operands = match inputs {
                    Inputs::All => self.all(range),
                    Inputs::Samples(_) => self.sample(batch, range),
                };
                self.batch(&mut found, &operands, &mut random)?;
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let own: Result<Found, String> = work();
                    let mut all = result.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    match (&mut *all, own) {
                        (Ok(all), Ok(own)) => all.merge(own),
                        (Ok(_), Err(error)) => *all = Err(error),
                        (Err(_), _) => {}
                    }
                });
            }
        });
        result.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn all(&self, range: std::ops::Range<u64>) -> Vec<Vec<f64>> {
        let width = 8 * self.format.size() as u32;
        let quiet = |x: f64| if x.is_nan() { f64::NAN } else { x };
        (0..self.function.arity as u32)
            .map(|operand| {
                let number = |i: u64| quiet(self.format.number(i >> (operand * width) & self.format.mask()));
                range.clone().map(number).collect()
            })
            .collect()
    }

    fn sample(&self, batch: u64, range: std::ops::Range<u64>) -> Vec<Vec<f64>> {
        let mut random = Random::new(batch + 1);
        let mut calls = if batch == 0 { special_operands(self.function, self.format) } else { Vec::new() };
        let count = (range.end - range.start) as usize;
        calls.extend((0..count).map(|_| operands(&mut random, self.function, self.format)));
        (0..self.function.arity).map(|operand| calls.iter().map(|x| x[operand]).collect()).collect()
    }
}
