//! Samplers: creation, queries, errors.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::support::{Setup, call, code_of, create, ok, table};

fn info<T: Default>(sampler: cl::cl_sampler, name: cl::cl_sampler_info) -> T {
    let mut value = T::default();
    let mut size = 0;
    ok!(clGetSamplerInfo(sampler, name, size_of::<T>(), (&raw mut value).cast(), &mut size));
    assert_eq!(size, size_of::<T>(), "{name:#x}");
    value
}

#[test]
fn a_sampler_answers_with_what_it_was_created_with() {
    let setup = Setup::new();
    let modes = [
        cl::CL_ADDRESS_NONE,
        cl::CL_ADDRESS_CLAMP_TO_EDGE,
        cl::CL_ADDRESS_CLAMP,
        cl::CL_ADDRESS_REPEAT,
        cl::CL_ADDRESS_MIRRORED_REPEAT,
    ];
    for mode in modes {
        for filter in [cl::CL_FILTER_NEAREST, cl::CL_FILTER_LINEAR] {
            for normalized in [cl::CL_FALSE, cl::CL_TRUE] {
                let list: [cl::cl_sampler_properties; 7] = [
                    cl::CL_SAMPLER_NORMALIZED_COORDS.into(),
                    normalized.into(),
                    cl::CL_SAMPLER_FILTER_MODE.into(),
                    filter.into(),
                    cl::CL_SAMPLER_ADDRESSING_MODE.into(),
                    mode.into(),
                    0,
                ];
                let one = create!(clCreateSamplerWithProperties(setup.context, list.as_ptr()));
                let other = create!(clCreateSampler(setup.context, normalized, mode, filter));
                for sampler in [one, other] {
                    assert_eq!(info::<u32>(sampler, cl::CL_SAMPLER_NORMALIZED_COORDS), normalized);
                    assert_eq!(info::<u32>(sampler, cl::CL_SAMPLER_ADDRESSING_MODE), mode);
                    assert_eq!(info::<u32>(sampler, cl::CL_SAMPLER_FILTER_MODE), filter);
                    assert_eq!(info::<u32>(sampler, cl::CL_SAMPLER_REFERENCE_COUNT), 1);
                    assert_eq!(info::<usize>(sampler, cl::CL_SAMPLER_CONTEXT), setup.context.addr());
                }
                assert_eq!(info::<[u64; 7]>(one, cl::CL_SAMPLER_PROPERTIES), list);
                let mut size = 7;
                ok!(clGetSamplerInfo(other, cl::CL_SAMPLER_PROPERTIES, 0, null_mut(), &mut size));
                assert_eq!(size, 0);
                ok!(clReleaseSampler(one));
                ok!(clReleaseSampler(other));
            }
        }
    }
}

#[test]
fn what_is_not_said_has_the_value_of_the_specification() {
    let setup = Setup::new();
    let sampler = create!(clCreateSamplerWithProperties(setup.context, null()));
    assert_eq!(info::<u32>(sampler, cl::CL_SAMPLER_NORMALIZED_COORDS), cl::CL_TRUE);
    assert_eq!(info::<u32>(sampler, cl::CL_SAMPLER_ADDRESSING_MODE), cl::CL_ADDRESS_CLAMP);
    assert_eq!(info::<u32>(sampler, cl::CL_SAMPLER_FILTER_MODE), cl::CL_FILTER_NEAREST);
    ok!(clRetainSampler(sampler));
    assert_eq!(info::<u32>(sampler, cl::CL_SAMPLER_REFERENCE_COUNT), 2);
    ok!(clReleaseSampler(sampler));
    ok!(clReleaseSampler(sampler));
    table! {
        "released" => CL_INVALID_SAMPLER, call!(clRetainSampler(sampler));
        "released twice" => CL_INVALID_SAMPLER, call!(clReleaseSampler(sampler));
        "asked after release" => CL_INVALID_SAMPLER,
            call!(clGetSamplerInfo(sampler, cl::CL_SAMPLER_CONTEXT, 0, null_mut(), null_mut()));
    }
}

#[test]
fn errors_of_samplers() {
    let setup = Setup::new();
    let context = setup.context;
    let (filter, mode) = (cl::CL_SAMPLER_FILTER_MODE.into(), cl::CL_SAMPLER_ADDRESSING_MODE.into());
    let nearest: u64 = cl::CL_FILTER_NEAREST.into();
    let with = |list: &[u64]| code_of!(clCreateSamplerWithProperties(context, list.as_ptr()));
    let plain = |normalized, mode, filter| code_of!(clCreateSampler(context, normalized, mode, filter));
    let sampler = create!(clCreateSamplerWithProperties(context, null()));
    let buffer = setup.buffer(0, 64);
    table! {
        "no context" => CL_INVALID_CONTEXT, code_of!(clCreateSamplerWithProperties(null_mut(), null()));
        "queue as context" => CL_INVALID_CONTEXT,
            code_of!(clCreateSamplerWithProperties(setup.queue.cast(), null()));
        "unknown property" => CL_INVALID_VALUE, with(&[0x7777, 1, 0]);
        "property twice" => CL_INVALID_VALUE, with(&[filter, nearest, filter, nearest, 0]);
        "unknown filter" => CL_INVALID_VALUE, with(&[filter, 7, 0]);
        "unknown addressing" => CL_INVALID_VALUE, with(&[mode, 7, 0]);
        "neither true nor false" => CL_INVALID_VALUE, with(&[cl::CL_SAMPLER_NORMALIZED_COORDS.into(), 2, 0]);
        "plain, neither true nor false" => CL_INVALID_VALUE,
            plain(2, cl::CL_ADDRESS_CLAMP, cl::CL_FILTER_NEAREST);
        "plain, unknown addressing" => CL_INVALID_VALUE, plain(cl::CL_TRUE, 0, cl::CL_FILTER_NEAREST);
        "plain, unknown filter" => CL_INVALID_VALUE, plain(cl::CL_TRUE, cl::CL_ADDRESS_CLAMP, 0);
        "no sampler" => CL_INVALID_SAMPLER, call!(clRetainSampler(null_mut()));
        "a buffer" => CL_INVALID_SAMPLER, call!(clReleaseSampler(buffer.cast()));
        "no such query" => CL_INVALID_VALUE, call!(clGetSamplerInfo(sampler, 0, 0, null_mut(), null_mut()));
        "too little place" => CL_INVALID_VALUE,
            call!(clGetSamplerInfo(sampler, cl::CL_SAMPLER_CONTEXT, 4, (&raw const mode).cast_mut().cast(), null_mut()));
    }
    crate::support::release(buffer);
    ok!(clReleaseSampler(sampler));
}
