//! One row per feature: what it stands on, and everything by which an application or a module can name it.
//!
//! A feature that a row calls [`Needs::Later`] is known, so that every query has its answer here, and absent.

use spirv::Capability;

/// A version: major, minor, patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

/// What a feature needs. No feature follows from the processor's: sources and modules are the same on every machine.
#[derive(Clone, Copy)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// It is not there yet.
    Later,
}

/// An extension by its `cl_*` name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Name.
    pub name: &'static str,
    /// Version of its specification.
    pub version: Version,
    /// Only the platform lists it, not the device.
    pub platform_only: bool,
}

/// A feature macro of OpenCL C, with the version of the language that brought it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CFeature {
    /// Name.
    pub name: &'static str,
    /// Version of OpenCL C.
    pub version: Version,
}

/// A row of the table. Its extensions and what else it has are names of one thing: where the environment hides all of its
/// extensions, the feature is gone, unless it is `core`.
pub struct Row {
    /// The feature.
    pub feature: Feature,
    /// One line for people.
    pub title: &'static str,
    /// What it needs of the machine.
    pub needs: Needs,
    /// Features that must be there too.
    pub requires: &'static [Feature],
    /// Extensions that it makes up.
    pub extensions: &'static [Extension],
    /// Every device of this version has it, extension or not.
    pub core: bool,
    /// Feature macros of OpenCL C.
    pub c_features: &'static [CFeature],
    /// SPIR-V versions.
    pub spirv_versions: &'static [(u8, u8)],
    /// SPIR-V capabilities.
    pub spirv_capabilities: &'static [Capability],
    /// SPIR-V extensions.
    pub spirv_extensions: &'static [&'static str],
    /// SPIR-V extended instruction sets.
    pub spirv_sets: &'static [&'static str],
}

const fn khr(name: &'static str) -> Extension {
    versioned(name, Version(1, 0, 0))
}

const fn versioned(name: &'static str, version: Version) -> Extension {
    Extension { name, version, platform_only: false }
}

const fn platform(name: &'static str, version: Version) -> Extension {
    Extension { name, version, platform_only: true }
}

const fn c3(name: &'static str) -> CFeature {
    CFeature { name, version: Version(3, 0, 0) }
}

macro_rules! features {
    ($($feature:ident: $title:literal, $needs:expr, $({ $($field:ident: $value:expr),* $(,)? })?;)*) => {
        /// A feature of the device.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Feature {
            $(#[doc = $title] $feature,)*
        }

        /// The table, in the order of [`Feature`].
        pub const FEATURES: &[Row] = &[$(Row {
            feature: Feature::$feature,
            title: $title,
            needs: $needs,
            $($($field: $value,)*)?
            ..EMPTY
        },)*];
    };
}

const EMPTY: Row = Row {
    feature: Feature::Base,
    title: "",
    needs: Needs::Later,
    requires: &[],
    extensions: &[],
    core: false,
    c_features: &[],
    spirv_versions: &[],
    spirv_capabilities: &[],
    spirv_extensions: &[],
    spirv_sets: &[],
};

features! {
    Base: "What every device has", Needs::Nothing, {
        core: true,
        extensions: &[
            khr("cl_khr_byte_addressable_store"),
            khr("cl_khr_global_int32_base_atomics"),
            khr("cl_khr_global_int32_extended_atomics"),
            khr("cl_khr_local_int32_base_atomics"),
            khr("cl_khr_local_int32_extended_atomics"),
        ],
        c_features: &[c3("__opencl_c_int64")],
        spirv_capabilities: &[
            Capability::Addresses, Capability::Float16Buffer, Capability::Int8, Capability::Int16,
            Capability::Int64, Capability::Kernel, Capability::Linkage, Capability::Vector16,
        ],
    };
    Spirv: "SPIR-V, which programs from OpenCL C become, too", Needs::Nothing, {
        spirv_versions: &[(1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6)],
        spirv_sets: &["OpenCL.std"],
    };
    IlProgram: "Programs from SPIR-V", Needs::Nothing, {
        requires: &[Feature::Spirv],
        extensions: &[khr("cl_khr_il_program")],
    };
    SpirvQueries: "What SPIR-V may have, by number and name", Needs::Nothing, {
        requires: &[Feature::IlProgram],
        extensions: &[khr("cl_khr_spirv_queries")],
    };
    Icd: "Found by a loader", Needs::Nothing, { extensions: &[platform("cl_khr_icd", Version(2, 0, 1))] };
    ExtendedVersioning: "Versions as numbers", Needs::Nothing, {
        core: true,
        extensions: &[khr("cl_khr_extended_versioning")],
    };
    DeviceUuid: "Device and driver identifiers", Needs::Nothing, {
        core: true,
        extensions: &[khr("cl_khr_device_uuid")],
    };
    CreateCommandQueue: "Queues with properties for old clients", Needs::Nothing, {
        extensions: &[khr("cl_khr_create_command_queue")],
    };
    QueueHints: "Hints to a queue's urgency and use of power", Needs::Nothing, {
        extensions: &[khr("cl_khr_priority_hints"), khr("cl_khr_throttle_hints")],
    };
    InitializeMemory: "Local and private memory that begins as zeros", Needs::Nothing, {
        extensions: &[khr("cl_khr_initialize_memory")],
    };
    DeviceAttributes: "The make of the processor", Needs::Nothing, {
        extensions: &[khr("cl_intel_device_attribute_query")],
    };
    SuggestedLocalWorkSize: "Suggested work-group size", Needs::Nothing, {
        extensions: &[khr("cl_khr_suggested_local_work_size")],
    };
    CommandBuffers: "Commands recorded once and enqueued many times", Needs::Nothing, {
        extensions: &[versioned("cl_khr_command_buffer", Version(0, 9, 8))],
    };
    MutableDispatch: "Recorded launches that can be changed", Needs::Nothing, {
        requires: &[Feature::CommandBuffers],
        extensions: &[versioned("cl_khr_command_buffer_mutable_dispatch", Version(0, 9, 5))],
    };
    Semaphores: "Semaphores between queues", Needs::Nothing, {
        extensions: &[versioned("cl_khr_semaphore", Version(1, 0, 1))],
    };
    Fp64: "Double precision", Needs::Nothing, {
        extensions: &[khr("cl_khr_fp64")],
        c_features: &[c3("__opencl_c_fp64")],
        spirv_capabilities: &[Capability::Float64],
    };
    Fp16: "Half precision", Needs::Nothing, {
        extensions: &[khr("cl_khr_fp16")],
        spirv_capabilities: &[Capability::Float16],
    };
    Int64Atomics: "Atomics on 64-bit integers", Needs::Nothing, {
        extensions: &[khr("cl_khr_int64_base_atomics"), khr("cl_khr_int64_extended_atomics")],
        spirv_capabilities: &[Capability::Int64Atomics],
    };
    AtomicOrderAcqRel: "Acquire and release order of atomics", Needs::Nothing, {
        c_features: &[c3("__opencl_c_atomic_order_acq_rel")],
    };
    AtomicOrderSeqCst: "Sequentially consistent order of atomics", Needs::Nothing, {
        requires: &[Feature::AtomicOrderAcqRel],
        c_features: &[c3("__opencl_c_atomic_order_seq_cst")],
    };
    AtomicScopeDevice: "Atomics at the scope of the device", Needs::Nothing, {
        c_features: &[c3("__opencl_c_atomic_scope_device")],
    };
    AtomicScopeAllDevices: "Atomics at the scope of all devices and the host", Needs::Nothing, {
        requires: &[Feature::AtomicScopeDevice],
        c_features: &[c3("__opencl_c_atomic_scope_all_devices")],
    };
    GenericAddressSpace: "Generic address space", Needs::Nothing, {
        c_features: &[c3("__opencl_c_generic_address_space")],
        spirv_capabilities: &[Capability::GenericPointer],
    };
    ProgramScopeVariables: "Program-scope variables", Needs::Nothing, {
        c_features: &[c3("__opencl_c_program_scope_global_variables")],
    };
    SvmCoarse: "Shared virtual memory: coarse-grain buffers", Needs::Nothing, {};
    SvmFine: "Shared virtual memory: fine-grain buffers", Needs::Nothing, { requires: &[Feature::SvmCoarse] };
    SvmSystem: "Shared virtual memory: all host memory", Needs::Nothing, { requires: &[Feature::SvmFine] };
    SvmAtomics: "Shared virtual memory: atomics with the host", Needs::Nothing, {
        requires: &[Feature::SvmFine, Feature::AtomicScopeAllDevices],
    };
    UnifiedSharedMemory: "Unified shared memory of the host, of a device, and of both", Needs::Nothing, {
        requires: &[Feature::SvmSystem, Feature::SvmAtomics],
        extensions: &[versioned("cl_intel_unified_shared_memory", Version(1, 1, 0))],
    };
    UnifiedSvm: "Types of shared memory, by number", Needs::Nothing, {
        requires: &[Feature::UnifiedSharedMemory],
        extensions: &[versioned("cl_khr_unified_svm", Version(0, 9, 0))],
    };
    BufferDeviceAddress: "Addresses of buffers", Needs::Nothing, {
        extensions: &[versioned("cl_ext_buffer_device_address", Version(1, 0, 2))],
    };
    ImmutableMemory: "Memory objects that are never modified", Needs::Nothing, {
        extensions: &[khr("cl_ext_immutable_memory_objects")],
    };
    NonUniformWorkGroups: "Smaller work-groups at the edges", Needs::Nothing, {};
    BitInstructions: "Bit fields and bit reversal", Needs::Nothing, {
        extensions: &[khr("cl_khr_extended_bit_ops")],
        spirv_capabilities: &[Capability::BitInstructions],
        spirv_extensions: &["SPV_KHR_bit_instructions"],
    };
    ExpectAssume: "Hints to the optimiser", Needs::Nothing, {
        extensions: &[khr("cl_khr_expect_assume")],
        spirv_capabilities: &[Capability::ExpectAssumeKHR],
        spirv_extensions: &["SPV_KHR_expect_assume"],
    };
    NoIntegerWrap: "Decorations of integers that do not wrap", Needs::Nothing, {
        extensions: &[khr("cl_khr_spirv_no_integer_wrap_decoration")],
        spirv_extensions: &["SPV_KHR_no_integer_wrap_decoration"],
    };
    LinkOnceOdr: "Linkage of equal definitions", Needs::Nothing, {
        extensions: &[khr("cl_khr_spirv_linkonce_odr")],
        spirv_extensions: &["SPV_KHR_linkonce_odr"],
    };
    NonSemantic: "Instruction sets without a meaning for execution", Needs::Nothing, {
        spirv_extensions: &["SPV_KHR_non_semantic_info"],
    };
    DebugInfo: "Debug information", Needs::Nothing, {
        extensions: &[khr("cl_khr_spirv_extended_debug_info")],
        spirv_sets: &["OpenCL.DebugInfo.100"],
    };
    MemoryAccessAliasing: "Memory accesses that do not overlap", Needs::Nothing, {
        spirv_capabilities: &[Capability::MemoryAccessAliasingINTEL],
        spirv_extensions: &["SPV_INTEL_memory_access_aliasing"],
    };
    FastMathModes: "Contraction and reassociation by decoration", Needs::Nothing, {
        spirv_capabilities: &[Capability::FPFastMathModeINTEL],
        spirv_extensions: &["SPV_INTEL_fp_fast_math_mode"],
    };
    FloatAtomics: "Atomics on floating-point numbers", Needs::Nothing, {
        extensions: &[versioned("cl_ext_float_atomics", Version(1, 0, 0))],
        c_features: &[
            c3("__opencl_c_ext_fp32_global_atomic_add"),
            c3("__opencl_c_ext_fp32_local_atomic_add"),
            c3("__opencl_c_ext_fp32_global_atomic_min_max"),
            c3("__opencl_c_ext_fp32_local_atomic_min_max"),
        ],
        spirv_capabilities: &[Capability::AtomicFloat32AddEXT, Capability::AtomicFloat32MinMaxEXT],
        spirv_extensions: &["SPV_EXT_shader_atomic_float_add", "SPV_EXT_shader_atomic_float_min_max"],
    };
    DoubleAtomics: "Atomics on double precision", Needs::Nothing, {
        requires: &[Feature::Fp64, Feature::FloatAtomics],
        c_features: &[
            c3("__opencl_c_ext_fp64_global_atomic_add"),
            c3("__opencl_c_ext_fp64_local_atomic_add"),
            c3("__opencl_c_ext_fp64_global_atomic_min_max"),
            c3("__opencl_c_ext_fp64_local_atomic_min_max"),
        ],
        spirv_capabilities: &[Capability::AtomicFloat64AddEXT, Capability::AtomicFloat64MinMaxEXT],
    };
    HalfAtomics: "Atomics on half precision", Needs::Nothing, {
        requires: &[Feature::Fp16, Feature::FloatAtomics],
        c_features: &[
            c3("__opencl_c_ext_fp16_global_atomic_load_store"),
            c3("__opencl_c_ext_fp16_local_atomic_load_store"),
            c3("__opencl_c_ext_fp16_global_atomic_add"),
            c3("__opencl_c_ext_fp16_local_atomic_add"),
            c3("__opencl_c_ext_fp16_global_atomic_min_max"),
            c3("__opencl_c_ext_fp16_local_atomic_min_max"),
        ],
        spirv_capabilities: &[Capability::AtomicFloat16AddEXT, Capability::AtomicFloat16MinMaxEXT],
        spirv_extensions: &["SPV_EXT_shader_atomic_float16_add"],
    };
    RelaxedPrintf: "Formats of printf in any memory", Needs::Nothing, {
        extensions: &[khr("cl_ext_relaxed_printf_string_address_space")],
        spirv_extensions: &["SPV_EXT_relaxed_printf_string_address_space"],
    };
    IntegerDotProduct: "Integer dot products", Needs::Nothing, {
        extensions: &[versioned("cl_khr_integer_dot_product", Version(2, 0, 0))],
        c_features: &[
            c3("__opencl_c_integer_dot_product_input_4x8bit"),
            c3("__opencl_c_integer_dot_product_input_4x8bit_packed"),
        ],
        spirv_capabilities: &[
            Capability::DotProduct, Capability::DotProductInputAll, Capability::DotProductInput4x8Bit,
            Capability::DotProductInput4x8BitPacked,
        ],
        spirv_extensions: &["SPV_KHR_integer_dot_product"],
    };
    FloatControls: "Denormal numbers, signed zeros, infinities and NaNs kept on request", Needs::Nothing, {
        // What asks for another rounding or for denormal numbers as zeros is refused.
        spirv_capabilities: &[
            Capability::DenormPreserve, Capability::SignedZeroInfNanPreserve, Capability::RoundingModeRTE,
        ],
        spirv_extensions: &["SPV_KHR_float_controls"],
    };
    ArithmeticFence: "Fences between floating-point operations", Needs::Nothing, {
        spirv_capabilities: &[Capability::ArithmeticFenceEXT],
        spirv_extensions: &["SPV_EXT_arithmetic_fence"],
    };
    OptNone: "Requests not to optimise a function", Needs::Nothing, {
        spirv_capabilities: &[Capability::OptNoneEXT],
        spirv_extensions: &["SPV_EXT_optnone", "SPV_INTEL_optnone"],
    };
    Bfloat16Conversions: "Conversions from and to bfloat16", Needs::Nothing, {
        extensions: &[khr("cl_intel_bfloat16_conversions")],
        spirv_capabilities: &[Capability::BFloat16ConversionINTEL],
        spirv_extensions: &["SPV_INTEL_bfloat16_conversion"],
    };
    TernaryBitwise: "Bitwise functions of three operands", Needs::Nothing, {
        spirv_capabilities: &[Capability::TernaryBitwiseFunctionINTEL],
        spirv_extensions: &["SPV_INTEL_ternary_bitwise_function"],
    };
    MaxError: "Bounds of errors of floating-point functions", Needs::Nothing, {
        spirv_capabilities: &[Capability::FPMaxErrorINTEL],
        spirv_extensions: &["SPV_INTEL_fp_max_error"],
    };
    UsmStorageClasses: "Pointers to memory of the device or the host only", Needs::Nothing, {
        spirv_capabilities: &[Capability::USMStorageClassesALTERA],
        spirv_extensions: &["SPV_INTEL_usm_storage_classes", "SPV_ALTERA_usm_storage_classes"],
    };
    HostAccess: "Names by which a host finds program-scope variables", Needs::Nothing, {
        spirv_capabilities: &[Capability::GlobalVariableHostAccessINTEL],
        spirv_extensions: &["SPV_INTEL_global_variable_host_access"],
    };
    LoopControls: "Hints to loops without structure", Needs::Nothing, {
        spirv_capabilities: &[Capability::UnstructuredLoopControlsINTEL],
        spirv_extensions: &["SPV_INTEL_unstructured_loop_controls"],
    };
    KernelAttributes: "Limits that a kernel sets to its launches", Needs::Nothing, {
        spirv_capabilities: &[Capability::KernelAttributesINTEL],
        spirv_extensions: &["SPV_INTEL_kernel_attributes"],
    };
    ArbitraryIntegers: "Integers of any width up to 64 bits", Needs::Nothing, {
        spirv_capabilities: &[Capability::ArbitraryPrecisionIntegersALTERA],
        spirv_extensions: &["SPV_INTEL_arbitrary_precision_integers", "SPV_ALTERA_arbitrary_precision_integers"],
    };
    MaskedGatherScatter: "Vectors of pointers, gathers and scatters under a mask", Needs::Nothing, {
        spirv_capabilities: &[Capability::MaskedGatherScatterINTEL],
        spirv_extensions: &["SPV_INTEL_masked_gather_scatter"],
    };
    VariableLengthArrays: "Private arrays of variable length", Needs::Nothing, {
        spirv_capabilities: &[Capability::VariableLengthArrayINTEL],
        spirv_extensions: &["SPV_INTEL_variable_length_array"],
    };
    UniformDecoration: "Decorations of what is equal in all work-items", Needs::Nothing, {
        spirv_capabilities: &[Capability::UniformDecoration],
    };
    OpenclC: "Programs from OpenCL C", Needs::Nothing, {};
    CppForOpencl: "Programs from C++ for OpenCL", Needs::Nothing, {
        requires: &[Feature::OpenclC],
        extensions: &[khr("cl_ext_cxx_for_opencl")],
    };
    WorkGroupCollectives: "Work-group collective functions", Needs::Nothing, {
        c_features: &[c3("__opencl_c_work_group_collective_functions")],
        spirv_capabilities: &[Capability::Groups],
    };
    WorkGroupArithmetic: "Work-group products, and scans of bits", Needs::Nothing, {
        requires: &[Feature::WorkGroupCollectives],
        extensions: &[khr("cl_khr_work_group_uniform_arithmetic")],
        spirv_capabilities: &[Capability::GroupUniformArithmeticKHR],
        spirv_extensions: &["SPV_KHR_uniform_group_instructions"],
    };
    SplitBarrier: "Barriers in two parts", Needs::Nothing, {
        extensions: &[khr("cl_intel_split_work_group_barrier")],
        spirv_capabilities: &[Capability::SplitBarrierINTEL],
        spirv_extensions: &["SPV_INTEL_split_barrier"],
    };
    KernelClock: "Clocks that kernels read", Needs::Nothing, {
        extensions: &[khr("cl_khr_kernel_clock")],
        c_features: &[
            c3("__opencl_c_kernel_clock_scope_device"),
            c3("__opencl_c_kernel_clock_scope_work_group"),
            c3("__opencl_c_kernel_clock_scope_sub_group"),
        ],
        spirv_capabilities: &[Capability::ShaderClockKHR],
        spirv_extensions: &["SPV_KHR_shader_clock"],
    };
    SubGroups: "Sub-groups", Needs::Nothing, {
        c_features: &[c3("__opencl_c_subgroups")],
        spirv_capabilities: &[Capability::Groups, Capability::SubgroupDispatch],
    };
    RequiredSubGroupSize: "Sub-groups: sizes that a kernel requires", Needs::Nothing, {
        requires: &[Feature::SubGroups],
        extensions: &[khr("cl_intel_required_subgroup_size")],
    };
    SubGroupExtendedTypes: "Sub-groups: all types", Needs::Nothing, {
        requires: &[Feature::SubGroups],
        extensions: &[khr("cl_khr_subgroup_extended_types")],
    };
    SubGroupVote: "Sub-groups: votes of some work-items", Needs::Nothing, {
        requires: &[Feature::SubGroups],
        extensions: &[khr("cl_khr_subgroup_non_uniform_vote")],
        spirv_capabilities: &[Capability::GroupNonUniform, Capability::GroupNonUniformVote],
    };
    SubGroupBallot: "Sub-groups: ballots", Needs::Nothing, {
        requires: &[Feature::SubGroups],
        extensions: &[khr("cl_khr_subgroup_ballot")],
        spirv_capabilities: &[Capability::GroupNonUniformBallot],
    };
    SubGroupArithmetic: "Sub-groups: reductions and scans of some work-items", Needs::Nothing, {
        requires: &[Feature::SubGroups],
        extensions: &[khr("cl_khr_subgroup_non_uniform_arithmetic")],
        spirv_capabilities: &[Capability::GroupNonUniformArithmetic],
    };
    SubGroupShuffle: "Sub-groups: shuffles", Needs::Nothing, {
        requires: &[Feature::SubGroups],
        extensions: &[khr("cl_khr_subgroup_shuffle")],
        spirv_capabilities: &[Capability::GroupNonUniformShuffle],
    };
    SubGroupShuffleRelative: "Sub-groups: shuffles up and down", Needs::Nothing, {
        requires: &[Feature::SubGroups],
        extensions: &[khr("cl_khr_subgroup_shuffle_relative")],
        spirv_capabilities: &[Capability::GroupNonUniformShuffleRelative],
    };
    SubGroupClustered: "Sub-groups: reductions in clusters", Needs::Nothing, {
        requires: &[Feature::SubGroups],
        extensions: &[khr("cl_khr_subgroup_clustered_reduce")],
        spirv_capabilities: &[Capability::GroupNonUniformClustered],
    };
    SubGroupRotate: "Sub-groups: rotation", Needs::Nothing, {
        requires: &[Feature::SubGroups],
        extensions: &[khr("cl_khr_subgroup_rotate")],
        spirv_capabilities: &[Capability::GroupNonUniformRotateKHR],
        spirv_extensions: &["SPV_KHR_subgroup_rotate"],
    };
    IntelSubGroups: "Sub-groups: shuffles of two values, blocks of memory", Needs::Nothing, {
        requires: &[Feature::SubGroups],
        spirv_capabilities: &[Capability::SubgroupShuffleINTEL, Capability::SubgroupBufferBlockIOINTEL],
        spirv_extensions: &["SPV_INTEL_subgroups"],
    };
    SubGroupProgress: "Sub-groups that progress independently", Needs::Nothing, {
        requires: &[Feature::SubGroups],
        extensions: &[khr("cl_khr_subgroups")],
    };
    NamedBarriers: "Sub-groups: barriers for some of them", Needs::Nothing, {
        requires: &[Feature::SubGroupProgress],
        extensions: &[khr("cl_khr_subgroup_named_barrier")],
        spirv_capabilities: &[Capability::NamedBarrier],
    };
    Images: "Images", Needs::Nothing, {
        c_features: &[c3("__opencl_c_images")],
        spirv_capabilities: &[
            Capability::ImageBasic, Capability::LiteralSampler, Capability::Sampled1D, Capability::Image1D,
            Capability::SampledBuffer, Capability::ImageBuffer,
        ],
    };
    ReadWriteImages: "Images that a kernel reads and writes", Needs::Nothing, {
        requires: &[Feature::Images],
        c_features: &[c3("__opencl_c_read_write_images")],
        spirv_capabilities: &[Capability::ImageReadWrite],
    };
    ImageWrites3d: "Writes to three-dimensional images", Needs::Nothing, {
        requires: &[Feature::Images],
        extensions: &[khr("cl_khr_3d_image_writes")],
        c_features: &[c3("__opencl_c_3d_image_writes")],
    };
    DepthImages: "Images of depths", Needs::Nothing, {
        requires: &[Feature::Images],
        extensions: &[khr("cl_khr_depth_images")],
    };
    ImageFromBuffer: "Images that are buffers", Needs::Nothing, {
        requires: &[Feature::Images],
        extensions: &[khr("cl_khr_image2d_from_buffer"), khr("cl_ext_image_from_buffer")],
    };
    ImageRequirements: "What images would need", Needs::Nothing, {
        requires: &[Feature::Images],
        extensions: &[versioned("cl_ext_image_requirements_info", Version(0, 5, 0))],
    };
    SrgbImageWrites: "Writes to sRGB images", Needs::Nothing, {
        requires: &[Feature::Images],
        extensions: &[khr("cl_khr_srgb_image_writes")],
    };
    Unorm2101010: "Texels of two and three times ten bits, alpha first", Needs::Nothing, {
        requires: &[Feature::Images],
        extensions: &[khr("cl_ext_image_unorm_int_2_101010")],
        c_features: &[c3("__opencl_c_ext_image_unorm_int_2_101010")],
    };
    MipmapImages: "Images of several levels of detail", Needs::Nothing, {
        requires: &[Feature::Images],
        extensions: &[khr("cl_khr_mipmap_image")],
    };
    MipmapImageWrites: "Writes to images of several levels of detail", Needs::Nothing, {
        requires: &[Feature::MipmapImages],
        extensions: &[khr("cl_khr_mipmap_image_writes")],
        spirv_capabilities: &[Capability::ImageMipmap],
    };
    IntelSubGroupImages: "Sub-groups: blocks of images", Needs::Nothing, {
        requires: &[Feature::IntelSubGroups, Feature::Images],
        extensions: &[
            khr("cl_intel_spirv_subgroups"),
            khr("cl_intel_subgroups"),
            khr("cl_intel_subgroups_char"),
            khr("cl_intel_subgroups_long"),
            versioned("cl_intel_subgroups_short", Version(1, 1, 0)),
        ],
        spirv_capabilities: &[Capability::SubgroupImageBlockIOINTEL],
    };
    Pipes: "Pipes", Needs::Later, {
        requires: &[Feature::GenericAddressSpace],
        c_features: &[c3("__opencl_c_pipes")],
        spirv_capabilities: &[Capability::Pipes],
    };
    DeviceEnqueue: "Queues on the device", Needs::Later, {
        requires: &[Feature::GenericAddressSpace, Feature::ProgramScopeVariables],
        c_features: &[c3("__opencl_c_device_enqueue")],
        spirv_capabilities: &[Capability::DeviceEnqueue],
    };
}

/// The name of an extension as the table has it; `None` for those that the table does not have, and for that by which loaders
/// know a platform.
pub(crate) fn hideable(name: &str) -> Option<&'static str> {
    let mut rows = FEATURES.iter().filter(|row| row.feature != Feature::Icd);
    rows.find_map(|row| row.extensions.iter().find(|extension| extension.name == name)).map(|extension| extension.name)
}

impl Feature {
    /// The feature's row.
    pub fn row(self) -> &'static Row {
        // The macro keeps the order of the table and that of the enum the same.
        &FEATURES[self as usize]
    }

    /// Whether the device has what the feature and the features below it need, and none of them is hidden by the names of
    /// its extensions.
    pub fn is_supported(self, hidden: &[&str]) -> bool {
        let row = self.row();
        let names = || row.extensions.iter().map(|extension| extension.name);
        if !row.core && !row.extensions.is_empty() && names().all(|name| hidden.contains(&name)) {
            return false;
        }
        let own = match row.needs {
            Needs::Nothing => true,
            Needs::Later => false,
        };
        own && row.requires.iter().all(|below| below.is_supported(hidden))
    }
}

#[cfg(test)]
mod tests {
    use super::FEATURES;

    #[test]
    fn every_row_is_found_by_its_feature() {
        for row in FEATURES {
            assert_eq!(row.feature.row().title, row.title);
        }
    }

    #[test]
    fn a_feature_stands_only_on_features_before_it() {
        for row in FEATURES {
            for below in row.requires {
                assert!((*below as usize) < row.feature as usize, "{:?} requires {below:?}", row.feature);
            }
        }
    }

    #[test]
    fn no_extension_belongs_to_two_features() {
        let mut names: Vec<_> = FEATURES.iter().flat_map(|row| row.extensions).map(|ext| ext.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
