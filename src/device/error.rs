//! Error codes of the API.

use std::borrow::Cow;
use std::fmt;

/// An error of the API: a code of the specification, and the reason for it.
///
/// The constants below stand for the codes, each with a reason that holds whenever the code is returned;
/// [`ApiError::because`] gives a more specific one. Errors are equal if their codes are. Only the guard of the entry
/// points tells the application the reason.
#[derive(Clone, Debug)]
pub struct ApiError {
    code: i32,
    why: Cow<'static, str>,
}

/// Declares the codes from one list, so that name, code and reason stand together.
macro_rules! codes {
    ($($name:ident = $code:literal, $constant:ident, $why:literal;)*) => {
        #[allow(non_upper_case_globals, missing_docs, reason = "the names are those of the specification")]
        impl ApiError {
            $(pub const $name: ApiError = ApiError { code: $code, why: Cow::Borrowed($why) };)*

            /// Name of the code in the specification.
            pub const fn name(&self) -> &'static str {
                match self.code {
                    $($code => stringify!($constant),)*
                    _ => "an unknown error",
                }
            }
        }
    };
}

codes! {
    DeviceNotFound = -1, CL_DEVICE_NOT_FOUND, "no device is of this type";
    DeviceNotAvailable = -2, CL_DEVICE_NOT_AVAILABLE, "the device is not available";
    CompilerNotAvailable = -3, CL_COMPILER_NOT_AVAILABLE, "the device has no compiler for this program";
    MemObjectAllocationFailure = -4, CL_MEM_OBJECT_ALLOCATION_FAILURE, "there is not enough memory for the object";
    OutOfResources = -5, CL_OUT_OF_RESOURCES, "something of the device did not suffice";
    OutOfHostMemory = -6, CL_OUT_OF_HOST_MEMORY, "there is not enough memory on the host";
    ProfilingInfoNotAvailable = -7, CL_PROFILING_INFO_NOT_AVAILABLE, "the queue does not profile, or the command is not complete, or it is a user event";
    MemCopyOverlap = -8, CL_MEM_COPY_OVERLAP, "source and target overlap";
    ImageFormatMismatch = -9, CL_IMAGE_FORMAT_MISMATCH, "the images have different formats";
    ImageFormatNotSupported = -10, CL_IMAGE_FORMAT_NOT_SUPPORTED, "no device supports the image format";
    BuildProgramFailure = -11, CL_BUILD_PROGRAM_FAILURE, "the program does not build, as its build log says";
    MapFailure = -12, CL_MAP_FAILURE, "the memory cannot be mapped";
    MisalignedSubBufferOffset = -13, CL_MISALIGNED_SUB_BUFFER_OFFSET, "no device takes a sub-buffer of this alignment";
    ExecStatusErrorForEventsInWaitList = -14, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an event that was waited for ended with an error";
    CompileProgramFailure = -15, CL_COMPILE_PROGRAM_FAILURE, "the program does not compile, as its build log says";
    LinkerNotAvailable = -16, CL_LINKER_NOT_AVAILABLE, "the device has no linker";
    LinkProgramFailure = -17, CL_LINK_PROGRAM_FAILURE, "the programs do not link, as the build log says";
    DevicePartitionFailed = -18, CL_DEVICE_PARTITION_FAILED, "the device cannot be divided further";
    KernelArgInfoNotAvailable = -19, CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "the program has no information on its kernel arguments";
    InvalidValue = -30, CL_INVALID_VALUE, "an argument has a value that the function does not take";
    InvalidDeviceType = -31, CL_INVALID_DEVICE_TYPE, "there is no such type of device";
    InvalidPlatform = -32, CL_INVALID_PLATFORM, "the platform is none of this driver";
    InvalidDevice = -33, CL_INVALID_DEVICE, "the device is none, or not of this object";
    InvalidContext = -34, CL_INVALID_CONTEXT, "the context is none, or the objects are of different contexts";
    InvalidQueueProperties = -35, CL_INVALID_QUEUE_PROPERTIES, "the device does not support these properties of queues";
    InvalidCommandQueue = -36, CL_INVALID_COMMAND_QUEUE, "the handle is no queue, or no queue of the kind that is asked about";
    InvalidHostPtr = -37, CL_INVALID_HOST_PTR, "a host pointer and the flags that say what it is for come only together";
    InvalidMemObject = -38, CL_INVALID_MEM_OBJECT, "a handle is no memory object of the kind that is wanted";
    InvalidImageFormatDescriptor = -39, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "the image format is null or none";
    InvalidImageSize = -40, CL_INVALID_IMAGE_SIZE, "no device has images as large";
    InvalidSampler = -41, CL_INVALID_SAMPLER, "the handle is no sampler";
    InvalidBinary = -42, CL_INVALID_BINARY, "the binary is none of this driver, or damaged";
    InvalidBuildOptions = -43, CL_INVALID_BUILD_OPTIONS, "the build options are unknown or contradict each other";
    InvalidProgram = -44, CL_INVALID_PROGRAM, "a handle is no program of the kind that is wanted";
    InvalidProgramExecutable = -45, CL_INVALID_PROGRAM_EXECUTABLE, "the program is not built for the device";
    InvalidKernelName = -46, CL_INVALID_KERNEL_NAME, "the program has no kernel of this name";
    InvalidKernelDefinition = -47, CL_INVALID_KERNEL_DEFINITION, "the kernel differs between devices";
    InvalidKernel = -48, CL_INVALID_KERNEL, "the handle is no kernel";
    InvalidArgIndex = -49, CL_INVALID_ARG_INDEX, "the kernel has fewer arguments";
    InvalidArgValue = -50, CL_INVALID_ARG_VALUE, "the value is none for this kind of argument";
    InvalidArgSize = -51, CL_INVALID_ARG_SIZE, "the size is not that of the argument";
    InvalidKernelArgs = -52, CL_INVALID_KERNEL_ARGS, "an argument of the kernel is not set, or its memory object is gone";
    InvalidWorkDimension = -53, CL_INVALID_WORK_DIMENSION, "a range has 1 to 3 dimensions, and no more than the kernel takes";
    InvalidWorkGroupSize = -54, CL_INVALID_WORK_GROUP_SIZE, "the work-group size is not one that the kernel and the device take";
    InvalidWorkItemSize = -55, CL_INVALID_WORK_ITEM_SIZE, "the work-group is larger along a dimension than any of the device";
    InvalidGlobalOffset = -56, CL_INVALID_GLOBAL_OFFSET, "the global ids do not fit, or the kernel takes no offset";
    InvalidEventWaitList = -57, CL_INVALID_EVENT_WAIT_LIST, "the wait list and its length disagree, or a handle in it is no event";
    InvalidEvent = -58, CL_INVALID_EVENT, "a handle is no event of the kind that is wanted";
    InvalidOperation = -59, CL_INVALID_OPERATION, "the object or the device does not allow it";
    InvalidGlObject = -60, CL_INVALID_GL_OBJECT, "there are no objects of OpenGL";
    InvalidBufferSize = -61, CL_INVALID_BUFFER_SIZE, "the size is zero, or larger than any device allocates";
    InvalidMipLevel = -62, CL_INVALID_MIP_LEVEL, "the image has no such level";
    InvalidGlobalWorkSize = -63, CL_INVALID_GLOBAL_WORK_SIZE, "the range is absent or empty";
    InvalidProperty = -64, CL_INVALID_PROPERTY, "a property is unknown, comes twice or has a value that it does not take";
    InvalidImageDescriptor = -65, CL_INVALID_IMAGE_DESCRIPTOR, "the image description is null or contradicts itself";
    InvalidCompilerOptions = -66, CL_INVALID_COMPILER_OPTIONS, "the options of the compiler are unknown or contradict each other";
    InvalidLinkerOptions = -67, CL_INVALID_LINKER_OPTIONS, "the options of the linker are unknown or contradict each other";
    InvalidDevicePartitionCount = -68, CL_INVALID_DEVICE_PARTITION_COUNT, "the parts have more compute units than the device";
    InvalidPipeSize = -69, CL_INVALID_PIPE_SIZE, "no device has pipes of this size";
    InvalidDeviceQueue = -70, CL_INVALID_DEVICE_QUEUE, "the handle is no queue on the device";
    InvalidSpecId = -71, CL_INVALID_SPEC_ID, "the module has no specialisation constant of this id";
    MaxSizeRestrictionExceeded = -72, CL_MAX_SIZE_RESTRICTION_EXCEEDED, "the size is larger than the kernel says that it takes";
    InvalidCommandBuffer = -1138, CL_INVALID_COMMAND_BUFFER_KHR, "the handle is no command buffer";
    InvalidSyncPointWaitList = -1139, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, "the wait list and its length disagree, or what is in it is no synchronisation point of the command buffer";
    InvalidMutableCommand = -1141, CL_INVALID_MUTABLE_COMMAND_KHR, "the handle is no recorded command of this command buffer";
    InvalidSemaphore = -1142, CL_INVALID_SEMAPHORE_KHR, "the handle is no semaphore";
}

impl ApiError {
    /// The code.
    pub const fn code(&self) -> i32 {
        self.code
    }

    /// The same code for a reason that says more: the end of a sentence that begins with "because".
    pub fn because(self, why: impl Into<Cow<'static, str>>) -> Self {
        ApiError { why: why.into(), ..self }
    }

    /// The reason, as the end of a sentence that begins with "because".
    pub fn why(&self) -> &str {
        &self.why
    }
}

impl PartialEq for ApiError {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for ApiError {}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::error::Error for ApiError {}
