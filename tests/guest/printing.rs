//! Kernels that print.

use oxicl_tests::client::{Buffer, Context, Kernel, Program, Queue};
use oxicl_tests::kernels;

use crate::Outcome;

/// Work-items of the kernel `many`, and how many are in a group.
const ITEMS: usize = 64;
const GROUP: usize = 8;

struct Printer {
    context: Context,
    queue: Queue,
    program: Program,
}

impl Printer {
    fn new(module: &[u8]) -> Result<Printer, String> {
        let context = Context::first().map_err(|error| error.to_string())?;
        let queue = context.queue().map_err(|error| error.to_string())?;
        let program = Program::build(&context, module, "").map_err(|error| error.to_string())?;
        Ok(Printer { context, queue, program })
    }

    /// Runs a kernel once its arguments are set; when it is over, all that it printed is seen.
    fn run(
        &self,
        name: &str,
        items: usize,
        group: usize,
        set: impl FnOnce(&Kernel) -> oxicl_tests::client::Result,
    ) -> Outcome {
        let run = || {
            let kernel = self.program.kernel(name)?;
            set(&kernel)?;
            let event = self.queue.launch_with_event(&kernel, [items], Some([group]))?;
            event.wait()
        };
        run().map_err(|error| error.to_string())?;
        // Not buffered here, so it comes behind what the library has written.
        write(&format!("-- {name}\n"))
    }
}

fn write(text: &str) -> Outcome {
    // SAFETY: the text has the length given.
    let written = unsafe { libc::write(1, text.as_ptr().cast(), text.len()) };
    if written == text.len().cast_signed() { Ok(()) } else { Err("standard output is closed".to_owned()) }
}

/// Prints everything, once as clang leaves it and once as it optimises it.
pub fn prints() -> Outcome {
    // SAFETY: a format without arguments. It stays in the C library's buffer until the kernel's text follows it.
    unsafe { libc::printf(c"before\n".as_ptr()) };
    for module in [kernels::PRINT.plain, kernels::PRINT.optimised] {
        all(&Printer::new(module)?)?;
    }
    imports("printf", "UniformConstant")?;
    imports("_Z6printfPU3AS2Kcz", "UniformConstant")?;
    imports("printf", "CrossWorkgroup")
}

/// Prints by a function that is imported, as compilers leave it that do not know OpenCL C: its type has the format alone, and
/// calls have more.
fn imports(name: &str, storage: &str) -> Outcome {
    let format = b"%d and %.2f\n\0";
    let constants: String =
        format.iter().enumerate().map(|(at, c)| format!("%c{at} = OpConstant %uchar {c}\n")).collect();
    let characters: String = (0..format.len()).map(|at| format!(" %c{at}")).collect();
    let text = format!(
        "OpCapability Addresses\nOpCapability Kernel\nOpCapability Linkage\nOpCapability Int8\nOpCapability Float64\n\
         OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"imported\" %format\nOpName %printf \"{name}\"\n\
         OpDecorate %printf LinkageAttributes \"{name}\" Import\nOpDecorate %first Alignment 1\n\
         %void = OpTypeVoid\n%uchar = OpTypeInt 8 0\n%uint = OpTypeInt 32 0\n%double = OpTypeFloat 64\n\
         %zero = OpConstant %uint 0\n%length = OpConstant %uint {}\n%array = OpTypeArray %uchar %length\n\
         %array_pointer = OpTypePointer {storage} %array\n%text_pointer = OpTypePointer {storage} %uchar\n\
         %out_pointer = OpTypePointer CrossWorkgroup %uint\n%printf_type = OpTypeFunction %uint %text_pointer\n\
         %k_type = OpTypeFunction %void %out_pointer %uint %double\n{constants}\
         %content = OpConstantComposite %array{characters}\n%format = OpVariable %array_pointer {storage} %content\n\
         %printf = OpFunction %uint None %printf_type\n%first = OpFunctionParameter %text_pointer\nOpFunctionEnd\n\
         %k = OpFunction %void None %k_type\n%out = OpFunctionParameter %out_pointer\n%n = OpFunctionParameter %uint\n\
         %d = OpFunctionParameter %double\n%entry = OpLabel\n\
         %text = OpInBoundsPtrAccessChain %text_pointer %format %zero %zero\n\
         %result = OpFunctionCall %uint %printf %text %n %d\nOpStore %out %result Aligned 4\nOpReturn\nOpFunctionEnd\n",
        format.len()
    );
    let printer = Printer::new(&oxicl_tests::offline::assemble(&text)?)?;
    let buffer = Buffer::from_slice(&printer.context, &[7i32]).map_err(|error| error.to_string())?;
    printer.run("imported", 1, 1, |kernel| {
        kernel.set_buffer(0, &buffer)?;
        kernel.set(1, 5i32)?;
        kernel.set(2, 2.5f64)
    })?;
    match printer.queue.read(&buffer).map_err(|error| error.to_string())?.as_slice() {
        [0] => Ok(()),
        found => Err(format!("an imported printf returned {found:?}")),
    }
}

fn all(printer: &Printer) -> Outcome {
    printer.run("conversions", 1, 1, |kernel| {
        kernel.set(0, 42i32)?;
        kernel.set(1, 1i64 << 40)?;
        kernel.set(2, 1.5f32)?;
        kernel.set(3, 12345.6789f64)
    })?;
    printer.run("vectors", 1, 1, |kernel| {
        kernel.set(0, [1.0f32, 2.0, 3.0, 4.0])?;
        kernel.set(1, [-1i8, 2, -3, 4, -5, 6, -7, 8, -9, 10, -11, 12, -13, 14, -15, 16])?;
        kernel.set(2, [-1i16, 2, 3, 4, 5, 6, 7, 8])?;
        kernel.set(3, [-1i32, 2, 3, 0])?;
        kernel.set(4, [-1i64, 1])?;
        kernel.set(5, [0.1f64, 1e100])
    })?;
    let text = Buffer::from_slice(&printer.context, b"global\0").map_err(|error| error.to_string())?;
    let constant = Buffer::from_slice(&printer.context, b"constant\0").map_err(|error| error.to_string())?;
    printer.run("strings", 1, 1, |kernel| {
        kernel.set_buffer(0, &constant)?;
        kernel.set_buffer(1, &text)?;
        kernel.set_local(2, 64)
    })?;
    results(printer, "many", ITEMS, &[0; ITEMS])?;
    results(printer, "wrong", 1, &[0, -1, -1, -1, -1, 0, 0])
}

/// Runs a kernel that writes what `printf` returned.
fn results(printer: &Printer, name: &str, items: usize, expected: &[i32]) -> Outcome {
    let buffer =
        Buffer::from_slice(&printer.context, &vec![7i32; expected.len()]).map_err(|error| error.to_string())?;
    printer.run(name, items, GROUP.min(items), |kernel| {
        kernel.set_buffer(0, &buffer)?;
        if name == "wrong" { kernel.set(1, 5i32) } else { Ok(()) }
    })?;
    let found = printer.queue.read(&buffer).map_err(|error| error.to_string())?;
    if found == expected { Ok(()) } else { Err(format!("{name}: printf returned {found:?}")) }
}
