//! Quotients, remainders and products of numbers of 64 bits, which have more bits than doubles.

use super::*;

/// Gangs of all sizes.
const SIZES: [How; 6] =
    [(Mode::Bare, 4), (Mode::Cheap, 2), (Mode::Full, 8), (Mode::Full, 16), (Mode::Full, 32), (Mode::Full, 0)];

/// Numbers beside powers of two, where roundings show.
fn edges() -> Vec<u64> {
    let mut edges = vec![0, 1, 3, 10];
    for bits in [8, 16, 31, 32, 47, 48, 49, 52, 53, 54, 61, 62, 63] {
        let power = 1u64 << bits;
        edges.extend([power - 1, power, power + 1, power.wrapping_neg(), power.wrapping_neg() + 1]);
    }
    edges.extend([u64::MAX, u64::MAX - 1]);
    edges
}

/// Numbers of all lengths.
fn numbers() -> impl FnMut() -> u64 {
    let mut state = 1u64;
    let mut next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    move || {
        let number = next();
        number >> (next() % 64)
    }
}

/// Dividends for a divisor: some that it divides, and their neighbours.
fn dividends(divisor: u64, number: &mut impl FnMut() -> u64) -> [u64; 4] {
    let quotient = number() % (u64::MAX / divisor).max(1);
    let product = quotient.wrapping_mul(divisor);
    [product, product.wrapping_sub(1), product.wrapping_add(1), number()]
}

/// Quotients and remainders, without sign and with; `None` where there are none.
fn results(a: u64, b: u64) -> Option<[u64; 4]> {
    let (signed, by) = (a as i64, b as i64);
    Some([a.checked_div(b)?, a % b, signed.checked_div(by)? as u64, signed.checked_rem(by)? as u64])
}

/// Instructions that store the four results of `a` and `b` from place `slot` of the row on.
fn divisions(name: &str, b: &str, slot: usize) -> String {
    let each = ["udiv", "urem", "sdiv", "srem"].into_iter().enumerate().map(|(o, operation)| {
        let (value, place) = (format!("%{operation}{name}"), format!("%p{operation}{name}"));
        format!(
            "{value} = {operation} i64 %a, {b}
            {place} = getelementptr i64, ptr addrspace(1) %p, i64 {}
            store i64 {value}, ptr addrspace(1) {place}\n",
            slot + o
        )
    });
    each.collect()
}

fn row(length: usize) -> String {
    format!(
        "%i = call i64 @oxicl.global_id(i32 0)
        %row = mul i64 %i, {length}
        %p = getelementptr i64, ptr addrspace(1) %out, i64 %row
        %a = load i64, ptr addrspace(1) %p\n"
    )
}

#[test]
fn long_numbers_are_divided_exactly() {
    let body = format!(
        "define void @k(ptr addrspace(1) %out) {{
        {}%q = getelementptr i64, ptr addrspace(1) %p, i64 1
        %b = load i64, ptr addrspace(1) %q
        {}ret void }}",
        row(6),
        divisions("", "%b", 2)
    );
    let mut number = numbers();
    let mut pairs: Vec<(u64, u64)> = edges().iter().flat_map(|a| edges().into_iter().map(|b| (*a, b))).collect();
    for _ in 0..5000 {
        let b = number().max(1);
        pairs.extend(dividends(b, &mut number).map(|a| (a, b)));
    }
    // Gangs of small quotients, and such of large ones.
    pairs.extend((0..999).map(|_| (number() >> 12, (number() >> 30) | 1)));
    pairs.retain(|(a, b)| results(*a, *b).is_some());
    for mode in SIZES {
        let library = build(&body, &[global()], mode);
        let mut out: Vec<u64> = pairs.iter().flat_map(|(a, b)| [*a, *b, 9, 9, 9, 9]).collect();
        run_on(&library, line(pairs.len() as u64, 200), &mut out, &[]);
        for (row, (a, b)) in out.chunks(6).zip(&pairs) {
            assert_eq!(row[2..], results(*a, *b).expect("a quotient"), "{a} and {b}, {mode:?}");
        }
    }
}

#[test]
fn long_numbers_are_divided_exactly_by_one_that_they_share() {
    let body =
        format!("define void @k(ptr addrspace(1) %out, i64 %b) {{ {}{}ret void }}", row(5), divisions("", "%b", 1));
    let arguments = [global(), argument(ArgumentKind::Value, 8, 8)];
    for mode in SIZES {
        let library = build(&body, &arguments, mode);
        let mut number = numbers();
        for b in edges().into_iter().filter(|b| *b != 0) {
            let mut dividing: Vec<u64> = edges();
            dividing.extend((0..40).flat_map(|_| dividends(b, &mut number)));
            dividing.retain(|a| results(*a, b).is_some());
            let mut out: Vec<u64> = dividing.iter().flat_map(|a| [*a, 9, 9, 9, 9]).collect();
            run_on(&library, line(dividing.len() as u64, 100), &mut out, &b.to_le_bytes());
            for (row, a) in out.chunks(5).zip(&dividing) {
                assert_eq!(row[1..], results(*a, b).expect("a quotient"), "{a} and {b}, {mode:?}");
            }
        }
    }
}

#[test]
fn long_numbers_are_divided_exactly_by_constants() {
    let constants: [u64; 16] = [
        1,
        3,
        10,
        4096,
        65535,
        65537,
        1_000_000_007,
        0xffff_ffff,
        (1 << 48) + 1,
        (1 << 53) - 1,
        (1 << 53) + 1,
        (1 << 63) - 1,
        (1 << 63) + 1,
        3u64.wrapping_neg(),
        4096u64.wrapping_neg(),
        1_000_000_007u64.wrapping_neg(),
    ];
    let length = 1 + 4 * constants.len();
    let each =
        constants.iter().enumerate().map(|(n, b)| divisions(&n.to_string(), &(*b as i64).to_string(), 1 + 4 * n));
    let body =
        format!("define void @k(ptr addrspace(1) %out) {{ {}{}ret void }}", row(length), each.collect::<String>());
    let mut number = numbers();
    let mut dividing = edges();
    dividing
        .extend(constants.iter().flat_map(|b| (0..40).flat_map(|_| dividends(*b, &mut number)).collect::<Vec<_>>()));
    for mode in SIZES {
        let library = build(&body, &[global()], mode);
        let mut out: Vec<u64> = dividing.iter().flat_map(|a| [*a].into_iter().chain(vec![9; length - 1])).collect();
        run_on(&library, line(dividing.len() as u64, 100), &mut out, &[]);
        for (row, a) in out.chunks(length).zip(&dividing) {
            for (found, b) in row[1..].chunks(4).zip(constants) {
                assert_eq!(found, results(*a, b).expect("a quotient"), "{a} and {b}, {mode:?}");
            }
        }
    }
}

#[test]
fn upper_halves_of_long_products_are_exact() {
    // The extension, what is extended on both sides, and how far the product is shifted.
    const FORMS: [(&str, &str, &str, u32); 8] = [
        ("zext", "i64 %a", "i64 %b", 64),
        ("sext", "i64 %a", "i64 %b", 64),
        ("zext", "i64 %a", "i64 %b", 71),
        ("sext", "i64 %a", "i64 %b", 127),
        ("zext", "i64 %a", "i32 %n", 64),
        ("sext", "i64 %a", "i32 %n", 65),
        ("zext", "i64 %a", "", 64),
        ("sext", "i64 %a", "", 64),
    ];
    const FIXED: i64 = -0x7654_3210_fedc_ba99;
    let fixed = |extension: &str| if extension == "sext" { i128::from(FIXED) } else { i128::from(FIXED as u64) };
    let mut stores = String::new();
    for (n, (extension, left, right, shift)) in FORMS.into_iter().enumerate() {
        let other = if right.is_empty() { fixed(extension).to_string() } else { format!("%y{n}") };
        if !right.is_empty() {
            stores += &format!("%y{n} = {extension} {right} to i128\n");
        }
        stores += &format!(
            "%x{n} = {extension} {left} to i128
            %xy{n} = mul i128 %x{n}, {other}
            %s{n} = lshr i128 %xy{n}, {shift}
            %h{n} = trunc i128 %s{n} to i64
            %p{n} = getelementptr i64, ptr addrspace(1) %p, i64 {}
            store i64 %h{n}, ptr addrspace(1) %p{n}\n",
            2 + n
        );
    }
    let length = 2 + FORMS.len();
    let body = format!(
        "define void @k(ptr addrspace(1) %out) {{
        {}%q = getelementptr i64, ptr addrspace(1) %p, i64 1
        %b = load i64, ptr addrspace(1) %q
        %n = trunc i64 %b to i32
        {stores}ret void }}",
        row(length)
    );
    let mut number = numbers();
    let mut pairs: Vec<(u64, u64)> = edges().iter().flat_map(|a| edges().into_iter().map(|b| (*a, b))).collect();
    pairs.extend((0..5000).map(|_| (number(), number())));
    for mode in SIZES {
        let library = build(&body, &[global()], mode);
        let mut out: Vec<u64> = pairs.iter().flat_map(|(a, b)| [*a, *b].into_iter().chain([9; FORMS.len()])).collect();
        run_on(&library, line(pairs.len() as u64, 200), &mut out, &[]);
        for (row, (a, b)) in out.chunks(length).zip(&pairs) {
            for (found, (extension, _, right, shift)) in row[2..].iter().zip(FORMS) {
                let extended = |x: u64| if extension == "sext" { i128::from(x as i64) } else { i128::from(x) };
                let short = if extension == "sext" { i128::from(*b as i32) } else { i128::from(*b as u32) };
                let other = match right {
                    "" => fixed(extension),
                    "i32 %n" => short,
                    _ => extended(*b),
                };
                let product = extended(*a).wrapping_mul(other) as u128;
                assert_eq!(*found, (product >> shift) as u64, "{a} and {b}, {extension} {right} {shift}, {mode:?}");
            }
        }
    }
}
