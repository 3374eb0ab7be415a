//! What buffers hold at first.

use oxicl_benches::Random;

use super::header::Content;
use super::scalar::{Number, Scalar};

/// A rule by which a buffer is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fill {
    Zero,
    /// 0, 1, 2 and so on.
    Index,
    /// Both ends included.
    Integers {
        low: i128,
        high: i128,
    },
    /// Uniform.
    Floats {
        low: f64,
        high: f64,
    },
}

impl Fill {
    /// Of the words behind the number of scalars.
    pub fn parse(scalar: Scalar, words: &[&str]) -> Result<Fill, String> {
        let number =
            |text: &str| scalar.parse(text).ok_or_else(|| format!("'{text}' is no bound of the buffer's type"));
        match words {
            ["zero"] => Ok(Fill::Zero),
            ["index"] => Ok(Fill::Index),
            ["random", low, high] => match (number(low)?, number(high)?) {
                (Number::Integer(low), Number::Integer(high)) if low <= high => Ok(Fill::Integers { low, high }),
                (Number::Float(low), Number::Float(high)) if low <= high => Ok(Fill::Floats { low, high }),
                _ => Err(format!("{low} is above {high}")),
            },
            _ => Err(format!("no fill '{}': zero, index or random LOW HIGH", words.join(" "))),
        }
    }
}

/// The bytes of a buffer, which are the same on every driver and in every run.
pub fn bytes(content: &Content, file: &str, argument: &str) -> Vec<u8> {
    let Content { scalar, count, fill } = *content;
    let mut random = Random::new(seed(file, argument));
    let mut bytes = Vec::with_capacity(content.bytes());
    match fill {
        Fill::Zero => bytes.resize(content.bytes(), 0),
        Fill::Index => (0..count).for_each(|index| scalar.append(Number::Integer(index as i128), &mut bytes)),
        Fill::Integers { low, high } => {
            let span = (high - low) as u128 + 1;
            for _ in 0..count {
                let part = (u128::from(random.next_u64()) * span) >> 64;
                scalar.append(Number::Integer(low + part as i128), &mut bytes);
            }
        }
        Fill::Floats { low, high } => {
            for _ in 0..count {
                let part = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                scalar.append(Number::Float(low + (high - low) * part), &mut bytes);
            }
        }
    }
    bytes
}

/// FNV-1a of both names.
fn seed(file: &str, argument: &str) -> u64 {
    let names = file.bytes().chain([0]).chain(argument.bytes());
    names.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(scalar: Scalar, count: usize, words: &[&str], argument: &str) -> Vec<Number> {
        let content = Content { scalar, count, fill: Fill::parse(scalar, words).unwrap() };
        let bytes = bytes(&content, "file.cl", argument);
        assert_eq!(bytes.len(), content.bytes());
        bytes.chunks_exact(scalar.bytes()).map(|bytes| scalar.read(bytes)).collect()
    }

    #[test]
    fn indices_are_cut_to_the_type() {
        let bytes = numbers(Scalar::Char, 130, &["index"], "a");
        assert_eq!((bytes[1], bytes[129]), (Number::Integer(1), Number::Integer(-127)));
        assert_eq!(numbers(Scalar::Half, 3, &["index"], "a")[2], Number::Float(2.0));
    }

    #[test]
    fn integers_reach_both_ends() {
        let found = numbers(Scalar::Short, 1000, &["random", "-2", "3"], "a");
        for value in -2..=3 {
            assert!(found.contains(&Number::Integer(value)), "{value}");
        }
        assert!(found.iter().all(|number| matches!(number, Number::Integer(-2..=3))));
        let all = numbers(Scalar::Ulong, 100, &["random", "0", "0xffffffffffffffff"], "a");
        assert!(all.iter().any(|number| matches!(number, Number::Integer(value) if *value > 1 << 63)));
    }

    #[test]
    fn floats_are_between_the_bounds_and_depend_on_the_name() {
        let words = ["random", "-1", "0.5"];
        let found = numbers(Scalar::Float, 1000, &words, "a");
        assert!(found.iter().all(|number| matches!(number, Number::Float(value) if (-1.0..=0.5).contains(value))));
        assert_eq!(found, numbers(Scalar::Float, 1000, &words, "a"));
        assert_ne!(found, numbers(Scalar::Float, 1000, &words, "b"));
    }
}
