//! Comparisons with the host's results.

use crate::Failure;

/// Whether every number is within `tolerance` of what is expected, relative to it or to 1.
pub fn close(what: &str, found: &[f32], expected: &[f32], tolerance: f32) -> Result<(), Failure> {
    close_or_few(what, found, expected, tolerance, 0)
}

/// The same, but up to `few` numbers may differ more: for results that one rounding may change altogether.
pub fn close_or_few(what: &str, found: &[f32], expected: &[f32], tolerance: f32, few: usize) -> Result<(), Failure> {
    let near = |a: f32, b: f32| (a - b).abs() <= tolerance * b.abs().max(1.0);
    differing(what, found, expected, few, near)
}

/// Whether everything is the same.
pub fn equal<T: PartialEq + Copy + std::fmt::Display>(what: &str, found: &[T], expected: &[T]) -> Result<(), Failure> {
    differing(what, found, expected, 0, |a, b| a == b)
}

fn differing<T: Copy + std::fmt::Display>(
    what: &str,
    found: &[T],
    expected: &[T],
    allowed: usize,
    same: impl Fn(T, T) -> bool,
) -> Result<(), Failure> {
    if found.len() != expected.len() {
        return Err(Failure::Wrong(format!("{what}: {} values instead of {}", found.len(), expected.len())));
    }
    let wrong = || found.iter().zip(expected).enumerate().filter(|(_, (a, b))| !same(**a, **b));
    let count = wrong().count();
    match wrong().next() {
        Some((index, (a, b))) if count > allowed => {
            Err(Failure::Wrong(format!("{what}[{index}] is {a}, not {b}; {count} of {} differ", found.len())))
        }
        _ => Ok(()),
    }
}
