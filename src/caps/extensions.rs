//! How modules that name an extension of SPIR-V fare: the extensions that kernels of today's producers use, and all that
//! LLVM's SPIR-V target knows.

use spirv::Capability;

use crate::features::FEATURES;

/// What becomes of a module that names an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It is accepted, and what the extension adds does what the extension says.
    Meaning,
    /// It is accepted, and what the extension adds changes nothing: it asks, hints or describes other devices.
    Ignored,
    /// It is refused; the build log names the extension and gives the reason.
    Refused,
}

/// An extension of SPIR-V.
#[derive(Clone, Copy, Debug)]
pub struct SpirvExtension {
    /// Name, as OpExtension has it.
    pub name: &'static str,
    /// What becomes of it.
    pub support: Support,
    /// What is done, or the reason why not.
    pub note: &'static str,
    /// Capabilities that are accepted with the extension and change nothing; those with a meaning are in [`FEATURES`].
    pub capabilities: &'static [Capability],
}

const fn meaning(name: &'static str, note: &'static str) -> SpirvExtension {
    SpirvExtension { name, support: Support::Meaning, note, capabilities: &[] }
}

const fn ignored(name: &'static str, capabilities: &'static [Capability], note: &'static str) -> SpirvExtension {
    SpirvExtension { name, support: Support::Ignored, note, capabilities }
}

const fn refused(name: &'static str, note: &'static str) -> SpirvExtension {
    SpirvExtension { name, support: Support::Refused, note, capabilities: &[] }
}

const FPGA: &str = "shapes the hardware that an FPGA compiler makes";
const GRAPHICS: &str = "belongs to the graphics pipeline, which kernels have no part in";
const SHADER: &str = "is for the capability Shader, which OpenCL does not have";
const PIPES: &str = "the device offers no pipes";
const MATRICES: &str = "matrices spread over the work-items of a sub-group are not offered";
const BLOCKS: &str = "blocks in two dimensions, spread over the work-items of a sub-group, are not offered";
const ANY_WIDTH: &str = "1 to 64 bits, in memory as wide as the next integer of OpenCL C; wider ones are refused";
const ABSENT: &str = "is not implemented";

/// The table, by name.
pub const SPIRV_EXTENSIONS: &[SpirvExtension] = &[
    refused("SPV_ALTERA_arbitrary_precision_fixed_point", "fixed-point functions are those of FPGAs"),
    refused("SPV_ALTERA_arbitrary_precision_floating_point", "floating-point formats of any width are those of FPGAs"),
    meaning("SPV_ALTERA_arbitrary_precision_integers", ANY_WIDTH),
    refused("SPV_ALTERA_blocking_pipes", PIPES),
    refused("SPV_ALTERA_io_pipes", PIPES),
    refused("SPV_ALTERA_task_sequence", "tasks that run beside the kernel are those of FPGAs"),
    meaning("SPV_ALTERA_usm_storage_classes", "the classes are parts of CrossWorkgroup"),
    meaning("SPV_EXT_arithmetic_fence", "nothing is reassociated or contracted across the fence"),
    refused("SPV_EXT_demote_to_helper_invocation", GRAPHICS),
    refused("SPV_EXT_descriptor_indexing", SHADER),
    refused("SPV_EXT_fragment_fully_covered", GRAPHICS),
    refused("SPV_EXT_fragment_invocation_density", GRAPHICS),
    refused("SPV_EXT_fragment_shader_interlock", GRAPHICS),
    refused("SPV_EXT_image_raw10_raw12", ABSENT),
    refused("SPV_EXT_mesh_shader", GRAPHICS),
    meaning("SPV_EXT_optnone", "a request, which the compiler need not follow: results do not depend on it"),
    refused("SPV_EXT_physical_storage_buffer", SHADER),
    meaning("SPV_EXT_relaxed_printf_string_address_space", "formats may be in any memory"),
    meaning("SPV_EXT_shader_atomic_float16_add", "half, in global and in local memory"),
    meaning("SPV_EXT_shader_atomic_float_add", "float and double, in global and in local memory"),
    meaning("SPV_EXT_shader_atomic_float_min_max", "half, float and double; a NaN loses against a number"),
    refused("SPV_EXT_shader_image_int64", SHADER),
    refused("SPV_EXT_shader_stencil_export", GRAPHICS),
    refused("SPV_EXT_shader_viewport_index_layer", GRAPHICS),
    refused("SPV_GOOGLE_hlsl_functionality1", SHADER),
    refused("SPV_GOOGLE_user_type", SHADER),
    refused("SPV_INTEL_16bit_atomics", "atomics on 16-bit integers are not offered"),
    refused("SPV_INTEL_2d_block_io", BLOCKS),
    refused("SPV_INTEL_arbitrary_precision_fixed_point", "fixed-point functions are those of FPGAs"),
    refused("SPV_INTEL_arbitrary_precision_floating_point", "floating-point formats of any width are those of FPGAs"),
    meaning("SPV_INTEL_arbitrary_precision_integers", ANY_WIDTH),
    refused("SPV_INTEL_bfloat16_arithmetic", "bfloat16 is converted, not computed with"),
    meaning("SPV_INTEL_bfloat16_conversion", "to the nearest, ties to even; denormal numbers are kept"),
    refused("SPV_INTEL_bindless_images", ABSENT),
    refused("SPV_INTEL_blocking_pipes", PIPES),
    ignored(
        "SPV_INTEL_cache_controls",
        &[Capability::CacheControlsINTEL],
        "says which caches to use; the processor's caches are coherent and not asked",
    ),
    refused("SPV_INTEL_float_controls2", "the device rounds to nearest and has IEEE arithmetic only"),
    meaning("SPV_INTEL_fp_fast_math_mode", "contraction and reassociation for the instructions that allow them"),
    meaning("SPV_INTEL_fp_max_error", "a bound that may be used up; functions keep the full profile's"),
    ignored("SPV_INTEL_fpga_argument_interfaces", &[Capability::FPGAArgumentInterfacesALTERA], FPGA),
    ignored("SPV_INTEL_fpga_buffer_location", &[Capability::FPGABufferLocationALTERA], FPGA),
    ignored(
        "SPV_INTEL_fpga_cluster_attributes",
        &[Capability::FPGAClusterAttributesALTERA, Capability::FPGAClusterAttributesV2ALTERA],
        FPGA,
    ),
    ignored("SPV_INTEL_fpga_dsp_control", &[Capability::FPGADSPControlALTERA], FPGA),
    ignored(
        "SPV_INTEL_fpga_invocation_pipelining_attributes",
        &[Capability::FPGAInvocationPipeliningAttributesALTERA],
        FPGA,
    ),
    ignored("SPV_INTEL_fpga_latency_control", &[Capability::FPGALatencyControlALTERA], FPGA),
    ignored("SPV_INTEL_fpga_loop_controls", &[Capability::FPGALoopControlsALTERA], FPGA),
    ignored("SPV_INTEL_fpga_memory_accesses", &[Capability::FPGAMemoryAccessesALTERA], FPGA),
    ignored("SPV_INTEL_fpga_memory_attributes", &[Capability::FPGAMemoryAttributesALTERA], FPGA),
    ignored("SPV_INTEL_fpga_reg", &[Capability::FPGARegALTERA], "a register of an FPGA; the value passes"),
    refused("SPV_INTEL_function_pointers", "functions are called by name: OpenCL has no pointers to functions"),
    ignored("SPV_INTEL_global_variable_fpga_decorations", &[Capability::GlobalVariableFPGADecorationsALTERA], FPGA),
    meaning("SPV_INTEL_global_variable_host_access", "the name is kept; the variable is as any other"),
    refused("SPV_INTEL_inline_assembly", "assembly in a module is for another machine than this one"),
    refused("SPV_INTEL_int4", ABSENT),
    refused("SPV_INTEL_io_pipes", PIPES),
    refused("SPV_INTEL_joint_matrix", MATRICES),
    SpirvExtension {
        name: "SPV_INTEL_kernel_attributes",
        support: Support::Meaning,
        note: "launches that break what the kernel promises are refused; what is for FPGAs is ignored",
        capabilities: &[Capability::FPGAKernelAttributesINTEL, Capability::FPGAKernelAttributesv2INTEL],
    },
    refused("SPV_INTEL_long_composites", "types of more than 16,383 members are not offered"),
    ignored("SPV_INTEL_loop_fuse", &[Capability::LoopFuseALTERA], FPGA),
    meaning(
        "SPV_INTEL_masked_gather_scatter",
        "gathers, scatters, and vectors of pointers in composites, memory, access chains and conversions to integers; \
         comparisons and casts of such vectors are refused",
    ),
    ignored(
        "SPV_INTEL_maximum_registers",
        &[Capability::RegisterLimitsINTEL],
        "the number of registers is the processor's",
    ),
    refused("SPV_INTEL_media_block_io", ABSENT),
    meaning("SPV_INTEL_memory_access_aliasing", "accesses of different scopes are reordered freely"),
    meaning("SPV_INTEL_optnone", "a request, which the compiler need not follow: results do not depend on it"),
    refused("SPV_INTEL_predicated_io", ABSENT),
    ignored("SPV_INTEL_runtime_aligned", &[Capability::RuntimeAlignedAttributeALTERA], FPGA),
    meaning("SPV_INTEL_split_barrier", "in work-groups; work-items wait at the second part"),
    refused(
        "SPV_INTEL_subgroup_buffer_prefetch",
        "blocks of buffers that are fetched ahead of their use are not offered",
    ),
    refused("SPV_INTEL_subgroup_matrix_multiply_accumulate", MATRICES),
    meaning("SPV_INTEL_subgroups", "shuffles, blocks of buffers and of images"),
    refused("SPV_INTEL_task_sequence", "tasks that run beside the kernel are those of FPGAs"),
    refused("SPV_INTEL_tensor_float32_conversion", ABSENT),
    meaning("SPV_INTEL_ternary_bitwise_function", "any of the 256 functions"),
    meaning("SPV_INTEL_unstructured_loop_controls", "the hints are taken note of"),
    meaning("SPV_INTEL_usm_storage_classes", "the classes are parts of CrossWorkgroup"),
    meaning("SPV_INTEL_variable_length_array", "32 KiB of arrays at a time in each call of a function"),
    refused("SPV_KHR_16bit_storage", SHADER),
    refused("SPV_KHR_bfloat16", "bfloat16 is converted, not computed with"),
    meaning("SPV_KHR_bit_instructions", "bit fields and bit reversal of every width"),
    refused("SPV_KHR_cooperative_matrix", MATRICES),
    refused("SPV_KHR_device_group", GRAPHICS),
    meaning("SPV_KHR_expect_assume", "what is expected or assumed may be used; results do not depend on it"),
    meaning(
        "SPV_KHR_float_controls",
        "DenormPreserve, SignedZeroInfNanPreserve and RoundingModeRTE are kept, whatever the build options say; \
         DenormFlushToZero and RoundingModeRTZ are refused by name",
    ),
    refused("SPV_KHR_float_controls2", ABSENT),
    refused("SPV_KHR_fragment_shader_barycentric", GRAPHICS),
    refused("SPV_KHR_fragment_shading_rate", GRAPHICS),
    meaning("SPV_KHR_integer_dot_product", "vectors of any width, bytes, and bytes packed in a word"),
    meaning("SPV_KHR_linkonce_odr", "one of the equal definitions is kept"),
    refused("SPV_KHR_maximal_reconvergence", SHADER),
    refused("SPV_KHR_multiview", GRAPHICS),
    meaning("SPV_KHR_no_integer_wrap_decoration", "operations that do not wrap are computed as such"),
    meaning("SPV_KHR_non_semantic_info", "every instruction set NonSemantic.* is accepted and says nothing"),
    refused("SPV_KHR_physical_storage_buffer", SHADER),
    refused("SPV_KHR_post_depth_coverage", GRAPHICS),
    refused("SPV_KHR_ray_query", GRAPHICS),
    refused("SPV_KHR_ray_tracing", GRAPHICS),
    meaning("SPV_KHR_shader_clock", "one counter for all scopes"),
    refused("SPV_KHR_shader_draw_parameters", GRAPHICS),
    meaning("SPV_KHR_subgroup_rotate", "in sub-groups, clusters too"),
    meaning("SPV_KHR_uniform_group_instructions", "in work-groups"),
    refused("SPV_KHR_untyped_pointers", ABSENT),
    refused("SPV_KHR_vulkan_memory_model", "the memory model is OpenCL's"),
    refused("SPV_NV_shader_atomic_fp16_vector", SHADER),
    refused("SPV_NV_shader_subgroup_partitioned", SHADER),
];

/// The row of an extension.
pub fn spirv_extension_row(name: &str) -> Option<&'static SpirvExtension> {
    SPIRV_EXTENSIONS.iter().find(|row| row.name == name)
}

/// The table as text, for `docs/extensions.md`.
pub fn extensions_document() -> String {
    let mut text = String::from(HEAD);
    for (support, title) in [
        (Support::Meaning, "## Accepted with meaning"),
        (Support::Ignored, "## Accepted and ignored"),
        (Support::Refused, "## Refused"),
    ] {
        text.push_str(&format!("\n{title}\n\n| Extension | Capabilities | |\n|---|---|---|\n"));
        for row in SPIRV_EXTENSIONS.iter().filter(|row| row.support == support) {
            let features = FEATURES.iter().filter(|feature| feature.spirv_extensions.contains(&row.name));
            let capabilities = features.flat_map(|feature| feature.spirv_capabilities).chain(row.capabilities);
            let capabilities: Vec<String> = capabilities.map(|capability| format!("{capability:?}")).collect();
            text.push_str(&format!("| `{}` | {} | {} |\n", row.name, capabilities.join(", "), row.note));
        }
    }
    text.push_str(TAIL);
    text
}

const HEAD: &str = "# Extensions of SPIR-V

Written from the table in `src/caps/extensions.rs` by
`cargo run -p oxicl-caps --example capabilities extensions > docs/extensions.md`; a test holds it up to date. It has
every extension that LLVM 22's SPIR-V target names, and those that kernels of other producers use.
`tests/extensions` has at least one module for each row: it runs and gives the result that the extension asks for, or it
is refused with a build log that names the extension and the reason below. A name that has no row is refused too.

`CL_DEVICE_SPIRV_EXTENSIONS` lists the extensions that are accepted with meaning, and no others.
";

const TAIL: &str = "
## Instruction sets

| Set | |
|---|---|
| `OpenCL.std` | accepted with meaning |
| `OpenCL.DebugInfo.100` | accepted; source lines in diagnostics come from it |
| `NonSemantic.*` | accepted, every one of them, and ignored |
| any other | refused by name |
";
