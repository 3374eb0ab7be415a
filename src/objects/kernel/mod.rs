//! Kernels: created from a built program, given arguments, asked about, launched by queues.

mod argument;
mod capture;
mod create;
mod exec_info;
mod info;
mod launch;
mod names;
mod work_group;

use std::sync::{Arc, Weak};

use oxicl_abi::KernelSignature;
use oxicl_device::{Arguments, DeviceKernel};
use oxicl_validate::ValidModule;
use parking_lot::Mutex;

use crate::HandleCell;
use crate::device::Device;
use crate::memory::Memory;
use crate::program::{Attached, Program};

pub use argument::ArgumentSource;
use exec_info::ExecInfo;
pub use exec_info::{Indirect, Pointers};

/// A kernel.
pub struct Kernel {
    /// The application's handle.
    pub handle: HandleCell,
    program: Attached,
    module: Arc<ValidModule>,
    signature: KernelSignature,
    devices: Vec<OnDevice>,
    /// All of the program was OpenCL C.
    from_source: bool,
    state: Mutex<State>,
}

/// A kernel on one of the devices that its program was built for.
#[derive(Clone)]
struct OnDevice {
    device: Arc<Device>,
    kernel: Arc<dyn DeviceKernel>,
    /// `-cl-uniform-work-group-size`.
    uniform: bool,
}

/// What changes while a kernel lives.
struct State {
    /// Parallel to the signature's arguments.
    arguments: Vec<Option<Argument>>,
    /// The block of the current arguments, per device; made by the first launch after a change, and again when no launch
    /// is left that uses it: the block keeps memory objects alive, which a kernel must not do.
    captured: Vec<Weak<Arguments>>,
    exec_info: ExecInfo,
}

/// The value of an argument.
#[derive(Clone)]
enum Argument {
    /// The bytes for the argument block.
    Bytes(Box<[u8]>),
    /// A buffer, or null. "clSetKernelArg does not retain": the buffer may go while it is an argument.
    Memory(Option<Weak<Memory>>),
    /// An address in shared virtual memory.
    Svm(usize),
    /// Local memory of this many bytes.
    Local(u64),
}

impl Kernel {
    /// The kernel as the host sees it.
    pub fn signature(&self) -> &KernelSignature {
        &self.signature
    }

    /// The program that it was created from.
    pub fn program(&self) -> &Arc<Program> {
        self.program.program()
    }
}
