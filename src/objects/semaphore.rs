//! Binary semaphores.
//!
//! A wait is paired with a signal when both are enqueued, whichever comes first; from then on the wait's command depends on
//! the signal's as on an event of its wait list. So a semaphore can be used again as soon as an enqueue has returned,
//! enqueues never block, and everything that holds for events holds here: who waits helps, and a signal that fails
//! fails the wait. Only the payload, which a query shows, changes when the commands run.

use std::collections::VecDeque;
use std::sync::Arc;

use khronos_headers as cl;
use parking_lot::Mutex;

use crate::command::Work;
use crate::context::Context;
use crate::device::Device;
use crate::event::Event;
use crate::queue::Queue;
use crate::{ApiError, HandleCell, InfoValue};

/// A semaphore.
pub struct Semaphore {
    /// The application's handle.
    pub handle: HandleCell,
    /// Its context.
    pub context: Arc<Context>,
    device: Arc<Device>,
    /// The property list, word by word.
    words: Vec<u64>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Signals that have run less waits that have run.
    payload: u32,
    /// Signals that no wait has been paired with.
    signals: VecDeque<Arc<Event>>,
    /// Waits that no signal has been paired with; each is blocked by that alone.
    waits: VecDeque<Arc<Event>>,
}

/// A property list of `clCreateSemaphoreWithPropertiesKHR`, read.
#[derive(Default)]
pub struct Properties {
    /// As the application gave it, with the final zero.
    pub words: Vec<u64>,
    /// `CL_SEMAPHORE_TYPE_KHR`.
    pub kind: Option<u64>,
    /// `CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR`.
    pub devices: Option<Vec<Arc<Device>>>,
}

impl Semaphore {
    /// `clCreateSemaphoreWithPropertiesKHR`: a semaphore that is not signaled.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` without a type; `CL_INVALID_PROPERTY` for a type that does not exist, or "if context is a multiple
    /// device context and sema_props does not specify CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR"; `CL_INVALID_DEVICE` if the list
    /// is not of one device of the context.
    pub fn create(context: &Arc<Context>, properties: Properties) -> Result<Arc<Semaphore>, ApiError> {
        let kind = properties.kind.ok_or_else(|| ApiError::InvalidValue.because("a semaphore needs a type"))?;
        if kind != u64::from(cl::CL_SEMAPHORE_TYPE_BINARY_KHR) {
            return Err(ApiError::InvalidProperty.because("semaphores are binary"));
        }
        let device = match (properties.devices.as_deref(), context.devices.as_slice()) {
            (Some([device]), _) if context.has_device(device) => device,
            (Some(_), _) => return Err(ApiError::InvalidDevice.because("a semaphore is of one device of its context")),
            (None, [only]) => only,
            (None, _) => {
                return Err(
                    ApiError::InvalidProperty.because("a context of several devices leaves open which is meant")
                );
            }
        };
        Ok(Arc::new(Semaphore {
            handle: HandleCell::new(),
            context: Arc::clone(context),
            device: Arc::clone(device),
            words: properties.words,
            state: Mutex::default(),
        }))
    }

    /// `clGetSemaphoreInfoKHR`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` if there is no such query.
    pub fn info(&self, name: cl::cl_semaphore_info_khr) -> Result<InfoValue, ApiError> {
        Ok(match name {
            cl::CL_SEMAPHORE_CONTEXT_KHR => InfoValue::Context(Arc::clone(&self.context)),
            cl::CL_SEMAPHORE_REFERENCE_COUNT_KHR => InfoValue::ReferenceCount,
            cl::CL_SEMAPHORE_PROPERTIES_KHR => InfoValue::u64s(self.words.iter().copied()),
            cl::CL_SEMAPHORE_TYPE_KHR => InfoValue::U32(cl::CL_SEMAPHORE_TYPE_BINARY_KHR),
            cl::CL_SEMAPHORE_PAYLOAD_KHR => InfoValue::U64(u64::from(self.state.lock().payload != 0)),
            cl::CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR => InfoValue::Device(Arc::clone(&self.device)),
            _ => return Err(ApiError::InvalidValue),
        })
    }

    /// `clGetSemaphoreHandleForTypeKHR`: no semaphore is made with a type of external handles. Gives the error.
    pub fn export(&self, device: &Device) -> ApiError {
        if std::ptr::eq(Arc::as_ptr(&self.device), device) {
            ApiError::InvalidValue.because("the semaphore was made without handles to export")
        } else {
            ApiError::InvalidDevice
        }
    }

    /// A wait was enqueued, and nobody else knows of it yet.
    fn await_signal(&self, wait: &Arc<Event>) {
        let signal = {
            let mut state = self.state.lock();
            let signal = state.take();
            if signal.is_none() {
                wait.block();
                state.waits.push_back(Arc::clone(wait));
            }
            signal
        };
        if let Some(signal) = signal {
            wait.wait_for(&signal, true);
        }
    }

    /// A signal was enqueued.
    fn give_signal(&self, signal: &Arc<Event>) {
        let wait = {
            let mut state = self.state.lock();
            let wait = state.waits.pop_front();
            if wait.is_none() {
                state.keep(signal);
            }
            wait
        };
        if let Some(wait) = wait {
            wait.wait_for(signal, true);
            // In the place of what `await_signal` blocked it by.
            wait.armed();
        }
    }
}

impl State {
    /// Keeps a signal for a wait to come. To signal again what is signaled changes nothing, and a signal that has failed
    /// was none.
    fn keep(&mut self, signal: &Arc<Event>) {
        let State { payload, signals, .. } = self;
        signals.retain(|other| {
            let ended = other.ended();
            if ended == Some(cl::CL_COMPLETE) {
                *payload = payload.saturating_sub(1);
            }
            ended.is_none()
        });
        signals.push_back(Arc::clone(signal));
    }

    /// The oldest signal that has not failed.
    fn take(&mut self) -> Option<Arc<Event>> {
        loop {
            let signal = self.signals.pop_front()?;
            if signal.ended().is_none_or(|status| status == cl::CL_COMPLETE) {
                return Some(signal);
            }
        }
    }
}

/// `clEnqueueSignalSemaphoresKHR`, for one semaphore or more.
///
/// # Errors
/// `CL_INVALID_COMMAND_QUEUE` and `CL_INVALID_CONTEXT` if the queue is of another
/// device or context; `CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST` if an event has failed; those of [`Queue::enqueue`].
pub fn signal(
    queue: &Arc<Queue>,
    semaphores: &[Arc<Semaphore>],
    wait_list: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    // The rules ask for the semaphore's device and context, but the conformance suite signals one of a part of a device from
    // a queue of the whole device in another context. Nothing speaks against that here.
    let of_part = |semaphore: &&Arc<Semaphore>| {
        !Arc::ptr_eq(&semaphore.device, &queue.device) && semaphore.device.is_within(&queue.device)
    };
    check(queue, semaphores.iter().filter(|semaphore| !of_part(semaphore)), wait_list)?;
    let work = on_payloads(semaphores, |payload| payload.saturating_add(1));
    let event = queue.enqueue(cl::CL_COMMAND_SEMAPHORE_SIGNAL_KHR, wait_list, work)?;
    for semaphore in semaphores {
        semaphore.give_signal(&event);
    }
    // Who waits elsewhere has no means to flush this queue.
    queue.flush();
    Ok(event)
}

/// `clEnqueueWaitSemaphoresKHR`, for one semaphore or more.
///
/// # Errors
/// As for [`signal`].
pub fn wait(
    queue: &Arc<Queue>,
    semaphores: &[Arc<Semaphore>],
    wait_list: &[Arc<Event>],
) -> Result<Arc<Event>, ApiError> {
    check(queue, semaphores.iter(), wait_list)?;
    let work = on_payloads(semaphores, |payload| payload.saturating_sub(1));
    queue.enqueue_after(cl::CL_COMMAND_SEMAPHORE_WAIT_KHR, wait_list, work, |event| {
        for semaphore in semaphores {
            semaphore.await_signal(event);
        }
    })
}

/// The rules for semaphores and the queue that they are used in.
fn check<'a>(
    queue: &Queue,
    semaphores: impl Iterator<Item = &'a Arc<Semaphore>> + Clone,
    wait_list: &[Arc<Event>],
) -> Result<(), ApiError> {
    if semaphores.clone().any(|semaphore| !Arc::ptr_eq(&semaphore.device, &queue.device)) {
        return Err(ApiError::InvalidCommandQueue.because("a semaphore is of another device than the queue"));
    }
    let others = wait_list.iter().any(|event| !Arc::ptr_eq(event.context(), &queue.context));
    if others || semaphores.clone().any(|semaphore| !Arc::ptr_eq(&semaphore.context, &queue.context)) {
        return Err(ApiError::InvalidContext);
    }
    if wait_list.iter().any(|event| event.ended().is_some_and(|status| status < 0)) {
        return Err(ApiError::ExecStatusErrorForEventsInWaitList);
    }
    Ok(())
}

/// Changes the payloads when the command runs.
fn on_payloads(semaphores: &[Arc<Semaphore>], change: fn(u32) -> u32) -> Work {
    let semaphores = semaphores.to_vec();
    Work::Inline(Box::new(move || {
        for semaphore in &semaphores {
            let mut state = semaphore.state.lock();
            state.payload = change(state.payload);
        }
        Ok(())
    }))
}
