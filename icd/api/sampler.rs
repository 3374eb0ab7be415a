//! Samplers.

use std::ffi::c_void;

use khronos_headers::{
    cl_addressing_mode, cl_bool, cl_context, cl_filter_mode, cl_sampler, cl_sampler_info, cl_sampler_properties,
};
use oxicl_objects::context::Context;
use oxicl_objects::sampler::{Sampler, SamplerModes};

use crate::entry::entries;

entries! {
    slots {
        create fn clCreateSamplerWithProperties(
            call, context: cl_context, sampler_properties: *const cl_sampler_properties,
        ) -> cl_sampler {
            let context = call.object::<Context>(context)?;
            let properties = call.properties_of(sampler_properties, Sampler::PROPERTIES)?;
            call.give(&Sampler::create(&context, properties)?)
        }

        create fn clCreateSampler(
            call, context: cl_context, normalized_coords: cl_bool, addressing_mode: cl_addressing_mode,
            filter_mode: cl_filter_mode,
        ) -> cl_sampler {
            let context = call.object::<Context>(context)?;
            let modes = SamplerModes {
                normalized: normalized_coords.into(),
                addressing: addressing_mode.into(),
                filter: filter_mode.into(),
            };
            call.give(&Sampler::create_plain(&context, modes)?)
        }

        status fn clRetainSampler(call, sampler: cl_sampler) {
            call.retain::<Sampler>(sampler)
        }

        status fn clReleaseSampler(call, sampler: cl_sampler) {
            call.release::<Sampler>(sampler)
        }

        status fn clGetSamplerInfo(
            call, sampler: cl_sampler, param_name: cl_sampler_info, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) {
            let sampler = call.object::<Sampler>(sampler)?;
            let value = sampler.info(param_name)?;
            call.info(&sampler, value, param_value_size, param_value, param_value_size_ret)
        }
    }
    others {}
    aliases {}
}
