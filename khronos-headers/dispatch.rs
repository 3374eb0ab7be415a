//! The dispatch table: 150 slots, the 115 functions of the core and 35 of old extensions.
//!
//! Slots of Direct3D, DX9, EGL and OpenGL have no signature here, because nothing of ours fills them.

use core::ffi::c_void;

use crate::context::{
    clCreateContext, clCreateContextFromType, clGetContextInfo, clReleaseContext, clRetainContext,
    clSetContextDestructorCallback,
};
use crate::device::{
    clCreateSubDevices, clGetDeviceAndHostTimer, clGetDeviceIDs, clGetDeviceInfo, clGetHostTimer, clReleaseDevice,
    clRetainDevice,
};
use crate::event::{
    clCreateUserEvent, clEnqueueBarrier, clEnqueueBarrierWithWaitList, clEnqueueMarker, clEnqueueMarkerWithWaitList,
    clEnqueueWaitForEvents, clGetEventInfo, clGetEventProfilingInfo, clReleaseEvent, clRetainEvent, clSetEventCallback,
    clSetUserEventStatus, clWaitForEvents,
};
use crate::extensions::ext::{clCreateSubDevicesEXT, clReleaseDeviceEXT, clRetainDeviceEXT};
use crate::extensions::khr::clGetKernelSubGroupInfoKHR;
use crate::image::{
    clCreateImage, clCreateImage2D, clCreateImage3D, clCreateImageWithProperties, clEnqueueCopyBufferToImage,
    clEnqueueCopyImage, clEnqueueCopyImageToBuffer, clEnqueueFillImage, clEnqueueMapImage, clEnqueueReadImage,
    clEnqueueWriteImage, clGetImageInfo, clGetSupportedImageFormats,
};
use crate::kernel::{
    clCloneKernel, clCreateKernel, clCreateKernelsInProgram, clGetKernelArgInfo, clGetKernelInfo,
    clGetKernelSubGroupInfo, clGetKernelSuggestedLocalWorkSize, clGetKernelWorkGroupInfo, clReleaseKernel,
    clRetainKernel, clSetKernelArg, clSetKernelArgSVMPointer, clSetKernelExecInfo,
};
use crate::memory::{
    clCreateBuffer, clCreateBufferWithProperties, clCreateSubBuffer, clEnqueueCopyBuffer, clEnqueueCopyBufferRect,
    clEnqueueFillBuffer, clEnqueueMapBuffer, clEnqueueMigrateMemObjects, clEnqueueReadBuffer, clEnqueueReadBufferRect,
    clEnqueueSVMFree, clEnqueueSVMMap, clEnqueueSVMMemFill, clEnqueueSVMMemcpy, clEnqueueSVMMigrateMem,
    clEnqueueSVMUnmap, clEnqueueUnmapMemObject, clEnqueueWriteBuffer, clEnqueueWriteBufferRect, clGetMemObjectInfo,
    clReleaseMemObject, clRetainMemObject, clSVMAlloc, clSVMFree, clSetMemObjectDestructorCallback,
};
use crate::pipe::{clCreatePipe, clGetPipeInfo};
use crate::platform::{
    clGetExtensionFunctionAddress, clGetExtensionFunctionAddressForPlatform, clGetPlatformIDs, clGetPlatformInfo,
    clUnloadCompiler, clUnloadPlatformCompiler,
};
use crate::program::{
    clBuildProgram, clCompileProgram, clCreateProgramWithBinary, clCreateProgramWithBuiltInKernels,
    clCreateProgramWithIL, clCreateProgramWithSource, clGetProgramBuildInfo, clGetProgramInfo, clLinkProgram,
    clReleaseProgram, clRetainProgram, clSetProgramReleaseCallback, clSetProgramSpecializationConstant,
};
use crate::queue::{
    clCreateCommandQueue, clCreateCommandQueueWithProperties, clEnqueueNDRangeKernel, clEnqueueNativeKernel,
    clEnqueueTask, clFinish, clFlush, clGetCommandQueueInfo, clReleaseCommandQueue, clRetainCommandQueue,
    clSetCommandQueueProperty, clSetDefaultDeviceCommandQueue,
};
use crate::sampler::{
    clCreateSampler, clCreateSamplerWithProperties, clGetSamplerInfo, clReleaseSampler, clRetainSampler,
};
/// A slot that holds a function, or the mark of `cl_khr_icd` 2.0 ([`CL_ICD2_TAG_KHR`]) that takes its place.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Icd2Slot<F: Copy> {
    /// The function.
    pub function: Option<F>,
    /// The mark.
    pub tag: isize,
}

/// Function of a slot that stays null.
pub type UnusedSlot = unsafe extern "C" fn(*mut c_void);

/// What the slots of `clGetPlatformIDs` and `clUnloadCompiler` hold if the driver follows `cl_khr_icd` 2.0.
#[cfg(target_pointer_width = "64")]
pub const CL_ICD2_TAG_KHR: isize = 0x4F50_454E_434C_3331;
/// What the slots of `clGetPlatformIDs` and `clUnloadCompiler` hold if the driver follows `cl_khr_icd` 2.0.
#[cfg(target_pointer_width = "32")]
pub const CL_ICD2_TAG_KHR: isize = 0x434C_3331;

dispatch_table! {
    mark clGetPlatformIDs;
    call clGetPlatformInfo;
    call clGetDeviceIDs;
    call clGetDeviceInfo;
    call clCreateContext;
    call clCreateContextFromType;
    call clRetainContext;
    call clReleaseContext;
    call clGetContextInfo;
    call clCreateCommandQueue;
    call clRetainCommandQueue;
    call clReleaseCommandQueue;
    call clGetCommandQueueInfo;
    call clSetCommandQueueProperty;
    call clCreateBuffer;
    call clCreateImage2D;
    call clCreateImage3D;
    call clRetainMemObject;
    call clReleaseMemObject;
    call clGetSupportedImageFormats;
    call clGetMemObjectInfo;
    call clGetImageInfo;
    call clCreateSampler;
    call clRetainSampler;
    call clReleaseSampler;
    call clGetSamplerInfo;
    call clCreateProgramWithSource;
    call clCreateProgramWithBinary;
    call clRetainProgram;
    call clReleaseProgram;
    call clBuildProgram;
    mark clUnloadCompiler;
    call clGetProgramInfo;
    call clGetProgramBuildInfo;
    call clCreateKernel;
    call clCreateKernelsInProgram;
    call clRetainKernel;
    call clReleaseKernel;
    call clSetKernelArg;
    call clGetKernelInfo;
    call clGetKernelWorkGroupInfo;
    call clWaitForEvents;
    call clGetEventInfo;
    call clRetainEvent;
    call clReleaseEvent;
    call clGetEventProfilingInfo;
    call clFlush;
    call clFinish;
    call clEnqueueReadBuffer;
    call clEnqueueWriteBuffer;
    call clEnqueueCopyBuffer;
    call clEnqueueReadImage;
    call clEnqueueWriteImage;
    call clEnqueueCopyImage;
    call clEnqueueCopyImageToBuffer;
    call clEnqueueCopyBufferToImage;
    call clEnqueueMapBuffer;
    call clEnqueueMapImage;
    call clEnqueueUnmapMemObject;
    call clEnqueueNDRangeKernel;
    call clEnqueueTask;
    call clEnqueueNativeKernel;
    call clEnqueueMarker;
    call clEnqueueWaitForEvents;
    call clEnqueueBarrier;
    call clGetExtensionFunctionAddress;
    unused clCreateFromGLBuffer;
    unused clCreateFromGLTexture2D;
    unused clCreateFromGLTexture3D;
    unused clCreateFromGLRenderbuffer;
    unused clGetGLObjectInfo;
    unused clGetGLTextureInfo;
    unused clEnqueueAcquireGLObjects;
    unused clEnqueueReleaseGLObjects;
    unused clGetGLContextInfoKHR;
    unused clGetDeviceIDsFromD3D10KHR;
    unused clCreateFromD3D10BufferKHR;
    unused clCreateFromD3D10Texture2DKHR;
    unused clCreateFromD3D10Texture3DKHR;
    unused clEnqueueAcquireD3D10ObjectsKHR;
    unused clEnqueueReleaseD3D10ObjectsKHR;
    call clSetEventCallback;
    call clCreateSubBuffer;
    call clSetMemObjectDestructorCallback;
    call clCreateUserEvent;
    call clSetUserEventStatus;
    call clEnqueueReadBufferRect;
    call clEnqueueWriteBufferRect;
    call clEnqueueCopyBufferRect;
    call clCreateSubDevicesEXT;
    call clRetainDeviceEXT;
    call clReleaseDeviceEXT;
    unused clCreateEventFromGLsyncKHR;
    call clCreateSubDevices;
    call clRetainDevice;
    call clReleaseDevice;
    call clCreateImage;
    call clCreateProgramWithBuiltInKernels;
    call clCompileProgram;
    call clLinkProgram;
    call clUnloadPlatformCompiler;
    call clGetKernelArgInfo;
    call clEnqueueFillBuffer;
    call clEnqueueFillImage;
    call clEnqueueMigrateMemObjects;
    call clEnqueueMarkerWithWaitList;
    call clEnqueueBarrierWithWaitList;
    call clGetExtensionFunctionAddressForPlatform;
    unused clCreateFromGLTexture;
    unused clGetDeviceIDsFromD3D11KHR;
    unused clCreateFromD3D11BufferKHR;
    unused clCreateFromD3D11Texture2DKHR;
    unused clCreateFromD3D11Texture3DKHR;
    unused clCreateFromDX9MediaSurfaceKHR;
    unused clEnqueueAcquireD3D11ObjectsKHR;
    unused clEnqueueReleaseD3D11ObjectsKHR;
    unused clGetDeviceIDsFromDX9MediaAdapterKHR;
    unused clEnqueueAcquireDX9MediaSurfacesKHR;
    unused clEnqueueReleaseDX9MediaSurfacesKHR;
    unused clCreateFromEGLImageKHR;
    unused clEnqueueAcquireEGLObjectsKHR;
    unused clEnqueueReleaseEGLObjectsKHR;
    unused clCreateEventFromEGLSyncKHR;
    call clCreateCommandQueueWithProperties;
    call clCreatePipe;
    call clGetPipeInfo;
    call clSVMAlloc;
    call clSVMFree;
    call clEnqueueSVMFree;
    call clEnqueueSVMMemcpy;
    call clEnqueueSVMMemFill;
    call clEnqueueSVMMap;
    call clEnqueueSVMUnmap;
    call clCreateSamplerWithProperties;
    call clSetKernelArgSVMPointer;
    call clSetKernelExecInfo;
    call clGetKernelSubGroupInfoKHR;
    call clCloneKernel;
    call clCreateProgramWithIL;
    call clEnqueueSVMMigrateMem;
    call clGetDeviceAndHostTimer;
    call clGetHostTimer;
    call clGetKernelSubGroupInfo;
    call clSetDefaultDeviceCommandQueue;
    call clSetProgramReleaseCallback;
    call clSetProgramSpecializationConstant;
    call clCreateBufferWithProperties;
    call clCreateImageWithProperties;
    call clSetContextDestructorCallback;
    call clGetKernelSuggestedLocalWorkSize;
}
