//! `clGetKernelWorkGroupInfo`, `clGetKernelSubGroupInfo` and the suggested work-group size.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_abi::KernelFacts;
use oxicl_caps::Feature;

use super::{Kernel, OnDevice};
use crate::device::Device;
use crate::ndrange::{Request, Rules};
use crate::{ApiError, InfoValue};

impl Kernel {
    /// The kernel on a device, which may be left out if there is but one.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE`.
    fn on(&self, device: Option<&Arc<Device>>) -> Result<&OnDevice, ApiError> {
        let on = match (device, self.devices.as_slice()) {
            (Some(device), all) => all.iter().find(|on| Arc::ptr_eq(&on.device, device)),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        on.ok_or(ApiError::InvalidDevice)
    }

    /// The rules for index spaces, with the local arguments that are set.
    fn current_rules<'k>(&'k self, on: &'k OnDevice, facts: &'k KernelFacts) -> Rules<'k> {
        self.rules(on, facts, self.dynamic_local(facts))
    }

    /// The rules for index spaces, with this much memory for local arguments.
    pub(super) fn rules<'k>(&'k self, on: &'k OnDevice, facts: &'k KernelFacts, dynamic_local: u64) -> Rules<'k> {
        Rules {
            signature: &self.signature,
            facts,
            limits: &on.device.caps.limits,
            compute_units: on.device.compute_units(),
            non_uniform: !on.uniform,
            dynamic_local,
        }
    }

    /// `clGetKernelWorkGroupInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE` if the kernel is not there for the device, or none is named and there are several;
    /// `CL_INVALID_VALUE` for a query that does not exist.
    pub fn work_group_info(
        &self,
        device: Option<&Arc<Device>>,
        name: cl::cl_kernel_work_group_info,
    ) -> Result<InfoValue, ApiError> {
        let on = self.on(device)?;
        // What the program says is known at once.
        if name == cl::CL_KERNEL_COMPILE_WORK_GROUP_SIZE {
            let required = self.signature.required_work_group_size.unwrap_or_default();
            return Ok(InfoValue::sizes(required.map(|side| side as usize)));
        }
        let facts = on.kernel.facts()?;
        let rules = self.current_rules(on, facts);
        Ok(match name {
            cl::CL_KERNEL_WORK_GROUP_SIZE => InfoValue::Size(size(rules.max_group_size())),
            cl::CL_KERNEL_LOCAL_MEM_SIZE => InfoValue::U64(rules.facts.local_bytes.saturating_add(rules.dynamic_local)),
            // A work-group that leaves part of a vector register unused is slower, whether the kernel has lanes of its
            // own or loops over work-items.
            cl::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
                let lanes = rules.facts.sub_group_size.max(rules.facts.lanes);
                let multiple = u64::from(lanes.max(on.device.caps.preferred_work_group_multiple()));
                InfoValue::Size(size(multiple.min(rules.max_group_size())))
            }
            cl::CL_KERNEL_PRIVATE_MEM_SIZE => InfoValue::U64(rules.facts.private_bytes),
            // What does not fit into registers is on the stack, which is no memory of the device.
            cl::CL_KERNEL_SPILL_MEM_SIZE_INTEL => InfoValue::U64(0),
            // CL_KERNEL_GLOBAL_WORK_SIZE: "CL_INVALID_VALUE if ... device is not a custom device and kernel is not a
            // built-in kernel".
            _ => return Err(ApiError::InvalidValue.because("there is no such query")),
        })
    }

    /// `clGetKernelSubGroupInfo`. `input` are the numbers that the application gave; `places` is how many numbers it
    /// takes as an answer.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` if the device has no sub-groups; `CL_INVALID_DEVICE` as for the work-group's queries;
    /// `CL_INVALID_VALUE` for a query that does not exist, and for no or impossible input.
    pub fn sub_group_info(
        &self,
        device: Option<&Arc<Device>>,
        name: cl::cl_kernel_sub_group_info,
        input: &[usize],
        places: Option<usize>,
    ) -> Result<InfoValue, ApiError> {
        let on = self.on(device)?;
        if !on.device.caps.has(Feature::SubGroups) {
            return Err(ApiError::InvalidOperation.because("the device has no sub-groups"));
        }
        let facts = on.kernel.facts()?;
        let width = facts.sub_group_size.max(1) as usize;
        let most = size(self.current_rules(on, facts).max_group_size());
        let range = || match input {
            [] => Err(ApiError::InvalidValue.because("there is no input")),
            sides if sides.len() > 3 => Err(ApiError::InvalidValue.because("the input has more than three dimensions")),
            sides => sides.iter().try_fold(1_usize, |all, side| all.checked_mul(*side)).ok_or(ApiError::InvalidValue),
        };
        Ok(match name {
            cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => InfoValue::Size(range()?.clamp(1, width)),
            cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => InfoValue::Size(range()?.div_ceil(width)),
            cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
                let [count] = input else { return Err(ApiError::InvalidValue) };
                let dimensions = places.unwrap_or(1);
                if !(1..=3).contains(&dimensions) {
                    return Err(ApiError::InvalidValue.because("the answer has one to three dimensions"));
                }
                // "If there is no such work-group size, returns 0 in each dimension."
                let total = count.checked_mul(width).filter(|total| *total <= most && self.allows(*count, *total));
                let mut sides = vec![usize::from(total.is_some()); dimensions];
                if let Some(side) = sides.first_mut() {
                    *side = total.unwrap_or(0);
                }
                InfoValue::sizes(sides)
            }
            cl::CL_KERNEL_MAX_NUM_SUB_GROUPS => InfoValue::Size(most.div_ceil(width)),
            // "If the kernel program does not specify the number of sub-groups, 0 is returned."
            cl::CL_KERNEL_COMPILE_NUM_SUB_GROUPS => {
                InfoValue::Size(self.signature.required_sub_groups.unwrap_or(0) as usize)
            }
            cl::CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL => {
                InfoValue::Size(self.signature.required_sub_group_size.unwrap_or(0) as usize)
            }
            _ => return Err(ApiError::InvalidValue.because("there is no such query")),
        })
    }

    /// Whether a one-dimensional work-group of `total` work-items, `count` sub-groups, fits the required size and number of
    /// sub-groups, if there are such.
    fn allows(&self, count: usize, total: usize) -> bool {
        if self.signature.required_sub_groups.is_some_and(|required| required as usize != count) {
            return false;
        }
        match self.signature.required_work_group_size {
            None => true,
            Some(required) => required == [u32::try_from(total).unwrap_or(0), 1, 1],
        }
    }

    /// `clGetKernelSuggestedLocalWorkSizeKHR`.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE` if the kernel is not there for the device, and those of an enqueue.
    pub fn suggested_local_size(&self, device: &Arc<Device>, request: Request<'_>) -> Result<[u64; 3], ApiError> {
        let on = self.on(Some(device)).map_err(|_| ApiError::InvalidProgramExecutable)?;
        if self.state.lock().arguments.iter().any(Option::is_none) {
            return Err(ApiError::InvalidKernelArgs);
        }
        let facts = on.kernel.facts()?;
        self.current_rules(on, facts).suggest(request)
    }
}

fn size(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
