//! Contexts.

use std::sync::{Arc, Weak};

use khronos_headers as cl;
use oxicl_caps::Feature;
use oxicl_device::log;
use oxicl_schedule::{Foreign, post_callback};
use parking_lot::Mutex;

use crate::device::Device;
use crate::memory::{DeviceAddresses, SvmRegistry};
use crate::platform::Platform;
use crate::properties::PropertyList;
use crate::queue::Queue;
use crate::{ApiError, HandleCell, InfoValue};

/// The application's function for errors: a message, and data about it.
pub type Notify = Box<dyn Fn(&str, &[u8]) + Send + Sync>;
/// The application's function for the end of an object.
pub type Destructor = Foreign;

/// What begins as zeros in the kernels of a context (cl_khr_initialize_memory).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zeros {
    /// The memory of a work-group, before each.
    pub local: bool,
    /// The variables of a work-item.
    pub private: bool,
}

const MEMORY_INITIALIZE: u64 = cl::CL_CONTEXT_MEMORY_INITIALIZE_KHR as u64;

/// A context.
pub struct Context {
    /// The application's handle.
    pub handle: HandleCell,
    /// Its devices, each once.
    pub devices: Vec<Arc<Device>>,
    /// Shared memory that was allocated in it.
    pub svm: SvmRegistry,
    /// Its buffers with device addresses.
    pub addresses: DeviceAddresses,
    /// Its queues, some of which may be gone. Weak, because queues keep their context.
    queues: Mutex<Vec<Weak<Queue>>>,
    properties: PropertyList,
    notify: Option<Notify>,
    /// Called when the context ends, the last first.
    destructors: Mutex<Vec<Destructor>>,
}

impl Context {
    /// `clCreateContext`. `is_platform` tells whether a property's value is the platform's handle.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` without devices, and those of `Context::check_properties`.
    pub fn create(
        properties: PropertyList,
        is_platform: impl Fn(u64) -> bool,
        devices: Vec<Arc<Device>>,
        notify: Option<Notify>,
    ) -> Result<Arc<Context>, ApiError> {
        Self::check_properties(&properties, is_platform)?;
        // "Duplicate devices are ignored."
        let mut distinct: Vec<Arc<Device>> = Vec::new();
        for device in devices {
            if !distinct.iter().any(|other| Arc::ptr_eq(other, &device)) {
                distinct.push(device);
            }
        }
        if distinct.is_empty() {
            return Err(ApiError::InvalidValue.because("there is no device"));
        }
        Ok(Arc::new(Context {
            handle: HandleCell::new(),
            devices: distinct,
            svm: SvmRegistry::default(),
            addresses: DeviceAddresses::default(),
            queues: Mutex::default(),
            properties,
            notify,
            destructors: Mutex::new(Vec::new()),
        }))
    }

    /// `clCreateContextFromType`: the root devices of a type.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE_TYPE` and `CL_DEVICE_NOT_FOUND`, and those of `Context::check_properties`, which come first.
    pub fn create_from_type(
        platform: &Platform,
        properties: PropertyList,
        is_platform: impl Fn(u64) -> bool,
        device_type: cl::cl_device_type,
        notify: Option<Notify>,
    ) -> Result<Arc<Context>, ApiError> {
        Self::check_properties(&properties, &is_platform)?;
        Self::create(properties, is_platform, platform.devices_of_type(device_type)?, notify)
    }

    /// Checks context properties.
    ///
    /// # Errors
    /// `CL_INVALID_PROPERTY` for a name that is unknown or comes twice, or a bad value; `CL_INVALID_PLATFORM` for a
    /// platform that is not ours.
    fn check_properties(properties: &PropertyList, is_platform: impl Fn(u64) -> bool) -> Result<(), ApiError> {
        const PLATFORM: u64 = cl::CL_CONTEXT_PLATFORM as u64;
        const INTEROP_USER_SYNC: u64 = cl::CL_CONTEXT_INTEROP_USER_SYNC as u64;
        properties.check(&[PLATFORM, INTEROP_USER_SYNC, MEMORY_INITIALIZE], ApiError::InvalidProperty)?;
        if properties.get(PLATFORM).is_some_and(|value| !is_platform(value)) {
            return Err(ApiError::InvalidPlatform);
        }
        if properties.get(INTEROP_USER_SYNC).is_some_and(|value| value > u64::from(cl::CL_TRUE)) {
            return Err(ApiError::InvalidProperty);
        }
        let kinds = cl::CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR | cl::CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;
        if properties.get(MEMORY_INITIALIZE).is_some_and(|value| value & !kinds != 0) {
            return Err(ApiError::InvalidProperty.because("only local and private memory can begin as zeros"));
        }
        Ok(())
    }

    /// What begins as zeros in its kernels.
    pub fn begins_as_zeros(&self) -> Zeros {
        let kinds = self.properties.get(MEMORY_INITIALIZE).unwrap_or(0);
        Zeros {
            local: kinds & cl::CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR != 0,
            private: kinds & cl::CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR != 0,
        }
    }

    /// Whether a device belongs to the context.
    pub fn has_device(&self, device: &Arc<Device>) -> bool {
        self.devices.iter().any(|own| Arc::ptr_eq(own, device))
    }

    /// Whether a device of the context has a feature.
    pub(crate) fn has_feature(&self, feature: Feature) -> bool {
        self.devices.iter().any(|device| device.caps.has(feature))
    }

    /// Whether a device of the context has images.
    ///
    /// # Errors
    /// "CL_INVALID_OPERATION if there are no devices in context that support images", and its like.
    pub(crate) fn check_images(&self) -> Result<(), ApiError> {
        if self.has_feature(Feature::Images) {
            return Ok(());
        }
        Err(ApiError::InvalidOperation.because("the device has no images"))
    }

    /// Remembers a queue of the context.
    pub(crate) fn add_queue(&self, queue: &Arc<Queue>) {
        let mut queues = self.queues.lock();
        // Those that are gone are taken out whenever the list would grow.
        if queues.len() == queues.capacity() {
            queues.retain(|queue| queue.strong_count() > 0);
        }
        queues.push(Arc::downgrade(queue));
    }

    /// Waits until everything that was enqueued in the context has ended. No lock may be held.
    ///
    /// # Errors
    /// Those of [`Queue::finish`].
    pub(crate) fn finish_queues(&self) -> Result<(), ApiError> {
        let queues: Vec<Arc<Queue>> = self.queues.lock().iter().filter_map(Weak::upgrade).collect();
        queues.iter().try_for_each(Queue::finish)
    }

    /// Whether the application has a function for errors.
    pub fn has_notify(&self) -> bool {
        self.notify.is_some()
    }

    /// Tells the application about an error, on this thread, and whoever reads the log. No lock may be held.
    pub fn notify(&self, message: &str) {
        log(message);
        if let Some(notify) = &self.notify {
            oxicl_schedule::fork::outside(|| notify(message, &[]));
        }
    }

    /// `clSetContextDestructorCallback`.
    pub fn on_destruction(&self, callback: Destructor) {
        self.destructors.lock().push(callback);
    }

    /// `clGetContextInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a query that does not exist.
    pub fn info(&self, name: cl::cl_context_info) -> Result<InfoValue, ApiError> {
        Ok(match name {
            cl::CL_CONTEXT_REFERENCE_COUNT => InfoValue::ReferenceCount,
            cl::CL_CONTEXT_NUM_DEVICES => InfoValue::U32(u32::try_from(self.devices.len()).unwrap_or(u32::MAX)),
            cl::CL_CONTEXT_DEVICES => InfoValue::Devices(self.devices.clone()),
            cl::CL_CONTEXT_PROPERTIES => InfoValue::u64s(self.properties.words()),
            _ => return Err(ApiError::InvalidValue.because("there is no such query")),
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        std::mem::take(self.destructors.get_mut()).into_iter().rev().for_each(post_callback);
    }
}

#[cfg(test)]
mod tests {
    use super::{Context, MEMORY_INITIALIZE, Zeros};
    use crate::properties::PropertyList;
    use crate::{ApiError, InfoValue, testing};
    use khronos_headers as cl;
    use std::sync::mpsc;

    const PLATFORM: u64 = cl::CL_CONTEXT_PLATFORM as u64;
    const SYNC: u64 = cl::CL_CONTEXT_INTEROP_USER_SYNC as u64;

    fn create(pairs: &[(u64, u64)]) -> Result<std::sync::Arc<Context>, ApiError> {
        let devices = testing::platform().devices.clone();
        Context::create(PropertyList::new(pairs.to_vec()), |value| value == 7, devices, None)
    }

    #[test]
    fn properties_are_known_valid_and_given_once() {
        for good in [&[][..], &[(PLATFORM, 7)], &[(PLATFORM, 7), (SYNC, 1)], &[(SYNC, 0)]] {
            assert!(create(good).is_ok(), "{good:?}");
        }
        for (bad, error) in [
            (&[(PLATFORM, 8)][..], ApiError::InvalidPlatform),
            (&[(PLATFORM, 0)], ApiError::InvalidPlatform),
            (&[(PLATFORM, 7), (PLATFORM, 7)], ApiError::InvalidProperty),
            (&[(SYNC, 2)], ApiError::InvalidProperty),
            (&[(MEMORY_INITIALIZE, 4)], ApiError::InvalidProperty),
            (&[(MEMORY_INITIALIZE, 1), (MEMORY_INITIALIZE, 1)], ApiError::InvalidProperty),
            (&[(0x1234, 0)], ApiError::InvalidProperty),
        ] {
            assert_eq!(create(bad).err(), Some(error), "{bad:?}");
        }
    }

    #[test]
    fn memory_begins_as_zeros_where_the_context_asks_for_it() {
        let zeros = |kinds| create(&[(MEMORY_INITIALIZE, kinds)]).expect("a context").begins_as_zeros();
        assert_eq!(create(&[]).expect("a context").begins_as_zeros(), Zeros::default());
        for kinds in 0..4 {
            assert_eq!(zeros(kinds), Zeros { local: kinds & 1 != 0, private: kinds & 2 != 0 });
        }
    }

    #[test]
    fn a_device_given_twice_counts_once() {
        let device = &testing::platform().devices[0];
        let context = Context::create(PropertyList::absent(), |_| true, vec![device.clone(), device.clone()], None);
        assert!(matches!(context.unwrap().info(cl::CL_CONTEXT_NUM_DEVICES), Ok(InfoValue::U32(1))));
        let none = Context::create(PropertyList::absent(), |_| true, Vec::new(), None);
        assert_eq!(none.err(), Some(ApiError::InvalidValue));
    }

    #[test]
    fn a_query_gives_the_property_list_back() {
        let words = |pairs| match create(pairs).and_then(|context| context.info(cl::CL_CONTEXT_PROPERTIES)) {
            Ok(InfoValue::Bytes(bytes)) => bytes.len() / size_of::<isize>(),
            _ => usize::MAX,
        };
        assert_eq!(words(&[(PLATFORM, 7)]), 3);
        assert_eq!(words(&[]), 1);
        let platform = testing::platform();
        let absent =
            Context::create_from_type(platform, PropertyList::absent(), |_| true, cl::CL_DEVICE_TYPE_CPU, None);
        assert!(
            matches!(absent.unwrap().info(cl::CL_CONTEXT_PROPERTIES), Ok(InfoValue::Bytes(bytes)) if bytes.is_empty())
        );
    }

    #[test]
    fn destructor_callbacks_run_the_last_first() {
        let (sender, receiver) = mpsc::channel();
        let context = create(&[]).unwrap();
        for number in 0..3 {
            let sender = sender.clone();
            context.on_destruction(oxicl_schedule::returning(move || sender.send(number).unwrap()));
        }
        drop(sender);
        assert!(receiver.try_recv().is_err());
        drop(context);
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [2, 1, 0]);
    }
}
