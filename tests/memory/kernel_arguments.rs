//! Memory objects as kernel arguments: a kernel does not keep them, a launch does.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use khronos_headers as cl;
use oxicl_tests::offline::{Level, compile};

use crate::support::{Setup, call, create, ok, release};

const INCREMENT: &str = "kernel void increment(global int *data) { data[get_global_id(0)] += 1; }";

struct Increment {
    program: cl::cl_program,
    kernel: cl::cl_kernel,
}

impl Increment {
    fn new(setup: &Setup) -> Increment {
        let module = compile(INCREMENT, Level::Plain).expect("clang compiles it");
        let program = create!(clCreateProgramWithIL(setup.context, module.as_ptr().cast(), module.len()));
        ok!(clBuildProgram(program, 0, null(), null(), None, null_mut()));
        let name: &CStr = c"increment";
        let kernel = create!(clCreateKernel(program, name.as_ptr()));
        Increment { program, kernel }
    }

    fn set(&self, buffer: cl::cl_mem) {
        ok!(clSetKernelArg(self.kernel, 0, size_of::<cl::cl_mem>(), (&raw const buffer).cast()));
    }

    fn launch(&self, setup: &Setup, items: usize, waits: &[cl::cl_event]) -> cl::cl_int {
        let (count, list) = (waits.len() as u32, if waits.is_empty() { null() } else { waits.as_ptr() });
        call!(clEnqueueNDRangeKernel(setup.queue, self.kernel, 1, null(), &items, null(), count, list, null_mut()))
    }
}

impl Drop for Increment {
    fn drop(&mut self) {
        call!(clReleaseKernel(self.kernel));
        call!(clReleaseProgram(self.program));
    }
}

unsafe extern "C-unwind" fn count(_memory: cl::cl_mem, counter: *mut c_void) {
    // SAFETY: the tests pass a counter that lives as long as the process.
    unsafe { &*counter.cast::<AtomicU32>() }.fetch_add(1, Ordering::AcqRel);
}

fn count_destruction(buffer: cl::cl_mem, counter: &'static AtomicU32) {
    ok!(clSetMemObjectDestructorCallback(buffer, Some(count), std::ptr::from_ref(counter).cast_mut().cast()));
}

fn becomes_one(counter: &AtomicU32) -> bool {
    let start = Instant::now();
    while counter.load(Ordering::Acquire) != 1 && start.elapsed() < Duration::from_secs(10) {
        std::thread::yield_now();
    }
    counter.load(Ordering::Acquire) == 1
}

#[test]
fn a_buffer_that_is_only_an_argument_goes_with_its_last_reference() {
    static GONE: AtomicU32 = AtomicU32::new(0);
    let setup = Setup::new();
    let increment = Increment::new(&setup);
    let buffer = setup.filled(&[0; 64]);
    count_destruction(buffer, &GONE);
    increment.set(buffer);
    assert_eq!(increment.launch(&setup, 16, &[]), cl::CL_SUCCESS);
    setup.finish();
    release(buffer);
    assert!(becomes_one(&GONE), "the kernel must not keep its arguments");
    assert_eq!(increment.launch(&setup, 16, &[]), cl::CL_INVALID_KERNEL_ARGS);
    let other = setup.filled(&[0; 64]);
    increment.set(other);
    assert_eq!(increment.launch(&setup, 16, &[]), cl::CL_SUCCESS);
    assert_eq!(setup.read(other)[..4], 1i32.to_ne_bytes());
    release(other);
}

#[test]
fn a_launch_keeps_its_arguments_until_it_is_over() {
    static GONE: AtomicU32 = AtomicU32::new(0);
    let setup = Setup::new();
    let increment = Increment::new(&setup);
    let mut data = vec![5i32; 16];
    let pointer: *mut c_void = data.as_mut_ptr().cast();
    let buffer = create!(clCreateBuffer(setup.context, cl::CL_MEM_USE_HOST_PTR, 64, pointer));
    count_destruction(buffer, &GONE);
    increment.set(buffer);
    let gate = create!(clCreateUserEvent(setup.context));
    assert_eq!(increment.launch(&setup, 16, &[gate]), cl::CL_SUCCESS);
    release(buffer);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(GONE.load(Ordering::Acquire), 0, "the launch is not over");
    ok!(clSetUserEventStatus(gate, cl::CL_COMPLETE));
    setup.finish();
    assert!(becomes_one(&GONE));
    assert_eq!(data, [6; 16]);
    ok!(clReleaseEvent(gate));
}

#[test]
fn an_argument_that_is_set_again_does_not_change_launches_before_it() {
    let setup = Setup::new();
    let increment = Increment::new(&setup);
    let gate = create!(clCreateUserEvent(setup.context));
    let buffers: Vec<cl::cl_mem> = (0..10).map(|_| setup.filled(&[0; 4])).collect();
    for (times, &buffer) in buffers.iter().enumerate() {
        increment.set(buffer);
        for _ in 0..times {
            assert_eq!(increment.launch(&setup, 1, &[gate]), cl::CL_SUCCESS);
        }
    }
    ok!(clSetUserEventStatus(gate, cl::CL_COMPLETE));
    for (times, buffer) in buffers.into_iter().enumerate() {
        assert_eq!(setup.read(buffer), (times as i32).to_ne_bytes());
        release(buffer);
    }
    ok!(clReleaseEvent(gate));
}
