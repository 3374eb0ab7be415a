//! The rules for index spaces, and the choice of a work-group size.

use oxicl_abi::{KernelFacts, KernelSignature};
use oxicl_caps::{CONTEXT_LIMIT, Limits};
use oxicl_device::NdRange;

use crate::ApiError;

/// An index space as an application asks for it.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Number of dimensions.
    pub dimensions: u32,
    /// First global id; none for zeros.
    pub offset: Option<&'a [usize]>,
    /// Work-items of each dimension; none counts as zeros.
    pub global: Option<&'a [usize]>,
    /// Work-items of a work-group; none if we are to choose.
    pub local: Option<&'a [usize]>,
}

/// What the index spaces of a kernel depend on.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    /// The kernel as the host sees it.
    pub signature: &'a KernelSignature,
    /// The compiled kernel.
    pub facts: &'a KernelFacts,
    /// The device.
    pub limits: &'a Limits,
    /// Compute units of the device.
    pub compute_units: u32,
    /// Whether the last work-group of a dimension may be smaller: not with `-cl-uniform-work-group-size`.
    pub non_uniform: bool,
    /// Memory for local arguments, in bytes.
    pub dynamic_local: u64,
}

/// A size that is good for kernels of which nothing is known: few enough work-items that the state of a group stays in
/// the first-level cache, enough that starting a group costs nothing.
const USUAL_GROUP: u64 = 256;
/// Work-groups a compute unit is to have at least, so that the units end together.
const GROUPS_PER_UNIT: u64 = 4;

impl Rules<'_> {
    /// `CL_KERNEL_WORK_GROUP_SIZE`: the largest work-group of this kernel, whatever its shape.
    pub fn max_group_size(&self) -> u64 {
        let most = self.limits.max_work_group_size;
        if self.facts.state_bytes_per_gang == 0 {
            return most;
        }
        let fixed = self.facts.context_bytes([0, 1, 1], self.dynamic_local).unwrap_or(CONTEXT_LIMIT);
        // A row of one work-item still takes a whole gang.
        let gangs = CONTEXT_LIMIT.saturating_sub(fixed) / self.facts.state_bytes_per_gang;
        gangs.clamp(1, most)
    }

    /// The checked index space; none if it is empty, which is no error: "the kernel command will trivially succeed".
    ///
    /// # Errors
    /// Those that the specification lists for `clEnqueueNDRangeKernel`, as said below.
    pub fn check(&self, request: Request<'_>) -> Result<Option<NdRange>, ApiError> {
        // "CL_INVALID_WORK_DIMENSION if work_dim is not a valid value (i.e. a value between 1 and
        // CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS)."
        if !(1..=3).contains(&request.dimensions) {
            return Err(ApiError::InvalidWorkDimension);
        }
        let global = three(request.global, if request.global.is_some() { 1 } else { 0 });
        let offset = three(request.offset, 0);
        // "CL_INVALID_GLOBAL_OFFSET if the value specified in global_work_size + the corresponding values in
        // global_work_offset for any dimensions is greater than the maximum value representable by size_t".
        if global.iter().zip(offset).any(|(size, offset)| size.checked_add(offset).is_none()) {
            return Err(ApiError::InvalidGlobalOffset);
        }
        self.check_promises(request.local, global, offset)?;
        if let Some(local) = request.local {
            self.check_local(three(Some(local), 1), global)?;
        }
        if global.contains(&0) {
            return Ok(None);
        }
        let local = match request.local {
            Some(local) => three(Some(local), 1),
            None => self.choose(request.dimensions, global)?,
        };
        let range = NdRange { dimensions: request.dimensions, offset, global, local };
        // Ids are 64-bit numbers, linear ones too.
        global.iter().try_fold(1u64, |all, size| all.checked_mul(*size)).ok_or(ApiError::OutOfResources)?;
        if self.facts.local_area(self.dynamic_local).is_none_or(|bytes| bytes > self.limits.max_local_bytes) {
            return Err(ApiError::OutOfResources);
        }
        Ok(Some(range))
    }

    /// What the kernel promises of its launches (SPV_INTEL_kernel_attributes) is held.
    fn check_promises(&self, local: Option<&[usize]>, global: [u64; 3], offset: [u64; 3]) -> Result<(), ApiError> {
        let promise = self.signature.launch;
        let local = local.map(|local| three(Some(local), 1));
        let largest = promise.max_work_group_size.map(|size| size.map(u64::from));
        if let (Some(local), Some(largest)) = (local, largest)
            && local.iter().zip(largest).any(|(size, most)| *size > most)
        {
            return Err(ApiError::InvalidWorkGroupSize);
        }
        let dimensions = promise.max_dimensions.unwrap_or(3) as usize;
        if global.get(dimensions..).unwrap_or_default().iter().any(|size| *size > 1) {
            return Err(ApiError::InvalidWorkDimension);
        }
        if promise.no_offset && offset != [0; 3] {
            return Err(ApiError::InvalidGlobalOffset);
        }
        Ok(())
    }

    /// Rules for a given work-group size.
    fn check_local(&self, local: [u64; 3], global: [u64; 3]) -> Result<(), ApiError> {
        // "CL_INVALID_WORK_GROUP_SIZE if local_work_size is specified and does not match the required work-group size".
        if self.required().is_some_and(|required| required != local) {
            return Err(ApiError::InvalidWorkGroupSize);
        }
        if local.contains(&0) {
            return Err(ApiError::InvalidWorkGroupSize);
        }
        // "CL_INVALID_WORK_GROUP_SIZE if local_work_size is specified and is not consistent with the required number of
        // sub-groups for kernel in the program source."
        if self.required_sub_groups().is_some_and(|n| local.iter().product::<u64>().div_ceil(self.width()) != n) {
            return Err(ApiError::InvalidWorkGroupSize);
        }
        // "CL_INVALID_WORK_ITEM_SIZE if the number of work-items specified in any of local_work_size[0], ... is greater
        // than the corresponding values specified by CL_DEVICE_MAX_WORK_ITEM_SIZES".
        if local.iter().any(|size| *size > self.limits.max_work_group_size) {
            return Err(ApiError::InvalidWorkItemSize);
        }
        // "CL_INVALID_WORK_GROUP_SIZE if ... the total number of work-items in the work-group ... is greater than the
        // value specified by CL_KERNEL_WORK_GROUP_SIZE".
        if local.iter().product::<u64>() > self.max_group_size() {
            return Err(ApiError::InvalidWorkGroupSize);
        }
        // "CL_INVALID_WORK_GROUP_SIZE if the program was compiled with cl-uniform-work-group-size and the number of
        // work-items specified by global_work_size is not evenly divisible by the size of work-group".
        if !self.non_uniform && !divides(local, global) {
            return Err(ApiError::InvalidWorkGroupSize);
        }
        Ok(())
    }

    /// S: the sub-group size.
    fn width(&self) -> u64 {
        u64::from(self.facts.sub_group_size.max(1))
    }

    /// The required number of sub-groups.
    fn required_sub_groups(&self) -> Option<u64> {
        self.signature.required_sub_groups.map(u64::from)
    }

    fn required(&self) -> Option<[u64; 3]> {
        self.signature.required_work_group_size.map(|size| size.map(u64::from))
    }

    /// A work-group size for a range that is not empty.
    ///
    /// # Errors
    /// `CL_INVALID_WORK_GROUP_SIZE` if the required size does not divide the range and has to, or the required number of
    /// sub-groups makes no work-group.
    fn choose(&self, dimensions: u32, mut global: [u64; 3]) -> Result<[u64; 3], ApiError> {
        if let Some(required) = self.required() {
            let fits = self.non_uniform || divides(required, global);
            return if fits { Ok(required) } else { Err(ApiError::InvalidWorkGroupSize) };
        }
        if let Some(count) = self.required_sub_groups() {
            let local = [count * self.width(), 1, 1];
            let fits = local[0] <= self.max_group_size() && (self.non_uniform || divides(local, global));
            return if fits { Ok(local) } else { Err(ApiError::InvalidWorkGroupSize) };
        }
        let items = global.iter().fold(1u64, |all, size| all.saturating_mul(*size));
        // So few work-items loop over what there is to do, a share for each core, as kernels for CPUs do.
        if items <= u64::from(self.compute_units) {
            return Ok([1; 3]);
        }
        let turns = self.facts.turns && dimensions > 1;
        let lanes = if turns { self.width() } else { u64::from(self.facts.lanes.max(1)) };
        let shared_out = items / (u64::from(self.compute_units) * GROUPS_PER_UNIT);
        let wanted = USUAL_GROUP.min(shared_out.next_power_of_two()).max(4 * lanes).min(self.max_group_size());
        let mut local = [1; 3];
        let mut left = wanted;
        let mut most = self.signature.launch.max_work_group_size.map_or([u64::MAX; 3], |size| size.map(u64::from));
        if turns {
            global.swap(0, 1);
            most.swap(0, 1);
        }
        for ((size, extent), most) in local.iter_mut().zip(global).zip(most).take(dimensions as usize) {
            // Where rows share what they load, a gang's width is enough of each.
            let wide = if left == wanted && self.facts.columns && global[1] > 1 { lanes } else { left };
            *size = self.side(extent, wide.min(most), if left == wanted { lanes } else { 1 });
            left /= *size;
        }
        if turns {
            local.swap(0, 1);
        }
        Ok(local)
    }

    /// The side of a work-group along a dimension: at most `most`, preferably a divisor of the extent and a multiple of
    /// the gang.
    fn side(&self, extent: u64, most: u64, gang: u64) -> u64 {
        let most = most.max(1).min(extent);
        let divisors = || (1..=most).rev().filter(|size| extent.is_multiple_of(*size));
        let good = divisors().find(|size| size.is_multiple_of(gang)).or_else(|| divisors().next()).unwrap_or(1);
        // An odd extent has no good divisor; then the last group is smaller, if it may be.
        if self.non_uniform && good * 4 <= most { most } else { good }
    }

    /// `clGetKernelSuggestedLocalWorkSize`: what a launch without a work-group size uses.
    ///
    /// # Errors
    /// As [`Rules::check`]; `CL_INVALID_GLOBAL_WORK_SIZE` if the range is absent or empty.
    pub fn suggest(&self, request: Request<'_>) -> Result<[u64; 3], ApiError> {
        let range = self.check(Request { local: None, ..request })?;
        range.map(|range| range.local).ok_or(ApiError::InvalidGlobalWorkSize)
    }
}

fn divides(local: [u64; 3], global: [u64; 3]) -> bool {
    global.iter().zip(local).all(|(global, local)| global.is_multiple_of(local))
}

/// Three values from those given; `rest` for what is missing.
fn three(given: Option<&[usize]>, rest: u64) -> [u64; 3] {
    let mut all = [rest; 3];
    for (place, value) in all.iter_mut().zip(given.unwrap_or_default()) {
        *place = *value as u64;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Request, Rules};
    use crate::ApiError;
    use oxicl_abi::KernelFacts;
    use oxicl_abi::{KernelSignature, LaunchPromise};
    use oxicl_caps::{DeviceCaps, Limits};
    use oxicl_spirv::Id;

    struct World {
        signature: KernelSignature,
        facts: KernelFacts,
        limits: Limits,
    }

    impl World {
        fn new() -> Self {
            let signature = KernelSignature::new(Id(std::num::NonZero::<u32>::MIN), "k", vec![]);
            let facts = KernelFacts { lanes: 8, ..KernelFacts::default() };
            World { signature, facts, limits: DeviceCaps::host().limits.clone() }
        }

        fn rules(&self, non_uniform: bool) -> Rules<'_> {
            Rules {
                signature: &self.signature,
                facts: &self.facts,
                limits: &self.limits,
                compute_units: 16,
                non_uniform,
                dynamic_local: 0,
            }
        }
    }

    fn request<'a>(global: &'a [usize], local: Option<&'a [usize]>) -> Request<'a> {
        Request { dimensions: global.len() as u32, offset: None, global: Some(global), local }
    }

    #[test]
    fn each_rule_has_its_error() {
        let world = World::new();
        let rules = world.rules(false);
        let most = world.limits.max_work_group_size as usize;
        fn error(rules: &Rules<'_>, request: Request<'_>) -> ApiError {
            rules.check(request).unwrap_err()
        }
        assert_eq!(error(&rules, Request { dimensions: 0, ..request(&[1], None) }), ApiError::InvalidWorkDimension);
        assert_eq!(error(&rules, Request { dimensions: 4, ..request(&[1], None) }), ApiError::InvalidWorkDimension);
        assert_eq!(error(&rules, request(&[8], Some(&[0]))), ApiError::InvalidWorkGroupSize);
        assert_eq!(error(&rules, request(&[8], Some(&[3]))), ApiError::InvalidWorkGroupSize);
        assert_eq!(error(&rules, request(&[most * 2], Some(&[most * 2]))), ApiError::InvalidWorkItemSize);
        assert_eq!(error(&rules, request(&[most, 2], Some(&[most, 2]))), ApiError::InvalidWorkGroupSize);
        let offset = Request { offset: Some(&[usize::MAX]), ..request(&[1], None) };
        assert_eq!(error(&rules, offset), ApiError::InvalidGlobalOffset);
        assert_eq!(error(&rules, request(&[1 << 40, 1 << 40], None)), ApiError::OutOfResources);
        assert!(world.rules(true).check(request(&[8], Some(&[3]))).is_ok());
    }

    #[test]
    fn a_required_size_is_the_only_one() {
        let mut world = World::new();
        world.signature.required_work_group_size = Some([4, 2, 1]);
        let rules = world.rules(false);
        assert_eq!(rules.check(request(&[8, 8], Some(&[8, 1]))).unwrap_err(), ApiError::InvalidWorkGroupSize);
        assert_eq!(rules.check(request(&[8, 8], None)).unwrap().unwrap().local, [4, 2, 1]);
        assert_eq!(rules.check(request(&[7, 8], None)).unwrap_err(), ApiError::InvalidWorkGroupSize);
    }

    #[test]
    fn what_a_kernel_promises_of_its_launches_is_held() {
        let mut world = World::new();
        world.signature.launch =
            LaunchPromise { max_work_group_size: Some([16, 2, 1]), max_dimensions: Some(2), no_offset: true };
        let rules = world.rules(false);
        assert_eq!(rules.check(request(&[64], Some(&[32]))).unwrap_err(), ApiError::InvalidWorkGroupSize);
        assert_eq!(rules.check(request(&[64, 64, 2], None)).unwrap_err(), ApiError::InvalidWorkDimension);
        let offset = Request { offset: Some(&[1]), ..request(&[64], None) };
        assert_eq!(rules.check(offset).unwrap_err(), ApiError::InvalidGlobalOffset);
        assert!(rules.check(request(&[64, 64, 1], Some(&[16, 2, 1]))).is_ok());
        assert_eq!(rules.check(request(&[64, 64], None)).unwrap().unwrap().local, [16, 2, 1]);
        world.signature.launch.max_dimensions = Some(0);
        assert_eq!(world.rules(false).check(request(&[2], None)).unwrap_err(), ApiError::InvalidWorkDimension);
        assert!(world.rules(false).check(request(&[1], None)).is_ok());
    }

    #[test]
    fn an_empty_range_is_no_error() {
        let world = World::new();
        assert_eq!(world.rules(true).check(request(&[8, 0], Some(&[4, 4]))), Ok(None));
        assert_eq!(world.rules(true).check(Request { global: None, ..request(&[1], None) }), Ok(None));
        assert_eq!(world.rules(true).suggest(request(&[0], None)), Err(ApiError::InvalidGlobalWorkSize));
    }

    #[test]
    fn a_large_state_makes_work_groups_small() {
        let mut world = World::new();
        world.facts.state_bytes_per_gang = 1 << 20;
        let rules = world.rules(true);
        assert_eq!(rules.max_group_size(), 64);
        assert_eq!(rules.check(request(&[128], Some(&[65]))).unwrap_err(), ApiError::InvalidWorkGroupSize);
    }

    #[test]
    fn rows_that_share_what_they_load_are_in_one_group() {
        let mut world = World::new();
        (world.facts.columns, world.facts.lanes) = (true, 64);
        for (global, expected) in [(&[512, 512][..], [64, 4, 1]), (&[1 << 20], [256, 1, 1]), (&[48, 512], [48, 4, 1])] {
            assert_eq!(world.rules(false).suggest(request(global, None)), Ok(expected), "for {global:?}");
        }
    }

    #[test]
    fn what_lies_along_y_is_in_one_group() {
        let mut world = World::new();
        (world.facts.turns, world.facts.sub_group_size) = (true, 8);
        for (global, expected) in [
            (&[512, 512][..], [1, 256, 1]),
            (&[1 << 20], [256, 1, 1]),
            (&[512, 16], [8, 16, 1]),
            (&[8, 96, 4], [1, 48, 1]),
        ] {
            assert_eq!(world.rules(false).suggest(request(global, None)), Ok(expected), "for {global:?}");
        }
    }

    #[test]
    fn chosen_sizes_divide_where_they_can_and_keep_gangs_full() {
        let world = World::new();
        for (global, uniform, expected) in [
            (&[1 << 20][..], true, [256, 1, 1]),
            (&[1920, 1080], true, [240, 1, 1]),
            (&[1_000_003], true, [1, 1, 1]),
            (&[1_000_003], false, [256, 1, 1]),
            (&[16, 4096], true, [16, 16, 1]),
            (&[3, 1 << 20], true, [3, 64, 1]),
            (&[17], true, [17, 1, 1]),
            (&[4, 4], true, [1, 1, 1]),
        ] {
            let chosen = world.rules(!uniform).check(request(global, None)).unwrap().unwrap().local;
            assert_eq!(chosen, expected, "for {global:?}");
            assert_eq!(world.rules(!uniform).suggest(request(global, None)), Ok(expected));
        }
    }
}
