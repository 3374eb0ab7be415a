//! What an application sees of the platform and its device, where the environment has a say in it.

use std::ffi::CString;
use std::ptr::{null, null_mut};

use oxicl_tests::client::sys::{
    CL_DEVICE_EXTENSIONS, CL_DEVICE_VENDOR, CL_DEVICE_VENDOR_ID, CL_DEVICE_VERSION, CL_DRIVER_VERSION,
    CL_PLATFORM_EXTENSIONS, CL_PLATFORM_VENDOR, CL_SUCCESS, cl_int, cl_uint, clBuildProgram, clCreateProgramWithIL,
    clCreateProgramWithSource, clGetDeviceInfo, clReleaseProgram,
};
use oxicl_tests::client::{Context, Device, Platform, code_name};
use oxicl_tests::kernels;

use crate::Outcome;

const CL_DEVICE_DOUBLE_FP_CONFIG: cl_uint = 0x1032;
const CL_DEVICE_IL_VERSION: cl_uint = 0x105B;
const CL_DEVICE_EXTENSIONS_WITH_VERSION: cl_uint = 0x1060;
const CL_DEVICE_OPENCL_C_FEATURES: cl_uint = 0x106F;

pub(crate) fn failed(error: oxicl_tests::client::Error) -> String {
    error.to_string()
}

/// The bytes of an answer.
fn bytes(device: Device, name: cl_uint) -> Result<Vec<u8>, String> {
    let mut size = 0;
    // SAFETY: the handle is the platform's, and the size outlives the call.
    let code = unsafe { clGetDeviceInfo(device.raw(), name, 0, null_mut(), &mut size) };
    let mut bytes = vec![0_u8; size];
    // SAFETY: as above; the memory has the size that is passed.
    let read = unsafe { clGetDeviceInfo(device.raw(), name, size, bytes.as_mut_ptr().cast(), null_mut()) };
    match (code, read) {
        (CL_SUCCESS, CL_SUCCESS) => Ok(bytes),
        _ => Err(format!("clGetDeviceInfo({name:#x}): {}", code_name(code.min(read)))),
    }
}

pub(crate) fn number(device: Device, name: cl_uint) -> Result<u32, String> {
    let first = bytes(device, name)?.first_chunk().copied();
    first.map(u32::from_ne_bytes).ok_or_else(|| format!("{name:#x} has no number"))
}

/// Prints all names and versions, each behind its query.
pub fn tells_who_it_is() -> Outcome {
    let platform = Platform::first().map_err(failed)?;
    let device = platform.device().map_err(failed)?;
    println!("platform: {}", platform.name().map_err(failed)?);
    println!("platform vendor: {}", platform.text(CL_PLATFORM_VENDOR).map_err(failed)?);
    println!("platform version: {}", platform.version().map_err(failed)?);
    println!("device: {}", device.name().map_err(failed)?);
    println!("vendor: {}", device.text(CL_DEVICE_VENDOR).map_err(failed)?);
    println!("vendor id: {:#x}", number(device, CL_DEVICE_VENDOR_ID)?);
    println!("driver: {}", device.text(CL_DRIVER_VERSION).map_err(failed)?);
    println!("version: {}", device.text(CL_DEVICE_VERSION).map_err(failed)?);
    Ok(())
}

/// The names of an array of `cl_name_version`.
fn names(device: Device, name: cl_uint) -> Result<String, String> {
    let list = bytes(device, name)?;
    let name = |entry: &[u8]| String::from_utf8_lossy(entry.get(4..).unwrap_or_default()).trim_matches('\0').to_owned();
    Ok(list.chunks(4 + 64).map(name).collect::<Vec<_>>().join(" "))
}

/// What became of a program: that of a source, or that of a module.
fn outcome(code: cl_int) -> String {
    if code == CL_SUCCESS { "builds".to_owned() } else { code_name(code) }
}

fn build(context: &Context, text: &str) -> Result<String, String> {
    let text = CString::new(text).map_err(|error| error.to_string())?;
    let options = c"-cl-std=CL3.0";
    let mut code = 0;
    // SAFETY: one string that ends with a zero; options too; neither devices nor a callback.
    unsafe {
        let program = clCreateProgramWithSource(context.raw(), 1, &text.as_ptr(), null(), &mut code);
        if code == CL_SUCCESS {
            code = clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut());
            clReleaseProgram(program);
        }
    }
    Ok(outcome(code))
}

/// Prints the lists of extensions and of features, and what becomes of programs that need some of them.
pub fn lists_what_it_has() -> Outcome {
    let platform = Platform::first().map_err(failed)?;
    let device = platform.device().map_err(failed)?;
    println!("platform extensions: {}", platform.text(CL_PLATFORM_EXTENSIONS).map_err(failed)?);
    println!("extensions: {}", device.text(CL_DEVICE_EXTENSIONS).map_err(failed)?);
    println!("extensions by version: {}", names(device, CL_DEVICE_EXTENSIONS_WITH_VERSION)?);
    println!("features: {}", names(device, CL_DEVICE_OPENCL_C_FEATURES)?);
    println!("doubles: {:#x}", number(device, CL_DEVICE_DOUBLE_FP_CONFIG)?);
    println!("il: {}", device.text(CL_DEVICE_IL_VERSION).map_err(failed)?);
    let context = Context::new(device).map_err(failed)?;
    println!("a double: {}", build(&context, "kernel void k(global double *a) { a[0] *= 2; }")?);
    let macros = "#if defined(cl_khr_fp64) || defined(__opencl_c_fp64)\n#error doubles\n#endif\nkernel void k() {}";
    println!("no macro of doubles: {}", build(&context, macros)?);
    println!("a float: {}", build(&context, "kernel void k(global float *a) { a[0] *= 2; }")?);
    // It becomes SPIR-V with halves, and with additions that are known not to wrap.
    let packed = "kernel void k(global half *a, int i) { for (int n = 0; n < i; n++) vstore_half(1, n, a); }";
    println!("a packed half: {}", build(&context, packed)?);
    let il = kernels::PLAIN.plain;
    let mut code = 0;
    // SAFETY: the module has the size that is passed.
    unsafe {
        let program = clCreateProgramWithIL(context.raw(), il.as_ptr().cast(), il.len(), &mut code);
        if code == CL_SUCCESS {
            clReleaseProgram(program);
        }
    }
    println!("a module: {}", outcome(code));
    Ok(())
}
