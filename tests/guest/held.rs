//! The compiler is stopped in the midst of a kernel, and the application goes on.
//!
//! A fault stops the worker of the kernel `victim` at a stage. The compiler runs by a path of the test's own, so that its
//! processes can be told from others and be set going again.

use std::ffi::{c_char, c_void};
use std::mem::transmute;
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use oxicl_tests::client::sys::{
    CL_COMPLETE, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, CL_KERNEL_PRIVATE_MEM_SIZE, CL_KERNEL_WORK_GROUP_SIZE,
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_SUCCESS, cl_command_queue, cl_event, cl_int, cl_kernel,
    cl_kernel_work_group_info, cl_platform_id, cl_uint, clGetExtensionFunctionAddressForPlatform,
    clGetKernelWorkGroupInfo, clGetPlatformIDs,
};
use oxicl_tests::client::{Buffer, Context, Event, Kernel, Program, Queue};
use oxicl_tests::kernels;

use crate::Outcome;
use crate::builders::build_run_check;
use crate::limits::processes_of;
use crate::process::fork_once;

/// Longer than any of this takes on a busy machine, where code that nobody waits for is made in what processor time others leave.
pub(crate) const PATIENCE: Duration = Duration::from_secs(200);
/// As long as something that must not happen is looked for.
pub(crate) const WHILE: Duration = Duration::from_millis(300);
pub(crate) const ITEMS: usize = 1000;

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// The processes of the compiler that are stopped.
fn stopped() -> Result<Vec<libc::pid_t>, String> {
    let compiler = std::env::var_os("OXICL_COMPILER").map(PathBuf::from).ok_or("OXICL_COMPILER is not set")?;
    let is_stopped = |pid: &libc::pid_t| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('T'))
    };
    Ok(processes_of(&compiler).into_iter().map(|(pid, _)| pid).filter(is_stopped).collect())
}

/// Waits until a worker is stopped.
pub(crate) fn wait_for_hold() -> Outcome {
    let begun = Instant::now();
    while stopped()?.is_empty() {
        if begun.elapsed() > PATIENCE {
            return Err("no worker was stopped".to_owned());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Sets all workers going.
pub(crate) fn go_on() -> Outcome {
    for pid in stopped()? {
        // SAFETY: only sends a signal, to a compiler process that has the path of this test alone.
        unsafe { libc::kill(pid, libc::SIGCONT) };
    }
    Ok(())
}

/// The victim, or a kernel like it, with its arguments.
struct Victim {
    out: Buffer<u32>,
    kernel: Kernel,
    _program: Program,
}

impl Victim {
    fn new(context: &Context, number: u32) -> Result<Victim, String> {
        let begun = Instant::now();
        let program = Program::build(context, kernels::VICTIM.plain, "").map_err(text)?;
        println!("built after {} ms", begun.elapsed().as_millis());
        Victim::of(context, program, "victim", number)
    }

    fn of(context: &Context, program: Program, name: &str, number: u32) -> Result<Victim, String> {
        let kernel = program.kernel(name).map_err(text)?;
        let out = Buffer::<u32>::new(context, ITEMS).map_err(text)?;
        kernel.set_buffer(0, &out).map_err(text)?;
        kernel.set(1, number).map_err(text)?;
        Ok(Victim { out, kernel, _program: program })
    }

    fn check(&self, queue: &Queue, number: u32) -> Outcome {
        let found = queue.read(&self.out).map_err(text)?;
        match found.iter().zip(number..).find(|(value, expected)| *value != expected) {
            None => Ok(()),
            Some((value, expected)) => Err(format!("an element is {value}, not {expected}")),
        }
    }

    /// What the API tells of it.
    fn sizes(&self, context: &Context) -> Result<[u64; 3], String> {
        let size = |name: cl_kernel_work_group_info| {
            let (device, mut value) = (context.device().raw(), 0_u64);
            let (bytes, to) = (size_of::<u64>(), (&raw mut value).cast());
            // SAFETY: the value has the size that is passed; all of these are numbers of 64 bits.
            let code = unsafe { clGetKernelWorkGroupInfo(self.kernel.raw(), device, name, bytes, to, null_mut()) };
            if code == CL_SUCCESS { Ok(value) } else { Err(format!("clGetKernelWorkGroupInfo gives {code}")) }
        };
        Ok([
            size(CL_KERNEL_WORK_GROUP_SIZE)?,
            size(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)?,
            size(CL_KERNEL_PRIVATE_MEM_SIZE)?,
        ])
    }
}

/// Holds that a command stays where it is while its code is held, and is over soon when that goes on.
fn ends_when_code_comes(event: &Event) -> Outcome {
    std::thread::sleep(WHILE);
    let status = event.status().map_err(text)?;
    if status <= CL_COMPLETE as cl_int {
        return Err(format!("the command has status {status} while its code is held"));
    }
    go_on()?;
    event.wait().map_err(text)
}

/// The code generator is held: the build is over, queries are answered, a launch returns and waits; in a queue without order
/// others pass it.
pub fn code_is_held() -> Outcome {
    let context = Context::first().map_err(text)?;
    let queue = Queue::new(&context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE).map_err(text)?;
    let victim = Victim::new(&context, 5)?;
    wait_for_hold()?;
    let before = victim.sizes(&context)?;
    let begun = Instant::now();
    let event = queue.launch_with_event(&victim.kernel, [ITEMS], None).map_err(text)?;
    queue.flush().map_err(text)?;
    println!("enqueued after {} ms", begun.elapsed().as_millis());
    let recorded = Recorded::new(&queue, &victim.kernel)?;
    let executed = recorded.enqueue()?;
    let program = Program::build(&context, kernels::PLAIN.plain, "").map_err(text)?;
    let other = Victim::of(&context, program, "plain", 7)?;
    queue.launch_with_event(&other.kernel, [ITEMS], None).and_then(|event| event.wait()).map_err(text)?;
    other.check(&queue, 7)?;
    let status = executed.status().map_err(text)?;
    if status <= CL_COMPLETE as cl_int {
        return Err(format!("the command buffer has status {status} while the code is held"));
    }
    ends_when_code_comes(&event)?;
    executed.wait().map_err(text)?;
    victim.check(&queue, 5)?;
    recorded.enqueue()?.wait().map_err(text)?;
    let after = victim.sizes(&context)?;
    if before == after { Ok(()) } else { Err(format!("the kernel had {before:?}, and has {after:?}")) }
}

/// As much code is held as is generated at a time: builds go on.
pub fn builds_go_on() -> Outcome {
    let context = Context::first().map_err(text)?;
    let queue = Queue::new(&context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE).map_err(text)?;
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u32;
    let victims: Vec<Victim> = (0..cpus).map(|number| Victim::new(&context, number)).collect::<Result<_, _>>()?;
    for victim in &victims {
        queue.launch(&victim.kernel, [ITEMS], None).map_err(text)?;
    }
    queue.flush().map_err(text)?;
    let begun = Instant::now();
    while stopped()?.len() < victims.len() && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(5));
    }
    let program = Program::build(&context, kernels::PLAIN.plain, "").map_err(text)?;
    if stopped()?.is_empty() {
        return Err("the workers were not stopped all the time".to_owned());
    }
    std::thread::scope(|scope| {
        let finish = scope.spawn(|| queue.finish().map_err(text));
        while !finish.is_finished() {
            go_on()?;
            std::thread::sleep(Duration::from_millis(20));
        }
        finish.join().unwrap_or(Err("a thread panicked".to_owned()))
    })?;
    for (victim, number) in victims.iter().zip(0..) {
        victim.check(&queue, number)?;
    }
    let plain = Victim::of(&context, program, "plain", 7)?;
    queue.launch_with_event(&plain.kernel, [ITEMS], None).and_then(|event| event.wait()).map_err(text)?;
    plain.check(&queue, 7)
}

/// A stage in front of the plan is held: the build is over, and a query waits for what it asks.
pub fn plan_is_held() -> Outcome {
    let context = Context::first().map_err(text)?;
    let queue = context.queue().map_err(text)?;
    let victim = Victim::new(&context, 5)?;
    wait_for_hold()?;
    let helper = std::thread::spawn(|| {
        std::thread::sleep(WHILE);
        go_on()
    });
    let begun = Instant::now();
    victim.sizes(&context)?;
    let waited = begun.elapsed();
    helper.join().map_err(|_| "a thread panicked".to_owned())??;
    if waited < WHILE / 2 {
        return Err("a query was answered before there was a plan".to_owned());
    }
    queue.launch(&victim.kernel, [ITEMS], None).map_err(text)?;
    victim.check(&queue, 5)
}

/// All that has to do with a kernel is released while its code is held, and so is a launch.
pub fn releases() -> Outcome {
    let context = Context::first().map_err(text)?;
    let queue = context.queue().map_err(text)?;
    let victim = Victim::new(&context, 5)?;
    wait_for_hold()?;
    let event = queue.launch_with_event(&victim.kernel, [ITEMS], None).map_err(text)?;
    let Victim { out, kernel, _program } = victim;
    drop((kernel, _program));
    ends_when_code_comes(&event)?;
    let found = queue.read(&out).map_err(text)?;
    if !found.iter().copied().eq(5..5 + ITEMS as u32) {
        return Err("the launch did something else".to_owned());
    }
    drop(Victim::new(&context, 6)?);
    wait_for_hold()?;
    build_run_check(&context, &queue, 8)?;
    go_on()?;
    build_run_check(&context, &queue, 9)
}

/// Forks while code is held. The child has the kernel, but neither its command nor its compiler, and makes its own.
pub fn forks() -> Outcome {
    let context = Context::first().map_err(text)?;
    let queue = context.queue().map_err(text)?;
    let victim = Victim::new(&context, 5)?;
    wait_for_hold()?;
    let event = queue.launch_with_event(&victim.kernel, [ITEMS], None).map_err(text)?;
    queue.flush().map_err(text)?;
    fork_once(0, || {
        if event.wait().is_ok() {
            return Err("a command of the parent has ended well in the child".to_owned());
        }
        let queue = context.queue().map_err(text)?;
        let own = queue.launch_with_event(&victim.kernel, [ITEMS], None).map_err(text)?;
        queue.flush().map_err(text)?;
        let begun = Instant::now();
        while own.status().map_err(text)? > CL_COMPLETE as cl_int && begun.elapsed() < PATIENCE {
            go_on()?;
            std::thread::sleep(Duration::from_millis(20));
        }
        own.wait().map_err(text)?;
        victim.check(&queue, 5)
    })?;
    go_on()?;
    event.wait().map_err(text)?;
    victim.check(&queue, 5)
}

/// Leaves while code is held, with a command that waits for it.
pub fn exits() -> Outcome {
    let context = Context::first().map_err(text)?;
    let queue = context.queue().map_err(text)?;
    let victim = Victim::new(&context, 5)?;
    wait_for_hold()?;
    queue.launch(&victim.kernel, [ITEMS], None).map_err(text)?;
    queue.flush().map_err(text)?;
    std::process::exit(0);
}

/// A command buffer of one launch.
pub(crate) struct Recorded {
    buffer: *mut c_void,
    enqueue: EnqueueBuffer,
}

type CreateBuffer = unsafe extern "C" fn(cl_uint, *const cl_command_queue, *const u64, *mut cl_int) -> *mut c_void;
type RecordLaunch = unsafe extern "C" fn(
    *mut c_void,
    cl_command_queue,
    *const u64,
    cl_kernel,
    cl_uint,
    *const usize,
    *const usize,
    *const usize,
    cl_uint,
    *const cl_uint,
    *mut cl_uint,
    *mut c_void,
) -> cl_int;
type Finalize = unsafe extern "C" fn(*mut c_void) -> cl_int;
type EnqueueBuffer = unsafe extern "C" fn(
    cl_uint,
    *const cl_command_queue,
    *mut c_void,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;

/// The address of a function of an extension.
fn extension(name: &std::ffi::CStr) -> Result<*mut c_void, String> {
    let mut platform: cl_platform_id = null_mut();
    // SAFETY: there is room for one platform, and the name ends with a zero.
    let address = unsafe {
        clGetPlatformIDs(1, &mut platform, null_mut());
        clGetExtensionFunctionAddressForPlatform(platform, name.as_ptr().cast::<c_char>())
    };
    if address.is_null() { Err(format!("there is no {name:?}")) } else { Ok(address) }
}

impl Recorded {
    pub(crate) fn new(queue: &Queue, kernel: &Kernel) -> Result<Recorded, String> {
        // SAFETY: the types are those of cl_khr_command_buffer.
        let (create, record, finalize, enqueue) = unsafe {
            (
                transmute::<*mut c_void, CreateBuffer>(extension(c"clCreateCommandBufferKHR")?),
                transmute::<*mut c_void, RecordLaunch>(extension(c"clCommandNDRangeKernelKHR")?),
                transmute::<*mut c_void, Finalize>(extension(c"clFinalizeCommandBufferKHR")?),
                transmute::<*mut c_void, EnqueueBuffer>(extension(c"clEnqueueCommandBufferKHR")?),
            )
        };
        let (mut code, queue) = (0, queue.raw());
        // SAFETY: the handles are valid, and sizes have one dimension.
        unsafe {
            let buffer = create(1, &queue, null(), &mut code);
            if code != CL_SUCCESS {
                return Err(format!("clCreateCommandBufferKHR gives {code}"));
            }
            let (kernel, none) = (kernel.raw(), null_mut());
            let code =
                record(buffer, null_mut(), null(), kernel, 1, null(), &ITEMS, null(), 0, null(), null_mut(), none);
            match (code, finalize(buffer)) {
                (CL_SUCCESS, CL_SUCCESS) => Ok(Recorded { buffer, enqueue }),
                codes => Err(format!("recording gives {codes:?}")),
            }
        }
    }

    pub(crate) fn enqueue(&self) -> Result<Event, String> {
        let mut event = null_mut();
        // SAFETY: the command buffer is valid, and the event is ours.
        unsafe {
            match (self.enqueue)(0, null(), self.buffer, 0, null(), &mut event) {
                CL_SUCCESS => Ok(Event::from_raw(event)),
                code => Err(format!("clEnqueueCommandBufferKHR gives {code}")),
            }
        }
    }
}
