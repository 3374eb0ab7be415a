//! Devices: the root device, and sub-devices that own some of its compute units.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_caps::DeviceCaps;
use oxicl_device::Backend;
use oxicl_schedule::{Level, WorkerSlots};

use crate::platform::Platform;
use crate::{ApiError, HandleCell, InfoValue};

/// A device.
pub struct Device {
    /// The application's handle.
    pub handle: HandleCell,
    /// What it can do.
    pub caps: &'static DeviceCaps,
    /// What builds and runs programs.
    pub backend: Arc<dyn Backend>,
    /// The workers that run its commands: its compute units.
    pub slots: WorkerSlots,
    /// Where it comes from, if it is a sub-device.
    pub parent: Option<Parent>,
}

/// Where a sub-device comes from.
pub struct Parent {
    /// The device that was partitioned.
    pub device: Arc<Device>,
    /// How, as the application said it.
    pub partition: Partition,
}

/// A way to make sub-devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Partition {
    /// As many as there can be, each with this number of compute units.
    Equally(u32),
    /// One for each number of compute units.
    ByCounts(Vec<u32>),
    /// One for each set of compute units that share something: one of `CL_DEVICE_AFFINITY_DOMAIN_*`, or the next that makes a
    /// difference.
    ByAffinity(u64),
}

/// What compute units can share, the farthest first.
const DOMAINS: [(u64, Level); 5] = [
    (cl::CL_DEVICE_AFFINITY_DOMAIN_NUMA, Level::Numa),
    (cl::CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, Level::Cache(4)),
    (cl::CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, Level::Cache(3)),
    (cl::CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, Level::Cache(2)),
    (cl::CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, Level::Cache(1)),
];

impl Device {
    /// A root device.
    pub fn root(caps: &'static DeviceCaps, backend: Arc<dyn Backend>) -> Arc<Device> {
        Arc::new(Device { handle: HandleCell::new(), caps, backend, slots: WorkerSlots::all(), parent: None })
    }

    /// Whether it is a root device: these are never released.
    pub fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Whether it is `other`, or a part of it.
    pub fn is_within(&self, other: &Device) -> bool {
        let mut device = self;
        loop {
            match &device.parent {
                _ if std::ptr::eq(device, other) => return true,
                Some(parent) => device = &parent.device,
                None => return false,
            }
        }
    }

    /// Compute units.
    pub fn compute_units(&self) -> u32 {
        self.slots.len()
    }

    /// `clCreateSubDevices`: sub-devices on disjoint compute units.
    ///
    /// # Errors
    /// `CL_DEVICE_PARTITION_FAILED` if there is but one compute unit, if equal parts would be one part, or if all compute
    /// units share the same; `CL_INVALID_DEVICE_PARTITION_COUNT` if more compute units are asked for than there are;
    /// `CL_INVALID_VALUE` for parts of nothing, or for what is not known to be shared.
    pub fn partition(self: &Arc<Self>, partition: &Partition) -> Result<Vec<Arc<Device>>, ApiError> {
        let units = self.compute_units();
        let counts = match partition {
            Partition::Equally(0) => return Err(ApiError::InvalidValue.because("parts of no compute unit are none")),
            Partition::Equally(count) if *count > units => return Err(ApiError::InvalidDevicePartitionCount),
            // The specification has "smaller" devices, and the conformance suite asks for this error.
            Partition::Equally(count) if units / count < 2 => {
                return Err(
                    ApiError::DevicePartitionFailed.because("equal parts would be one part, with all compute units")
                );
            }
            Partition::Equally(count) => vec![*count; (units / count) as usize],
            Partition::ByCounts(counts) if counts.is_empty() => {
                return Err(ApiError::InvalidValue.because("there are no counts"));
            }
            Partition::ByCounts(counts) => {
                // "The number of sub-devices, and of compute units in all, may not exceed those of the device."
                let sum = counts.iter().try_fold(0u32, |sum, count| sum.checked_add(*count));
                if counts.len() > units as usize || sum.is_none_or(|sum| sum > units) {
                    return Err(ApiError::InvalidDevicePartitionCount);
                }
                counts.clone()
            }
            Partition::ByAffinity(domain) => {
                let (domain, parts) = self.domains(*domain)?;
                return Ok(parts.into_iter().map(|part| self.part(part, Partition::ByAffinity(domain))).collect());
            }
        };
        if units < 2 {
            return Err(ApiError::DevicePartitionFailed);
        }
        let mut first = 0;
        let parts = counts.into_iter().map(|count| {
            let slots = self.slots.split(first, count).ok_or(ApiError::DevicePartitionFailed)?;
            first += count;
            Ok(self.part(slots, partition.clone()))
        });
        parts.collect()
    }

    /// A sub-device.
    fn part(self: &Arc<Self>, slots: WorkerSlots, partition: Partition) -> Arc<Device> {
        Arc::new(Device {
            handle: HandleCell::new(),
            caps: self.caps,
            backend: Arc::clone(&self.backend),
            slots,
            parent: Some(Parent { device: Arc::clone(self), partition }),
        })
    }

    /// The parts of an affinity domain, and which domain that is.
    ///
    /// # Errors
    /// Those of [`Device::partition`].
    fn domains(&self, wanted: u64) -> Result<(u64, Vec<WorkerSlots>), ApiError> {
        if wanted == cl::CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE {
            let mut all = self.divisible_domains();
            return all.next().ok_or_else(|| {
                ApiError::DevicePartitionFailed
                    .because("the compute units share all caches and memory, or it is unknown")
            });
        }
        let level = DOMAINS.iter().find(|(domain, _)| *domain == wanted);
        let (domain, level) =
            level.ok_or_else(|| ApiError::InvalidValue.because("there is no such affinity domain"))?;
        match self.slots.sharing(*level) {
            None => Err(ApiError::InvalidValue.because("nothing is known of this affinity domain")),
            Some(parts) if parts.len() < 2 => {
                Err(ApiError::DevicePartitionFailed.because("all compute units are of one domain"))
            }
            Some(parts) => Ok((*domain, parts)),
        }
    }

    /// The affinity domains that have more than one part.
    fn divisible_domains(&self) -> impl Iterator<Item = (u64, Vec<WorkerSlots>)> {
        let slots = self.slots;
        let parts = move |(domain, level): (u64, Level)| Some((domain, slots.sharing(level)?));
        DOMAINS.into_iter().filter_map(parts).filter(|(_, parts)| parts.len() > 1)
    }

    /// `CL_DEVICE_PARTITION_AFFINITY_DOMAIN`.
    fn affinity_domains(&self) -> u64 {
        match self.divisible_domains().fold(0, |all, (domain, _)| all | domain) {
            0 => 0,
            all => all | cl::CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE,
        }
    }

    /// `clGetDeviceInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a query that does not exist.
    pub fn info(&self, name: cl::cl_device_info) -> Result<InfoValue, ApiError> {
        let divisible = self.compute_units() > 1;
        Ok(match name {
            cl::CL_DEVICE_MAX_COMPUTE_UNITS | cl::CL_DEVICE_NUM_SLICES_INTEL => InfoValue::U32(self.compute_units()),
            cl::CL_DEVICE_PLATFORM => {
                InfoValue::Platform(Arc::clone(Platform::get().ok_or(ApiError::InvalidPlatform)?))
            }
            cl::CL_DEVICE_PARENT_DEVICE => match &self.parent {
                Some(parent) => InfoValue::Device(Arc::clone(&parent.device)),
                None => InfoValue::Null,
            },
            cl::CL_DEVICE_PARTITION_MAX_SUB_DEVICES => InfoValue::U32(if divisible { self.compute_units() } else { 0 }),
            cl::CL_DEVICE_PARTITION_PROPERTIES if divisible => {
                let mut ways = vec![cl::CL_DEVICE_PARTITION_EQUALLY as u64, cl::CL_DEVICE_PARTITION_BY_COUNTS as u64];
                if self.affinity_domains() != 0 {
                    ways.push(cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN as u64);
                }
                InfoValue::u64s(ways)
            }
            cl::CL_DEVICE_PARTITION_PROPERTIES => InfoValue::u64s([0]),
            cl::CL_DEVICE_PARTITION_AFFINITY_DOMAIN => InfoValue::U64(self.affinity_domains()),
            cl::CL_DEVICE_PARTITION_TYPE => InfoValue::u64s(self.partition_words()),
            // "If the device is a root-level device, a reference count of one is returned."
            cl::CL_DEVICE_REFERENCE_COUNT if self.is_root() => InfoValue::U32(1),
            cl::CL_DEVICE_REFERENCE_COUNT => InfoValue::ReferenceCount,
            other => self
                .caps
                .query(other)
                .map(InfoValue::from)
                .ok_or_else(|| ApiError::InvalidValue.because("there is no such query"))?,
        })
    }

    /// The property list that this device was made with, as the application gave it; nothing for a root device.
    fn partition_words(&self) -> Vec<u64> {
        let counts_end = cl::CL_DEVICE_PARTITION_BY_COUNTS_LIST_END as u64;
        match self.parent.as_ref().map(|parent| &parent.partition) {
            None => Vec::new(),
            Some(Partition::ByAffinity(domain)) => {
                vec![cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN as u64, *domain, 0]
            }
            Some(Partition::Equally(count)) => vec![cl::CL_DEVICE_PARTITION_EQUALLY as u64, u64::from(*count), 0],
            Some(Partition::ByCounts(counts)) => {
                let counts = counts.iter().copied().map(u64::from);
                [cl::CL_DEVICE_PARTITION_BY_COUNTS as u64].into_iter().chain(counts).chain([counts_end, 0]).collect()
            }
        }
    }

    /// The device's clock, in nanoseconds: that of event profiling.
    pub fn timer(&self) -> u64 {
        oxicl_schedule::now()
    }
}

#[cfg(test)]
mod tests {
    use super::{DOMAINS, Device, Partition};
    use crate::{ApiError, InfoValue, testing};
    use khronos_headers as cl;
    use std::sync::Arc;

    fn root() -> Arc<Device> {
        Arc::clone(&testing::platform().devices[0])
    }

    #[test]
    fn equal_parts_leave_the_rest_unused() {
        let units = root().compute_units();
        if units < 2 {
            assert_eq!(root().partition(&Partition::Equally(1)).err(), Some(ApiError::DevicePartitionFailed));
            return;
        }
        let parts = root().partition(&Partition::Equally(1)).unwrap();
        assert_eq!(parts.len(), units as usize);
        assert!(parts.iter().all(|part| part.compute_units() == 1 && !part.is_root()));
        assert_eq!(parts[0].partition(&Partition::Equally(1)).err(), Some(ApiError::DevicePartitionFailed));
        assert_eq!(root().partition(&Partition::Equally(units)).err(), Some(ApiError::DevicePartitionFailed));
        assert_eq!(root().partition(&Partition::Equally(units + 1)).err(), Some(ApiError::InvalidDevicePartitionCount));
        assert_eq!(root().partition(&Partition::Equally(0)).err(), Some(ApiError::InvalidValue));
    }

    #[test]
    fn counts_may_not_ask_for_more_than_there_is() {
        let units = root().compute_units();
        let with = |counts: Vec<u32>| root().partition(&Partition::ByCounts(counts));
        assert_eq!(with(vec![units + 1]).err(), Some(ApiError::InvalidDevicePartitionCount));
        assert_eq!(with(vec![u32::MAX, 2]).err(), Some(ApiError::InvalidDevicePartitionCount));
        assert_eq!(with(vec![0; units as usize + 1]).err(), Some(ApiError::InvalidDevicePartitionCount));
        assert_eq!(with(Vec::new()).err(), Some(ApiError::InvalidValue));
        if units >= 2 {
            let parts = with(vec![1, units - 1]).unwrap();
            assert_eq!(parts.iter().map(|part| part.compute_units()).collect::<Vec<_>>(), [1, units - 1]);
            assert_ne!(parts[0].slots, parts[1].slots);
        }
    }

    #[test]
    fn affinity_domains_are_parts_or_one_or_unknown() {
        let with = |domain| root().partition(&Partition::ByAffinity(domain));
        let listed = root().affinity_domains();
        for (domain, level) in DOMAINS {
            match root().slots.sharing(level) {
                None => assert_eq!(with(domain).err(), Some(ApiError::InvalidValue)),
                Some(parts) if parts.len() == 1 => {
                    assert_eq!(with(domain).err(), Some(ApiError::DevicePartitionFailed));
                }
                Some(parts) => {
                    let devices = with(domain).unwrap();
                    assert_eq!(devices.iter().map(|device| device.slots).collect::<Vec<_>>(), parts);
                    assert!(devices.iter().all(|device| device.partition_words()[1..] == [domain, 0]));
                    assert_ne!(listed & domain, 0);
                }
            }
        }
        let next = cl::CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
        match listed {
            0 => assert_eq!(with(next).err(), Some(ApiError::DevicePartitionFailed)),
            _ => {
                let words = with(next).unwrap()[0].partition_words();
                assert_eq!(words[1], 1 << listed.trailing_zeros());
            }
        }
        for bad in [0, 3, 1 << 6, u64::MAX] {
            assert_eq!(with(bad).err(), Some(ApiError::InvalidValue));
        }
    }

    #[test]
    fn every_device_query_is_answered() {
        for (name, query) in oxicl_caps::device_queries() {
            assert!(root().info(query).is_ok(), "{name}");
        }
        assert_eq!(root().info(0x1FFF).err(), Some(ApiError::InvalidValue));
        assert!(matches!(root().info(cl::CL_DEVICE_PARENT_DEVICE), Ok(InfoValue::Null)));
    }
}
