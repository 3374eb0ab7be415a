//! Kernels that load and store through two pointers, which may lead to one place.

use std::fmt::Write as _;

use crate::random::Random;

/// Bytes of the output that are each work-item's own.
const OWN_BYTES: u64 = 32;

/// Types of what the pointers lead to, and their bytes.
const TYPES: [(&str, u64); 4] = [("uchar", 1), ("ushort", 2), ("uint", 4), ("ulong", 8)];

const POINTERS: [&str; 2] = ["p", "q"];
const ASSIGNED: [&str; 3] = ["a", "b", "c"];

/// A kernel `k(global P *p, global Q *q, uint n)` and how far `q` may lead behind `p`.
pub struct OverlapKernel {
    /// Its source.
    pub source: String,
    /// Bytes of which the distance between both pointers is a multiple.
    unit: Unit,
}

/// What the distance of both pointers is a multiple of.
#[derive(Clone, Copy)]
enum Unit {
    /// So many bytes: each work-item has what it writes side by side.
    Bytes(u64),
    /// One element of each work-item, of so many bytes: the first elements of all lie side by side, then the second ones.
    Row(u64),
}

impl OverlapKernel {
    /// Bytes from `p` to `q` for so many work-items, which have 32 bytes each: where each still writes its own only, or, if they are
    /// to be disjoint, where no byte is reached through both.
    pub fn distance(&self, random: &mut Random, items: u64, disjoint: bool) -> u64 {
        let half = OWN_BYTES / 2;
        match (self.unit, disjoint) {
            (_, true) => items * half,
            (Unit::Bytes(bytes), false) => random.below(half / bytes + 1) * bytes,
            (Unit::Row(bytes), false) => random.below(half / bytes + 1) * bytes * items,
        }
    }
}

/// The kernel that `seed` stands for. Through each pointer a work-item reaches 16 bytes.
pub(crate) fn kernel(random: Random, disjoint: bool) -> OverlapKernel {
    let mut writer = Writer { text: String::new(), random, elements: [0; 2], loops: 0 };
    writer.kernel(disjoint)
}

struct Writer {
    text: String,
    random: Random,
    /// Elements of each pointer that a work-item reaches.
    elements: [u64; 2],
    loops: u32,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn kernel(&mut self, disjoint: bool) -> OverlapKernel {
        let [first, second] = [(); 2].map(|()| *self.random.pick(&TYPES));
        let in_rows = self.random.chance(40);
        let second = if in_rows { first } else { second };
        self.elements = [first, second].map(|(_, bytes)| OWN_BYTES / 2 / bytes);
        let unit = if in_rows { Unit::Row(first.1) } else { Unit::Bytes(first.1.max(second.1)) };
        let asked = if disjoint && self.random.chance(20) { "restrict " } else { "" };
        self.line(&format!("kernel void k(global {} *{asked}p, global {} *{asked}q, uint n) {{", first.0, second.0));
        self.line("const uint w = get_global_size(0), x = get_global_id(0) - get_global_offset(0);");
        self.line(
            "const uint y = get_global_id(1) - get_global_offset(1), z = get_global_id(2) - get_global_offset(2);",
        );
        self.line("const uint me = (z * get_global_size(1) + y) * w + x, total = w * get_global_size(1) * get_global_size(2);");
        // Where the elements begin, by an index of a type that may wrap, or not.
        let ty = *self.random.pick(&["uint", "int", "size_t"]);
        for (name, (_, bytes)) in POINTERS.iter().zip([first, second]) {
            // Halves apart, what a work-item has through each pointer is half as far from the next.
            let apart = if disjoint { OWN_BYTES / 2 } else { OWN_BYTES } / bytes;
            let start = if in_rows { format!("({ty})me") } else { format!("({ty})me * {apart}") };
            let step = if in_rows { "total" } else { "1" };
            self.line(&format!("const {ty} {name}0 = {start}, {name}s = {step};"));
        }
        self.line("ulong a = me * 77u + 5u, b = x ^ n, c = n % 5u;");
        match self.random.below(5) {
            0 => self.line("if (x + 1u < w) {"),
            1 => self.line("if (me % 3u != n % 3u) {"),
            _ => self.line("{"),
        }
        for _ in 0..2 + self.random.below(7) {
            self.statement(0);
        }
        let (one, other) = (self.element(0, None), self.element(1, None));
        self.line(&format!("{one} ^= a + b; {other} += c; }} }}"));
        OverlapKernel { source: std::mem::take(&mut self.text), unit }
    }

    /// An element of a pointer that the work-item reaches: of a number that is known, or that a loop counts.
    fn element(&mut self, pointer: usize, counter: Option<&str>) -> String {
        let (name, elements) = (POINTERS[pointer], self.elements[pointer]);
        let first = self.random.below(elements);
        match counter {
            Some(counter) => format!("{name}[{name}0 + (({counter} + {first}) & {}) * {name}s]", elements - 1),
            None => format!("{name}[{name}0 + {first} * {name}s]"),
        }
    }

    fn any_element(&mut self, counter: Option<&str>) -> String {
        let pointer = self.random.below(2) as usize;
        self.element(pointer, counter)
    }

    /// A number: what is loaded, most of the time.
    fn number(&mut self, counter: Option<&str>) -> String {
        match self.random.below(6) {
            0 => (*self.random.pick(&ASSIGNED)).to_owned(),
            1 => (*self.random.pick(&["n", "x", "3u", "y", "me"])).to_owned(),
            2 => counter.unwrap_or("7u").to_owned(),
            3 => {
                let counter = counter.filter(|_| self.random.chance(50));
                self.any_element(counter)
            }
            _ => self.any_element(None),
        }
    }

    fn value(&mut self, counter: Option<&str>) -> String {
        let (one, other) = (self.number(counter), self.number(counter));
        match self.random.below(6) {
            0 => one,
            1 => format!("{one} * 3u + {other}"),
            2 => format!("({one} >> 1) ^ {other}"),
            3 => format!("max((ulong){one}, (ulong){other})"),
            4 => format!("({one} > {other} ? {one} : {other} + 1u)"),
            _ => format!("{one} + {other}"),
        }
    }

    fn statement(&mut self, depth: u32) {
        let value = self.value(None);
        let choice = self.random.below(if depth < 2 { 13 } else { 10 });
        match choice {
            0..=3 => {
                let place = self.any_element(None);
                self.line(&format!("{place} = {value};"));
            }
            4 | 5 => {
                let (place, operator) = (self.any_element(None), *self.random.pick(&["+=", "^=", "-="]));
                self.line(&format!("{place} {operator} {value};"));
            }
            6..=8 => {
                let (name, operator) = (*self.random.pick(&ASSIGNED), *self.random.pick(&["=", "+=", "^="]));
                self.line(&format!("{name} {operator} {value};"));
            }
            9 => self.records(),
            10 => {
                let (name, bit) = (*self.random.pick(&ASSIGNED), self.random.below(4));
                self.line(&format!("if ({name} >> {bit} & 1) {{"));
                for _ in 0..=self.random.below(3) {
                    self.statement(depth + 1);
                }
                self.line("}");
            }
            _ => self.round(depth),
        }
    }

    /// All elements of one pointer from those of the other, one after the other as an unrolled loop has them.
    fn records(&mut self) {
        let to = self.random.below(2) as usize;
        let (into, from) = (POINTERS[to], POINTERS[1 - to]);
        let count = self.elements[to].min(self.elements[1 - to]).min(4);
        let (by, reversed) = (self.random.below(9), self.random.chance(30));
        for index in 0..count {
            let other = if reversed { count - 1 - index } else { index };
            self.line(&format!(
                "{into}[{into}0 + {index} * {into}s] = {from}[{from}0 + {other} * {from}s] * 5u + {by}u;"
            ));
        }
    }

    /// A loop in which an element may stay the same, be a sum, or be another in each turn.
    fn round(&mut self, depth: u32) {
        self.loops += 1;
        let counter = format!("i{}", self.loops);
        let most = *self.random.pick(&["4u", "(n & 7u)", "(n % 5u + 1u)", "(x & 3u)", "9u"]);
        self.line(&format!("for (uint {counter} = 0; {counter} < {most}; ++{counter}) {{"));
        for _ in 0..=self.random.below(3) {
            let value = self.value(Some(&counter));
            let (sum, place) = (self.any_element(None), self.any_element(Some(&counter)));
            match self.random.below(5) {
                0 | 1 => self.line(&format!("{sum} += {value};")),
                2 => self.line(&format!("{place} = {value};")),
                3 => self.line(&format!("{place} += {sum};")),
                _ => self.statement(depth + 1),
            }
        }
        self.line("}");
    }
}
