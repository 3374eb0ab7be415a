//! Kernels whose work-items leave by comparisons of their places: guards of every form, and stores of every width behind them.

use std::fmt::Write as _;

use crate::random::Random;

/// Numbers that go on from work-item to work-item of a row, by their types: as they are, by strides, in either direction, and such
/// that wrap on the way or are cut.
const PLACES: [(&str, &[&str]); 5] = [
    ("int", &["x", "x - 1", "x + 1", "2 * x", "w - 1 - x", "3 * x - 7", "lx", "x - y", "5 - x", "x + k"]),
    (
        "uint",
        &["ux", "ux - 1u", "ux + 1u", "ux - 3u", "4u - ux", "2u * ux + un", "(uint)lx - 2u", "ux - (uint)k", "~ux"],
    ),
    ("long", &["(long)x", "(long)x - 2l", "(long)w - x", "(long)get_global_id(0) * 3l", "(long)(x + k)"]),
    (
        "ulong",
        &[
            "get_global_id(0)",
            "get_global_id(0) - 1ul",
            "(ulong)(ux - 1u)",
            "get_global_linear_id()",
            "get_local_id(0) * 2ul",
        ],
    ),
    // Shifted to the ends of the type, where they wrap within a row.
    (
        "int",
        &[
            "(int)(ux + 0x7ffffff8u)",
            "(int)(ux - 5u)",
            "(int)(0x80000003u - ux)",
            "(short)(x + 32760)",
            "(uchar)(x + 250)",
        ],
    ),
];

/// What they are compared with: numbers that are one for a row, by their types.
const BOUNDS: [(&str, &[&str]); 5] = [
    (
        "int",
        &[
            "w",
            "w - 1",
            "w - 3",
            "0",
            "1",
            "k",
            "y",
            "(int)in[3] % 20",
            "-1",
            "min(w, k)",
            "(int)in[y & 63] % 32",
            "q.most",
        ],
    ),
    (
        "uint",
        &[
            "(uint)w",
            "(uint)w - 2u",
            "un",
            "7u",
            "in[5] % 24u",
            "(uint)(w - 1)",
            "4294967290u",
            "in[y & 63] % 16u",
            "(uint)q.most",
        ],
    ),
    ("long", &["(long)w", "(long)k", "(long)w - 1l", "(long)(in[9] % 50u)"]),
    ("ulong", &["get_global_size(0)", "(ulong)un", "(ulong)w - 1ul", "4294967295ul", "(ulong)in[7]"]),
    ("int", &["0x7ffffffb", "-0x7ffffffc", "w", "0", "32765", "3"]),
];

const COMPARISONS: [&str; 8] = ["<", "<", "<=", ">", ">=", "==", "!=", "<"];

const ASSIGNED: [&str; 3] = ["a", "b", "c"];

pub(crate) struct Writer {
    pub(crate) text: String,
    random: Random,
    /// Statements that may still be written.
    budget: u32,
    /// Words of each work-item that are written already: no two statements write the same.
    words: u32,
    returns: bool,
}

impl Writer {
    pub(crate) fn new(mut random: Random) -> Self {
        let budget = 2 + random.below(7) as u32;
        let returns = random.chance(40);
        Writer { text: String::new(), random, budget, words: 0, returns }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    pub(crate) fn kernel(&mut self) {
        let asked = ["", "restrict "];
        let [out, input] = [(); 2].map(|()| *self.random.pick(&asked));
        self.line("#pragma OPENCL FP_CONTRACT OFF");
        self.line("struct bounds { int least, most; };");
        self.line(&format!(
            "kernel void k(global uint *{out}out, global const uint *{input}in, uint n, local uint *scratch) {{"
        ));
        for line in [
            "const int x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);",
            "const int z = get_global_id(2) - get_global_offset(2), w = get_global_size(0), h = get_global_size(1);",
            "const int lx = get_local_id(0), k = (int)(n % 61u) - 8; const uint ux = get_global_id(0), un = n % 37u;",
            "const uint me = (z * h + y) * w + x, total = w * h * get_global_size(2);",
            "const size_t own = get_global_linear_id();",
            "const uint lin = lx + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));",
            "const uint items = get_local_size(0) * get_local_size(1) * get_local_size(2);",
            "struct bounds q = {k - 3, (int)(n % 23u)};",
            "uint a = in[me & 63u], b = ux * 77u + 5u, c = me ^ n;",
        ] {
            self.line(line);
        }
        if self.random.chance(30) {
            // Whoever leaves here leaves nothing.
            self.returns = true;
            let condition = self.condition();
            self.line(&format!("if {condition} return;"));
        }
        let together = self.random.chance(60);
        while self.budget > 0 {
            self.statement(together, 0);
        }
        self.line("out[6u * total + me] = a ^ b; out[7u * total + me] = c; }");
    }

    /// One comparison of a place with a bound.
    fn comparison(&mut self) -> String {
        let kind = self.random.below(PLACES.len() as u64) as usize;
        let (ty, places) = PLACES[kind];
        let place = *self.random.pick(places);
        let bound = *self.random.pick(BOUNDS[kind].1);
        let comparison = *self.random.pick(&COMPARISONS);
        match self.random.below(8) {
            0 => format!("(({ty})({bound}) {comparison} ({ty})({place}))"),
            // Both go on, by the same or by different strides.
            1 => {
                let other = *self.random.pick(places);
                format!("(({ty})({place}) {comparison} ({ty})({other}))")
            }
            _ => format!("(({ty})({place}) {comparison} ({ty})({bound}))"),
        }
    }

    /// What a branch asks.
    fn condition(&mut self) -> String {
        let one = self.comparison();
        match self.random.below(12) {
            0 => format!("(x > 0 && y > 0 && x < w - 1 && y < h - 1 && {one})"),
            1 => "((uint)(x - 1) < (uint)(w - 2) && (uint)(y - 1) < (uint)(h - 2))".to_owned(),
            2 => "(x < w - 2 && y < h)".to_owned(),
            3 => format!("({one} || {})", self.comparison()),
            4 => format!("({one} && {})", self.comparison()),
            5 => format!("(!({one} && {}))", self.comparison()),
            6 => format!("({one} != {})", self.comparison()),
            7 => format!("({one} && y < k)"),
            // Not by the place alone.
            8 => format!("({one} && (in[(me * 5u) & 63u] & 1u))"),
            9 => format!("({one} ? {} : {})", self.comparison(), self.comparison()),
            _ => one,
        }
    }

    fn statement(&mut self, together: bool, depth: u32) {
        self.budget = self.budget.saturating_sub(1);
        let target = *self.random.pick(&ASSIGNED);
        let simple = self.budget == 0 || depth > 2;
        match self.random.below(if simple { 6 } else { 14 }) {
            0 | 1 if self.words < 6 => self.store(),
            0 | 1 => self.line("b ^= a >> 3;"),
            2 => self.line(&format!("{target} = {target} * 7u + in[({target} ^ me) & 63u];")),
            3 => self.line(&format!("{target} += (uint)(x * 3 + y);")),
            4 => self.line(&format!("{target} ^= in[(me + 3u) & 63u];")),
            5 if together && depth == 0 => self.barrier(),
            5 => self.line(&format!("{target} -= 11u;")),
            6 if self.returns && depth == 0 => {
                let condition = self.condition();
                self.line(&format!("if {condition} {{ out[6u * total + me] = a; out[7u * total + me] = b; return; }}"));
            }
            7 => {
                let (condition, most) = (self.condition(), 1 + self.random.below(4));
                self.line(&format!("for (int i = 0; i < {most}; ++i) {{ if {condition} {{ {target} += i + 1; "));
                self.line("} b ^= c; }");
            }
            8 => {
                let condition = self.condition();
                self.line(&format!("for (int i = 0; {condition} && i < (int)(a & 7u); ++i) {{ {target} += b ^ i; }}"));
            }
            9 => {
                let (bound, step) = (self.random.below(50), 1 + self.random.below(9));
                self.line(&format!("for (int i = x; i < {bound}; i += {step}) {{ {target} += i * 3 + 1; }}"));
            }
            _ => self.guarded(depth),
        }
    }

    fn guarded(&mut self, depth: u32) {
        let condition = self.condition();
        self.line(&format!("if {condition} {{"));
        for _ in 0..=self.random.below(2) {
            self.statement(false, depth + 1);
        }
        if self.random.chance(30) {
            self.line("} else {");
            self.statement(false, depth + 1);
        }
        self.line("}");
    }

    /// A store of some width to a word of the work-item's own.
    fn store(&mut self) {
        let (word, value, target) = (self.words, *self.random.pick(&ASSIGNED), *self.random.pick(&ASSIGNED));
        self.words += 1;
        // The same number: one may wrap, as far as is known, the other not.
        let me = *self.random.pick(&["me", "own"]);
        let at = format!("(out + {word}u * total)");
        let line = match self.random.below(10) {
            0 => format!("((global uchar *){at})[{me}] = {value};"),
            1 => format!("((global ushort *){at})[{me}] = {value};"),
            2 => format!("vstore3((uchar3)({value}, {value} >> 8, {value} >> 16), {me}, (global uchar *){at});"),
            3 => format!("((global float *){at})[{me}] = (float)({value} & 1023u);"),
            4 => format!("vstore2((ushort2)({value}, {value} >> 16), {me}, (global ushort *){at});"),
            5 => format!("{at}[{me}] = {at}[{me}] + {value};"),
            6 => format!("atomic_add({at} + {me}, {value});"),
            // What was there is used behind the branch, too.
            7 | 8 => format!("{{ uint old = {at}[{me}]; {at}[{me}] = {value} + 1u; {target} = old; }}"),
            _ => format!("{at}[{me}] = {value};"),
        };
        self.line(&line);
    }

    /// Work-items wait for each other and read what another wrote: a bound, too, that what follows depends on.
    fn barrier(&mut self) {
        let target = *self.random.pick(&ASSIGNED);
        self.line(&format!("scratch[lin] = {target};"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        match self.random.below(if self.returns { 1 } else { 3 }) {
            0 if self.returns => self.line(&format!("{target} += in[lin & 63u];")),
            0 => self.line(&format!("{target} += scratch[(lin + 1u) % items];")),
            // The same for all, from memory that is written behind the next barrier.
            1 => {
                self.line(&format!("if ((uint)lx < scratch[0] % 20u) {target} ^= 0x5555u;"));
                self.line("barrier(CLK_LOCAL_MEM_FENCE); scratch[lin] = a;");
            }
            _ => {
                self.line("for (uint s = items / 2u; s > 0u; s /= 2u) {");
                self.line("if (lin < s) scratch[lin] += scratch[lin + s];");
                self.line(&format!("barrier(CLK_LOCAL_MEM_FENCE); }} {target} += scratch[0];"));
            }
        }
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
    }
}
