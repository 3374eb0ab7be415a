//! Samplers.

use core::ffi::c_void;

use crate::handle::{cl_context, cl_sampler};
use crate::scalar::{cl_bool, cl_int, cl_properties, cl_uint};

abi! {
    types {
        cl_addressing_mode = cl_uint;
        cl_filter_mode = cl_uint;
        cl_sampler_info = cl_uint;
        cl_sampler_properties = cl_properties;
    }
    constants {
        cl_addressing_mode {
            CL_ADDRESS_NONE = 0x1130;
            CL_ADDRESS_CLAMP_TO_EDGE = 0x1131;
            CL_ADDRESS_CLAMP = 0x1132;
            CL_ADDRESS_REPEAT = 0x1133;
            CL_ADDRESS_MIRRORED_REPEAT = 0x1134;
        }
        cl_filter_mode {
            CL_FILTER_NEAREST = 0x1140;
            CL_FILTER_LINEAR = 0x1141;
        }
        cl_sampler_info {
            CL_SAMPLER_REFERENCE_COUNT = 0x1150;
            CL_SAMPLER_CONTEXT = 0x1151;
            CL_SAMPLER_NORMALIZED_COORDS = 0x1152;
            CL_SAMPLER_ADDRESSING_MODE = 0x1153;
            CL_SAMPLER_FILTER_MODE = 0x1154;
            CL_SAMPLER_MIP_FILTER_MODE = 0x1155;
            CL_SAMPLER_LOD_MIN = 0x1156;
            CL_SAMPLER_LOD_MAX = 0x1157;
            CL_SAMPLER_PROPERTIES = 0x1158;
        }
    }
    functions {
        clRetainSampler(sampler: cl_sampler) -> cl_int;
        clReleaseSampler(sampler: cl_sampler) -> cl_int;
        clGetSamplerInfo(
            sampler: cl_sampler, param_name: cl_sampler_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) -> cl_int;
        clCreateSampler(
            context: cl_context, normalized_coords: cl_bool, addressing_mode: cl_addressing_mode,
            filter_mode: cl_filter_mode, errcode_ret: *mut cl_int,
        ) -> cl_sampler;
        clCreateSamplerWithProperties(
            context: cl_context, sampler_properties: *const cl_sampler_properties, errcode_ret: *mut cl_int,
        ) -> cl_sampler;
    }
}
