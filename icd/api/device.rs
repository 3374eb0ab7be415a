//! Devices and sub-devices.

use std::ffi::c_void;

use khronos_headers::{
    self as cl, cl_device_id, cl_device_info, cl_device_partition_property, cl_device_type, cl_platform_id, cl_uint,
    cl_ulong,
};
use oxicl_objects::ApiError;
use oxicl_objects::device::{Device, Partition};

use crate::api::platform;
use crate::call::Call;
use crate::entry::entries;
use crate::handle;

/// Reads a partition property list: one scheme, its value or counts, and the zero at the end.
fn partition(call: &Call, list: *const cl_device_partition_property) -> Result<Partition, ApiError> {
    // More counts than this ask for more compute units than there can be.
    const MOST: usize = 1 << 16;
    let words = call.until(list, 0, MOST)?;
    match words.split_first() {
        Some((&cl::CL_DEVICE_PARTITION_EQUALLY, &[units])) => {
            Ok(Partition::Equally(u32::try_from(units).map_err(|_| ApiError::InvalidValue)?))
        }
        Some((&cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, &[domain])) => Ok(Partition::ByAffinity(domain as u64)),
        Some((&cl::CL_DEVICE_PARTITION_BY_COUNTS, counts)) => {
            // The counts have an end of their own. One of the list behind it is not asked for: DPC++ gives none, and nothing may
            // follow.
            let counts = counts.iter().map(|&count| u32::try_from(count));
            Ok(Partition::ByCounts(
                counts.collect::<Result<_, _>>().map_err(|_| ApiError::InvalidDevicePartitionCount)?,
            ))
        }
        _ => Err(ApiError::InvalidValue
            .because("the list names no way of partition that the device supports, or none alone")),
    }
}

entries! {
    slots {
        status fn clGetDeviceIDs(
            call, platform: cl_platform_id, device_type: cl_device_type, num_entries: cl_uint,
            devices: *mut cl_device_id, num_devices: *mut cl_uint,
        ) {
            let platform = platform::platform(call, platform)?;
            // "If num_entries is equal to zero and devices is not NULL, or if both num_devices and devices are NULL."
            if (num_entries == 0 && !devices.is_null()) || (devices.is_null() && num_devices.is_null()) {
                return Err(ApiError::InvalidValue.because("the list and the count leave no place for an answer"));
            }
            let found = platform.devices_of_type(device_type)?;
            let handles: Result<Vec<_>, _> =
                found.iter().map(|device| Ok(handle::handle_of(device)?.as_opaque())).collect();
            call.write_array(devices, num_entries as usize, &handles?);
            call.write(num_devices, found.len() as cl_uint);
            Ok(())
        }

        status fn clGetDeviceInfo(
            call, device: cl_device_id, param_name: cl_device_info, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) {
            let device = call.object::<Device>(device)?;
            call.info(&device, device.info(param_name)?, param_value_size, param_value, param_value_size_ret)
        }

        status fn clCreateSubDevices(
            call, in_device: cl_device_id, properties: *const cl_device_partition_property, num_devices: cl_uint,
            out_devices: *mut cl_device_id, num_devices_ret: *mut cl_uint,
        ) {
            let device = call.object::<Device>(in_device)?;
            let parts = device.partition(&partition(call, properties)?)?;
            if !out_devices.is_null() {
                if (num_devices as usize) < parts.len() {
                    return Err(ApiError::InvalidValue.because("the list has fewer places than there are sub-devices"));
                }
                let handles = parts.iter().map(|part| call.give(part)).collect::<Result<Vec<_>, _>>()?;
                call.write_array(out_devices, num_devices as usize, &handles);
            }
            call.write(num_devices_ret, parts.len() as cl_uint);
            Ok(())
        }

        // Root devices are not counted.
        status fn clRetainDevice(call, device: cl_device_id) {
            if call.object::<Device>(device)?.is_root() { Ok(()) } else { call.retain::<Device>(device) }
        }

        status fn clReleaseDevice(call, device: cl_device_id) {
            if call.object::<Device>(device)?.is_root() { Ok(()) } else { call.release::<Device>(device) }
        }

        status fn clGetDeviceAndHostTimer(
            call, device: cl_device_id, device_timestamp: *mut cl_ulong, host_timestamp: *mut cl_ulong,
        ) {
            let device = call.object::<Device>(device)?;
            if device_timestamp.is_null() || host_timestamp.is_null() {
                return Err(ApiError::InvalidValue.because("there is no place for a timestamp"));
            }
            // The device is the host: one clock.
            let now = device.timer();
            call.write(device_timestamp, now);
            call.write(host_timestamp, now);
            Ok(())
        }

        status fn clGetHostTimer(call, device: cl_device_id, host_timestamp: *mut cl_ulong) {
            let device = call.object::<Device>(device)?;
            if host_timestamp.is_null() {
                return Err(ApiError::InvalidValue.because("there is no place for the timestamp"));
            }
            call.write(host_timestamp, device.timer());
            Ok(())
        }
    }
    others {}
    aliases {}
}
