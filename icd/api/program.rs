//! Programs.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use khronos_headers::{
    CL_SUCCESS, cl_context, cl_device_id, cl_int, cl_program, cl_program_build_info, cl_program_info,
    cl_program_notify, cl_uint,
};
use oxicl_objects::ApiError;
use oxicl_objects::context::Context;
use oxicl_objects::device::Device;
use oxicl_objects::program::{Done, Program};

use crate::call::Call;
use crate::callback;
use crate::entry::entries;

/// The callback for the end of a build. "CL_INVALID_VALUE if pfn_notify is NULL but user_data is not NULL."
fn done(function: cl_program_notify, program: cl_program, user_data: *mut c_void) -> Result<Option<Done>, ApiError> {
    match function {
        Some(function) => Ok(Some(callback::with_handle(function, program, user_data))),
        None if user_data.is_null() => Ok(None),
        None => Err(ApiError::InvalidValue),
    }
}

/// A device list that may be left out. "CL_INVALID_VALUE if device_list is NULL and num_devices is greater than zero, or
/// if device_list is not NULL and num_devices is zero."
fn devices(call: &Call, count: cl_uint, list: *const cl_device_id) -> Result<Option<Vec<Arc<Device>>>, ApiError> {
    if count == 0 && list.is_null() { Ok(None) } else { call.objects::<Device>(count, list).map(Some) }
}

/// An option string; none if the pointer is null.
fn options(call: &Call, text: *const c_char) -> Option<String> {
    call.c_str(text).map(|text| text.to_string_lossy().into_owned())
}

/// The strings of a source.
fn source(
    call: &Call,
    count: cl_uint,
    strings: *mut *const c_char,
    lengths: *const usize,
) -> Result<Vec<&[u8]>, ApiError> {
    if count == 0 {
        return Err(ApiError::InvalidValue);
    }
    let strings = call.slice(strings.cast_const(), count as usize)?;
    let lengths = if lengths.is_null() { &[][..] } else { call.slice(lengths, count as usize)? };
    let bytes = strings.iter().enumerate().map(|(index, string)| match lengths.get(index) {
        // "If an element in lengths is zero, its accompanying string is null-terminated."
        None | Some(0) => call.c_str(*string).map(CStr::to_bytes),
        Some(length) => call.bytes(string.cast(), *length),
    });
    bytes.map(|bytes| bytes.ok_or(ApiError::InvalidValue)).collect()
}

/// Embedded headers with their names. "CL_INVALID_VALUE if num_input_headers is zero and header_include_names or
/// input_headers are not NULL, or if num_input_headers is not zero and header_include_names or input_headers are NULL."
fn headers(
    call: &Call,
    count: cl_uint,
    programs: *const cl_program,
    names: *mut *const c_char,
) -> Result<Vec<(String, Arc<Program>)>, ApiError> {
    let none = count == 0;
    if programs.is_null() != none || names.is_null() != none {
        return Err(ApiError::InvalidValue);
    }
    let programs = call.objects_or_none::<Program>(count, programs)?;
    let names = call.slice(names.cast_const(), count as usize)?.iter().map(|name| {
        let name = call.c_str(*name).ok_or(ApiError::InvalidValue)?;
        Ok(name.to_string_lossy().into_owned())
    });
    let names = names.collect::<Result<Vec<String>, ApiError>>()?;
    Ok(names.into_iter().zip(programs).collect())
}

/// The outcome of `clCreateProgramWithBinary` goes to two places besides the result.
fn from_binaries(
    call: &Call,
    context: &Arc<Context>,
    devices: Vec<Arc<Device>>,
    lengths: *const usize,
    binaries: *mut *const u8,
    status: *mut cl_int,
) -> Result<Arc<Program>, ApiError> {
    let lengths = call.slice(lengths, devices.len())?;
    let pointers = call.slice(binaries.cast_const(), devices.len())?;
    let bytes: Vec<Option<&[u8]>> =
        pointers.iter().zip(lengths).map(|(pointer, length)| call.bytes(pointer.cast(), *length)).collect();
    let (loaded, program) = Program::from_binaries(context, devices, &bytes);
    let codes: Vec<cl_int> =
        loaded.iter().map(|one| one.as_ref().map_or_else(ApiError::code, |()| CL_SUCCESS)).collect();
    call.write_array(status, codes.len(), &codes);
    program
}

/// `clLinkProgram`: a program that could not be linked is given, too, for its log.
fn link(
    call: &Call,
    context: cl_context,
    list: Result<Option<Vec<Arc<Device>>>, ApiError>,
    options: &str,
    inputs: Result<Vec<Arc<Program>>, ApiError>,
    notify: (cl_program_notify, *mut c_void),
) -> (cl_program, Result<(), ApiError>) {
    let linked = || {
        let context = call.object::<Context>(context)?;
        done(notify.0, null_mut(), notify.1)?;
        let link = Program::link(&context, list?, options, &inputs?)?;
        let handle = call.give(&link.program)?;
        Ok((handle, link.run(done(notify.0, handle, notify.1)?)))
    };
    linked().unwrap_or_else(|error| (null_mut(), Err(error)))
}

entries! {
    slots {
        create fn clCreateProgramWithSource(
            call, context: cl_context, count: cl_uint, strings: *mut *const c_char, lengths: *const usize,
        ) -> cl_program {
            let context = call.object::<Context>(context)?;
            call.give(&Program::from_source(&context, &source(call, count, strings, lengths)?)?)
        }

        create fn clCreateProgramWithBinary(
            call, context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id, lengths: *const usize,
            binaries: *mut *const u8, binary_status: *mut cl_int,
        ) -> cl_program {
            let context = call.object::<Context>(context)?;
            let devices = call.objects::<Device>(num_devices, device_list)?;
            call.give(&from_binaries(call, &context, devices, lengths, binaries, binary_status)?)
        }

        create fn clCreateProgramWithIL(call, context: cl_context, il: *const c_void, length: usize) -> cl_program {
            let context = call.object::<Context>(context)?;
            let il = call.bytes(il, length).filter(|il| !il.is_empty()).ok_or(ApiError::InvalidValue)?;
            call.give(&Program::from_il(&context, il)?)
        }

        create fn clCreateProgramWithBuiltInKernels(
            call, context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id,
            kernel_names: *const c_char,
        ) -> cl_program {
            let context = call.object::<Context>(context)?;
            let devices = call.objects::<Device>(num_devices, device_list)?;
            if devices.iter().any(|device| !context.has_device(device)) {
                return Err(ApiError::InvalidDevice);
            }
            // "CL_INVALID_VALUE if kernel_names is NULL or kernel_names contains a kernel name that is not supported by
            // any of the devices in device_list": no device has any.
            let _ = kernel_names;
            Err(ApiError::InvalidValue)
        }

        status fn clRetainProgram(call, program: cl_program) {
            call.retain::<Program>(program)
        }

        status fn clReleaseProgram(call, program: cl_program) {
            call.release::<Program>(program)
        }

        status fn clBuildProgram(
            call, program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id,
            build_options: *const c_char, pfn_notify: cl_program_notify, user_data: *mut c_void,
        ) {
            let object = call.object::<Program>(program)?;
            let devices = devices(call, num_devices, device_list)?;
            let done = done(pfn_notify, program, user_data)?;
            object.build(devices.as_deref(), options(call, build_options).as_deref(), done)
        }

        status fn clCompileProgram(
            call, program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id,
            compile_options: *const c_char, num_input_headers: cl_uint, input_headers: *const cl_program,
            header_include_names: *mut *const c_char, pfn_notify: cl_program_notify, user_data: *mut c_void,
        ) {
            let object = call.object::<Program>(program)?;
            let devices = devices(call, num_devices, device_list)?;
            let done = done(pfn_notify, program, user_data)?;
            // "If program was created using clCreateProgramWithIL, then num_input_headers, input_headers, and
            // header_include_names are ignored."
            let headers = if object.is_il() {
                Vec::new()
            } else {
                headers(call, num_input_headers, input_headers, header_include_names)?
            };
            let options = options(call, compile_options).unwrap_or_default();
            object.compile(devices.as_deref(), &options, &headers, done)
        }

        value fn clLinkProgram(
            call, context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id,
            link_options: *const c_char, num_input_programs: cl_uint, input_programs: *const cl_program,
            pfn_notify: cl_program_notify, user_data: *mut c_void, errcode_ret: *mut cl_int,
        ) -> cl_program {
            call.write(errcode_ret, ApiError::OutOfResources.code());
            let list = devices(call, num_devices, device_list);
            let inputs = call.objects::<Program>(num_input_programs, input_programs);
            let options = options(call, link_options).unwrap_or_default();
            let (program, result) = link(call, context, list, &options, inputs, (pfn_notify, user_data));
            call.write(errcode_ret, result.as_ref().map_or_else(ApiError::code, |()| CL_SUCCESS));
            if let Err(error) = result {
                call.failed(error);
            }
            program
        }

        status fn clGetProgramInfo(
            call, program: cl_program, param_name: cl_program_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) {
            let program = call.object::<Program>(program)?;
            call.info(&program, program.info(param_name)?, param_value_size, param_value, param_value_size_ret)
        }

        status fn clGetProgramBuildInfo(
            call, program: cl_program, device: cl_device_id, param_name: cl_program_build_info,
            param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) {
            let program = call.object::<Program>(program)?;
            let device = call.object::<Device>(device)?;
            let value = program.build_info(&device, param_name)?;
            call.info(&program, value, param_value_size, param_value, param_value_size_ret)
        }

        status fn clSetProgramSpecializationConstant(
            call, program: cl_program, spec_id: cl_uint, spec_size: usize, spec_value: *const c_void,
        ) {
            let program = call.object::<Program>(program)?;
            let value = call.bytes(spec_value, spec_size).ok_or(ApiError::InvalidValue)?;
            program.set_specialisation_constant(spec_id, value)
        }

        status fn clSetProgramReleaseCallback(
            call, program: cl_program, pfn_notify: cl_program_notify, _user_data: *mut c_void,
        ) {
            call.object::<Program>(program)?;
            if pfn_notify.is_none() {
                return Err(ApiError::InvalidValue);
            }
            // "CL_INVALID_OPERATION if none of the devices in program support program-scope constructors and destructors."
            Err(ApiError::InvalidOperation)
        }
    }

    others {}

    aliases {
        clCreateProgramWithILKHR = clCreateProgramWithIL;
    }
}
