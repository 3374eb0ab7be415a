//! Code that is generated after the build: in which order, what if it cannot be, and what if nobody wants it any more.

use std::fmt::Write as _;
use std::ptr::null;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use oxicl_tests::client::sys::{
    CL_COMPLETE, CL_EVENT_COMMAND_EXECUTION_STATUS, CL_MEM_READ_WRITE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    CL_SUCCESS, c_void, cl_int, cl_platform_id, clBuildProgram, clCreateBuffer, clCreateCommandQueueWithProperties,
    clCreateContext, clCreateKernel, clCreateProgramWithIL, clEnqueueNDRangeKernel, clGetEventInfo, clGetPlatformIDs,
    clSetKernelArg, clWaitForEvents,
};
use oxicl_tests::client::{Buffer, Context, Kernel, Platform, Program, Queue};
use oxicl_tests::kernels;

use crate::Outcome;
use crate::builders::build_run_check;

unsafe extern "C" {
    fn clUnloadPlatformCompiler(platform: cl_platform_id) -> cl_int;
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Has the log go where the test reads it.
fn log_to_output() {
    // SAFETY: both are open.
    unsafe { libc::dup2(1, 2) };
}

/// What the context's function for errors was told.
static TOLD: Mutex<String> = Mutex::new(String::new());

extern "C" fn tell(message: *const std::ffi::c_char, _: *const c_void, _: usize, _: *mut c_void) {
    // SAFETY: the message ends with a zero.
    let message = unsafe { std::ffi::CStr::from_ptr(message) };
    if let Ok(mut told) = TOLD.lock() {
        let _ = writeln!(told, "{}", message.to_string_lossy());
    }
}

/// The victim's worker dies at every try, after the build: its launch fails and says why, and others see nothing of it.
pub fn victim_cannot_be_compiled() -> Outcome {
    let device = Platform::first().and_then(|platform| platform.device()).map_err(text)?;
    let good = |what: &str, code: cl_int| if code == CL_SUCCESS { Ok(()) } else { Err(format!("{what} gives {code}")) };
    let (mut code, il, size) = (0, kernels::VICTIM.plain, 1000_usize);
    // SAFETY: sizes are those of what is passed; objects live to the end of the process.
    let status = unsafe {
        let context = clCreateContext(null(), 1, &device.raw(), Some(tell), std::ptr::null_mut(), &mut code);
        good("clCreateContext", code)?;
        let queue = clCreateCommandQueueWithProperties(context, device.raw(), null(), &mut code);
        good("clCreateCommandQueueWithProperties", code)?;
        let program = clCreateProgramWithIL(context, il.as_ptr().cast(), il.len(), &mut code);
        good("clCreateProgramWithIL", code)?;
        good("clBuildProgram", clBuildProgram(program, 0, null(), null(), None, std::ptr::null_mut()))?;
        let kernel = clCreateKernel(program, c"victim".as_ptr(), &mut code);
        good("clCreateKernel", code)?;
        let buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * size, std::ptr::null_mut(), &mut code);
        good("clCreateBuffer", code)?;
        let number = 5_u32;
        good("clSetKernelArg", clSetKernelArg(kernel, 0, size_of_val(&buffer), (&raw const buffer).cast()))?;
        good("clSetKernelArg", clSetKernelArg(kernel, 1, size_of_val(&number), (&raw const number).cast()))?;
        let (mut event, mut status) = (std::ptr::null_mut(), 0_i32);
        let code = clEnqueueNDRangeKernel(queue, kernel, 1, null(), &size, null(), 0, null(), &mut event);
        if code == CL_SUCCESS {
            clWaitForEvents(1, &event);
            let name = CL_EVENT_COMMAND_EXECUTION_STATUS;
            good("clGetEventInfo", clGetEventInfo(event, name, 4, (&raw mut status).cast(), std::ptr::null_mut()))?;
            println!("the command ends with {status}");
        } else {
            println!("the call gives {code}");
            status = code;
        }
        status
    };
    println!("{}", TOLD.lock().map_err(text)?);
    if status >= CL_COMPLETE as cl_int {
        return Err(format!("the launch has status {status}"));
    }
    let context = Context::first().map_err(text)?;
    let queue = context.queue().map_err(text)?;
    build_run_check(&context, &queue, 3)
}

/// The victim of a program, launched.
fn run_victim(source: Option<&str>) -> Result<Vec<u32>, String> {
    let context = Context::first().map_err(text)?;
    let queue = context.queue().map_err(text)?;
    let program = match source {
        Some(source) => Program::build_source(&context, source, ""),
        None => Program::build(&context, kernels::VICTIM.plain, ""),
    };
    let kernel = program.and_then(|program| Ok(program.kernel("victim")?)).map_err(text)?;
    let out = Buffer::<u32>::new(&context, 64).map_err(text)?;
    kernel.set_buffer(0, &out).map_err(text)?;
    kernel.set(1, 5_u32).map_err(text)?;
    queue.launch_with_event(&kernel, [64], Some([64])).and_then(|event| event.wait()).map_err(text)?;
    queue.read(&out).map_err(text)
}

/// The victim's worker dies over its code: another makes it in a simpler way.
pub fn victim_is_compiled_in_the_end() -> Outcome {
    let found = run_victim(None)?;
    if found.iter().copied().eq(5..69) { Ok(()) } else { Err(format!("{found:?}")) }
}

/// The same for a victim that depends on the size of its sub-groups, which was told before.
pub fn victim_has_sub_groups() -> Outcome {
    let source = "#pragma OPENCL EXTENSION cl_khr_subgroups : enable
        kernel void victim(global uint *out, uint n) {
            out[get_global_id(0)] = sub_group_reduce_add(n) / n == get_sub_group_size() ? get_sub_group_size() : 0;
        }";
    let found = run_victim(Some(source))?;
    let size = found.first().copied().unwrap_or_default();
    if size > 1 && found.iter().all(|other| *other == size) { Ok(()) } else { Err(format!("{found:?}")) }
}

/// Kernels of a program, each of which takes some milliseconds to compile.
const MANY: u32 = 40;

/// [`MANY`] kernels, each of another number.
fn many() -> String {
    let mut source = String::new();
    for number in 0..MANY {
        let _ = writeln!(
            source,
            "kernel void k{number}(global float *a, int n) {{
                int i = get_global_id(0);
                float s = 0;
                for (int j = 0; j < n; j++) s += a[(i + j) % 64] * {number}.5f + sin(s);
                a[i] = s;
            }}"
        );
    }
    source
}

/// Sets the arguments of one of the many.
fn prepare(program: &Program, number: u32, buffer: &Buffer<f32>) -> Result<Kernel, String> {
    let kernel = program.kernel(&format!("k{number}")).map_err(text)?;
    kernel.set_buffer(0, buffer).map_err(text)?;
    kernel.set(1, 1_i32).map_err(text)?;
    Ok(kernel)
}

/// All kernels of a program are enqueued, and one is waited for: what the log says is looked at by the test.
pub fn one_of_many_comes_first() -> Outcome {
    log_to_output();
    let context = Context::first().map_err(text)?;
    let queue = Queue::new(&context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE).map_err(text)?;
    let program = Program::build_source(&context, &many(), "").map_err(text)?;
    let buffer = Buffer::<f32>::from_slice(&context, &[1.0; 64]).map_err(text)?;
    let last = prepare(&program, MANY - 1, &buffer)?;
    let event = queue.launch_with_event(&last, [64], None).map_err(text)?;
    event.wait().map_err(text)?;
    let kernels: Vec<Kernel> =
        (0..MANY - 1).map(|number| prepare(&program, number, &buffer)).collect::<Result<_, _>>()?;
    for kernel in &kernels {
        queue.launch(kernel, [64], None).map_err(text)?;
    }
    queue.finish().map_err(text)
}

/// A program of many kernels is released as soon as it is built: none of them is compiled that was not begun.
pub fn releases_many_kernels() -> Outcome {
    log_to_output();
    let context = Context::first().map_err(text)?;
    let queue = context.queue().map_err(text)?;
    drop(Program::build_source(&context, &many(), "").map_err(text)?);
    build_run_check(&context, &queue, 3)?;
    std::thread::sleep(Duration::from_millis(500));
    Ok(())
}

/// The compiler is unloaded while kernels have no code: those that are wanted get theirs.
pub fn unloads_the_compiler() -> Outcome {
    log_to_output();
    let context = Context::first().map_err(text)?;
    let queue = context.queue().map_err(text)?;
    let program = Program::build_source(&context, &many(), "").map_err(text)?;
    let mut platform = std::ptr::null_mut();
    // SAFETY: there is room for one platform.
    unsafe {
        clGetPlatformIDs(1, &mut platform, std::ptr::null_mut());
        clUnloadPlatformCompiler(platform);
    }
    std::thread::sleep(Duration::from_millis(500));
    let buffer = Buffer::<f32>::from_slice(&context, &[1.0; 64]).map_err(text)?;
    let last = prepare(&program, MANY - 1, &buffer)?;
    let begun = Instant::now();
    queue.launch(&last, [64], None).map_err(text)?;
    queue.finish().map_err(text)?;
    println!("launched after {} ms", begun.elapsed().as_millis());
    Ok(())
}

/// Two kernels, of which the one that is changed comes first, so that the ids of the other are others, too.
fn two_kernels(changed: &str) -> Outcome {
    let source = format!(
        "int helper(int x) {{ return x * 3 + 1; }}
        kernel void changed(global int *a) {{ a[get_global_id(0)] {changed}; }}
        kernel void kept(global int *a) {{ a[get_global_id(0)] = helper(a[get_global_id(0)]); }}"
    );
    let context = Context::first().map_err(text)?;
    let queue = context.queue().map_err(text)?;
    let program = Program::build_source(&context, &source, "").map_err(text)?;
    for name in ["kept", "changed"] {
        let buffer = Buffer::<i32>::from_slice(&context, &[5; 64]).map_err(text)?;
        let kernel = program.kernel(name).map_err(text)?;
        kernel.set_buffer(0, &buffer).map_err(text)?;
        let event = queue.launch_with_event(&kernel, [64], None).map_err(text)?;
        event.wait().map_err(|error| format!("{name}: {error}"))?;
        println!("{name} gives {}", queue.read(&buffer).map_err(text)?[63]);
    }
    Ok(())
}

/// A program of two kernels.
pub fn two_kernels_before() -> Outcome {
    two_kernels("+= 2")
}

/// The same with another first kernel.
pub fn two_kernels_after() -> Outcome {
    two_kernels("*= 40")
}
