//! Expressions of type uint.

use crate::random::Random;

/// Variables that may differ between work-items.
pub(crate) const VARYING: [&str; 5] = ["a", "b", "c", "d", "lin"];
/// Variables that a statement may assign.
pub(crate) const ASSIGNABLE: [&str; 4] = ["a", "b", "c", "d"];
/// Variables that are equal in a work-group.
pub(crate) const UNIFORM: [&str; 3] = ["n", "grp", "u"];

/// An expression that may differ between work-items.
pub(crate) fn varying(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.chance(15) {
        return match random.below(8) {
            0 => constant(random),
            1 => (*random.pick(&UNIFORM)).to_string(),
            _ => (*random.pick(&VARYING)).to_string(),
        };
    }
    let mut sub = || varying(random, depth - 1);
    let (x, y, z) = (sub(), sub(), sub());
    match random.below(20) {
        0 => format!("({x} + {y})"),
        1 => format!("({x} - {y})"),
        2 => format!("({x} * {y})"),
        3 => format!("({x} ^ {y})"),
        4 => format!("({x} & {y})"),
        5 => format!("({x} | {y})"),
        6 => format!("({x} << ({y} & 31u))"),
        7 => format!("({x} >> ({y} & 31u))"),
        8 => format!("({x} / ({y} | 1u))"),
        9 => format!("({x} % ({y} | 1u))"),
        10 => format!("in[{x} & 63u]"),
        11 => format!("p[{x} & 7u]"),
        12 => format!("({} ? {y} : {z})", condition(random, &x, &y)),
        13 => format!("rotate({x}, {y})"),
        14 => format!("{}({x}, {y})", random.pick(&["min", "max", "mul_hi", "add_sat", "sub_sat", "abs_diff", "hadd"])),
        15 => format!("(uint)((float)({x} & 0xFFFFu) * 0.5f + (float)({y} & 0xFFu))"),
        16 => format!("(uint)(ushort)((short){x} >> 3)"),
        17 => format!("(uint)(((ulong){x} * (ulong){y}) >> 7)"),
        18 => format!("(uint)(ushort)(uchar)({x} >> 3)"),
        _ => format!("((uint4)({x}, {y}, {z}, {x}).{} + {y})", random.pick(&["x", "y", "z", "w", "s3"])),
    }
}

/// A condition that may differ between work-items.
pub(crate) fn varying_condition(random: &mut Random) -> String {
    let (x, y) = (varying(random, 1), varying(random, 2));
    condition(random, &x, &y)
}

/// An expression that is equal for all work-items of a group.
pub(crate) fn uniform(random: &mut Random, depth: u32) -> String {
    if depth == 0 {
        return if random.chance(30) { constant(random) } else { (*random.pick(&UNIFORM)).to_string() };
    }
    let (x, y) = (uniform(random, depth - 1), uniform(random, depth - 1));
    match random.below(5) {
        0 => format!("({x} + {y})"),
        1 => format!("({x} * {y})"),
        2 => format!("({x} ^ {y})"),
        3 => format!("in[{x} & 63u]"),
        _ => format!("({x} >> ({y} & 7u))"),
    }
}

/// A condition that is equal for all work-items of a group.
pub(crate) fn uniform_condition(random: &mut Random) -> String {
    let (x, y) = (uniform(random, 1), uniform(random, 1));
    condition(random, &x, &y)
}

fn condition(random: &mut Random, x: &str, y: &str) -> String {
    match random.below(5) {
        0 => format!("({x} & 1u)"),
        1 => format!("({x} < {y})"),
        2 => format!("((int){x} >= (int){y})"),
        3 => format!("(({x} & 3u) == ({y} & 3u))"),
        _ => format!("(({x} & 7u) != 0u)"),
    }
}

fn constant(random: &mut Random) -> String {
    match random.below(4) {
        0 => "0xFFFFFFFFu".to_string(),
        1 => "0x80000000u".to_string(),
        2 => format!("{}u", random.below(16)),
        _ => format!("{}u", random.bits() as u32),
    }
}
