//! A first launch of a kernel of which nothing is known.

use oxicl_client::{Buffer, Context, Kernel, Queue};

/// Bytes of the buffer that all arguments in global memory get.
const BUFFER: usize = 1 << 20;

/// Bytes of an argument in local memory.
const LOCAL: usize = 4096;

/// Bytes of a pointer, which an argument by value may have, too.
const POINTER: usize = 8;

/// Sets an argument to zeros if it has this size.
fn zeros<const BYTES: usize>(kernel: &Kernel, index: u32) -> bool {
    kernel.set(index, [0_u8; BYTES]).is_ok()
}

/// The sizes that numbers, vectors and small structures have. A kernel with an argument of another size is not
/// launched.
const BY_VALUE: [fn(&Kernel, u32) -> bool; 24] = [
    zeros::<1>,
    zeros::<2>,
    zeros::<4>,
    zeros::<8>,
    zeros::<12>,
    zeros::<16>,
    zeros::<20>,
    zeros::<24>,
    zeros::<28>,
    zeros::<32>,
    zeros::<40>,
    zeros::<48>,
    zeros::<56>,
    zeros::<64>,
    zeros::<72>,
    zeros::<80>,
    zeros::<88>,
    zeros::<96>,
    zeros::<104>,
    zeros::<112>,
    zeros::<120>,
    zeros::<128>,
    zeros::<192>,
    zeros::<256>,
];

/// Launches kernels whose arguments are unknown: a driver shows the kind of each argument by refusing other kinds.
/// Values are zeros, so that most kernels find nothing to do.
pub(super) struct Launcher {
    queue: Queue,
    buffer: Buffer<u8>,
}

impl Launcher {
    /// On the context's device.
    pub(super) fn new(context: &Context) -> Result<Launcher, String> {
        let queue = context.queue().map_err(|error| error.to_string())?;
        let buffer = Buffer::from_slice(context, &vec![0_u8; BUFFER]).map_err(|error| error.to_string())?;
        Ok(Launcher { queue, buffer })
    }

    /// Runs one work-item, and waits for it.
    pub(super) fn launch(&self, kernel: &Kernel) -> Result<(), String> {
        let mut index = 0;
        while self.set(kernel, index)? {
            index += 1;
        }
        let done = self.queue.launch(kernel, [1, 1, 1], Some([1, 1, 1])).and_then(|()| self.queue.finish());
        done.map_err(|error| error.to_string())
    }

    /// Sets an argument; false if there is none of this number.
    fn set(&self, kernel: &Kernel, index: u32) -> Result<bool, String> {
        match kernel.set_local(index, POINTER) {
            Err(error) if error.to_string().ends_with("CL_INVALID_ARG_INDEX") => return Ok(false),
            // The call above set a null pointer to global memory, or so many bytes of local memory.
            Ok(()) if kernel.set_buffer(index, &self.buffer).is_ok() => return Ok(true),
            Ok(()) if kernel.set_local(index, LOCAL).is_ok() => return Ok(true),
            _ => {}
        }
        if BY_VALUE.iter().any(|set| set(kernel, index)) {
            return Ok(true);
        }
        Err(format!("no launch: argument {index} is of an unusual size or kind"))
    }
}
