//! Workloads with library functions: option prices by formula and by simulation.

use oxicl_client::{Buffer, Kernel};

use super::{Made, Unit, Work, Workload, check};
use crate::{Failure, Random, Session, kernels};

struct BlackScholes {
    kernel: Kernel,
    call: Buffer<f32>,
    put: Buffer<f32>,
    expected: [Vec<f32>; 2],
}

const RATE: f32 = 0.02;
const VOLATILITY: f32 = 0.3;

/// The prices of `size` options.
pub fn black_scholes(session: &Session, size: usize) -> Made {
    let mut random = Random::new(6);
    let price = random.floats(size, 5.0, 30.0);
    let strike = random.floats(size, 1.0, 100.0);
    let years = random.floats(size, 0.25, 10.0);
    let mut kernel = session.kernel(kernels::BLACK_SCHOLES, "black_scholes")?;
    let call = Buffer::new(&session.context, size)?;
    let put = Buffer::new(&session.context, size)?;
    kernel.set_buffer(0, &call)?;
    kernel.set_buffer(1, &put)?;
    kernel.give_buffer(2, Buffer::from_slice(&session.context, &price)?)?;
    kernel.give_buffer(3, Buffer::from_slice(&session.context, &strike)?)?;
    kernel.give_buffer(4, Buffer::from_slice(&session.context, &years)?)?;
    kernel.set(5, RATE)?;
    kernel.set(6, VOLATILITY)?;
    let mut expected = [Vec::with_capacity(size), Vec::with_capacity(size)];
    for ((s, x), t) in price.iter().zip(&strike).zip(&years) {
        let (call, put) = formula(f64::from(*s), f64::from(*x), f64::from(*t));
        expected[0].push(call as f32);
        expected[1].push(put as f32);
    }
    Ok(Box::new(BlackScholes { kernel, call, put, expected }))
}

fn normal(d: f64) -> f64 {
    let k = 1.0 / (1.0 + 0.2316419 * d.abs());
    let sum = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    let tail = 0.39894228 * (-0.5 * d * d).exp() * sum;
    if d > 0.0 { 1.0 - tail } else { tail }
}

fn formula(s: f64, x: f64, t: f64) -> (f64, f64) {
    let (rate, volatility) = (f64::from(RATE), f64::from(VOLATILITY));
    let d1 = ((s / x).ln() + (rate + 0.5 * volatility * volatility) * t) / (volatility * t.sqrt());
    let d2 = d1 - volatility * t.sqrt();
    let discount = x * (-rate * t).exp();
    let (n1, n2) = (normal(d1), normal(d2));
    (s * n1 - discount * n2, discount * (1.0 - n2) - s * (1.0 - n1))
}

impl Workload for BlackScholes {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, [self.call.len()], None)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        check::close("call", &session.queue.read(&self.call)?, &self.expected[0], 1e-4)?;
        check::close("put", &session.queue.read(&self.put)?, &self.expected[1], 1e-4)
    }

    fn work(&self) -> Work {
        Work { amount: self.call.len() as f64, unit: Unit::Each("options") }
    }
}

struct MonteCarlo {
    kernel: Kernel,
    sums: Buffer<f64>,
    expected: Vec<f64>,
}

const PATHS: u32 = 256;

/// 256 simulated paths for each of `size` work-items.
pub fn monte_carlo(session: &Session, size: usize) -> Made {
    let (price, strike, drift, deviation) = (100.0f64, 105.0f64, -0.025f64, 0.3f64);
    let kernel = session.kernel(kernels::MONTE_CARLO, "monte_carlo")?;
    let sums = Buffer::new(&session.context, size)?;
    kernel.set_buffer(0, &sums)?;
    kernel.set(1, PATHS)?;
    kernel.set(2, price)?;
    kernel.set(3, strike)?;
    kernel.set(4, drift)?;
    kernel.set(5, deviation)?;
    let expected = (0..size as u64)
        .map(|item| {
            let mut state = (item + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let path = |_| {
                let radius = (-2.0 * uniform(&mut state).ln()).sqrt();
                let angle = std::f64::consts::TAU * uniform(&mut state);
                (price * (drift + deviation * radius * angle.cos()).exp() - strike).max(0.0)
            };
            (0..PATHS).map(path).sum()
        })
        .collect();
    Ok(Box::new(MonteCarlo { kernel, sums, expected }))
}

fn uniform(state: &mut u64) -> f64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    ((state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

impl Workload for MonteCarlo {
    fn enqueue(&self, session: &Session) -> Result<(), Failure> {
        Ok(session.queue.launch(&self.kernel, [self.sums.len()], None)?)
    }

    fn check(&self, session: &Session) -> Result<(), Failure> {
        for (index, (found, expected)) in session.queue.read(&self.sums)?.iter().zip(&self.expected).enumerate() {
            if (found - expected).abs() > 1e-9 * expected.abs().max(1.0) || found.is_nan() {
                return Err(Failure::Wrong(format!("sums[{index}] is {found}, not {expected}")));
            }
        }
        Ok(())
    }

    fn work(&self) -> Work {
        Work { amount: self.sums.len() as f64 * f64::from(PATHS), unit: Unit::Each("paths") }
    }
}
