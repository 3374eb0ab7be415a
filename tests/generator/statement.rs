//! Statements, and the kernel around them.

use std::fmt::Write as _;

use crate::expression::{ASSIGNABLE, uniform, uniform_condition, varying, varying_condition};
use crate::random::Random;
use crate::typed::{PRELUDE, block};

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Place {
    /// All work-items of the group that have not returned are here together: a barrier is allowed.
    together: bool,
    /// A `break` or `continue` would leave a divergent loop.
    divergent_loop: bool,
    depth: u32,
}

pub(crate) struct Writer {
    pub(crate) text: String,
    random: Random,
    indent: usize,
    /// Statements that may still be written: keeps kernels small.
    budget: u32,
    names: u32,
    returns: bool,
    /// One block is all there is: what differs is soon found.
    single: bool,
}

impl Writer {
    pub(crate) fn new(mut random: Random, single: bool) -> Self {
        let budget = 8 + random.below(30) as u32;
        let returns = random.chance(40);
        Writer { text: String::new(), random, indent: 0, budget, names: 0, returns, single }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", self.indent * 4);
    }

    fn open(&mut self, line: &str) {
        self.line(line);
        self.indent += 1;
    }

    fn close(&mut self, line: &str) {
        self.indent -= 1;
        self.line(line);
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    pub(crate) fn kernel(&mut self) {
        self.begin(
            "global uint *out, global const uint *in, uint n, local uint *scratch",
            &["local uint counter[4]; local uint room[16]; local uint baton; local atomic_uint turn;"],
            &[
                "scratch[lin] = a ^ b;",
                "if (lin < 4u) counter[lin] = 0u;",
                // A group smaller than four words leaves some to its first work-item.
                "if (lin == 0u) for (uint i = items; i < 4u; ++i) counter[i] = 0u;",
                "barrier(CLK_LOCAL_MEM_FENCE);",
            ],
        );
        self.statements(true);
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        self.end("scratch[lin]", "counter[lin & 3u]");
    }

    /// The same with a private word in place of what work-items share, and fewer statements.
    pub(crate) fn apart(&mut self) {
        self.budget = self.budget % 8 + 1;
        let mut kernel = Writer { text: String::new(), random: self.random.clone(), ..*self };
        kernel.begin("global uint *out, global const uint *in, uint n", &[], &["uint scratch[1] = {a ^ b};"]);
        kernel.statements(false);
        kernel.end("lin", "in[(get_group_id(0) * get_local_size(0) + get_local_id(0)) & 63u] + items");
        self.text = kernel.text.replace("scratch[lin]", "scratch[0]").replace("__attribute__((noinline)) ", "");
    }

    /// The beginning up to the statements: with variables that work-items share, and with lines behind those of their own.
    fn begin(&mut self, parameters: &str, shared: &[&str], first: &[&str]) {
        self.line("#pragma OPENCL FP_CONTRACT OFF");
        for line in PRELUDE {
            self.line(line);
        }
        self.helpers();
        self.open(&format!("kernel void k({parameters}) {{"));
        let places = [
            "const uint lin = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));",
            "const uint items = get_local_size(0) * get_local_size(1) * get_local_size(2);",
            "const uint grp = get_group_id(0) + 3u * get_group_id(1) + 5u * get_group_id(2);",
            "const uint total = get_global_size(0) * get_global_size(1) * get_global_size(2);",
            "const uint me = get_global_linear_id();",
        ];
        let own = [
            "uint a = in[me & 63u], b = get_global_id(0), c = get_local_id(0) * 7u + 1u, d = n ^ me, u = grp + n;",
            "uint p[8] = {a, b, 3u, 4u, c, d, 7u, 8u};",
        ];
        for line in [&places[..], shared, &own, first].concat() {
            self.line(line);
        }
    }

    /// The end: every variable becomes a word of the output, and two more do.
    fn end(&mut self, sixth: &str, seventh: &str) {
        self.line("out[me * 8u + 0u] = a; out[me * 8u + 1u] = b; out[me * 8u + 2u] = c; out[me * 8u + 3u] = d;");
        self.line(&format!(
            "out[me * 8u + 4u] = u; out[me * 8u + 5u] = p[a & 7u] ^ p[2]; out[me * 8u + 6u] = {sixth};"
        ));
        self.line(&format!("out[me * 8u + 7u] = {seventh};"));
        self.close("}");
    }

    /// The statements of the kernel, where all work-items of the group are together or not known to be.
    fn statements(&mut self, together: bool) {
        let place = Place { together, divergent_loop: false, depth: 0 };
        if self.single {
            self.returns = false;
            self.typed(place);
            return;
        }
        while self.budget > 0 {
            self.statement(place);
        }
    }

    /// Functions: one that stays a call, one that gets a pointer to private memory, one that asks for ids.
    fn helpers(&mut self) {
        let random = &mut self.random;
        let (scale, shift) = (random.below(100), random.below(31));
        self.line(&format!(
            "__attribute__((noinline)) uint mixed(uint x, uint y) {{ return (x * {scale}u) ^ (y >> {shift}u) ^ (uint)get_local_id(0); }}"
        ));
        self.line("__attribute__((noinline)) void bump(uint *x, uint by) { *x += by; if (by & 1u) x[0] ^= 0x55u; }");
        self.line("uint walk(uint x) { uint i = 0u; while ((x & 1u) == 0u && i < 9u) { x >>= 1; ++i; if (x == 12u) return 99u; } return i; }");
    }

    fn statement(&mut self, place: Place) {
        self.budget = self.budget.saturating_sub(1);
        let simple = place.depth >= 4 || self.budget == 0;
        let choice = self.random.below(if simple { 9 } else { 17 });
        match choice {
            0..=2 => self.assign(),
            3 => self.store_private(),
            4 => self.call(),
            5 if place.together => self.exchange(),
            5 => self.assign(),
            6 => self.atomic(place),
            7 | 8 => self.typed(place),
            9 | 10 => self.branch(place),
            11 => self.uniform_branch(place),
            12 => self.uniform_loop(place),
            13 => self.divergent_loop(place),
            14 => self.switch(place),
            15 => self.typed(place),
            _ => self.leave(place),
        }
    }

    fn block(&mut self, place: Place) {
        for _ in 0..=self.random.below(3) {
            self.statement(Place { depth: place.depth + 1, ..place });
        }
    }

    fn assign(&mut self) {
        let target = *self.random.pick(&ASSIGNABLE);
        let operator = *self.random.pick(&["=", "=", "+=", "^="]);
        let value = varying(&mut self.random, 3);
        self.line(&format!("{target} {operator} {value};"));
    }

    fn store_private(&mut self) {
        let (index, value) = (varying(&mut self.random, 1), varying(&mut self.random, 2));
        self.line(&format!("p[{index} & 7u] = {value};"));
    }

    fn call(&mut self) {
        let target = *self.random.pick(&ASSIGNABLE);
        let value = varying(&mut self.random, 2);
        let line = match self.random.below(5) {
            0 => format!("{target} = mixed({value}, {target});"),
            1 => format!("bump(&{target}, {value});"),
            2 => format!("bump(&p[{value} & 7u], {target});"),
            3 => format!("bump(({value} & 1u) ? &{target} : &p[3], {target});"),
            _ => format!("{target} += walk({value});"),
        };
        self.line(&line);
    }

    /// Every work-item writes its word and reads another's.
    fn exchange(&mut self) {
        let target = *self.random.pick(&ASSIGNABLE);
        let value = varying(&mut self.random, 2);
        let by = varying(&mut self.random, 1);
        // A vector of which only parts are needed behind the barriers.
        let vector = self.random.chance(30).then(|| {
            let types =
                [("uchar", 4), ("ushort", 2), ("uchar", 8), ("uchar", 16), ("ushort", 8), ("uint", 4), ("uint", 16)];
            (*self.random.pick(&types), varying(&mut self.random, 1))
        });
        if let Some(((ty, count), value)) = &vector {
            self.open(&format!("{{ {ty}{count} v = ({ty}{count})(({ty})({value})); v.s1 ^= ({ty}){target};"));
        }
        // And an address, of which only itself is.
        let place = self.random.chance(30).then(|| varying(&mut self.random, 2));
        if let Some(place) = &place {
            self.open(&format!("{{ global const uint *q = in + (({place}) & 63u);"));
        }
        self.line(&format!("scratch[lin] = {value};"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        self.line(&format!("{target} = scratch[({by}) % items];"));
        if place.is_some() {
            self.line(&format!("{target} ^= *q;"));
            self.close("}");
        }
        if vector.is_some() {
            self.line(&format!("v.s01 ^= v.s11; {target} += v.s0 + 3u * v.s1;"));
            self.close("}");
        }
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        if self.random.chance(20) {
            // Equal in the group: read from one place by all between barriers.
            self.line("u = scratch[0] & 15u;");
            self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        }
    }

    /// Sums of all work-items: the order does not matter, the old value is not used.
    fn atomic(&mut self, place: Place) {
        let value = varying(&mut self.random, 1);
        let slot = self.random.below(4);
        if place.together && self.random.chance(50) {
            self.line(&format!("atomic_add(&counter[{slot}], {value});"));
        } else if self.random.chance(30) {
            // Each word has one operation: different ones do not commute.
            let operation = ["xor", "or", "and", "sub"][slot as usize];
            self.line(&format!("atomic_{operation}(&out[total * 8u + {}u], {value});", slot + 4));
        } else {
            self.line(&format!("atomic_add(&out[total * 8u + {slot}u], {value});"));
        }
    }

    /// Statements on values of other types; collectives only where no work-item can be missing.
    fn typed(&mut self, place: Place) {
        for line in block(&mut self.random, place.together && !self.returns) {
            self.line(&line);
        }
    }

    fn branch(&mut self, place: Place) {
        let condition = varying_condition(&mut self.random);
        let inside = Place { together: false, ..place };
        self.open(&format!("if {condition} {{"));
        self.block(inside);
        if self.random.chance(50) {
            self.close("} else {");
            self.indent += 1;
            self.block(inside);
        }
        self.close("}");
    }

    fn uniform_branch(&mut self, place: Place) {
        let condition = uniform_condition(&mut self.random);
        self.open(&format!("if {condition} {{"));
        self.block(place);
        if self.random.chance(50) {
            self.close("} else {");
            self.indent += 1;
            self.block(place);
        }
        self.close("}");
    }

    fn uniform_loop(&mut self, place: Place) {
        let name = self.name("i");
        let bound = uniform(&mut self.random, 1);
        self.open(&format!("for (uint {name} = 0u; {name} < ({bound} & 3u) + 1u; ++{name}) {{"));
        self.block(Place { divergent_loop: false, ..place });
        let target = *self.random.pick(&ASSIGNABLE);
        self.line(&format!("{target} += {name};"));
        if self.random.chance(25) {
            let condition = uniform_condition(&mut self.random);
            self.line(&format!("if {condition} break;"));
            self.block(Place { divergent_loop: false, ..place });
        }
        self.close("}");
    }

    fn divergent_loop(&mut self, place: Place) {
        let name = self.name("j");
        let bound = varying(&mut self.random, 1);
        let inside = Place { together: false, divergent_loop: true, ..place };
        if self.random.chance(50) {
            self.open(&format!("for (uint {name} = 0u; {name} < ({bound} & 7u); ++{name}) {{"));
            self.block(inside);
            self.close("}");
        } else {
            self.line(&format!("uint {name} = 0u;"));
            self.open("do {");
            // `continue` goes to the condition, which counts.
            self.block(inside);
            let condition = varying_condition(&mut self.random);
            self.close(&format!("}} while (++{name} < 6u && {condition});"));
        }
    }

    fn switch(&mut self, place: Place) {
        let selector = varying(&mut self.random, 2);
        // A `break` in it would leave the switch, not the loop.
        let inside = Place { together: false, divergent_loop: false, ..place };
        self.open(&format!("switch ({selector} & 7u) {{"));
        for case in 0..=self.random.below(4) {
            self.open(&format!("case {case}u: {{"));
            self.block(inside);
            let through = self.random.chance(30);
            self.close(if through { "} // falls through" } else { "} break;" });
        }
        self.line("default: a ^= 0x11u;");
        self.close("}");
    }

    fn leave(&mut self, place: Place) {
        let condition = varying_condition(&mut self.random);
        if place.divergent_loop {
            let word = *self.random.pick(&["break", "continue"]);
            self.line(&format!("if {condition} {word};"));
        } else if self.returns {
            // The words of work-items that returned stay defined: they write them on the way out.
            self.line(&format!("if {condition} {{ out[me * 8u] = a; out[me * 8u + 1u] = d; return; }}"));
        } else {
            self.assign();
        }
    }
}
