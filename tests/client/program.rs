//! Programs and kernels.
#![allow(unsafe_code, reason = "calls of the C API")]

use std::ffi::{CString, c_char};
use std::fmt;
use std::ptr::{null, null_mut};

use cl_sys::{
    CL_PROGRAM_BUILD_LOG, cl_kernel, cl_mem, cl_program, clBuildProgram, clCompileProgram, clCreateKernel,
    clCreateKernelsInProgram, clCreateProgramWithIL, clCreateProgramWithSource, clGetProgramBuildInfo, clLinkProgram,
    clReleaseKernel, clReleaseProgram, clSetKernelArg,
};

use crate::error::{Error, Result, check};
use crate::memory::Kept;
use crate::platform::text;
use crate::{Buffer, Context, Device, Plain};

/// A build that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// The failed call.
    pub error: Error,
    /// `CL_PROGRAM_BUILD_LOG`.
    pub log: String,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.error, self.log)
    }
}

impl std::error::Error for BuildError {}

impl From<Error> for BuildError {
    fn from(error: Error) -> Self {
        BuildError { error, log: String::new() }
    }
}

/// A program.
#[derive(Debug)]
pub struct Program {
    raw: cl_program,
    device: Device,
}

// SAFETY: handles may be used from every thread.
unsafe impl Send for Program {}
// SAFETY: as above.
unsafe impl Sync for Program {}

impl Program {
    /// A built program of SPIR-V.
    pub fn build(context: &Context, il: &[u8], options: &str) -> std::result::Result<Program, BuildError> {
        let mut code = 0;
        // SAFETY: the slice has the size that is passed.
        let raw = unsafe { clCreateProgramWithIL(context.raw(), il.as_ptr().cast(), il.len(), &mut code) };
        check("clCreateProgramWithIL", code)?;
        Program { raw, device: context.device() }.built(options)
    }

    /// A built program of OpenCL C.
    pub fn build_source(context: &Context, text: &str, options: &str) -> std::result::Result<Program, BuildError> {
        Program::from_source(context, text)?.built(options)
    }

    /// A program of OpenCL C, compiled with embedded headers, each with the name by which it is included, and linked.
    pub fn compile_and_link(
        context: &Context,
        text: &str,
        headers: &[(&str, &str)],
        options: &str,
    ) -> std::result::Result<Program, BuildError> {
        let program = Program::from_source(context, text)?;
        let options = c_string("clCompileProgram", options)?;
        let kept: Vec<Program> =
            headers.iter().map(|(_, text)| Program::from_source(context, text)).collect::<Result<_>>()?;
        let texts: Vec<cl_program> = kept.iter().map(|header| header.raw).collect();
        let names: Vec<CString> =
            headers.iter().map(|(name, _)| c_string("clCompileProgram", name)).collect::<Result<_>>()?;
        let mut names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let count = u32::try_from(headers.len()).unwrap_or(u32::MAX);
        let (texts, names) = if count == 0 { (null(), null_mut()) } else { (texts.as_ptr(), names.as_mut_ptr()) };
        // SAFETY: the options and names end with a zero; the lists have `count` entries, and are null if that is none.
        let code = unsafe {
            clCompileProgram(program.raw, 0, null(), options.as_ptr(), count, texts, names, None, null_mut())
        };
        if let Err(error) = check("clCompileProgram", code) {
            return Err(BuildError { error, log: program.log()? });
        }
        let mut code = 0;
        // SAFETY: there is one program, and no devices, options and callback.
        let raw =
            unsafe { clLinkProgram(context.raw(), 0, null(), null(), 1, &program.raw, None, null_mut(), &mut code) };
        check("clLinkProgram", code)?;
        Ok(Program { raw, device: context.device() })
    }

    fn from_source(context: &Context, text: &str) -> Result<Program> {
        let mut code = 0;
        let (mut strings, lengths) = ([text.as_ptr().cast::<c_char>()], [text.len()]);
        // SAFETY: there is one string, of the length that is passed.
        let raw =
            unsafe { clCreateProgramWithSource(context.raw(), 1, strings.as_mut_ptr(), lengths.as_ptr(), &mut code) };
        check("clCreateProgramWithSource", code)?;
        Ok(Program { raw, device: context.device() })
    }

    fn built(self, options: &str) -> std::result::Result<Program, BuildError> {
        let options = c_string("clBuildProgram", options)?;
        // SAFETY: the options end with a zero; no devices and no callback are passed.
        let code = unsafe { clBuildProgram(self.raw, 0, null(), options.as_ptr(), None, null_mut()) };
        match check("clBuildProgram", code) {
            Ok(()) => Ok(self),
            Err(error) => Err(BuildError { error, log: self.log()? }),
        }
    }

    /// `CL_PROGRAM_BUILD_LOG`.
    pub fn log(&self) -> Result<String> {
        text("clGetProgramBuildInfo", |size, value, needed| {
            // SAFETY: the caller passes a value of `size` bytes and an out-parameter, or nulls.
            unsafe { clGetProgramBuildInfo(self.raw, self.device.raw(), CL_PROGRAM_BUILD_LOG, size, value, needed) }
        })
    }

    /// A kernel of it.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        let name = c_string("clCreateKernel", name)?;
        let mut code = 0;
        // SAFETY: the name ends with a zero.
        let raw = unsafe { clCreateKernel(self.raw, name.as_ptr(), &mut code) };
        check("clCreateKernel", code)?;
        Ok(Kernel { raw, kept: Vec::new() })
    }

    /// All its kernels.
    pub fn kernels(&self) -> Result<Vec<Kernel>> {
        let mut count = 0;
        // SAFETY: the out-parameter outlives the call; a null list of no entries is allowed.
        check("clCreateKernelsInProgram", unsafe { clCreateKernelsInProgram(self.raw, 0, null_mut(), &mut count) })?;
        let mut kernels = vec![null_mut(); count as usize];
        // SAFETY: the list has `count` entries.
        check("clCreateKernelsInProgram", unsafe {
            clCreateKernelsInProgram(self.raw, count, kernels.as_mut_ptr(), null_mut())
        })?;
        Ok(kernels.into_iter().map(|raw| Kernel { raw, kept: Vec::new() }).collect())
    }

    /// The handle.
    pub fn raw(&self) -> cl_program {
        self.raw
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the handle is ours and released once.
        let _ = unsafe { clReleaseProgram(self.raw) };
    }
}

/// A kernel with its arguments.
#[derive(Debug)]
pub struct Kernel {
    raw: cl_kernel,
    kept: Vec<Box<dyn Kept>>,
}

// SAFETY: a kernel may be used from every thread, from one at a time.
unsafe impl Send for Kernel {}

impl Kernel {
    /// Sets argument `index` to a number or a vector (an array with the vector's size).
    pub fn set<T: Plain>(&self, index: u32, value: T) -> Result {
        // SAFETY: the value has the size that is passed; it is copied during the call.
        check("clSetKernelArg", unsafe { clSetKernelArg(self.raw, index, size_of::<T>(), (&raw const value).cast()) })
    }

    /// Sets argument `index` to a value of any type, as its bytes.
    pub fn set_bytes(&self, index: u32, value: &[u8]) -> Result {
        // SAFETY: the slice has the size that is passed; it is copied during the call.
        check("clSetKernelArg", unsafe { clSetKernelArg(self.raw, index, value.len(), value.as_ptr().cast()) })
    }

    /// Sets argument `index` to a buffer.
    pub fn set_buffer<T: Plain>(&self, index: u32, buffer: &Buffer<T>) -> Result {
        let handle: cl_mem = buffer.raw();
        // SAFETY: a memory object is passed by the address of its handle.
        check("clSetKernelArg", unsafe {
            clSetKernelArg(self.raw, index, size_of::<cl_mem>(), (&raw const handle).cast())
        })
    }

    /// Sets argument `index` to a buffer and keeps it as long as the kernel: a kernel does not retain its arguments.
    pub fn give_buffer<T>(&mut self, index: u32, buffer: Buffer<T>) -> Result
    where
        T: Plain + Send + fmt::Debug,
    {
        self.set_buffer(index, &buffer)?;
        self.keep(Box::new(buffer));
        Ok(())
    }

    /// Keeps a memory object as long as the kernel.
    pub(crate) fn keep(&mut self, object: Box<dyn Kept>) {
        self.kept.push(object);
    }

    /// Gives argument `index` that many bytes of local memory.
    pub fn set_local(&self, index: u32, bytes: usize) -> Result {
        // SAFETY: local memory is passed as a size without a value.
        check("clSetKernelArg", unsafe { clSetKernelArg(self.raw, index, bytes, null()) })
    }

    /// The handle.
    pub fn raw(&self) -> cl_kernel {
        self.raw
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // SAFETY: the handle is ours and released once.
        let _ = unsafe { clReleaseKernel(self.raw) };
    }
}

fn c_string(call: &'static str, text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error { call, code: cl_sys::CL_INVALID_VALUE })
}
