//! What lanes compute with a number that they share.

use super::*;

/// Ways of compiling, with gangs of several sizes and without.
const WAYS: [How; 4] = [(Mode::Full, 1), (Mode::Bare, 4), (Mode::Full, 8), (Mode::Full, 16)];

/// Where a kernel finds the numbers that work-items share.
const SHARED: usize = 512;

#[test]
fn integers_are_divided_by_a_number_that_lanes_share() {
    for bits in [8u32, 16, 32, 64] {
        let (most, sign) = (u64::MAX >> (64 - bits), 1u64 << (bits - 1));
        let mut numbers =
            vec![0, 1, 2, 3, 7, 10, 99, 100, sign, sign - 1, sign + 1, most, most - 1, most / 3, most / 3 * 2];
        numbers.extend((0..bits).flat_map(|n| [(1u64 << n) - 1, 1 << n, (1 << n) + 1]).map(|n| n & most));
        numbers.extend((1..60u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)));
        for op in ["udiv", "urem", "sdiv", "srem"] {
            for mode in WAYS {
                let library = build(&division(op, bits), &[global()], mode);
                for divisor in numbers.iter().step_by(if bits == 64 { 5 } else { 3 }).copied().chain([most]) {
                    let mut out = vec![0u64; SHARED + 1];
                    out[..numbers.len()].copy_from_slice(&numbers);
                    out[SHARED] = divisor;
                    let length = numbers.len() as u64;
                    run_on(&library, line(length, length), &mut out, &[]);
                    let expected: Vec<u64> = numbers.iter().map(|n| divided(op, bits, *n, divisor)).collect();
                    assert_eq!(out[..numbers.len()], expected, "{op} {bits} by {divisor:#x} {mode:?}");
                }
            }
        }
    }
}

/// A kernel that divides each number by the shared one; by 1 where that is 0 or the quotient too large.
fn division(op: &str, bits: u32) -> String {
    let smallest = -(1i128 << (bits - 1));
    format!(
        "define void @k(ptr addrspace(1) %out) {{
        %i = call i64 @oxicl.global_id(i32 0)
        %p = getelementptr i64, ptr addrspace(1) %out, i64 %i
        %shared = getelementptr i64, ptr addrspace(1) %out, i64 {SHARED}
        %x = load i{bits}, ptr addrspace(1) %p
        %d = load i{bits}, ptr addrspace(1) %shared
        %zero = icmp eq i{bits} %d, 0
        %low = icmp eq i{bits} %x, {smallest}
        %back = icmp eq i{bits} %d, -1
        %over = and i1 %low, %back
        %signed = icmp eq i1 {}, true
        %large = and i1 %over, %signed
        %bad = or i1 %zero, %large
        %by = select i1 %bad, i{bits} 1, i{bits} %d
        %result = {op} i{bits} %x, %by
        store i64 0, ptr addrspace(1) %p
        store i{bits} %result, ptr addrspace(1) %p
        ret void }}",
        op.starts_with('s')
    )
}

fn divided(op: &str, bits: u32, x: u64, by: u64) -> u64 {
    let most = u64::MAX >> (64 - bits);
    let extended = |n: u64| (n << (64 - bits)) as i64 >> (64 - bits);
    let by = if by == 0 { 1 } else { by };
    let result = match op {
        "udiv" => x / by,
        "urem" => x % by,
        "sdiv" => extended(x).wrapping_div(extended(by)) as u64,
        _ => extended(x).wrapping_rem(extended(by)) as u64,
    };
    result & most
}

#[test]
fn long_places_are_compared_with_a_number_that_lanes_share() {
    let compare = |predicate: &str, x: i64, bound: i64| match predicate {
        "slt" => x < bound,
        "sle" => x <= bound,
        "sgt" => x > bound,
        "sge" => x >= bound,
        "ult" => (x as u64) < bound as u64,
        "ule" => x as u64 <= bound as u64,
        "ugt" => x as u64 > bound as u64,
        _ => x as u64 >= bound as u64,
    };
    type Place = (&'static str, fn(i64, i64) -> i64);
    let places: [Place; 3] = [
        ("%x = add nsw i64 %i, %offset", |i, offset| i + offset),
        ("%x = sub nsw i64 %offset, %i", |i, offset| offset - i),
        ("%t = mul nsw i64 %i, 3\n%x = add nsw i64 %t, %offset", |i, offset| 3 * i + offset),
    ];
    let unsigned: Place = ("%x = add nuw i64 %offset, %i", |i, offset| i.wrapping_add(offset));
    let all = places.iter().flat_map(|place| ["slt", "sle", "sgt", "sge"].map(|predicate| (place, predicate)));
    let all = all.chain(["ult", "ule", "ugt", "uge"].map(|predicate| (&unsigned, predicate)));
    for ((place, value), predicate) in all {
        let body = format!(
            "define void @k(ptr addrspace(1) %out) {{
            %i = call i64 @oxicl.global_id(i32 0)
            %offset.p = getelementptr i64, ptr addrspace(1) %out, i64 {SHARED}
            %bound.p = getelementptr i64, ptr addrspace(1) %offset.p, i64 1
            %offset = load i64, ptr addrspace(1) %offset.p
            %bound = load i64, ptr addrspace(1) %bound.p
            {place}
            %is = icmp {predicate} i64 %x, %bound
            %swapped = icmp {predicate} i64 %bound, %x
            %one = zext i1 %is to i64
            %two = select i1 %swapped, i64 2, i64 0
            %result = add i64 %one, %two
            %p = getelementptr i64, ptr addrspace(1) %out, i64 %i
            store i64 %result, ptr addrspace(1) %p
            ret void }}"
        );
        for mode in WAYS {
            let library = build(&body, &[global()], mode);
            for offset in [0, 5, 1000, 1 << 33, i64::MAX - 500, i64::MIN + 500] {
                for bound in [0, 1, 7, 20, offset, offset + 36, offset - 36, -3, i64::MAX, i64::MIN] {
                    let mut out = vec![9u64; SHARED + 2];
                    (out[SHARED], out[SHARED + 1]) = (offset as u64, bound as u64);
                    run_on(&library, line(37, 37), &mut out, &[]);
                    let expected = (0..37).map(|i| {
                        let x = value(i, offset);
                        u64::from(compare(predicate, x, bound)) + 2 * u64::from(compare(predicate, bound, x))
                    });
                    let expected: Vec<u64> = expected.collect();
                    assert_eq!(out[..37], expected, "{place} {predicate}: {offset} {bound} {mode:?}");
                }
            }
        }
    }
}
