//! Kernels of a shape that compilers are known to take far too long for, each a kernel of the generator's signature.

use std::fmt::Write as _;

/// A kernel and what it is launched with.
pub struct Shape {
    /// What it has much of.
    pub name: &'static str,
    /// The scalar argument.
    pub n: u32,
    /// Work-items, and those of a work-group.
    pub items: (u64, u64),
    source: fn() -> String,
}

/// All of them.
pub const SHAPES: &[Shape] = &[
    Shape { name: "four-hundred-barriers", n: 3, items: (24, 8), source: || barriers(400) },
    Shape { name: "four-thousand-barriers", n: 3, items: (16, 8), source: || barriers(4000) },
    Shape { name: "three-hundred-barriers-in-branches", n: 0xa5a5_c3c3, items: (24, 8), source: || branches(300) },
    Shape { name: "straight-line-of-10000", n: 7, items: (24, 8), source: || straight_line(10_000) },
    Shape { name: "sixty-four-nested-ifs", n: 5, items: (64, 16), source: || nested_ifs(64) },
    Shape { name: "switch-of-a-thousand-cases", n: 977, items: (64, 16), source: || large_switch(1000) },
    // Bits of n are the levels that call twice: a few, or this would run for ever.
    Shape { name: "chain-of-25-that-call-twice", n: 0x0084_1121, items: (24, 8), source: || chain(25) },
    Shape { name: "five-hundred-calls-of-a-large-function", n: 9, items: (8, 4), source: || calls(500, 2000) },
];

impl Shape {
    /// The kernel in OpenCL C.
    pub fn source(&self) -> String {
        (self.source)()
    }
}

/// The kernel around a body that computes `x`.
fn kernel(before: &str, body: &str) -> String {
    format!(
        "{before}kernel void k(global uint *out, global const uint *in, uint n, local uint *scratch) {{\n\
         size_t i = get_global_id(0), l = get_local_id(0), items = get_local_size(0);\n\
         uint x = in[i] ^ n, y = in[i + 1];\n{body}out[i * 8] = x + y;\n}}\n"
    )
}

/// Work-items pass numbers on, and values live over every barrier.
fn barriers(count: u32) -> String {
    let mut body = String::new();
    for step in 0..count / 2 {
        let _ = writeln!(
            body,
            "scratch[l] = x; barrier(CLK_LOCAL_MEM_FENCE);\n\
             y += scratch[(l + {}) % items]; barrier(CLK_LOCAL_MEM_FENCE); x = x * {} + y;",
            step % 7 + 1,
            2 * step + 3
        );
    }
    kernel("", &body)
}

/// Barriers in branches that all work-items take or none.
fn branches(count: u32) -> String {
    let mut body = String::new();
    for step in 0..count {
        let _ = writeln!(
            body,
            "if (n >> {} & 1) {{ scratch[l] = y; barrier(CLK_LOCAL_MEM_FENCE); x += scratch[(l + 1) % items] * {}u;\n\
             barrier(CLK_LOCAL_MEM_FENCE); }} else y = y * 5 + {step}u;",
            step % 32,
            2 * step + 1
        );
    }
    kernel("", &body)
}

/// An expression of four operations on two variables.
fn statement(step: u32, of: &str, other: &str) -> String {
    match step % 4 {
        0 => format!("{of} = ({of} ^ {other} >> {}) * {}u + {step}u;\n", step % 13 + 1, step * 2 + 5),
        1 => format!("{of} += ({other} << {} ^ {of}) - {}u;\n", step % 11 + 1, step + 9),
        2 => format!("{of} = ({of} | {}u) - ({other} & {of} >> {});\n", step * 77 + 1, step % 5 + 1),
        _ => format!("{of} ^= {other} * {}u + ({of} >> {});\n", step * 6 + 7, step % 9 + 1),
    }
}

fn straight_line(instructions: u32) -> String {
    let variables = ["x", "y", "z", "w"];
    let variable = |step: u32| variables[step as usize % 4];
    let lines = (0..instructions / 4).map(|step| statement(step, variable(step), variable(step + step / 4 + 1)));
    kernel("", &format!("uint z = in[i + 2], w = in[i + 3];\n{}x += z ^ w;\n", lines.collect::<String>()))
}

/// Each is left by a few work-items.
fn nested_ifs(depth: u32) -> String {
    let mut body = String::new();
    for level in 0..depth {
        let _ = writeln!(body, "if ((x & 31) != {}) {{ {}", level % 32, statement(level, "x", "y"));
    }
    for level in (0..depth).rev() {
        let _ = writeln!(body, "y += x >> {}; }} else {{ {} }}", level % 7, statement(level + 1, "y", "x"));
    }
    kernel("", &body)
}

/// Every case does something else, and some fall into the next.
fn large_switch(cases: u32) -> String {
    let mut body = String::from("for (uint turn = 0; turn < 50; turn++)\nswitch ((x ^ turn * 7) % 1009) {\n");
    for case in 0..cases {
        let end = if case % 3 == 0 { "" } else { "break;" };
        let _ = writeln!(body, "case {case}: {}{end}", statement(case, "x", "y"));
    }
    kernel("", &(body + "default: x += y; }\n"))
}

/// Functions each of which calls the former twice, if that bit of `n` is set.
fn chain(length: u32) -> String {
    let mut functions = String::from("uint f0(uint x, uint n) { return x * 5 + n; }\n");
    for level in 1..=length {
        let _ = writeln!(
            functions,
            "uint f{level}(uint x, uint n) {{ if (n >> {} & 1) return f{before}(x, n) ^ f{before}(x * 3 + 1, n);\n\
             return x > {level} ? f{before}(x + {level}, n) : f{before}(x ^ n, n) + 1; }}",
            level - 1,
            before = level - 1
        );
    }
    kernel(&functions, &format!("x = f{length}(x, n);\n"))
}

/// One function called again and again.
fn calls(count: u32, instructions: u32) -> String {
    let lines: String = (0..instructions / 4)
        .map(|step| if step % 2 == 0 { statement(step, "a", "b") } else { statement(step, "b", "a") })
        .collect();
    let function = format!("uint f(uint a, uint b) {{\n{lines}return a ^ b;\n}}\n");
    let body: String = (0..count).map(|call| format!("x = f(x, y + {call}); y += x;\n")).collect();
    kernel(&function, &body)
}
