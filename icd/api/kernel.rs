//! Kernels.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use khronos_headers::{
    CL_FALSE, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
    CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
    CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR,
    CL_KERNEL_EXEC_INFO_SVM_PTRS, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, cl_bool, cl_command_queue, cl_device_id,
    cl_kernel, cl_kernel_arg_info, cl_kernel_exec_info, cl_kernel_info, cl_kernel_sub_group_info,
    cl_kernel_work_group_info, cl_mem, cl_mem_device_address_ext, cl_program, cl_sampler, cl_uint,
};
use oxicl_objects::ApiError;
use oxicl_objects::device::Device;
use oxicl_objects::kernel::{ArgumentSource, Indirect, Kernel, Pointers};
use oxicl_objects::memory::Memory;
use oxicl_objects::ndrange::Request;
use oxicl_objects::program::Program;
use oxicl_objects::queue::Queue;
use oxicl_objects::sampler::Sampler;

use crate::call::Call;
use crate::entry::entries;

/// `arg_value` of `clSetKernelArg`.
pub(super) struct ArgValue<'c>(pub(super) &'c Call, pub(super) *const c_void);

impl ArgumentSource for ArgValue<'_> {
    fn bytes(&self, size: usize) -> Option<&[u8]> {
        self.0.bytes(self.1, size)
    }

    fn memory(&self) -> Result<Option<Arc<Memory>>, ApiError> {
        match self.0.read(self.1.cast::<cl_mem>()) {
            Some(handle) => self.0.optional_object::<Memory>(handle),
            None => Ok(None),
        }
    }

    fn sampler(&self) -> Result<Arc<Sampler>, ApiError> {
        self.0.object::<Sampler>(self.0.read(self.1.cast::<cl_sampler>()).ok_or(ApiError::InvalidSampler)?)
    }

    fn is_null(&self) -> bool {
        self.1.is_null()
    }
}

/// `clSetKernelExecInfo`.
pub(super) fn exec_info(
    call: &Call,
    kernel: &Kernel,
    name: cl_kernel_exec_info,
    size: usize,
    value: *const c_void,
) -> Result<(), ApiError> {
    let indirect = match name {
        CL_KERNEL_EXEC_INFO_SVM_PTRS => return pointers(call, kernel, Pointers::Svm, size, value),
        CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT => return pointers(call, kernel, Pointers::Device, size, value),
        CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL => return pointers(call, kernel, Pointers::Usm, size, value),
        CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM => Indirect::System,
        CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR => Indirect::Svm,
        CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL => Indirect::Host,
        CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL => Indirect::Device,
        CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL => Indirect::Shared,
        _ => return Err(ApiError::InvalidValue.because("there is no such parameter of execution")),
    };
    if size != size_of::<cl_bool>() {
        return Err(ApiError::InvalidValue.because("the size of the value is not that of the parameter"));
    }
    let wanted =
        call.read(value.cast::<cl_bool>()).ok_or_else(|| ApiError::InvalidValue.because("the value is null"))?;
    kernel.set_indirect(indirect, wanted != CL_FALSE)
}

/// A set of pointers; device addresses are as large as they. "An empty set is given by a size of zero and a null pointer."
fn pointers(call: &Call, kernel: &Kernel, kind: Pointers, size: usize, value: *const c_void) -> Result<(), ApiError> {
    if !size.is_multiple_of(size_of::<usize>()) || (size == 0) != value.is_null() {
        return Err(ApiError::InvalidValue);
    }
    let pointers = call.slice(value.cast::<*const c_void>(), size / size_of::<usize>())?;
    kernel.set_pointers(kind, pointers.iter().map(|pointer| pointer.expose_provenance()).collect())
}

/// The arguments of `clGetKernelSubGroupInfo` behind the kernel and the device.
struct SubGroupQuery {
    name: cl_kernel_sub_group_info,
    input_size: usize,
    input: *const c_void,
    size: usize,
    memory: *mut c_void,
    size_ret: *mut usize,
}

fn sub_group_info(call: &Call, kernel: cl_kernel, device: cl_device_id, query: &SubGroupQuery) -> Result<(), ApiError> {
    let kernel = call.object::<Kernel>(kernel)?;
    let device = call.optional_object::<Device>(device)?;
    if !query.input_size.is_multiple_of(size_of::<usize>()) {
        return Err(ApiError::InvalidValue.because("the input is no array of size_t"));
    }
    let input = if query.input.is_null() {
        &[][..]
    } else {
        call.slice(query.input.cast::<usize>(), query.input_size / size_of::<usize>())?
    };
    let places = (!query.memory.is_null()).then_some(query.size / size_of::<usize>());
    let value = kernel.sub_group_info(device.as_ref(), query.name, input, places)?;
    call.info(&kernel, value, query.size, query.memory, query.size_ret)
}

entries! {
    slots {
        create fn clCreateKernel(call, program: cl_program, kernel_name: *const c_char) -> cl_kernel {
            let program = call.object::<Program>(program)?;
            let name = call.c_str(kernel_name).ok_or_else(|| ApiError::InvalidValue.because("the name is null"))?;
            // A name that is no text is the name of no kernel.
            let name = name.to_str().map_err(|_| ApiError::InvalidKernelName)?;
            call.give(&Kernel::create(&program, name)?)
        }

        status fn clCreateKernelsInProgram(
            call, program: cl_program, num_kernels: cl_uint, kernels: *mut cl_kernel, num_kernels_ret: *mut cl_uint,
        ) {
            let program = call.object::<Program>(program)?;
            let count = program.kernel_names()?.len();
            // "CL_INVALID_VALUE if kernels is not NULL and num_kernels is less than the number of kernels in program."
            if !kernels.is_null() {
                if (num_kernels as usize) < count {
                    return Err(ApiError::InvalidValue.because("the list has fewer places than the program has kernels"));
                }
                let mut handles = Vec::with_capacity(count);
                for kernel in Kernel::create_all(&program)? {
                    handles.push(call.give(&kernel)?);
                }
                call.write_array(kernels, handles.len(), &handles);
            }
            call.write(num_kernels_ret, cl_uint::try_from(count).unwrap_or(cl_uint::MAX));
            Ok(())
        }

        create fn clCloneKernel(call, source_kernel: cl_kernel) -> cl_kernel {
            let kernel = call.object::<Kernel>(source_kernel)?;
            call.give(&kernel.duplicate()?)
        }

        status fn clRetainKernel(call, kernel: cl_kernel) {
            call.retain::<Kernel>(kernel)
        }

        status fn clReleaseKernel(call, kernel: cl_kernel) {
            call.release::<Kernel>(kernel)
        }

        status fn clSetKernelArg(
            call, kernel: cl_kernel, arg_index: cl_uint, arg_size: usize, arg_value: *const c_void,
        ) {
            let kernel = call.object::<Kernel>(kernel)?;
            kernel.set_argument(arg_index, arg_size, &ArgValue(call, arg_value))
        }

        status fn clSetKernelArgSVMPointer(call, kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void) {
            let kernel = call.object::<Kernel>(kernel)?;
            kernel.set_svm_argument(arg_index, arg_value.addr())
        }

        status fn clSetKernelExecInfo(
            call, kernel: cl_kernel, param_name: cl_kernel_exec_info, param_value_size: usize,
            param_value: *const c_void,
        ) {
            let kernel = call.object::<Kernel>(kernel)?;
            exec_info(call, &kernel, param_name, param_value_size, param_value)
        }

        status fn clGetKernelInfo(
            call, kernel: cl_kernel, param_name: cl_kernel_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) {
            let kernel = call.object::<Kernel>(kernel)?;
            call.info(&kernel, kernel.info(param_name)?, param_value_size, param_value, param_value_size_ret)
        }

        status fn clGetKernelArgInfo(
            call, kernel: cl_kernel, arg_index: cl_uint, param_name: cl_kernel_arg_info, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) {
            let kernel = call.object::<Kernel>(kernel)?;
            let value = kernel.argument_info(arg_index, param_name)?;
            call.info(&kernel, value, param_value_size, param_value, param_value_size_ret)
        }

        status fn clGetKernelWorkGroupInfo(
            call, kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_work_group_info,
            param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) {
            let kernel = call.object::<Kernel>(kernel)?;
            let device = call.optional_object::<Device>(device)?;
            let value = kernel.work_group_info(device.as_ref(), param_name)?;
            call.info(&kernel, value, param_value_size, param_value, param_value_size_ret)
        }

        status fn clGetKernelSubGroupInfo(
            call, kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_sub_group_info,
            input_value_size: usize, input_value: *const c_void, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) {
            sub_group_info(call, kernel, device, &SubGroupQuery {
                name: param_name,
                input_size: input_value_size,
                input: input_value,
                size: param_value_size,
                memory: param_value,
                size_ret: param_value_size_ret,
            })
        }

        status fn clGetKernelSubGroupInfoKHR(
            call, kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_sub_group_info,
            input_value_size: usize, input_value: *const c_void, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) {
            sub_group_info(call, kernel, device, &SubGroupQuery {
                name: param_name,
                input_size: input_value_size,
                input: input_value,
                size: param_value_size,
                memory: param_value,
                size_ret: param_value_size_ret,
            })
        }

        status fn clGetKernelSuggestedLocalWorkSize(
            call, command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint,
            global_work_offset: *const usize, global_work_size: *const usize, suggested_local_work_size: *mut usize,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let kernel = call.object::<Kernel>(kernel)?;
            // "CL_INVALID_CONTEXT if the context associated with kernel is not the same as ... with command_queue."
            if !Arc::ptr_eq(&queue.context, &kernel.program().context) {
                return Err(ApiError::InvalidContext);
            }
            if !(1..=3).contains(&work_dim) {
                return Err(ApiError::InvalidWorkDimension);
            }
            if global_work_size.is_null() {
                return Err(ApiError::InvalidGlobalWorkSize);
            }
            if suggested_local_work_size.is_null() {
                return Err(ApiError::InvalidValue.because("there is no place for the size"));
            }
            let sides = work_dim as usize;
            let offset = if global_work_offset.is_null() { None } else { Some(call.slice(global_work_offset, sides)?) };
            let global = Some(call.slice(global_work_size, sides)?);
            let request = Request { dimensions: work_dim, offset, global, local: None };
            let local = kernel.suggested_local_size(&queue.device, request)?;
            call.write_array(suggested_local_work_size, sides, &local.map(|side| side as usize));
            Ok(())
        }
    }

    others {
        status fn clSetKernelArgDevicePointerEXT(
            call, kernel: cl_kernel, arg_index: cl_uint, arg_value: cl_mem_device_address_ext,
        ) {
            let kernel = call.object::<Kernel>(kernel)?;
            kernel.set_device_pointer(arg_index, usize::try_from(arg_value).unwrap_or(usize::MAX))
        }
    }

    aliases {
        clGetKernelSuggestedLocalWorkSizeKHR = clGetKernelSuggestedLocalWorkSize;
    }
}
