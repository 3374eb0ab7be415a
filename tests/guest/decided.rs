//! Kernels that notice a wrong decision of the work-group compiler.

use oxicl_tests::client::{Buffer, Context, Error, Program, Queue};

use crate::Outcome;

/// Each adds 1 to the first `n` numbers and 3 to the others, behind other work that decisions are taken for.
const PROGRAM: &str = "
    kernel void early(global int *a, ulong n) { size_t i = get_global_id(0); a[i] += i < n ? 1 : 3; }
    kernel void victim(global int *a, ulong n) {
        size_t i = get_global_id(0);
        // So much of it is arithmetic that gangs pay on all targets, whatever its accesses cost. What comes of a zero is taken off.
        uint x = a[i];
        for (uint k = 0; k < 32; ++k) x = (x ^ (x >> 3)) * 5 + k;
        a[i] += x - 2618107055u;
        if (i < get_global_size(0)) a[i] -= 3;
        a[i] += a[min(i, get_global_size(0) - 1)] - a[i] + 3;
        a[i] += i < n ? 1 : 3;
    }
    kernel void zealous(global int *a, ulong n) { size_t i = get_global_id(0); if (i < n) a[i] -= 2; a[i] += 3; }
";

/// Runs the kernels and looks at what they wrote.
pub fn adds_by_place() -> Outcome {
    const ITEMS: usize = 200;
    let text = |error: Error| error.to_string();
    let context = Context::first().map_err(text)?;
    let queue: Queue = context.queue().map_err(text)?;
    let program = Program::build_source(&context, PROGRAM, "").map_err(|error| error.to_string())?;
    for name in ["early", "victim", "zealous"] {
        let numbers = Buffer::<i32>::from_slice(&context, &[0; ITEMS]).map_err(text)?;
        let kernel = program.kernel(name).map_err(text)?;
        kernel.set_buffer(0, &numbers).map_err(text)?;
        kernel.set(1, 77_u64).map_err(text)?;
        queue.launch(&kernel, [ITEMS], Some([50])).map_err(text)?;
        let found = queue.read(&numbers).map_err(text)?;
        let expected = |place: usize| if place < 77 { 1 } else { 3 };
        if let Some(place) = (0..ITEMS).find(|place| found[*place] != expected(*place)) {
            return Err(format!("{name}: number {place} is {}, not {}", found[place], expected(place)));
        }
    }
    Ok(())
}
