//! Inputs: what is special in every format, what is hard, and much else.

use crate::format::Format;
use crate::table::{Function, Second};

/// A reproducible source of numbers (xorshift).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A source that depends on the seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d | 1);
        for _ in 0..4 {
            random.next();
        }
        random
    }

    /// The next 64 bits.
    #[allow(clippy::should_implement_trait, reason = "it is endless")]
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / 9_007_199_254_740_992.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 32) as usize % n
    }
}

/// Points around which results change their kind: thresholds of overflow and underflow, ends of domains, ties, and the known
/// worst cases of the reduction by pi.
#[rustfmt::skip]
const LANDMARKS: &[f64] = &[
    0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0, 8.0, 10.0, 11.0, 12.0, 16.0, 17.0, 24.0, 36.0,
    88.0, 100.0, 128.0, 0.292_893_218_813_452_5, 0.414_213_562_373_095, 0.707_106_781_186_547_5,
    std::f64::consts::SQRT_2, 2.414_213_562_373_095, std::f64::consts::LN_2, 0.346_573_590_279_972_64,
    std::f64::consts::FRAC_PI_2, std::f64::consts::PI, std::f64::consts::E,
    // Where exp, exp2, exp10, sinh and tgamma leave each format.
    9.704_060_527_839_234, 11.089_866_488_461_016, 17.328_679_513_998_633, 15.999_295_387_023_41,
    4.816_479_930_623_698, 5.5, 88.722_839_052_068_35, 89.415_986_232_628_3, 103.972_077_083_991_8,
    87.336_544_750_553_1, 38.531_839_419_103_6, 44.853_471_5, 127.999_999_914, 149.0, 150.0, 126.0, 35.040_095,
    9.0, 23.0, 53.0, 25.0, 709.782_712_893_384, 710.475_860_073_943_9, 745.133_219_101_941_2,
    708.396_418_532_264_1, 308.254_715_559_916_7, 323.306_215_343_115_8, 1024.0, 1074.0, 1075.0, 1022.0,
    171.624_376_956_302_7, 184.0, 177.0, 26.543_258_430_123, 27.226_3, 5.921_587, 9.194_5, 10.054, 3.832_506,
    // Closest to a multiple of pi/2 among floats and doubles.
    16_367_173.0 * 4_722_366_482_869_645_213_696.0, 13_245_621.0, 5_070_602_400_912_917_605_986_812_821_504.0,
    2.458_591_7e-9, 33_215.371, 5.197_198_6e33, 6_381_956_970_095_103.0, 5.319_372_648_326_541e255,
    2.330_812_6e-10, 5.721_5e19, 65_504.0, 65_536.0, 16_777_216.0, 8_388_608.0, 4_194_304.0,
    4_503_599_627_370_496.0, 9_007_199_254_740_992.0, 2_147_483_648.0, 65_520.0,
];

/// Numbers that every function gets.
pub fn special(format: Format) -> Vec<f64> {
    let tiny = format.number(1);
    let normal = 2f64.powi(format.least());
    let unit = 2f64.powi(-format.fraction());
    let mut positive = vec![
        0.0,
        tiny,
        2.0 * tiny,
        3.0 * tiny,
        normal - tiny,
        normal,
        normal + tiny,
        normal * 2.0,
        unit,
        unit / 2.0,
        unit * unit,
        0.25,
        0.5,
        1.0 - unit / 2.0,
        1.0,
        1.0 + unit,
        1.5,
        2.0 - unit,
        2.0,
        2.5,
        3.0,
        3.5,
        4.0,
        10.0,
        1.0 / unit,
        2.0 / unit,
        0.5 / unit,
        0.5 / unit + 0.5,
        0.25 / unit + 0.25,
        format.max() / 2.0,
        format.step(format.max(), -1),
        format.max(),
        f64::INFINITY,
        f64::NAN,
    ];
    positive.retain(|x| x.is_nan() || format.round(*x) == *x);
    positive.iter().flat_map(|x| [*x, -*x]).collect()
}

/// Ints that every function with an int gets.
const INTEGERS: &[i32] = &[
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    10,
    13,
    23,
    24,
    25,
    31,
    52,
    53,
    100,
    126,
    127,
    128,
    149,
    150,
    1022,
    1023,
    1024,
    1074,
    1075,
    2098,
    4000,
    65535,
    1 << 20,
    (1 << 24) + 1,
    i32::MAX,
    i32::MAX - 1,
    i32::MIN,
    i32::MIN + 1,
    -1,
    -2,
    -3,
    -4,
    -5,
    -7,
    -10,
    -23,
    -126,
    -149,
    -1022,
    -1074,
    -5000,
];

/// One number that may be anything.
pub fn number(random: &mut Random, format: Format, regions: &[f64]) -> f64 {
    let value = match random.below(6) {
        0 => return format.number(random.next() & format.mask()),
        1 => {
            let point = LANDMARKS[random.below(LANDMARKS.len())];
            let steps = random.below(9) as i64 - 4;
            let sign = if random.next() & 1 == 0 { 1.0 } else { -1.0 };
            return format.step(sign * point, steps);
        }
        2 => {
            // Close to a multiple of pi/2, or of 1/2.
            let k = (random.next() >> (1 + random.below(63))) as f64;
            let step = if random.next() & 1 == 0 { std::f64::consts::FRAC_PI_2 } else { 0.5 };
            let steps = random.below(5) as i64 - 2;
            return format.step(if random.next() & 1 == 0 { k * step } else { -k * step }, steps);
        }
        3 => {
            // Any magnitude, but no more than the format has of both sides of 1.
            let exponent = random.unit() * 2.0 - 1.0;
            let value = (exponent * f64::from(format.most())).exp2();
            if random.next() & 1 == 0 { value } else { -value }
        }
        _ if regions.len() < 2 => 20.0 * random.unit() - 10.0,
        _ => {
            let choice = 2 * random.below(regions.len() / 2);
            regions[choice] + (regions[choice + 1] - regions[choice]) * random.unit()
        }
    };
    format.round(value)
}

fn quiet(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x }
}

/// Operands of a call. The second and third depend on the first often enough to be hard: cancellations, ties, quotients near
/// whole numbers, powers near the limits.
pub fn operands(random: &mut Random, function: &Function, format: Format) -> Vec<f64> {
    let mut x = vec![quiet(number(random, format, &function.regions))];
    let tame = function.arity > 3 || function.name.contains("length") || function.name.contains("normalize");
    if tame {
        // Vectors: usually of one magnitude.
        let magnitude = if random.below(4) == 0 { None } else { Some(x[0].abs()) };
        for _ in 1..function.arity {
            x.push(match magnitude {
                Some(m) if m.is_finite() => format.round(m * (4.0 * random.unit() - 2.0)),
                _ => quiet(number(random, format, &function.regions)),
            });
        }
        return x;
    }
    if function.arity >= 2 {
        x.push(match function.second {
            Second::Integer => integer(random, x[0]),
            Second::Number => second(random, function, format, x[0]),
        });
    }
    if function.arity >= 3 {
        let product = format.round(x[0] * x[1]);
        let steps = random.below(7) as i64 - 3;
        x.push(match random.below(4) {
            0 => format.step(-product, steps),
            1 => format.round(product * (random.unit() - 0.5) * 2f64.powi(format.fraction())),
            2 => format.round(product * (random.unit() - 0.5) * 2f64.powi(-format.fraction())),
            _ => quiet(number(random, format, &function.regions)),
        });
    }
    x
}

fn second(random: &mut Random, function: &Function, format: Format, x: f64) -> f64 {
    let steps = random.below(9) as i64 - 4;
    let value = match random.below(8) {
        0 => format.step(x, steps),
        1 => format.step(-x, steps),
        2 => x * (random.unit() * 4.0 - 2.0),
        3 => x / f64::from(random.below(1000) as u32 + 1),
        4 => x / (f64::from(random.below(1000) as u32) + 0.5),
        // Powers with results all over the range, and at its ends.
        5 => (random.unit() * 2.0 - 1.0) * 1.1 * f64::from(format.most() + format.fraction()) / x.abs().log2(),
        6 => format.step(1.0, steps) * 2f64.powi(random.below(9) as i32 - 4),
        _ => number(random, format, &function.regions),
    };
    quiet(format.round(value))
}

fn integer(random: &mut Random, x: f64) -> f64 {
    let value = match random.below(5) {
        0 => f64::from(INTEGERS[random.below(INTEGERS.len())]),
        1 => f64::from(random.next() as i32),
        2 => ((random.unit() * 2.0 - 1.0) * 1100.0 / x.abs().log2()).clamp(-2e9, 2e9).trunc(),
        3 => f64::from((random.next() as i32) >> random.below(31)),
        _ => f64::from(random.below(41) as i32 - 20),
    };
    if value.is_nan() { 1.0 } else { value + 0.0 }
}

/// The operands of which each is special, in every combination, for functions of up to three.
pub fn special_operands(function: &Function, format: Format) -> Vec<Vec<f64>> {
    let numbers = special(format);
    let mut all: Vec<Vec<f64>> = numbers.iter().map(|x| vec![*x]).collect();
    for operand in 1..function.arity.min(3) {
        let integer = operand == 1 && function.second == Second::Integer;
        // Of three operands, the third takes every seventh.
        let skip = if operand == 2 { 7 } else { 1 };
        let next: Vec<f64> = if integer {
            INTEGERS.iter().map(|n| f64::from(*n)).collect()
        } else {
            numbers.iter().copied().step_by(skip).collect()
        };
        all = all.iter().flat_map(|x| next.iter().map(move |y| [x.as_slice(), &[*y]].concat())).collect();
    }
    for x in &mut all {
        while x.len() < function.arity {
            x.push(x[x.len() % 3]);
        }
    }
    all
}
