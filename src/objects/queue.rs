//! Command queues.
//!
//! A queue only knows in which order commands were enqueued; the order is kept by the commands, which wait for each other
//! as they wait for events of a wait list. A command that was enqueued is held back until somebody needs it: a flush, or
//! a thread that waits and then runs it itself. Work that is worth a thread is flushed at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use khronos_headers as cl;
use parking_lot::Mutex;

use crate::command::Work;
use crate::context::Context;
use crate::device::Device;
use crate::event::{Event, Settle};
use crate::properties::PropertyList;
use crate::{ApiError, HandleCell, InfoValue};

/// A queue of a host.
pub struct Queue {
    /// The application's handle.
    pub handle: HandleCell,
    /// Its context.
    pub context: Arc<Context>,
    /// Its device.
    pub device: Arc<Device>,
    /// `CL_QUEUE_PROPERTIES`.
    properties: AtomicU64,
    /// As the application gave it.
    list: PropertyList,
    /// `CL_QUEUE_PRIORITY_HIGH_KHR`: nothing is held back.
    urgent: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// In order: the last command. Out of order: the last barrier. Weak, because commands keep their queue.
    last: Weak<Event>,
    /// Out of order: the commands after the last barrier, among which some have ended.
    since: Vec<Weak<Event>>,
    /// When `since` is this long, those that have ended are taken out.
    prune_at: usize,
    /// Commands that were not flushed, some of which may have ended by the help of waiting threads.
    held: Vec<Arc<Event>>,
    /// What they cost, in nanoseconds, as far as is known.
    held_cost: u64,
}

/// What is held back is flushed when it is expected to take this long, in nanoseconds: from here on a worker thread that
/// starts early gains more than waking it costs.
const WORTH_FLUSHING: u64 = 50_000;
/// As much of each command, in nanoseconds, does not count: a command that is shorter than its own enqueue gains nothing
/// from a second thread, which only comes in the way.
const TRIFLE: u64 = 1_000;
/// No more than this many commands are held back.
const MOST_HELD: usize = 4096;

/// What to do with the commands that are held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// Nothing yet.
    Keep,
    /// Give them to the workers.
    Flush,
    /// There are many, and all of them are short: run them here and now.
    Run,
}

/// Properties of a queue of a host that are supported.
const SUPPORTED: u64 = cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_PROFILING_ENABLE;
/// Every property that there is.
const KNOWN: u64 = SUPPORTED | cl::CL_QUEUE_ON_DEVICE | cl::CL_QUEUE_ON_DEVICE_DEFAULT;

const PRIORITY: u64 = cl::CL_QUEUE_PRIORITY_KHR;
const THROTTLE: u64 = cl::CL_QUEUE_THROTTLE_KHR;

/// Hints, with the values that each takes.
const HINTS: &[(u64, [u32; 3])] = &[
    (PRIORITY, [cl::CL_QUEUE_PRIORITY_HIGH_KHR, cl::CL_QUEUE_PRIORITY_MED_KHR, cl::CL_QUEUE_PRIORITY_LOW_KHR]),
    (THROTTLE, [cl::CL_QUEUE_THROTTLE_HIGH_KHR, cl::CL_QUEUE_THROTTLE_MED_KHR, cl::CL_QUEUE_THROTTLE_LOW_KHR]),
];

/// How a command stands to the others of its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// As the queue has it.
    Normal,
    /// Waits for all commands before it.
    After,
    /// And all commands after it wait for it.
    Barrier {
        /// Whether it waits for all commands before it, too.
        all: bool,
    },
}

impl Queue {
    /// `clCreateCommandQueueWithProperties`.
    ///
    /// # Errors
    /// "CL_INVALID_DEVICE if device is not associated with context", "CL_INVALID_VALUE if values specified in properties
    /// are not valid", "CL_INVALID_QUEUE_PROPERTIES if values specified in properties are valid but are not supported by
    /// the device".
    pub fn create(context: &Arc<Context>, device: &Arc<Device>, list: PropertyList) -> Result<Arc<Queue>, ApiError> {
        const PROPERTIES: u64 = cl::CL_QUEUE_PROPERTIES as u64;
        const SIZE: u64 = cl::CL_QUEUE_SIZE as u64;
        list.check(&[PROPERTIES, SIZE, PRIORITY, THROTTLE], ApiError::InvalidValue)?;
        let properties = list.get(PROPERTIES).unwrap_or(0);
        // "CL_QUEUE_SIZE can only be specified if CL_QUEUE_ON_DEVICE is set."
        if list.get(SIZE).is_some() && properties & cl::CL_QUEUE_ON_DEVICE == 0 {
            return Err(ApiError::InvalidValue.because("only a queue on the device has a size"));
        }
        for (hint, values) in HINTS {
            let Some(value) = list.get(*hint) else { continue };
            if !values.iter().any(|known| u64::from(*known) == value) {
                return Err(ApiError::InvalidValue.because("a hint is one of high, medium and low"));
            }
            // "CL_INVALID_QUEUE_PROPERTIES if ... CL_QUEUE_PRIORITY_KHR ... and the queue is a CL_QUEUE_ON_DEVICE".
            if properties & cl::CL_QUEUE_ON_DEVICE != 0 {
                return Err(ApiError::InvalidQueueProperties.because("queues on the device take no hints"));
            }
        }
        Queue::with(context, device, properties, list)
    }

    /// `clCreateCommandQueue`: the same with a bit field, and no list that a query could give back.
    ///
    /// # Errors
    /// As for [`Queue::create`].
    pub fn create_plain(context: &Arc<Context>, device: &Arc<Device>, properties: u64) -> Result<Arc<Queue>, ApiError> {
        Queue::with(context, device, properties, PropertyList::absent())
    }

    fn with(
        context: &Arc<Context>,
        device: &Arc<Device>,
        properties: u64,
        list: PropertyList,
    ) -> Result<Arc<Queue>, ApiError> {
        if !context.has_device(device) {
            return Err(ApiError::InvalidDevice.because("the device is not of the context"));
        }
        let on_device = cl::CL_QUEUE_ON_DEVICE | cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        let valid = properties & !KNOWN == 0
            // "CL_QUEUE_ON_DEVICE_DEFAULT ... can only be used with CL_QUEUE_ON_DEVICE", which needs out-of-order.
            && (properties & cl::CL_QUEUE_ON_DEVICE == 0 || properties & on_device == on_device)
            && (properties & cl::CL_QUEUE_ON_DEVICE_DEFAULT == 0 || properties & cl::CL_QUEUE_ON_DEVICE != 0);
        if !valid {
            return Err(ApiError::InvalidValue.because("the properties are unknown or contradict each other"));
        }
        if properties & !SUPPORTED != 0 {
            return Err(ApiError::InvalidQueueProperties);
        }
        let queue = Arc::new(Queue {
            handle: HandleCell::new(),
            context: context.clone(),
            device: device.clone(),
            properties: AtomicU64::new(properties),
            urgent: list.get(PRIORITY) == Some(u64::from(cl::CL_QUEUE_PRIORITY_HIGH_KHR)),
            list,
            state: Mutex::new(State { prune_at: 64, ..State::default() }),
        });
        context.add_queue(&queue);
        Ok(queue)
    }

    /// Whether profiling is enabled.
    pub fn profiles(&self) -> bool {
        self.properties.load(Ordering::Relaxed) & cl::CL_QUEUE_PROFILING_ENABLE != 0
    }

    /// Whether commands wait for the one before them.
    pub(crate) fn in_order(&self) -> bool {
        self.properties.load(Ordering::Relaxed) & cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0
    }

    /// `clGetCommandQueueInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` if there is no such query; `CL_INVALID_COMMAND_QUEUE` for what only device queues have.
    pub fn info(self: &Arc<Self>, name: cl::cl_command_queue_info) -> Result<InfoValue, ApiError> {
        match name {
            cl::CL_QUEUE_CONTEXT => Ok(InfoValue::Context(self.context.clone())),
            cl::CL_QUEUE_DEVICE => Ok(InfoValue::Device(self.device.clone())),
            cl::CL_QUEUE_REFERENCE_COUNT => Ok(InfoValue::ReferenceCount),
            cl::CL_QUEUE_PROPERTIES => Ok(InfoValue::U64(self.properties.load(Ordering::Relaxed))),
            cl::CL_QUEUE_PROPERTIES_ARRAY => Ok(InfoValue::u64s(self.list.words())),
            // "CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue for param_name."
            cl::CL_QUEUE_SIZE => Err(ApiError::InvalidCommandQueue),
            // No device queue is ever made, so there is no default one.
            cl::CL_QUEUE_DEVICE_DEFAULT => Ok(InfoValue::Null),
            _ => Err(ApiError::InvalidValue.because("there is no such query")),
        }
    }

    /// Adds a command. It waits for the events of the list and, in order, for the command before.
    ///
    /// # Errors
    /// "CL_INVALID_CONTEXT if context associated with command_queue and events in event_wait_list are not the same".
    pub fn enqueue(
        self: &Arc<Self>,
        kind: cl::cl_command_type,
        wait_list: &[Arc<Event>],
        work: Work,
    ) -> Result<Arc<Event>, ApiError> {
        self.enqueue_after(kind, wait_list, work, |_| ())
    }

    /// The same for a command that waits for more than the list: `prepare` gets its event before it can run.
    ///
    /// # Errors
    /// As for [`Queue::enqueue`].
    pub(crate) fn enqueue_after(
        self: &Arc<Self>,
        kind: cl::cl_command_type,
        wait_list: &[Arc<Event>],
        work: Work,
        prepare: impl FnOnce(&Arc<Event>),
    ) -> Result<Arc<Event>, ApiError> {
        self.add(kind, wait_list, work, Order::Normal, prepare)
    }

    /// `clEnqueueMarkerWithWaitList`: without a list it waits for all commands before it.
    ///
    /// # Errors
    /// As for [`Queue::enqueue`].
    pub fn marker(self: &Arc<Self>, wait_list: &[Arc<Event>]) -> Result<Arc<Event>, ApiError> {
        let order = if wait_list.is_empty() { Order::After } else { Order::Normal };
        self.add(cl::CL_COMMAND_MARKER, wait_list, Work::Nothing, order, |_| ())
    }

    /// `clEnqueueBarrierWithWaitList`: all commands after it wait for it.
    ///
    /// # Errors
    /// As for [`Queue::enqueue`].
    pub fn barrier(self: &Arc<Self>, wait_list: &[Arc<Event>]) -> Result<Arc<Event>, ApiError> {
        self.add(cl::CL_COMMAND_BARRIER, wait_list, Work::Nothing, Order::Barrier { all: wait_list.is_empty() }, |_| ())
    }

    fn add(
        self: &Arc<Self>,
        kind: cl::cl_command_type,
        wait_list: &[Arc<Event>],
        work: Work,
        order: Order,
        prepare: impl FnOnce(&Arc<Event>),
    ) -> Result<Arc<Event>, ApiError> {
        if wait_list.iter().any(|other| !Arc::ptr_eq(other.context(), &self.context)) {
            return Err(ApiError::InvalidContext);
        }
        let cost = work.expected_nanoseconds();
        let pending = work.pending();
        let event = Event::command(self, kind, work);
        let held = {
            let mut state = self.state.lock();
            state.order(&event, order, self.in_order());
            state.hold(&event, cost)
        };
        for other in wait_list {
            event.wait_for(other, true);
        }
        prepare(&event);
        for code in pending {
            event.wait_for_code(code);
        }
        event.armed();
        match held {
            Held::Keep if !self.urgent => (),
            Held::Keep | Held::Flush => self.flush(),
            Held::Run => {
                event.help();
                self.waited();
            }
        }
        Ok(event)
    }

    /// `clFlush`: everything enqueued so far will run without anybody waiting for it.
    pub fn flush(&self) {
        let mut settle = Settle::default();
        let held = {
            let mut state = self.state.lock();
            state.held_cost = 0;
            std::mem::take(&mut state.held)
        };
        for event in &held {
            event.release(&mut settle);
        }
        settle.submit();
    }

    /// `clFinish`: waits until everything enqueued so far has ended.
    ///
    /// # Errors
    /// None of its own: how a command ended is for its event to say.
    pub fn finish(self: &Arc<Self>) -> Result<(), ApiError> {
        let last = if self.in_order() {
            self.state.lock().last.upgrade()
        } else {
            Some(self.add(cl::CL_COMMAND_MARKER, &[], Work::Nothing, Order::After, |_| ())?)
        };
        if let Some(last) = last {
            last.outcome();
        }
        self.waited();
        Ok(())
    }

    /// A thread has waited for a command, which counts as a flush. Mostly the thread ran everything by itself.
    pub(crate) fn waited(&self) {
        {
            let mut state = self.state.lock();
            if state.held.iter().all(|event| event.ended().is_some()) {
                state.held.clear();
                state.held_cost = 0;
                return;
            }
        }
        self.flush();
    }

    /// `clSetCommandQueueProperty`, of 1.0: switches properties of a queue.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` and `CL_INVALID_QUEUE_PROPERTIES` as for the creation.
    pub fn set_property(self: &Arc<Self>, properties: u64, enable: bool) -> Result<u64, ApiError> {
        if properties & !KNOWN != 0 {
            return Err(ApiError::InvalidValue.because("the properties are unknown"));
        }
        if properties & !SUPPORTED != 0 {
            return Err(ApiError::InvalidQueueProperties);
        }
        // "clSetCommandQueueProperty blocks until all previously queued commands have completed", if the order changes.
        self.finish()?;
        Ok(if enable {
            self.properties.fetch_or(properties, Ordering::Relaxed)
        } else {
            self.properties.fetch_and(!properties, Ordering::Relaxed)
        })
    }
}

impl State {
    /// Makes a new command wait for those before it that it has to wait for, and remembers it for those after it.
    fn order(&mut self, event: &Arc<Event>, order: Order, in_order: bool) {
        if let Some(last) = self.last.upgrade() {
            event.wait_for(&last, false);
        }
        if in_order {
            self.last = Arc::downgrade(event);
            return;
        }
        if matches!(order, Order::After | Order::Barrier { all: true }) {
            for other in self.since.iter().filter_map(Weak::upgrade) {
                event.wait_for(&other, false);
            }
        }
        if matches!(order, Order::Barrier { .. }) {
            if order == (Order::Barrier { all: true }) {
                self.since.clear();
            }
            self.last = Arc::downgrade(event);
        }
        if self.since.len() >= self.prune_at {
            self.since.retain(|other| other.upgrade().is_some_and(|other| other.ended().is_none()));
            self.prune_at = (2 * self.since.len()).max(64);
        }
        self.since.push(Arc::downgrade(event));
    }

    /// Holds a command back.
    fn hold(&mut self, event: &Arc<Event>, cost: u64) -> Held {
        if self.held.last().is_some_and(|last| last.ended().is_some()) {
            // Waiting threads have run them, most likely all.
            self.held.retain(|other| other.ended().is_none());
            if self.held.is_empty() {
                self.held_cost = 0;
            }
        }
        self.held.push(event.clone());
        self.held_cost = self.held_cost.saturating_add(cost.saturating_sub(TRIFLE));
        if self.held_cost >= WORTH_FLUSHING {
            Held::Flush
        } else if self.held.len() >= MOST_HELD {
            Held::Run
        } else {
            Held::Keep
        }
    }
}
