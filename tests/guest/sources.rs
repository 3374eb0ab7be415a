//! Programs of OpenCL C that the test has written.

use oxicl_tests::client::{Buffer, Context, Program, Queue};

use crate::Outcome;

/// How many numbers a kernel gives.
const NUMBERS: usize = 16;

/// The name of the embedded header, and its text.
const HEADER: (&str, &str) = ("embedded.h", "#define EMBEDDED 11\n");

/// `build-sources OPTIONS FILE...`: builds each file and runs its kernel `k`, which stores numbers. Prints a line `== FILE`,
/// and under it the numbers or the build log. What includes `embedded.h` is compiled with that as an embedded header.
pub fn build_sources() -> Outcome {
    let mut arguments = std::env::args().skip(2);
    let options = arguments.next().unwrap_or_default();
    let context = Context::first().map_err(|error| error.to_string())?;
    let queue = context.queue().map_err(|error| error.to_string())?;
    for path in arguments {
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        println!("== {path}");
        let built = if text.contains(HEADER.0) {
            Program::compile_and_link(&context, &text, &[HEADER], &options)
        } else {
            Program::build_source(&context, &text, &options)
        };
        match built {
            Ok(program) => println!("numbers {:?}", numbers(&context, &queue, &program)?),
            Err(error) => println!("{error}"),
        }
    }
    Ok(())
}

fn numbers(context: &Context, queue: &Queue, program: &Program) -> Result<Vec<u32>, String> {
    let text = |error: oxicl_tests::client::Error| error.to_string();
    let kernel = program.kernel("k").map_err(text)?;
    let out = Buffer::<u32>::from_slice(context, &[0; NUMBERS]).map_err(text)?;
    kernel.set_buffer(0, &out).map_err(text)?;
    queue.launch(&kernel, [1], None).map_err(text)?;
    queue.read(&out).map_err(text)
}
