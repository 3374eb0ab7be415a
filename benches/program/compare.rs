//! Whether two drivers left the same in all buffers.

use super::header::{Content, Header};
use super::scalar::{Number, Scalar};

/// Names the first difference, if there is one; what the drivers left is all buffers, one behind the other.
pub fn difference(header: &Header, expected: &[u8], found: &[u8]) -> Option<String> {
    let size: usize = header.buffers().map(|(_, content)| content.bytes()).sum();
    if expected.len() != size || found.len() != size {
        return Some(format!("{} and {} bytes instead of {size}", expected.len(), found.len()));
    }
    let mut start = 0;
    for (name, content) in header.buffers() {
        let part = start..start + content.bytes();
        let (a, b) = (&expected[part.clone()], &found[part.clone()]);
        if let Some(what) = differing(header, content, a, b) {
            return Some(format!("{name}{what}"));
        }
        start = part.end;
    }
    None
}

fn differing(header: &Header, content: &Content, expected: &[u8], found: &[u8]) -> Option<String> {
    if expected == found {
        return None;
    }
    let scalar = content.scalar;
    let tolerance = header.tolerance.unwrap_or_else(|| usual(scalar));
    let numbers = |bytes| <[u8]>::chunks_exact(bytes, scalar.bytes()).map(|bytes| scalar.read(bytes));
    let mut wrong = numbers(expected).zip(numbers(found)).enumerate().filter(|(_, (a, b))| !same(*a, *b, tolerance));
    let (index, (a, b)) = wrong.next()?;
    Some(format!("[{index}] is {b}, not {a}; {} of {} differ", wrong.count() + 1, content.count))
}

/// How much numbers of a type may differ if the file does not say.
fn usual(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Half => 1e-2,
        Scalar::Float => 1e-5,
        Scalar::Double => 1e-10,
        _ => 0.0,
    }
}

fn same(a: Number, b: Number, tolerance: f64) -> bool {
    match (a, b) {
        (Number::Float(a), Number::Float(b)) if a.is_finite() && b.is_finite() => {
            (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
        }
        // One NaN is as good as another.
        (Number::Float(a), Number::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::super::header::{Argument, Kind};
    use super::*;
    use crate::program::fill::Fill;

    /// A header with an integer and this.
    fn header(scalar: Scalar, tolerance: Option<f64>) -> Header {
        let argument = |name: &str, scalar, count| Argument {
            name: name.to_owned(),
            kind: Kind::Buffer(Content { scalar, count, fill: Fill::Zero }),
        };
        Header {
            kernel: "k".to_owned(),
            global: vec![1],
            local: None,
            arguments: vec![argument("first", Scalar::Int, 1), argument("second", scalar, 2)],
            options: String::new(),
            prepare: None,
            tolerance,
        }
    }

    fn compared(header: &Header, expected: [f64; 3], found: [f64; 3]) -> Option<String> {
        let scalars: Vec<Scalar> =
            header.buffers().flat_map(|(_, content)| vec![content.scalar; content.count]).collect();
        let bytes = |numbers: [f64; 3]| {
            let mut bytes = Vec::new();
            scalars.iter().zip(numbers).for_each(|(scalar, number)| scalar.append(Number::Float(number), &mut bytes));
            bytes
        };
        difference(header, &bytes(expected), &bytes(found))
    }

    #[test]
    fn integers_are_equal() {
        let header = header(Scalar::Uchar, Some(1.0));
        assert_eq!(compared(&header, [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), None);
        let expected = Some("second[1] is 4, not 3; 1 of 2 differ".to_owned());
        assert_eq!(compared(&header, [1.0, 2.0, 3.0], [1.0, 2.0, 4.0]), expected);
        let expected = Some("first[0] is 2, not -1; 1 of 1 differ".to_owned());
        assert_eq!(compared(&header, [-1.0, 2.0, 3.0], [2.0, 2.0, 4.0]), expected);
    }

    #[test]
    fn floats_are_near() {
        let near =
            |scalar, tolerance, a, b| compared(&header(scalar, tolerance), [0.0, 0.0, a], [0.0, 0.0, b]).is_none();
        for (scalar, usual) in [(Scalar::Half, 1e-2), (Scalar::Float, 1e-5), (Scalar::Double, 1e-10)] {
            assert!(near(scalar, None, 1000.0, 1000.0 + 900.0 * usual), "{scalar:?}");
            assert!(!near(scalar, None, 1000.0, 1000.0 + 1200.0 * usual), "{scalar:?}");
        }
        assert!(near(Scalar::Float, Some(0.1), 0.05, -0.04));
        assert!(!near(Scalar::Float, Some(0.0), 1.0, 1.0 + 1e-6));
        assert!(near(Scalar::Float, Some(0.0), f64::NAN, -f64::NAN));
        assert!(near(Scalar::Float, Some(0.0), 0.0, -0.0));
        assert!(!near(Scalar::Float, None, f64::INFINITY, 1.0));
        assert!(!near(Scalar::Float, None, f64::NAN, 1.0));
    }

    #[test]
    fn what_is_too_short_differs() {
        let expected = Some("12 and 0 bytes instead of 12".to_owned());
        assert_eq!(difference(&header(Scalar::Float, None), &[0; 12], &[]), expected);
    }
}
