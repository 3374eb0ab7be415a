//! Error codes of the API.

use std::fmt;

/// Declares [`ApiError`] from one list, so that name and code stand together.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $constant:ident;)*) => {
        /// An error of the API: one variant per code. The description of a code is the specification's.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are those of the specification")]
        #[repr(i32)]
        pub enum ApiError {
            $($(#[$doc])* $name = $code,)*
        }

        impl ApiError {
            /// Name of the code in the specification.
            pub const fn name(self) -> &'static str {
                match self {
                    $(ApiError::$name => stringify!($constant),)*
                }
            }
        }
    };
}

codes! {
    DeviceNotFound = -1, CL_DEVICE_NOT_FOUND;
    DeviceNotAvailable = -2, CL_DEVICE_NOT_AVAILABLE;
    CompilerNotAvailable = -3, CL_COMPILER_NOT_AVAILABLE;
    MemObjectAllocationFailure = -4, CL_MEM_OBJECT_ALLOCATION_FAILURE;
    OutOfResources = -5, CL_OUT_OF_RESOURCES;
    OutOfHostMemory = -6, CL_OUT_OF_HOST_MEMORY;
    ProfilingInfoNotAvailable = -7, CL_PROFILING_INFO_NOT_AVAILABLE;
    MemCopyOverlap = -8, CL_MEM_COPY_OVERLAP;
    ImageFormatMismatch = -9, CL_IMAGE_FORMAT_MISMATCH;
    ImageFormatNotSupported = -10, CL_IMAGE_FORMAT_NOT_SUPPORTED;
    BuildProgramFailure = -11, CL_BUILD_PROGRAM_FAILURE;
    MapFailure = -12, CL_MAP_FAILURE;
    MisalignedSubBufferOffset = -13, CL_MISALIGNED_SUB_BUFFER_OFFSET;
    ExecStatusErrorForEventsInWaitList = -14, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    CompileProgramFailure = -15, CL_COMPILE_PROGRAM_FAILURE;
    LinkerNotAvailable = -16, CL_LINKER_NOT_AVAILABLE;
    LinkProgramFailure = -17, CL_LINK_PROGRAM_FAILURE;
    DevicePartitionFailed = -18, CL_DEVICE_PARTITION_FAILED;
    KernelArgInfoNotAvailable = -19, CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    InvalidValue = -30, CL_INVALID_VALUE;
    InvalidDeviceType = -31, CL_INVALID_DEVICE_TYPE;
    InvalidPlatform = -32, CL_INVALID_PLATFORM;
    InvalidDevice = -33, CL_INVALID_DEVICE;
    InvalidContext = -34, CL_INVALID_CONTEXT;
    InvalidQueueProperties = -35, CL_INVALID_QUEUE_PROPERTIES;
    InvalidCommandQueue = -36, CL_INVALID_COMMAND_QUEUE;
    InvalidHostPtr = -37, CL_INVALID_HOST_PTR;
    InvalidMemObject = -38, CL_INVALID_MEM_OBJECT;
    InvalidImageFormatDescriptor = -39, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    InvalidImageSize = -40, CL_INVALID_IMAGE_SIZE;
    InvalidSampler = -41, CL_INVALID_SAMPLER;
    InvalidBinary = -42, CL_INVALID_BINARY;
    InvalidBuildOptions = -43, CL_INVALID_BUILD_OPTIONS;
    InvalidProgram = -44, CL_INVALID_PROGRAM;
    InvalidProgramExecutable = -45, CL_INVALID_PROGRAM_EXECUTABLE;
    InvalidKernelName = -46, CL_INVALID_KERNEL_NAME;
    InvalidKernelDefinition = -47, CL_INVALID_KERNEL_DEFINITION;
    InvalidKernel = -48, CL_INVALID_KERNEL;
    InvalidArgIndex = -49, CL_INVALID_ARG_INDEX;
    InvalidArgValue = -50, CL_INVALID_ARG_VALUE;
    InvalidArgSize = -51, CL_INVALID_ARG_SIZE;
    InvalidKernelArgs = -52, CL_INVALID_KERNEL_ARGS;
    InvalidWorkDimension = -53, CL_INVALID_WORK_DIMENSION;
    InvalidWorkGroupSize = -54, CL_INVALID_WORK_GROUP_SIZE;
    InvalidWorkItemSize = -55, CL_INVALID_WORK_ITEM_SIZE;
    InvalidGlobalOffset = -56, CL_INVALID_GLOBAL_OFFSET;
    InvalidEventWaitList = -57, CL_INVALID_EVENT_WAIT_LIST;
    InvalidEvent = -58, CL_INVALID_EVENT;
    InvalidOperation = -59, CL_INVALID_OPERATION;
    InvalidGlObject = -60, CL_INVALID_GL_OBJECT;
    InvalidBufferSize = -61, CL_INVALID_BUFFER_SIZE;
    InvalidMipLevel = -62, CL_INVALID_MIP_LEVEL;
    InvalidGlobalWorkSize = -63, CL_INVALID_GLOBAL_WORK_SIZE;
    InvalidProperty = -64, CL_INVALID_PROPERTY;
    InvalidImageDescriptor = -65, CL_INVALID_IMAGE_DESCRIPTOR;
    InvalidCompilerOptions = -66, CL_INVALID_COMPILER_OPTIONS;
    InvalidLinkerOptions = -67, CL_INVALID_LINKER_OPTIONS;
    InvalidDevicePartitionCount = -68, CL_INVALID_DEVICE_PARTITION_COUNT;
    InvalidPipeSize = -69, CL_INVALID_PIPE_SIZE;
    InvalidDeviceQueue = -70, CL_INVALID_DEVICE_QUEUE;
    InvalidSpecId = -71, CL_INVALID_SPEC_ID;
    MaxSizeRestrictionExceeded = -72, CL_MAX_SIZE_RESTRICTION_EXCEEDED;
}

impl ApiError {
    /// The code.
    pub const fn code(self) -> i32 {
        self as i32
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::error::Error for ApiError {}
