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

// Every function of OpenCL 3.0, in the order of the dispatch table.
functions! {
    clGetPlatformIDs clGetPlatformInfo clGetDeviceIDs clGetDeviceInfo clCreateContext clCreateContextFromType
    clRetainContext clReleaseContext clGetContextInfo clCreateCommandQueue clRetainCommandQueue
    clReleaseCommandQueue clGetCommandQueueInfo clSetCommandQueueProperty clCreateBuffer clCreateImage2D
    clCreateImage3D clRetainMemObject clReleaseMemObject clGetSupportedImageFormats clGetMemObjectInfo
    clGetImageInfo clCreateSampler clRetainSampler clReleaseSampler clGetSamplerInfo clCreateProgramWithSource
    clCreateProgramWithBinary clRetainProgram clReleaseProgram clBuildProgram clUnloadCompiler
    clGetProgramInfo clGetProgramBuildInfo clCreateKernel clCreateKernelsInProgram clRetainKernel
    clReleaseKernel clSetKernelArg clGetKernelInfo clGetKernelWorkGroupInfo clWaitForEvents clGetEventInfo
    clRetainEvent clReleaseEvent clGetEventProfilingInfo clFlush clFinish clEnqueueReadBuffer
    clEnqueueWriteBuffer clEnqueueCopyBuffer clEnqueueReadImage clEnqueueWriteImage clEnqueueCopyImage
    clEnqueueCopyImageToBuffer clEnqueueCopyBufferToImage clEnqueueMapBuffer clEnqueueMapImage
    clEnqueueUnmapMemObject clEnqueueNDRangeKernel clEnqueueTask clEnqueueNativeKernel clEnqueueMarker
    clEnqueueWaitForEvents clEnqueueBarrier clGetExtensionFunctionAddress clSetEventCallback clCreateSubBuffer
    clSetMemObjectDestructorCallback clCreateUserEvent clSetUserEventStatus clEnqueueReadBufferRect
    clEnqueueWriteBufferRect clEnqueueCopyBufferRect clCreateSubDevices clRetainDevice clReleaseDevice
    clCreateImage clCreateProgramWithBuiltInKernels clCompileProgram clLinkProgram clUnloadPlatformCompiler
    clGetKernelArgInfo clEnqueueFillBuffer clEnqueueFillImage clEnqueueMigrateMemObjects
    clEnqueueMarkerWithWaitList clEnqueueBarrierWithWaitList clGetExtensionFunctionAddressForPlatform
    clCreateCommandQueueWithProperties clCreatePipe clGetPipeInfo clSVMAlloc clSVMFree clEnqueueSVMFree
    clEnqueueSVMMemcpy clEnqueueSVMMemFill clEnqueueSVMMap clEnqueueSVMUnmap clCreateSamplerWithProperties
    clSetKernelArgSVMPointer clSetKernelExecInfo clCloneKernel clCreateProgramWithIL clEnqueueSVMMigrateMem
    clGetDeviceAndHostTimer clGetHostTimer clGetKernelSubGroupInfo clSetDefaultDeviceCommandQueue
    clSetProgramSpecializationConstant clCreateBufferWithProperties clCreateImageWithProperties
    clSetContextDestructorCallback clSetProgramReleaseCallback
}

/// The loader, loaded once.
pub static API: LazyLock<Api> = LazyLock::new(|| {
    oxicl_tests::driver();
    let name = std::env::var_os("OXICL_TEST_LOADER").unwrap_or_else(|| "libOpenCL.so.1".into());
    // SAFETY: loading the system's OpenCL loader runs its constructors, which are sound.
    let library = unsafe { Library::new(&name) }.expect("loading the OpenCL loader");
    Api::load(Box::leak(Box::new(library))).expect("finding the functions of the OpenCL loader")
});
