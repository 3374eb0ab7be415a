//! Events, markers and barriers.

use std::ffi::c_void;

use khronos_headers::{
    cl_command_queue, cl_context, cl_event, cl_event_info, cl_event_notify, cl_int, cl_profiling_info, cl_uint,
};
use oxicl_objects::ApiError;
use oxicl_objects::context::Context;
use oxicl_objects::event::{Event, wait_for_all};
use oxicl_objects::queue::Queue;

use crate::callback::event_notify;
use crate::entry::entries;

entries! {
    slots {
        create fn clCreateUserEvent(call, context: cl_context) -> cl_event {
            call.give(&Event::user(&call.object::<Context>(context)?))
        }

        status fn clSetUserEventStatus(call, event: cl_event, execution_status: cl_int) {
            call.object::<Event>(event)?.set_user_status(execution_status)
        }

        status fn clWaitForEvents(call, num_events: cl_uint, event_list: *const cl_event) {
            wait_for_all(&call.objects::<Event>(num_events, event_list)?)
        }

        status fn clRetainEvent(call, event: cl_event) {
            call.retain::<Event>(event)
        }

        status fn clReleaseEvent(call, event: cl_event) {
            call.release::<Event>(event)
        }

        status fn clGetEventInfo(
            call, event: cl_event, param_name: cl_event_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) {
            let event = call.object::<Event>(event)?;
            call.info(&event, event.info(param_name)?, param_value_size, param_value, param_value_size_ret)
        }

        status fn clGetEventProfilingInfo(
            call, event: cl_event, param_name: cl_profiling_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) {
            let event = call.object::<Event>(event)?;
            call.info(&event, event.profiling_info(param_name)?, param_value_size, param_value, param_value_size_ret)
        }

        status fn clSetEventCallback(
            call, event: cl_event, command_exec_callback_type: cl_int, pfn_notify: cl_event_notify,
            user_data: *mut c_void,
        ) {
            let object = call.object::<Event>(event)?;
            let function = pfn_notify.ok_or_else(|| ApiError::InvalidValue.because("there is no function to call"))?;
            object.set_callback(command_exec_callback_type, event_notify(function, event, user_data))
        }

        status fn clEnqueueMarkerWithWaitList(
            call, command_queue: cl_command_queue, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let wait_list = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            call.give_event(event, &queue.marker(&wait_list)?)
        }

        status fn clEnqueueBarrierWithWaitList(
            call, command_queue: cl_command_queue, num_events_in_wait_list: cl_uint,
            event_wait_list: *const cl_event, event: *mut cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            let wait_list = call.wait_list(num_events_in_wait_list, event_wait_list)?;
            call.give_event(event, &queue.barrier(&wait_list)?)
        }

        status fn clEnqueueMarker(call, command_queue: cl_command_queue, event: *mut cl_event) {
            let queue = call.object::<Queue>(command_queue)?;
            // "CL_INVALID_VALUE if event is a NULL value."
            if event.is_null() {
                return Err(ApiError::InvalidValue.because("there is no place for the event"));
            }
            call.give_event(event, &queue.marker(&[])?)
        }

        status fn clEnqueueWaitForEvents(
            call, command_queue: cl_command_queue, num_events: cl_uint, event_list: *const cl_event,
        ) {
            let queue = call.object::<Queue>(command_queue)?;
            // "CL_INVALID_VALUE if num_events is 0 or event_list is NULL"; a bad event is CL_INVALID_EVENT here.
            let events = call.objects::<Event>(num_events, event_list)?;
            queue.barrier(&events)?;
            Ok(())
        }

        status fn clEnqueueBarrier(call, command_queue: cl_command_queue) {
            call.object::<Queue>(command_queue)?.barrier(&[])?;
            Ok(())
        }
    }
    others {}
    aliases {}
}
