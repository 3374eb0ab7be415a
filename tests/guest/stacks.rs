//! Kernels that need much of their stacks.

use std::fmt::Write as _;

use oxicl_tests::client::{Buffer, Context, Program, Queue};
use oxicl_tests::offline::{Level, compile};

use crate::Outcome;

/// Work-items of a launch, and of a work-group.
const ITEMS: usize = 64;
const GROUP: usize = 16;
/// Values that a work-item of `live` has at a time.
const VALUES: u32 = 1000;
/// Numbers of 64 bits in what `chain` passes by value.
const WORDS: u64 = 1024;
/// Numbers in the array of `table` and `waits`.
const TABLE: u32 = 400_000;
/// Places from which a function is called.
const PLACES: u32 = 64;

/// A kernel with more values at a time than registers, before a barrier and behind it.
fn live() -> String {
    let mut source =
        "kernel void live(global const uint *in, global uint *out) {\nuint g = get_global_id(0), s = 0;\n".to_owned();
    for n in 0..VALUES {
        let _ = writeln!(source, "uint v{n} = in[g + {n}] * {}u;", 2 * n + 1);
    }
    source.push_str("out[g] = s;\nbarrier(CLK_GLOBAL_MEM_FENCE);\n");
    for n in 0..VALUES {
        let _ = writeln!(source, "s = (s ^ v{n}) * 3u + v{};", (617 * n + 11) % VALUES);
    }
    source.push_str("out[g] = s;\n}\n");
    source
}

/// The same on the host.
fn live_result(g: u32) -> u32 {
    let value = |n: u32| (g + n).wrapping_mul(7).wrapping_mul(2 * n + 1);
    (0..VALUES).fold(0, |s: u32, n| (s ^ value(n)).wrapping_mul(3).wrapping_add(value((617 * n + 11) % VALUES)))
}

/// Where a function is called from so many places that it is not inlined.
fn calls(call: &str) -> String {
    let case = |n: u32| format!("case {n}: r = {call}; break;\n");
    format!("switch (n % {PLACES}) {{ {} }}", (0..PLACES).map(case).collect::<String>())
}

/// Functions that pass a structure of several KiB on by value.
fn chain() -> String {
    let third: String = (0..PLACES).map(|k| format!("x.v[(n + {k}) % {WORDS}] ^= {};\n", 2 * k + 1)).collect();
    format!(
        "typedef struct {{ ulong v[{WORDS}]; }} Large;
         ulong third(Large x, uint n) {{ {third} return x.v[n] + x.v[n / 2]; }}
         ulong second(Large x, uint n) {{ ulong r = 0; x.v[n / 2] *= 5; {} return r + x.v[n]; }}
         ulong first(Large x, uint n) {{ ulong r = 0; x.v[n] += 1; {} return r + x.v[n / 2]; }}
         kernel void chain(global const uint *in, global uint *out) {{
           Large x;
           ulong r = 0;
           uint g = get_global_id(0), n = g + 100;
           for (uint k = 0; k < {WORDS}; ++k) x.v[k] = in[k] + g;
           {}
           out[g] = r + x.v[n];
         }}",
        calls("third(x, n)"),
        calls("second(x, n)"),
        calls("first(x, n)")
    )
}

/// The same on the host.
fn chain_result(g: u32) -> u32 {
    let (g, n) = (u64::from(g), u64::from(g) + 100);
    let value = |at: u64| 7 * at + g;
    let (whole, half) = (value(n) + 1, 5 * value(n / 2));
    // The numbers from n on are mixed with odd ones, n / 2 is none of them.
    let third = (whole ^ 1) + half;
    (third + whole + value(n / 2) + value(n)) as u32
}

/// A function with an array of megabytes; the same where work-items wait for others.
fn tables() -> String {
    let more: String = (0..PLACES).map(|k| format!("a[(g + {k} * 5) % {TABLE}] ^= {};\n", k + 1)).collect();
    format!(
        "uint look(uint g, uint m) {{
           uint a[{TABLE}];
           for (uint n = 0; n < {TABLE}; ++n) a[(n * 7 + g) % {TABLE}] = n * m;
           {more}
           return a[(7 * g + 1000) % {TABLE}] + a[{TABLE} - 1 - g];
         }}
         kernel void table(global const uint *in, global uint *out) {{
           uint n = get_global_id(0), r = 0;
           {calls}
           out[n] = r;
         }}
         kernel void waits(global const uint *in, global volatile uint *out) {{
           uint n = get_global_id(0), r = 0, l = get_local_id(0);
           {calls}
           if (l + 1 < get_local_size(0))
             while (atomic_load_explicit((global volatile atomic_uint *)&out[n + 1], memory_order_acquire,
                                         memory_scope_device) == 0) ;
           atomic_store_explicit((global volatile atomic_uint *)&out[n], r, memory_order_release, memory_scope_device);
         }}",
        calls = calls("look(n, in[3])")
    )
}

/// The same on the host: each number's multiple stands at seven times the number, and what is mixed is elsewhere.
fn table_result(g: u32) -> u32 {
    let seventh = |at: u32| (0..7).map(|round| at + round * TABLE).find(|at| at % 7 == 0).map_or(0, |at| at / 7);
    let element = |at: u32| seventh((at + TABLE - g) % TABLE).wrapping_mul(21);
    element((7 * g + 1000) % TABLE).wrapping_add(element(TABLE - 1 - g))
}

struct Deep {
    context: Context,
    queue: Queue,
    input: Buffer<u32>,
}

impl Deep {
    /// Builds a source with each of the options, and compares what its kernels make with what they should.
    fn hold(&self, source: &str, options: &[&str], expected: &[(&str, &dyn Fn(u32) -> u32)]) -> Outcome {
        let module = compile(source, Level::Plain).map_err(|error| error.to_string())?;
        for options in options {
            let program = Program::build(&self.context, &module, options).map_err(|error| error.to_string())?;
            for (name, result) in expected {
                self.launch(&program, name, result).map_err(|error| format!("{name}, '{options}': {error}"))?;
            }
        }
        Ok(())
    }

    fn launch(&self, program: &Program, name: &str, expected: &dyn Fn(u32) -> u32) -> Outcome {
        let run = || {
            let kernel = program.kernel(name)?;
            let out = Buffer::from_slice(&self.context, &[0u32; ITEMS])?;
            kernel.set_buffer(0, &self.input)?;
            kernel.set_buffer(1, &out)?;
            self.queue.launch_with_event(&kernel, [ITEMS], Some([GROUP]))?.wait()?;
            self.queue.read(&out)
        };
        let found = run().map_err(|error| error.to_string())?;
        match (0..).zip(&found).find(|(g, found)| expected(*g) != **found) {
            None => Ok(()),
            Some((g, found)) => Err(format!("work-item {g} made {found}, not {}", expected(g))),
        }
    }
}

/// Values in frames, structures by value, and arrays of megabytes, with and without fibers.
pub fn deep_stacks() -> Outcome {
    let text = |error: oxicl_tests::client::Error| error.to_string();
    let context = Context::first().map_err(text)?;
    let queue = context.queue().map_err(text)?;
    let numbers: Vec<u32> = (0..ITEMS as u32 + VALUES.max(WORDS as u32)).map(|n| 7 * n).collect();
    let input = Buffer::from_slice(&context, &numbers).map_err(text)?;
    let deep = Deep { context, queue, input };
    deep.hold(&live(), &["", "-oxicl-lanes=1"], &[("live", &live_result)])?;
    let ways = ["", "-oxicl-lanes=1", "-cl-opt-disable"];
    deep.hold(&chain(), &ways, &[("chain", &chain_result)])?;
    deep.hold(&tables(), &ways, &[("table", &table_result), ("waits", &table_result)])
}
