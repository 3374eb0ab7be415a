//! Calls of OpenCL: through a loader's symbols, or through the dispatch table of a driver that no loader opened.
//!
//! Objects that are made here are not released: the process that makes them ends.
#![allow(unsafe_code, reason = "calls of the C API of a library that is opened by its path")]

use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

use khronos_headers as cl;
use libloading::Library;
use serde::{Deserialize, Serialize};

/// `CL_ICDL_VERSION` of `clGetICDLoaderInfoOCLICD`.
const ICDL_VERSION: cl::cl_uint = 2;
/// `CL_ICDL_NAME` of it.
const ICDL_NAME: cl::cl_uint = 3;
/// `CL_ICDL_VENDOR` of it.
const ICDL_VENDOR: cl::cl_uint = 4;

type LoaderInfo = unsafe extern "C" fn(cl::cl_uint, usize, *mut c_void, *mut usize) -> cl::cl_int;

/// The calls that are needed.
struct Calls {
    platform_info: cl::clGetPlatformInfo,
    device_ids: cl::clGetDeviceIDs,
    device_info: cl::clGetDeviceInfo,
    context: cl::clCreateContext,
    program: cl::clCreateProgramWithSource,
    build: cl::clBuildProgram,
    build_info: cl::clGetProgramBuildInfo,
    kernel: cl::clCreateKernel,
}

/// A library that was opened, with its platforms.
pub struct OpenCl {
    calls: Option<Calls>,
    platforms: Vec<cl::cl_platform_id>,
    library: Library,
}

/// A device of it.
pub struct Device<'a> {
    raw: cl::cl_device_id,
    calls: &'a Calls,
}

impl Device<'_> {
    /// A property, as bytes.
    pub fn bytes(&self, what: cl::cl_device_info) -> Option<Vec<u8>> {
        bytes(|size, value, needed| {
            // SAFETY: the handle is that of the library whose calls these are; `bytes` gives a value of `size` bytes and an
            // out-parameter, or nulls.
            unsafe { (self.calls.device_info)(self.raw, what, size, value, needed) }
        })
    }
}

/// A platform.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Platform {
    /// `CL_PLATFORM_NAME`.
    pub name: String,
    /// `CL_PLATFORM_VERSION`.
    pub version: String,
    /// Whether it is ours, by its suffix for functions, which no variable changes.
    pub is_oxicl: bool,
    /// Version and build of the driver, if it is ours, whatever names the environment asks for.
    pub driver: String,
}

fn open(path: &Path) -> Result<Library, String> {
    // SAFETY: initialisers of the library run; that is what opening a driver means, and its user asked for it.
    unsafe { Library::new(path) }.map_err(|error| {
        // The dynamic linker's own words are behind the error.
        std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string)
    })
}

/// The address of a function.
///
/// # Safety
/// The library's function of this name has the type `F`.
unsafe fn function<F: Copy>(library: &Library, name: &str) -> Result<F, String> {
    // SAFETY: the caller's duty.
    let found = unsafe { library.get::<F>(name.as_bytes()) };
    found.map(|symbol| *symbol).map_err(|_| format!("it has no function {name}"))
}

impl OpenCl {
    /// Opens a loader.
    ///
    /// # Errors
    /// Why it does not open, or is none.
    pub fn loader(path: &Path) -> Result<OpenCl, String> {
        let library = open(path)?;
        // SAFETY: libraries that export these names of the specification do so with its types.
        let (ids, calls) = unsafe {
            let calls = Calls {
                platform_info: function(&library, "clGetPlatformInfo")?,
                device_ids: function(&library, "clGetDeviceIDs")?,
                device_info: function(&library, "clGetDeviceInfo")?,
                context: function(&library, "clCreateContext")?,
                program: function(&library, "clCreateProgramWithSource")?,
                build: function(&library, "clBuildProgram")?,
                build_info: function(&library, "clGetProgramBuildInfo")?,
                kernel: function(&library, "clCreateKernel")?,
            };
            (function::<cl::clGetPlatformIDs>(&library, "clGetPlatformIDs")?, calls)
        };
        Ok(OpenCl { calls: Some(calls), platforms: platforms(ids)?, library })
    }

    /// Opens a driver as a loader does.
    ///
    /// # Errors
    /// Why it does not open, or is none.
    pub fn driver(path: &Path) -> Result<OpenCl, String> {
        let library = open(path)?;
        // SAFETY: libraries that export this name of the specification do so with its type; what it answers for the name of a
        // function is null or that function, of which the type is the specification's, too.
        let ids = unsafe {
            let address: cl::clGetExtensionFunctionAddress = function(&library, "clGetExtensionFunctionAddress")?;
            let found = address(c"clIcdGetPlatformIDsKHR".as_ptr());
            if found.is_null() {
                return Err("it is no OpenCL driver: it has no clIcdGetPlatformIDsKHR".to_owned());
            }
            std::mem::transmute::<*mut c_void, cl::clGetPlatformIDs>(found)
        };
        let platforms = platforms(ids)?;
        // SAFETY: the first word of every object of a driver for loaders points to its dispatch table.
        let table = platforms.first().map(|platform| unsafe { &**platform.cast::<*const cl::cl_icd_dispatch>() });
        let calls = table.and_then(|table| {
            Some(Calls {
                platform_info: table.clGetPlatformInfo?,
                device_ids: table.clGetDeviceIDs?,
                device_info: table.clGetDeviceInfo?,
                context: table.clCreateContext?,
                program: table.clCreateProgramWithSource?,
                build: table.clBuildProgram?,
                build_info: table.clGetProgramBuildInfo?,
                kernel: table.clCreateKernel?,
            })
        });
        Ok(OpenCl { calls, platforms, library })
    }

    /// Name and version that the loader has for itself.
    pub fn loader_name(&self) -> Option<(String, String)> {
        // SAFETY: the function is the specification's; what it answers for this name is null or a function of this type, which
        // is an option of a function pointer.
        let info: Option<LoaderInfo> = unsafe {
            let address: cl::clGetExtensionFunctionAddress =
                function(&self.library, "clGetExtensionFunctionAddress").ok()?;
            std::mem::transmute(address(c"clGetICDLoaderInfoOCLICD".as_ptr()))
        };
        let info = info?;
        let text = |what| {
            text(|size, value, needed| {
                // SAFETY: `text` gives a value of `size` bytes and an out-parameter, or nulls.
                unsafe { info(what, size, value, needed) }
            })
        };
        // ocl-icd has a name that any loader could have; its vendor says which it is.
        let is_ocl_icd = text(ICDL_VENDOR).is_some_and(|vendor| vendor.starts_with("OCL Icd"));
        let name = if is_ocl_icd { "ocl-icd".to_owned() } else { text(ICDL_NAME)? };
        Some((name, text(ICDL_VERSION).unwrap_or_default()))
    }

    /// Whether the library exports a function of this name.
    pub fn exports(&self, name: &str) -> bool {
        // SAFETY: the address is not used.
        unsafe { function::<*const c_void>(&self.library, name) }.is_ok()
    }

    /// What the platforms say of themselves.
    pub fn describe(&self) -> Vec<Platform> {
        let describe = |index| {
            let text = |what| self.platform_text(index, what).unwrap_or_default();
            let is_oxicl = text(cl::CL_PLATFORM_ICD_SUFFIX_KHR) == oxicl_caps::ICD_SUFFIX;
            // Devices of others are not asked for: that may wake hardware.
            let device = if is_oxicl { self.device(index).ok() } else { None };
            // "OpenCL 3.1 oxicl VERSION": CL_DRIVER_VERSION may be one that the environment gives.
            let version = device.and_then(|device| device.bytes(cl::CL_DEVICE_VERSION)).map(|bytes| as_text(&bytes));
            Platform {
                name: text(cl::CL_PLATFORM_NAME),
                version: text(cl::CL_PLATFORM_VERSION),
                is_oxicl,
                driver: version.and_then(|text| Some(text.rsplit(' ').next()?.to_owned())).unwrap_or_default(),
            }
        };
        (0..self.platforms.len()).map(describe).collect()
    }

    /// A property of a platform that is text.
    pub fn platform_text(&self, index: usize, what: cl::cl_platform_info) -> Option<String> {
        let (calls, platform) = (self.calls.as_ref()?, *self.platforms.get(index)?);
        text(|size, value, needed| {
            // SAFETY: the handle is the library's; `text` gives a value of `size` bytes and an out-parameter, or nulls.
            unsafe { (calls.platform_info)(platform, what, size, value, needed) }
        })
    }

    /// The first device of a platform.
    ///
    /// # Errors
    /// There is none, or the library does not tell.
    pub fn device(&self, index: usize) -> Result<Device<'_>, String> {
        let calls = self.calls.as_ref().ok_or("it has no platform")?;
        let platform = *self.platforms.get(index).ok_or("it has no such platform")?;
        let mut raw = null_mut();
        // SAFETY: the handle is the library's, and there is room for one device.
        let code = unsafe { (calls.device_ids)(platform, cl::CL_DEVICE_TYPE_ALL, 1, &mut raw, null_mut()) };
        if code == cl::CL_SUCCESS {
            Ok(Device { raw, calls })
        } else {
            Err(format!("clGetDeviceIDs failed with {code}"))
        }
    }

    /// Builds a program of one kernel `k` for the first device of a platform, and makes the kernel.
    ///
    /// # Errors
    /// The call that failed, and the build log.
    pub fn build(&self, index: usize, source: &str) -> Result<(), String> {
        let Device { raw: device, calls } = self.device(index)?;
        let source = CString::new(source).map_err(|error| error.to_string())?;
        let mut code = cl::CL_SUCCESS;
        let done = |call: &str, code: cl::cl_int| match code {
            cl::CL_SUCCESS => Ok(()),
            _ => Err(format!("{call} failed with {code}")),
        };
        // SAFETY: handles are the library's and fit; the source ends with a zero and outlives the call; nothing is called back.
        unsafe {
            let context = (calls.context)(null(), 1, &device, None, null_mut(), &mut code);
            done("clCreateContext", code)?;
            let mut text: *const c_char = source.as_ptr();
            let program = (calls.program)(context, 1, &mut text, null(), &mut code);
            done("clCreateProgramWithSource", code)?;
            let built = (calls.build)(program, 1, &device, null(), None, null_mut());
            let log = || {
                let info = calls.build_info;
                let get = |size, value, needed: *mut usize| {
                    info(program, device, cl::CL_PROGRAM_BUILD_LOG, size, value, needed)
                };
                self::text(get).unwrap_or_default()
            };
            done("clBuildProgram", built).map_err(|error| format!("{error}: {}", log().trim()))?;
            (calls.kernel)(program, c"k".as_ptr(), &mut code);
            done("clCreateKernel", code).map_err(|error| format!("{error}: {}", log().trim()))
        }
    }
}

/// The platforms; that there are none is no error.
fn platforms(ids: cl::clGetPlatformIDs) -> Result<Vec<cl::cl_platform_id>, String> {
    let failed = |code| format!("clGetPlatformIDs failed with {code}");
    let mut count = 0;
    // SAFETY: the out-parameter outlives the call; a null list of no entries is allowed.
    let code = unsafe { ids(0, null_mut(), &mut count) };
    if code == cl::CL_PLATFORM_NOT_FOUND_KHR {
        return Ok(Vec::new());
    }
    let mut platforms = vec![null_mut(); count as usize];
    if code != cl::CL_SUCCESS || count == 0 {
        return if code == cl::CL_SUCCESS { Ok(Vec::new()) } else { Err(failed(code)) };
    }
    // SAFETY: the list has `count` entries.
    match unsafe { ids(count, platforms.as_mut_ptr(), null_mut()) } {
        cl::CL_SUCCESS => Ok(platforms),
        code => Err(failed(code)),
    }
}

/// A property: first its size, then its bytes.
fn bytes(get: impl Fn(usize, *mut c_void, *mut usize) -> cl::cl_int) -> Option<Vec<u8>> {
    let mut needed = 0;
    if get(0, null_mut(), &mut needed) != cl::CL_SUCCESS {
        return None;
    }
    let mut bytes = vec![0_u8; needed];
    (get(needed, bytes.as_mut_ptr().cast(), null_mut()) == cl::CL_SUCCESS).then_some(bytes)
}

fn text(get: impl Fn(usize, *mut c_void, *mut usize) -> cl::cl_int) -> Option<String> {
    bytes(get).map(|bytes| as_text(&bytes))
}

/// The text in front of the first zero.
pub fn as_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned()
}
