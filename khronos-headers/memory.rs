//! Memory objects in general, buffers and shared virtual memory.

use core::ffi::c_void;

use crate::callback::{cl_mem_destructor, cl_svm_free_notify};
use crate::handle::{cl_command_queue, cl_context, cl_event, cl_mem};
use crate::scalar::{cl_bitfield, cl_bool, cl_int, cl_properties, cl_uint};

abi! {
    types {
        cl_mem_flags = cl_bitfield;
        cl_mem_object_type = cl_uint;
        cl_mem_info = cl_uint;
        cl_map_flags = cl_bitfield;
        cl_buffer_create_type = cl_uint;
        cl_mem_migration_flags = cl_bitfield;
        cl_svm_mem_flags = cl_bitfield;
        cl_mem_properties = cl_properties;
    }
    structs {
        cl_buffer_region {
            origin: usize,
            size: usize,
        }
    }
    constants {
        cl_mem_flags {
            CL_MEM_READ_WRITE = 1 << 0;
            CL_MEM_WRITE_ONLY = 1 << 1;
            CL_MEM_READ_ONLY = 1 << 2;
            CL_MEM_USE_HOST_PTR = 1 << 3;
            CL_MEM_ALLOC_HOST_PTR = 1 << 4;
            CL_MEM_COPY_HOST_PTR = 1 << 5;
            CL_MEM_HOST_WRITE_ONLY = 1 << 7;
            CL_MEM_HOST_READ_ONLY = 1 << 8;
            CL_MEM_HOST_NO_ACCESS = 1 << 9;
            CL_MEM_SVM_FINE_GRAIN_BUFFER = 1 << 10;
            CL_MEM_SVM_ATOMICS = 1 << 11;
            CL_MEM_KERNEL_READ_AND_WRITE = 1 << 12;
        }
        cl_mem_object_type {
            CL_MEM_OBJECT_BUFFER = 0x10F0;
            CL_MEM_OBJECT_IMAGE2D = 0x10F1;
            CL_MEM_OBJECT_IMAGE3D = 0x10F2;
            CL_MEM_OBJECT_IMAGE2D_ARRAY = 0x10F3;
            CL_MEM_OBJECT_IMAGE1D = 0x10F4;
            CL_MEM_OBJECT_IMAGE1D_ARRAY = 0x10F5;
            CL_MEM_OBJECT_IMAGE1D_BUFFER = 0x10F6;
            CL_MEM_OBJECT_PIPE = 0x10F7;
        }
        cl_mem_info {
            CL_MEM_TYPE = 0x1100;
            CL_MEM_FLAGS = 0x1101;
            CL_MEM_SIZE = 0x1102;
            CL_MEM_HOST_PTR = 0x1103;
            CL_MEM_MAP_COUNT = 0x1104;
            CL_MEM_REFERENCE_COUNT = 0x1105;
            CL_MEM_CONTEXT = 0x1106;
            CL_MEM_ASSOCIATED_MEMOBJECT = 0x1107;
            CL_MEM_OFFSET = 0x1108;
            CL_MEM_USES_SVM_POINTER = 0x1109;
            CL_MEM_PROPERTIES = 0x110A;
        }
        cl_map_flags {
            CL_MAP_READ = 1 << 0;
            CL_MAP_WRITE = 1 << 1;
            CL_MAP_WRITE_INVALIDATE_REGION = 1 << 2;
        }
        cl_buffer_create_type {
            CL_BUFFER_CREATE_TYPE_REGION = 0x1220;
        }
        cl_mem_migration_flags {
            CL_MIGRATE_MEM_OBJECT_HOST = 1 << 0;
            CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED = 1 << 1;
        }
    }
    functions {
        clCreateBuffer(
            context: cl_context, flags: cl_mem_flags, size: usize, host_ptr: *mut c_void, errcode_ret: *mut cl_int,
        ) -> cl_mem;
        clRetainMemObject(memobj: cl_mem) -> cl_int;
        clReleaseMemObject(memobj: cl_mem) -> cl_int;
        clGetMemObjectInfo(
            memobj: cl_mem, param_name: cl_mem_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) -> cl_int;
        clEnqueueReadBuffer(
            command_queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool, offset: usize, size: usize,
            ptr: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int;
        clEnqueueWriteBuffer(
            command_queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool, offset: usize, size: usize,
            ptr: *const c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int;
        clEnqueueCopyBuffer(
            command_queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: usize,
            dst_offset: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int;
        clEnqueueMapBuffer(
            command_queue: cl_command_queue, buffer: cl_mem, blocking_map: cl_bool, map_flags: cl_map_flags,
            offset: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event, errcode_ret: *mut cl_int,
        ) -> *mut c_void;
        clEnqueueUnmapMemObject(
            command_queue: cl_command_queue, memobj: cl_mem, mapped_ptr: *mut c_void,
            num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clCreateSubBuffer(
            buffer: cl_mem, flags: cl_mem_flags, buffer_create_type: cl_buffer_create_type,
            buffer_create_info: *const c_void, errcode_ret: *mut cl_int,
        ) -> cl_mem;
        clSetMemObjectDestructorCallback(
            memobj: cl_mem, pfn_notify: cl_mem_destructor, user_data: *mut c_void,
        ) -> cl_int;
        clEnqueueReadBufferRect(
            command_queue: cl_command_queue, buffer: cl_mem, blocking_read: cl_bool, buffer_origin: *const usize,
            host_origin: *const usize, region: *const usize, buffer_row_pitch: usize, buffer_slice_pitch: usize,
            host_row_pitch: usize, host_slice_pitch: usize, ptr: *mut c_void, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueWriteBufferRect(
            command_queue: cl_command_queue, buffer: cl_mem, blocking_write: cl_bool, buffer_origin: *const usize,
            host_origin: *const usize, region: *const usize, buffer_row_pitch: usize, buffer_slice_pitch: usize,
            host_row_pitch: usize, host_slice_pitch: usize, ptr: *const c_void, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueCopyBufferRect(
            command_queue: cl_command_queue, src_buffer: cl_mem, dst_buffer: cl_mem, src_origin: *const usize,
            dst_origin: *const usize, region: *const usize, src_row_pitch: usize, src_slice_pitch: usize,
            dst_row_pitch: usize, dst_slice_pitch: usize, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueFillBuffer(
            command_queue: cl_command_queue, buffer: cl_mem, pattern: *const c_void, pattern_size: usize,
            offset: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int;
        clEnqueueMigrateMemObjects(
            command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem,
            flags: cl_mem_migration_flags, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int;
        clSVMAlloc(context: cl_context, flags: cl_svm_mem_flags, size: usize, alignment: cl_uint) -> *mut c_void;
        clSVMFree(context: cl_context, svm_pointer: *mut c_void);
        clEnqueueSVMFree(
            command_queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *mut c_void,
            pfn_free_func: cl_svm_free_notify, user_data: *mut c_void, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueSVMMemcpy(
            command_queue: cl_command_queue, blocking_copy: cl_bool, dst_ptr: *mut c_void, src_ptr: *const c_void,
            size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueSVMMemFill(
            command_queue: cl_command_queue, svm_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize,
            size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueSVMMap(
            command_queue: cl_command_queue, blocking_map: cl_bool, flags: cl_map_flags, svm_ptr: *mut c_void,
            size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueSVMUnmap(
            command_queue: cl_command_queue, svm_ptr: *mut c_void, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clEnqueueSVMMigrateMem(
            command_queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *const c_void,
            sizes: *const usize, flags: cl_mem_migration_flags, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) -> cl_int;
        clCreateBufferWithProperties(
            context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags, size: usize,
            host_ptr: *mut c_void, errcode_ret: *mut cl_int,
        ) -> cl_mem;
    }
}
