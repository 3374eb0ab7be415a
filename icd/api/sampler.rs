//! Samplers: the device has no images, and so no samplers. No handle is a sampler.

use std::ffi::c_void;

use khronos_headers::{
    cl_addressing_mode, cl_bool, cl_context, cl_filter_mode, cl_sampler, cl_sampler_info, cl_sampler_properties,
};
use oxicl_objects::context::Context;
use oxicl_objects::{ApiError, image};

use crate::entry::entries;

entries! {
    slots {
        create fn clCreateSamplerWithProperties(
            call, context: cl_context, _sampler_properties: *const cl_sampler_properties,
        ) -> cl_sampler {
            Err(image::create_sampler(&*call.object::<Context>(context)?))
        }

        create fn clCreateSampler(
            call, context: cl_context, _normalized_coords: cl_bool, _addressing_mode: cl_addressing_mode,
            _filter_mode: cl_filter_mode,
        ) -> cl_sampler {
            Err(image::create_sampler(&*call.object::<Context>(context)?))
        }

        status fn clRetainSampler(_call, _sampler: cl_sampler) {
            Err(ApiError::InvalidSampler)
        }

        status fn clReleaseSampler(_call, _sampler: cl_sampler) {
            Err(ApiError::InvalidSampler)
        }

        status fn clGetSamplerInfo(
            _call, _sampler: cl_sampler, _param_name: cl_sampler_info, _param_value_size: usize,
            _param_value: *mut c_void, _param_value_size_ret: *mut usize,
        ) {
            Err(ApiError::InvalidSampler)
        }
    }
    others {}
    aliases {}
}
