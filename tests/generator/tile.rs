//! Small kernels whose work-items, in two dimensions, leave loops in different turns.

use std::fmt::Write as _;

use crate::random::Random;

/// What may be assigned, and what else there is: a number of a row's place, of a column's, and what all have alike.
const ASSIGNED: [&str; 4] = ["a", "b", "c", "d"];
const KNOWN: [&str; 3] = ["r", "x", "n"];

pub(crate) struct Writer {
    pub(crate) text: String,
    random: Random,
    loops: u32,
    /// Statements that may still be written.
    budget: u32,
}

impl Writer {
    pub(crate) fn new(mut random: Random) -> Self {
        let budget = 3 + random.below(7) as u32;
        Writer { text: String::new(), random, loops: 0, budget }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    pub(crate) fn kernel(&mut self) {
        self.line("#pragma OPENCL FP_CONTRACT OFF");
        self.line("kernel void k(global uint *out, global const uint *in, uint n) {");
        for line in [
            "uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);",
            "uint z = get_global_id(2) - get_global_offset(2), w = get_global_size(0), h = get_global_size(1);",
            "uint r = z * h + y, me = r * w + x, total = w * h * get_global_size(2);",
            "uint a = x * 77u + 5u, b = r * 91u + 3u, c = 0u, d = x ^ (r << 3);",
            "float f = (float)(a & 63u) * 0.125f;",
        ] {
            self.line(line);
        }
        let guard = match self.random.below(6) {
            0 => "if (x + r * 3u > 40u) {".to_owned(),
            1 => format!("if (y < {}u) {{", self.random.below(10)),
            2 => "if (x < w - 3u && y < h - 1u) {".to_owned(),
            3 => "d ^= in[r & 63u]; if (in[5] != 77u) {".to_owned(),
            _ => "{".to_owned(),
        };
        self.line(&guard);
        self.round(0);
        if self.random.chance(30) {
            self.round(0);
        }
        self.line("out[me] = a ^ c; out[total + me] = b + d; } out[2u * total + me] = as_uint(f); }");
    }

    fn number(&mut self) -> String {
        match self.random.below(8) {
            0 => format!("{}u", self.random.below(100)),
            1 => (*self.random.pick(&KNOWN)).to_owned(),
            2 if self.loops > 0 => format!("i{}", self.loops),
            _ => (*self.random.pick(&ASSIGNED)).to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        let (one, other) = (self.number(), self.number());
        match self.random.below(5) {
            0 => format!("(({one} & 7u) == 3u)"),
            1 => format!("({one} < {other})"),
            2 => format!("(({one} ^ {other}) & 1u)"),
            3 => "(f > 9.0f)".to_owned(),
            _ => format!("((({one} >> 2) & 15u) == ({other} & 15u))"),
        }
    }

    /// A loop that ends, and whose counter some use behind it.
    fn round(&mut self, depth: u32) {
        self.loops += 1;
        let own = self.loops;
        let (step, start, kept) = (1 + self.random.below(3), self.random.below(5), *self.random.pick(&ASSIGNED));
        let most = match self.random.below(4) {
            0 => "(n & 31u)".to_owned(),
            1 => format!("({} & 31u)", self.number()),
            2 => "(20u + (x & 3u))".to_owned(),
            _ => "30u".to_owned(),
        };
        let up = format!("i{own} < i{own}_most");
        self.line(&format!("uint i{own} = {start}u, i{own}_most = {most};"));
        let kind = self.random.below(3);
        match kind {
            0 => self.line(&format!("do {{ i{own} += {step}u;")),
            1 => self.line(&format!("for (; {up}; i{own} += {step}u) {{")),
            _ => {
                let stays = self.condition();
                self.line(&format!("for (; {up} && !{stays}; i{own} += {step}u) {{"));
            }
        }
        for _ in 0..=self.random.below(4) {
            self.statement(depth + 1);
        }
        self.line(&if kind == 0 { format!("}} while ({up});") } else { "}".to_owned() });
        self.line(&format!("{kept} += i{own} * 64u;"));
        self.loops = own;
    }

    fn statement(&mut self, depth: u32) {
        self.budget = self.budget.saturating_sub(1);
        let target = *self.random.pick(&ASSIGNED);
        let (one, other, factor) = (self.number(), self.number(), 3 + 2 * self.random.below(9));
        match self.random.below(if self.budget == 0 { 6 } else { 10 }) {
            0 | 1 => self.line(&format!("{target} = {target} * {factor}u + {one};")),
            2 => self.line(&format!("{target} ^= {one} + ({other} << 5);")),
            3 => self.line(&format!("f = f * 0.75f + (float)({one} & 31u);")),
            4 => self.line(&format!("{target} += {one} > {other} ? 1u : 0u;")),
            5 => self.line("f = f * f * 0.01f + 0.5f;"),
            6 => {
                let condition = self.condition();
                let leave = *self.random.pick(&["break", "break", "continue"]);
                self.line(&format!("if {condition} {leave};"));
            }
            7 | 8 => {
                let condition = self.condition();
                // What is declared within is not known behind it.
                let loops = self.loops;
                self.line(&format!("if {condition} {{"));
                self.statement(depth);
                self.line("}");
                self.loops = loops;
            }
            _ if depth < 2 => self.round(depth),
            _ => self.line(&format!("{target} -= {one};")),
        }
    }
}
