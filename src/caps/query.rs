//! The answers to `CL_DEVICE_*` queries that are the same for the root device and its sub-devices, and those of the
//! platform.

use khronos_headers as cl;

use crate::cpu::CpuFeature;
use crate::features::{Feature, Version};
use crate::identity::{PLATFORM_NAME, uuid};
use crate::{DeviceCaps, ICD_SUFFIX, OPENCL_VERSION, Value};

/// What a full-profile device says of its profile.
const PROFILE: &str = "FULL_PROFILE";
/// What queues of the host can be.
const HOST_QUEUE_PROPERTIES: u64 = cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_PROFILING_ENABLE;

impl DeviceCaps {
    /// The answer to `clGetDeviceInfo`. None for queries that do not exist, and for those that depend on which part of
    /// the device is asked: compute units, platform, partition and reference count.
    pub fn query(&self, name: cl::cl_device_info) -> Option<Value> {
        self.identity(name)
            .or_else(|| self.execution(name))
            .or_else(|| self.vectors(name))
            .or_else(|| self.floating_point(name))
            .or_else(|| self.memory(name))
            .or_else(|| self.shared_memory(name))
            .or_else(|| self.atomics(name))
            .or_else(|| self.language(name))
            .or_else(|| self.il(name))
            .or_else(|| self.images(name))
            .or_else(|| self.pipes_and_device_queues(name))
            .or_else(|| self.dot_product(name))
            .or_else(|| self.command_buffers(name))
            .or_else(|| self.attributes(name).filter(|_| self.has(Feature::DeviceAttributes)))
    }

    /// The answer to `clGetPlatformInfo`.
    pub fn query_platform(&self, name: cl::cl_platform_info) -> Option<Value> {
        Some(match name {
            cl::CL_PLATFORM_PROFILE => string(PROFILE),
            cl::CL_PLATFORM_VERSION => Value::Str(self.version_string()),
            cl::CL_PLATFORM_NUMERIC_VERSION => Value::U32(opencl_version()),
            cl::CL_PLATFORM_NAME => string(&self.identity.platform),
            cl::CL_PLATFORM_VENDOR => string(&self.identity.platform_vendor),
            cl::CL_PLATFORM_EXTENSIONS => names(self.platform_extensions().map(|extension| extension.name)),
            cl::CL_PLATFORM_EXTENSIONS_WITH_VERSION => {
                named_versions(self.platform_extensions().map(|extension| (extension.name, extension.version)))
            }
            cl::CL_PLATFORM_HOST_TIMER_RESOLUTION => Value::U64(1),
            cl::CL_PLATFORM_ICD_SUFFIX_KHR => string(ICD_SUFFIX),
            // There is one root device, so what the platform's devices have in common is what it has.
            cl::CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR if self.has(Feature::UnifiedSvm) => self.svm_capabilities(),
            cl::CL_PLATFORM_SEMAPHORE_TYPES_KHR if self.has(Feature::Semaphores) => {
                Value::u32s([cl::CL_SEMAPHORE_TYPE_BINARY_KHR])
            }
            _ => return None,
        })
    }

    fn identity(&self, name: cl::cl_device_info) -> Option<Value> {
        let identity = &self.identity;
        Some(match name {
            cl::CL_DEVICE_TYPE => Value::U64(cl::CL_DEVICE_TYPE_CPU),
            cl::CL_DEVICE_VENDOR_ID => Value::U32(identity.vendor_id),
            cl::CL_DEVICE_VENDOR => string(&identity.device_vendor),
            cl::CL_DEVICE_NAME => string(&identity.device),
            cl::CL_DRIVER_VERSION => string(&identity.driver_version),
            cl::CL_DEVICE_PROFILE => string(PROFILE),
            cl::CL_DEVICE_VERSION => Value::Str(self.version_string()),
            cl::CL_DEVICE_NUMERIC_VERSION => Value::U32(opencl_version()),
            cl::CL_DEVICE_EXTENSIONS => names(self.device_extensions().map(|extension| extension.name)),
            cl::CL_DEVICE_EXTENSIONS_WITH_VERSION => {
                named_versions(self.device_extensions().map(|extension| (extension.name, extension.version)))
            }
            // No official run of the conformance suite yet.
            cl::CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => string("v0000-01-01-00"),
            cl::CL_DEVICE_UUID => Value::Bytes(uuid(&[&self.cpu.vendor, &self.cpu.brand])),
            cl::CL_DRIVER_UUID => Value::Bytes(uuid(&[PLATFORM_NAME, &identity.built_version])),
            cl::CL_DEVICE_LUID_VALID => Value::Bool(false),
            cl::CL_DEVICE_LUID => Value::Bytes(vec![0; cl::CL_LUID_SIZE]),
            cl::CL_DEVICE_NODE_MASK => Value::U32(0),
            _ => return None,
        })
    }

    fn execution(&self, name: cl::cl_device_info) -> Option<Value> {
        let group = self.limits.max_work_group_size as usize;
        Some(match name {
            cl::CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => Value::U32(3),
            cl::CL_DEVICE_MAX_WORK_GROUP_SIZES => Value::sizes(&[group; 3]),
            cl::CL_DEVICE_MAX_WORK_GROUP_SIZE => Value::Size(group),
            cl::CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
                Value::Size(self.preferred_work_group_multiple() as usize)
            }
            cl::CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT => Value::Bool(self.has(Feature::NonUniformWorkGroups)),
            cl::CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT => {
                Value::Bool(self.has(Feature::WorkGroupCollectives))
            }
            cl::CL_DEVICE_MAX_NUM_SUB_GROUPS => Value::U32(self.when(Feature::SubGroups, group as u32)),
            // One counter, which all processors share.
            cl::CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR if self.has(Feature::KernelClock) => Value::U64(
                cl::CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR
                    | cl::CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR
                    | cl::CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR,
            ),
            cl::CL_DEVICE_SUB_GROUP_SIZES_INTEL if self.has(Feature::RequiredSubGroupSize) => {
                Value::sizes(&self.limits.sub_group_sizes.iter().map(|size| *size as usize).collect::<Vec<_>>())
            }
            cl::CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR if self.has(Feature::NamedBarriers) => {
                Value::U32(self.limits.max_named_barriers)
            }
            cl::CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => Value::Bool(self.has(Feature::SubGroupProgress)),
            cl::CL_DEVICE_MAX_CLOCK_FREQUENCY => Value::U32(self.cpu.max_mhz),
            cl::CL_DEVICE_ADDRESS_BITS => Value::U32(usize::BITS),
            cl::CL_DEVICE_ENDIAN_LITTLE => Value::Bool(cfg!(target_endian = "little")),
            cl::CL_DEVICE_AVAILABLE => Value::Bool(true),
            cl::CL_DEVICE_EXECUTION_CAPABILITIES => Value::U64(cl::CL_EXEC_KERNEL | cl::CL_EXEC_NATIVE_KERNEL),
            cl::CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => Value::U64(HOST_QUEUE_PROPERTIES),
            cl::CL_DEVICE_SEMAPHORE_TYPES_KHR if self.has(Feature::Semaphores) => {
                Value::u32s([cl::CL_SEMAPHORE_TYPE_BINARY_KHR])
            }
            cl::CL_DEVICE_PROFILING_TIMER_RESOLUTION => Value::Size(1),
            cl::CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => Value::Bool(true),
            cl::CL_DEVICE_MAX_PARAMETER_SIZE => Value::Size(self.limits.max_parameter_bytes as usize),
            cl::CL_DEVICE_PRINTF_BUFFER_SIZE => Value::Size(self.limits.printf_bytes as usize),
            cl::CL_DEVICE_BUILT_IN_KERNELS => string(""),
            cl::CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => Value::Bytes(Vec::new()),
            _ => return None,
        })
    }

    /// Vector widths. Preferred is one of each: the compiler makes vectors of work-items, so that vectors in the source
    /// bring nothing. Native is what a register holds, within the sizes that the language has.
    fn vectors(&self, name: cl::cl_device_info) -> Option<Value> {
        let native = |bytes: u32| Value::U32((self.cpu.vector_bytes() / bytes).min(16));
        let half = self.has(Feature::Fp16);
        let double = self.has(Feature::Fp64);
        Some(match name {
            cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR
            | cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
            | cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT
            | cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
            | cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT => Value::U32(1),
            cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE => Value::U32(double.into()),
            cl::CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF => Value::U32(half.into()),
            cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR => native(1),
            cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT => native(2),
            cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_INT | cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => native(4),
            cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG => native(8),
            cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => {
                if double {
                    native(8)
                } else {
                    Value::U32(0)
                }
            }
            cl::CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => {
                if half {
                    native(2)
                } else {
                    Value::U32(0)
                }
            }
            _ => return None,
        })
    }

    fn floating_point(&self, name: cl::cl_device_info) -> Option<Value> {
        let common = cl::CL_FP_DENORM | cl::CL_FP_INF_NAN | cl::CL_FP_ROUND_TO_NEAREST;
        Some(match name {
            cl::CL_DEVICE_SINGLE_FP_CONFIG => {
                // The flag of fused multiply-add tells that it is as fast as a multiplication.
                let fma = if self.cpu.has(CpuFeature::Fma) { cl::CL_FP_FMA } else { 0 };
                Value::U64(common | fma | cl::CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)
            }
            cl::CL_DEVICE_DOUBLE_FP_CONFIG => {
                // What the specification asks of every device with doubles.
                let double = common | cl::CL_FP_ROUND_TO_ZERO | cl::CL_FP_ROUND_TO_INF | cl::CL_FP_FMA;
                Value::U64(self.when(Feature::Fp64, double))
            }
            cl::CL_DEVICE_HALF_FP_CONFIG => Value::U64(self.when(Feature::Fp16, common)),
            _ => return None,
        })
    }

    fn memory(&self, name: cl::cl_device_info) -> Option<Value> {
        let limits = &self.limits;
        let variables = self.when(Feature::ProgramScopeVariables, limits.max_global_variable_bytes) as usize;
        Some(match name {
            cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE => Value::U64(limits.max_alloc_bytes),
            cl::CL_DEVICE_GLOBAL_MEM_SIZE => Value::U64(limits.global_bytes),
            cl::CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => Value::U32(cl::CL_READ_WRITE_CACHE),
            cl::CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => Value::U64(self.cpu.caches.last),
            cl::CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => Value::U32(self.cpu.caches.line),
            cl::CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => Value::U64(limits.max_constant_bytes),
            cl::CL_DEVICE_MAX_CONSTANT_ARGS => Value::U32(limits.max_constant_args),
            // Local memory is memory of the host that stays in the cache: nothing is gained by copying into it.
            cl::CL_DEVICE_LOCAL_MEM_TYPE => Value::U32(cl::CL_GLOBAL),
            cl::CL_DEVICE_LOCAL_MEM_SIZE => Value::U64(limits.max_local_bytes),
            cl::CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE => Value::Size(variables),
            cl::CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => Value::Size(variables),
            cl::CL_DEVICE_ERROR_CORRECTION_SUPPORT => Value::Bool(false),
            cl::CL_DEVICE_HOST_UNIFIED_MEMORY => Value::Bool(true),
            cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN => Value::U32(limits.base_align * 8),
            cl::CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => Value::U32(limits.base_align),
            cl::CL_DEVICE_SVM_CAPABILITIES => Value::U64(
                self.when(Feature::SvmCoarse, cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)
                    | self.when(Feature::SvmFine, cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER)
                    | self.when(Feature::SvmSystem, cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)
                    | self.when(Feature::SvmAtomics, cl::CL_DEVICE_SVM_ATOMICS),
            ),
            cl::CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => Value::Bool(self.has(Feature::GenericAddressSpace)),
            _ => return None,
        })
    }

    /// Of each type of shared memory, by number.
    fn svm_capabilities(&self) -> Value {
        Value::u64s(self.svm_types().iter().map(|kind| kind.capabilities()))
    }

    /// All kinds of unified shared memory are host memory, which devices and host use at the same time, atomics included.
    fn shared_memory(&self, name: cl::cl_device_info) -> Option<Value> {
        match name {
            cl::CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL
            | cl::CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL
            | cl::CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
            | cl::CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
            | cl::CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL
                if self.has(Feature::UnifiedSharedMemory) =>
            {
                Some(Value::U64(
                    cl::CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL
                        | cl::CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL
                        | cl::CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL
                        | cl::CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL,
                ))
            }
            cl::CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR if self.has(Feature::UnifiedSvm) => Some(self.svm_capabilities()),
            _ => None,
        }
    }

    fn atomics(&self, name: cl::cl_device_info) -> Option<Value> {
        let memory = cl::CL_DEVICE_ATOMIC_ORDER_RELAXED
            | self.when(Feature::AtomicOrderAcqRel, cl::CL_DEVICE_ATOMIC_ORDER_ACQ_REL)
            | self.when(Feature::AtomicOrderSeqCst, cl::CL_DEVICE_ATOMIC_ORDER_SEQ_CST)
            | cl::CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
            | self.when(Feature::AtomicScopeDevice, cl::CL_DEVICE_ATOMIC_SCOPE_DEVICE)
            | self.when(Feature::AtomicScopeAllDevices, cl::CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES);
        let every = cl::CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT
            | cl::CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT
            | cl::CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT
            | cl::CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT
            | cl::CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT
            | cl::CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;
        Some(match name {
            cl::CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => Value::U64(memory),
            cl::CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT if self.has(Feature::FloatAtomics) => Value::U64(every),
            cl::CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT if self.has(Feature::FloatAtomics) => {
                Value::U64(self.when(Feature::DoubleAtomics, every))
            }
            cl::CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT if self.has(Feature::FloatAtomics) => {
                Value::U64(self.when(Feature::HalfAtomics, every))
            }
            cl::CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => Value::U64(memory | cl::CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM),
            // Zero: the natural alignment of the type is enough.
            cl::CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
            | cl::CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
            | cl::CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => Value::U32(0),
            _ => return None,
        })
    }

    fn language(&self, name: cl::cl_device_info) -> Option<Value> {
        Some(match name {
            // Programs from SPIR-V are built and linked in any case; clients take the first of these for a compiler of
            // OpenCL C.
            cl::CL_DEVICE_COMPILER_AVAILABLE => Value::Bool(self.has(Feature::OpenclC)),
            cl::CL_DEVICE_LINKER_AVAILABLE => Value::Bool(self.has(Feature::Spirv)),
            cl::CL_DEVICE_OPENCL_C_VERSION => {
                let version = self.whole_c_version();
                Value::Str(format!("OpenCL C {}.{} {PLATFORM_NAME}", version.0, version.1))
            }
            cl::CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => Value::U32(number(self.whole_c_version())),
            cl::CL_DEVICE_OPENCL_C_ALL_VERSIONS => {
                named_versions(self.c_versions().iter().map(|version| ("OpenCL C", *version)))
            }
            cl::CL_DEVICE_OPENCL_C_FEATURES => {
                named_versions(self.c_features().iter().map(|feature| (feature.name, feature.version)))
            }
            cl::CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT if self.has(Feature::CppForOpencl) => {
                // What -cl-std=CLC++ stands for. 2021, which -cl-std=CLC++2021 brings, is no version that a number holds.
                Value::U32(number(Version(1, 0, 0)))
            }
            _ => return None,
        })
    }

    /// Programs from SPIR-V. A device that has none answers with nothing.
    fn il(&self, name: cl::cl_device_info) -> Option<Value> {
        let taken = self.has(Feature::IlProgram);
        let versions = if taken { self.spirv_versions() } else { &[] };
        Some(match name {
            cl::CL_DEVICE_IL_VERSION => {
                Value::Str(versions.iter().map(|v| format!("SPIR-V_{}.{}", v.0, v.1)).collect::<Vec<_>>().join(" "))
            }
            cl::CL_DEVICE_ILS_WITH_VERSION => {
                named_versions(versions.iter().map(|v| ("SPIR-V", Version(v.0.into(), v.1.into(), 0))))
            }
            cl::CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS => {
                Value::StrPointers(if taken { self.spirv_set_names() } else { &[] })
            }
            cl::CL_DEVICE_SPIRV_EXTENSIONS => {
                Value::StrPointers(if taken { self.spirv_extension_names() } else { &[] })
            }
            cl::CL_DEVICE_SPIRV_CAPABILITIES => {
                let capabilities = if taken { self.spirv_capabilities() } else { &[] };
                Value::u32s(capabilities.iter().map(|capability| *capability as u32))
            }
            _ => return None,
        })
    }

    /// Without images the limits are zero, as the specification has it.
    fn images(&self, name: cl::cl_device_info) -> Option<Value> {
        let limits = &self.limits.images;
        let count = |number: u32| Value::U32(self.when(Feature::Images, number));
        let size = |number: u32| Value::Size(self.when(Feature::Images, number) as usize);
        Some(match name {
            cl::CL_DEVICE_IMAGE_SUPPORT => Value::Bool(self.has(Feature::Images)),
            cl::CL_DEVICE_MAX_READ_IMAGE_ARGS => count(limits.max_read_args),
            cl::CL_DEVICE_MAX_WRITE_IMAGE_ARGS => count(limits.max_write_args),
            cl::CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => {
                Value::U32(self.when(Feature::ReadWriteImages, limits.max_read_write_args))
            }
            cl::CL_DEVICE_MAX_SAMPLERS => count(limits.max_samplers),
            cl::CL_DEVICE_IMAGE_PITCH_ALIGNMENT => Value::U32(self.when(Feature::ImageFromBuffer, limits.pitch_align)),
            cl::CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => {
                Value::U32(self.when(Feature::ImageFromBuffer, limits.base_align))
            }
            cl::CL_DEVICE_IMAGE2D_MAX_WIDTH | cl::CL_DEVICE_IMAGE2D_MAX_HEIGHT => size(limits.max_2d),
            cl::CL_DEVICE_IMAGE3D_MAX_WIDTH | cl::CL_DEVICE_IMAGE3D_MAX_HEIGHT | cl::CL_DEVICE_IMAGE3D_MAX_DEPTH => {
                size(limits.max_3d)
            }
            cl::CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => size(limits.max_buffer),
            cl::CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => size(limits.max_layers),
            _ => return None,
        })
    }

    fn pipes_and_device_queues(&self, name: cl::cl_device_info) -> Option<Value> {
        let pipes = self.has(Feature::Pipes);
        let queues = self.has(Feature::DeviceEnqueue);
        Some(match name {
            cl::CL_DEVICE_PIPE_SUPPORT => Value::Bool(pipes),
            cl::CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => {
                Value::U64(self.when(Feature::DeviceEnqueue, cl::CL_DEVICE_QUEUE_SUPPORTED))
            }
            cl::CL_DEVICE_MAX_PIPE_ARGS
            | cl::CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS
            | cl::CL_DEVICE_PIPE_MAX_PACKET_SIZE
                if !pipes =>
            {
                Value::U32(0)
            }
            cl::CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES if !queues => Value::U64(0),
            cl::CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE
            | cl::CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE
            | cl::CL_DEVICE_MAX_ON_DEVICE_QUEUES
            | cl::CL_DEVICE_MAX_ON_DEVICE_EVENTS
                if !queues =>
            {
                Value::U32(0)
            }
            _ => return None,
        })
    }

    fn dot_product(&self, name: cl::cl_device_info) -> Option<Value> {
        if !self.has(Feature::IntegerDotProduct) {
            return None;
        }
        let accelerated = self.multiplies_bytes();
        Some(match name {
            cl::CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES => Value::U64(
                cl::CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED | cl::CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT,
            ),
            // Signed, unsigned, mixed; then the same with a saturating sum, which takes further instructions.
            cl::CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT
            | cl::CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED => {
                Value::u32s([false, false, accelerated, false, false, false].map(u32::from))
            }
            _ => return None,
        })
    }

    /// Command buffers run on any queue, any number of times at once, and everything of a launch can be changed.
    fn command_buffers(&self, name: cl::cl_device_info) -> Option<Value> {
        if !self.has(Feature::CommandBuffers) {
            return None;
        }
        Some(match name {
            cl::CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR => Value::U64(
                cl::CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR
                    | self.when(Feature::MutableDispatch, cl::CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR),
            ),
            cl::CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR => Value::U64(0),
            cl::CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR => Value::U64(HOST_QUEUE_PROPERTIES),
            cl::CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR if self.has(Feature::MutableDispatch) => Value::U64(
                cl::CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
                    | cl::CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
                    | cl::CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
                    | cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
                    | cl::CL_MUTABLE_DISPATCH_EXEC_INFO_KHR,
            ),
            _ => return None,
        })
    }

    /// Whether the processor has an instruction for dot products of bytes.
    fn multiplies_bytes(&self) -> bool {
        self.cpu.has(CpuFeature::Avx512Vnni) || self.cpu.has(CpuFeature::AvxVnni)
    }

    /// The make of the processor, in the words of Intel's GPUs: a compute unit is a slice with one thread. The number of
    /// slices is not here, for sub-devices have fewer.
    fn attributes(&self, name: cl::cl_device_info) -> Option<Value> {
        let [family, model, stepping] = self.cpu.signature;
        Some(match name {
            cl::CL_DEVICE_IP_VERSION_INTEL => Value::U32(cl::CL_MAKE_VERSION(family, model, stepping)),
            // As the processor itself packs them into a word, without what older families left free.
            cl::CL_DEVICE_ID_INTEL => Value::U32(family << 16 | model << 4 | stepping & 0xF),
            cl::CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL
            | cl::CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL
            | cl::CL_DEVICE_NUM_THREADS_PER_EU_INTEL => Value::U32(1),
            cl::CL_DEVICE_FEATURE_CAPABILITIES_INTEL => {
                Value::U64(if self.multiplies_bytes() { cl::CL_DEVICE_FEATURE_FLAG_DP4A_INTEL } else { 0 })
            }
            _ => return None,
        })
    }

    /// Work-groups are best a multiple of this: the lanes of a vector register of 32-bit values.
    pub fn preferred_work_group_multiple(&self) -> u32 {
        self.cpu.vector_bytes() / 4
    }

    /// The version of OpenCL that is reported, as the specification's string. What is specific to the vendor in it keeps to
    /// the truth, whatever names the environment asks for.
    fn version_string(&self) -> String {
        let (major, minor) = OPENCL_VERSION;
        format!("OpenCL {major}.{minor} {PLATFORM_NAME} {}", self.identity.built_version)
    }

    /// The value if the feature is there, else zero.
    fn when<T: Default>(&self, feature: Feature, value: T) -> T {
        if self.has(feature) { value } else { T::default() }
    }
}

fn string(text: &str) -> Value {
    Value::Str(text.to_owned())
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> Value {
    Value::Str(names.collect::<Vec<_>>().join(" "))
}

/// A version as its number.
fn number(version: Version) -> u32 {
    cl::CL_MAKE_VERSION(version.0, version.1, version.2)
}

/// The version of OpenCL that is reported, as its number.
fn opencl_version() -> u32 {
    number(Version(OPENCL_VERSION.0, OPENCL_VERSION.1, 0))
}

/// An array of `cl_name_version`.
fn named_versions<'a>(items: impl Iterator<Item = (&'a str, Version)>) -> Value {
    let mut bytes = Vec::new();
    for (name, version) in items {
        bytes.extend(number(version).to_ne_bytes());
        let mut field = [0u8; cl::CL_NAME_VERSION_MAX_NAME_SIZE];
        // The last byte stays zero.
        for (place, byte) in field.iter_mut().take(cl::CL_NAME_VERSION_MAX_NAME_SIZE - 1).zip(name.bytes()) {
            *place = byte;
        }
        bytes.extend(field);
    }
    Value::Bytes(bytes)
}
