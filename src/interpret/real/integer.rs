//! Whole numbers of any length, limbs lowest first.

use std::cmp::Ordering;

pub(super) fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

/// `a += b`, both of one length; the carry is lost.
pub(super) fn add(a: &mut [u64], b: &[u64]) {
    let mut carry = false;
    for (a, b) in a.iter_mut().zip(b) {
        let (sum, first) = a.overflowing_add(*b);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        (*a, carry) = (sum, first || second);
    }
}

/// `a -= b`, both of one length, `a` not smaller.
pub(super) fn subtract(a: &mut [u64], b: &[u64]) {
    let mut borrow = false;
    for (a, b) in a.iter_mut().zip(b) {
        let (difference, first) = a.overflowing_sub(*b);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        (*a, borrow) = (difference, first || second);
    }
}

/// Moves all bits up by one and puts `bit` below.
pub(super) fn shift_left_one(a: &mut [u64], mut bit: u64) {
    for limb in a {
        let out = *limb >> 63;
        *limb = *limb << 1 | bit;
        bit = out;
    }
}

pub(super) fn shift_right(a: &mut [u64], by: usize) {
    let (limbs, bits) = (by / 64, by % 64);
    for index in 0..a.len() {
        let at = |index: usize| a.get(index).copied().unwrap_or(0);
        let (low, high) = (at(index + limbs), at(index + limbs + 1));
        a[index] = if bits == 0 { low } else { low >> bits | high << (64 - bits) };
    }
}

/// The product, as long as both factors together.
pub(super) fn product(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut product = vec![0u64; a.len() + b.len()];
    for (i, x) in a.iter().enumerate() {
        let mut carry = 0u128;
        for (place, y) in product[i..].iter_mut().zip(b) {
            let sum = u128::from(*x) * u128::from(*y) + u128::from(*place) + carry;
            *place = sum as u64;
            carry = sum >> 64;
        }
        product[i + b.len()] = carry as u64;
    }
    product
}

/// `a /= divisor`.
pub(super) fn divide_small(a: &mut [u64], divisor: u64) {
    let mut rest = 0u128;
    for limb in a.iter_mut().rev() {
        let part = rest << 64 | u128::from(*limb);
        *limb = (part / u128::from(divisor)) as u64;
        rest = part % u128::from(divisor);
    }
}
