//! Many threads on one context and one queue, each with buffers of its own.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::support::{Random, Setup, call, create, ok, release};

/// Handles may be used from every thread.
#[derive(Clone, Copy)]
struct Shared {
    context: cl::cl_context,
    queue: cl::cl_command_queue,
}

// SAFETY: as the specification says of all functions used here.
unsafe impl Send for Shared {}

const THREADS: u64 = 8;
const ROUNDS: usize = 150;

fn work(shared: Shared, seed: u64) {
    // Taken whole, so that the thread gets the type that may be sent.
    let Shared { context, queue } = shared;
    let mut random = Random::new(seed);
    for _ in 0..ROUNDS {
        let size = 1 + random.below(200_000);
        let bytes = random.bytes(size.min(999));
        let bytes: Vec<u8> = bytes.iter().copied().cycle().take(size).collect();
        let pointer: *mut c_void = bytes.as_ptr().cast_mut().cast();
        let from = create!(clCreateBuffer(context, cl::CL_MEM_COPY_HOST_PTR, size, pointer));
        let to = create!(clCreateBuffer(context, 0, size, null_mut()));
        let mut copied = null_mut();
        ok!(clEnqueueCopyBuffer(queue, from, to, 0, 0, size, 0, null(), &mut copied));
        release(from);
        let shared_memory = call!(clSVMAlloc(context, 0, size, 0));
        assert!(!shared_memory.is_null());
        let blocking = cl::CL_TRUE;
        ok!(clEnqueueReadBuffer(queue, to, blocking, 0, size, shared_memory, 1, &copied, null_mut()));
        // SAFETY: the command that wrote it is complete.
        let read = unsafe { std::slice::from_raw_parts(shared_memory.cast::<u8>(), size) };
        assert!(read == bytes, "{size} bytes of thread {seed}");
        let flags = cl::CL_MAP_READ | cl::CL_MAP_WRITE;
        let mapped = create!(clEnqueueMapBuffer(queue, to, blocking, flags, 0, size, 0, null(), null_mut()));
        // SAFETY: mapped for reading and writing, and nobody else uses the buffer.
        unsafe {
            assert_eq!(mapped.cast::<u8>().read(), bytes[0]);
            mapped.cast::<u8>().write(1);
        }
        ok!(clEnqueueUnmapMemObject(queue, to, mapped, 0, null(), null_mut()));
        call!(clSVMFree(context, shared_memory));
        ok!(clReleaseEvent(copied));
        release(to);
    }
}

#[test]
fn threads_that_share_a_queue_see_only_their_own_data() {
    let setup = Setup::new();
    for queue in [setup.queue, setup.out_of_order()] {
        let shared = Shared { context: setup.context, queue };
        std::thread::scope(|scope| {
            for seed in 1..=THREADS {
                scope.spawn(move || work(shared, seed));
            }
        });
        ok!(clFinish(queue));
        if queue != setup.queue {
            ok!(clReleaseCommandQueue(queue));
        }
    }
}
