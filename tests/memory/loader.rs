//! The functions of the loader, with the signatures of khronos-headers.

use std::sync::LazyLock;

use khronos_headers as cl;
use libloading::Library;

macro_rules! functions {
    ($($name:ident)*) => {
        /// The core functions.
        #[allow(non_snake_case, dead_code, reason = "names of the C API; not every test needs all")]
        pub struct Api {
            $(pub $name: cl::$name,)*
        }

        impl Api {
            fn load(library: &'static Library) -> Result<Api, libloading::Error> {
                Ok(Api {
                    // SAFETY: a loader's function of this name has the signature that the headers give it.
                    $($name: unsafe { *library.get::<cl::$name>(stringify!($name).as_bytes())? },)*
                })
            }
        }
    };
}

functions! {
    clGetExtensionFunctionAddressForPlatform clUnloadPlatformCompiler clCreateSubDevices clRetainDevice
    clReleaseDevice clGetDeviceAndHostTimer clGetHostTimer clCreateContextFromType clSetContextDestructorCallback
    clCreateImage clCreateImageWithProperties clCreateImage2D clCreateImage3D clGetSupportedImageFormats
    clGetImageInfo clEnqueueReadImage clEnqueueWriteImage clEnqueueFillImage clEnqueueCopyImage
    clEnqueueCopyImageToBuffer clEnqueueCopyBufferToImage clEnqueueMapImage clCreatePipe clGetPipeInfo clCreateSampler
    clCreateSamplerWithProperties clRetainSampler clReleaseSampler clGetSamplerInfo clCreateProgramWithSource
    clCreateProgramWithBuiltInKernels clSetProgramReleaseCallback clSetDefaultDeviceCommandQueue clGetProgramBuildInfo
    clCreateProgramWithIL clBuildProgram clCompileProgram clLinkProgram clReleaseProgram clCreateKernel clSetKernelArg
    clReleaseKernel clEnqueueNDRangeKernel clGetPlatformIDs clGetPlatformInfo clGetDeviceIDs clGetDeviceInfo
    clCreateContext clRetainContext clReleaseContext clGetContextInfo clCreateCommandQueueWithProperties
    clRetainCommandQueue clReleaseCommandQueue clGetCommandQueueInfo clFlush clFinish clCreateBuffer
    clCreateBufferWithProperties clCreateSubBuffer clRetainMemObject clReleaseMemObject clGetMemObjectInfo
    clSetMemObjectDestructorCallback clEnqueueReadBuffer clEnqueueWriteBuffer clEnqueueCopyBuffer
    clEnqueueReadBufferRect clEnqueueWriteBufferRect clEnqueueCopyBufferRect clEnqueueFillBuffer clEnqueueMapBuffer
    clEnqueueUnmapMemObject clEnqueueMigrateMemObjects clSVMAlloc clSVMFree clEnqueueSVMFree clEnqueueSVMMemcpy
    clEnqueueSVMMemFill clEnqueueSVMMap clEnqueueSVMUnmap clEnqueueSVMMigrateMem clCreateProgramWithBinary
    clRetainProgram clGetProgramInfo clSetProgramSpecializationConstant clCreateKernelsInProgram clCloneKernel
    clRetainKernel clSetKernelArgSVMPointer clSetKernelExecInfo clGetKernelInfo clGetKernelArgInfo
    clGetKernelWorkGroupInfo clGetKernelSubGroupInfo clCreateUserEvent clSetUserEventStatus clWaitForEvents
    clGetEventInfo clRetainEvent clReleaseEvent
}

/// The loader, loaded once.
pub static API: LazyLock<Api> = LazyLock::new(|| {
    oxicl_tests::driver();
    let name = std::env::var_os("OXICL_TEST_LOADER").unwrap_or_else(|| "libOpenCL.so.1".into());
    // SAFETY: loading the system's OpenCL loader runs its constructors, which are sound.
    let library = unsafe { Library::new(&name) }.expect("loading the OpenCL loader");
    Api::load(Box::leak(Box::new(library))).expect("finding the functions of the OpenCL loader")
});
