//! Handles: the C structs behind `cl_context` and its like.
//!
//! A loader reads the first two words of a handle, and an application may pass us any address at all. So handles live
//! in slabs that are never unmapped, one slab per type: an address that is in no slot of the type's slab is foreign or of
//! another type, and is recognised without being read; a slot without a live object belonged to something that was
//! released. No unsafe code is needed for that.
//!
//! A handle counts the application's references apart from `Arc`. It holds one `Arc` of its object while that count is
//! not zero, and a `Weak` as long as the object lives: an object that others keep alive, such as the context of a live
//! queue, stays valid after its last release and can be retained again.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::mem::size_of;
use std::ptr::{from_ref, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use khronos_headers::cl_icd_dispatch;
use oxicl_objects::context::Context;
use oxicl_objects::device::Device;
use oxicl_objects::platform::Platform;
use oxicl_objects::{ApiError, HandleCell, HandleSlot};
use parking_lot::Mutex;

use crate::dispatch;

/// An object type that the application has handles of.
pub trait ApiObject: Send + Sync + Sized + 'static {
    /// What the C handle type points to.
    type Opaque;
    /// The error for an address that is no valid handle of this type.
    const INVALID: ApiError;
    /// The object's handle cell.
    fn cell(&self) -> &HandleCell;
    /// The context that the object is of; none for those that are of none.
    fn context(_object: &Arc<Self>) -> Option<&Arc<Context>> {
        None
    }
    /// The slab of this type.
    fn slab() -> &'static Slab<Self>;
}

/// A handle. The order of the first two fields is the loader's.
#[repr(C)]
pub struct Handle<T: ApiObject> {
    dispatch: AtomicPtr<cl_icd_dispatch>,
    dispatch_data: AtomicPtr<c_void>,
    state: Mutex<State<T>>,
}

struct State<T> {
    references: u32,
    strong: Option<Arc<T>>,
    weak: Weak<T>,
}

impl<T: ApiObject> Handle<T> {
    fn vacant() -> Self {
        Handle {
            // A released handle still leads a loader to our functions, which answer with an error.
            dispatch: AtomicPtr::new(dispatch::table()),
            dispatch_data: AtomicPtr::new(null_mut()),
            state: Mutex::new(State { references: 0, strong: None, weak: Weak::new() }),
        }
    }

    /// The object, if it is alive.
    pub fn object(&self) -> Option<Arc<T>> {
        let state = self.state.lock();
        state.strong.clone().or_else(|| state.weak.upgrade())
    }

    /// The C handle.
    pub fn as_opaque(&'static self) -> *mut T::Opaque {
        from_ref(self).cast_mut().cast()
    }

    /// Adds a reference of the application's.
    pub fn retain(&self) -> Result<(), ApiError> {
        let mut state = self.state.lock();
        if state.strong.is_none() {
            state.strong = Some(state.weak.upgrade().ok_or(T::INVALID)?);
        }
        state.references = state.references.checked_add(1).ok_or(ApiError::OutOfResources)?;
        Ok(())
    }

    /// Takes a reference of the application's away. What the last one kept alive goes.
    pub fn release(&self) -> Result<(), ApiError> {
        let last = {
            let mut state = self.state.lock();
            state.references = state.references.checked_sub(1).ok_or(T::INVALID)?;
            if state.references == 0 { state.strong.take() } else { None }
        };
        // Outside the lock, because dropping the object comes back to `object_dropped`.
        drop(last);
        Ok(())
    }
}

impl<T: ApiObject> HandleSlot for Handle<T> {
    fn address(&self) -> usize {
        from_ref(self).addr()
    }

    fn reference_count(&self) -> u32 {
        self.state.lock().references
    }

    fn object_dropped(&self) {
        let weak = {
            let mut state = self.state.lock();
            state.references = 0;
            std::mem::take(&mut state.weak)
        };
        drop(weak);
        if let Some(slot) = T::slab().find(self.address()) {
            T::slab().vacate(slot);
        }
    }
}

/// Slots of the first chunk; each further chunk doubles the number of slots.
const FIRST_CHUNK: usize = 256;
/// Number of chunks: no process holds 2^31 handles of a type.
const CHUNKS: usize = 24;

/// All handles of one type.
pub struct Slab<T: ApiObject> {
    chunks: [OnceLock<Box<[Handle<T>]>>; CHUNKS],
    vacant: Mutex<Vacant<T>>,
}

struct Vacant<T: ApiObject> {
    /// Slots without an object, the longest vacant first: reused as late as possible, so that a stale handle is
    /// recognised as long as possible.
    slots: VecDeque<&'static Handle<T>>,
    /// Slots in all chunks.
    total: usize,
    /// Chunks in use.
    chunks: usize,
}

impl<T: ApiObject> Slab<T> {
    /// A slab without chunks.
    pub const fn new() -> Self {
        Slab {
            chunks: [const { OnceLock::new() }; CHUNKS],
            vacant: Mutex::new(Vacant { slots: VecDeque::new(), total: 0, chunks: 0 }),
        }
    }

    /// The slot at an address, which may be any.
    pub fn find(&'static self, address: usize) -> Option<&'static Handle<T>> {
        for chunk in self.chunks.iter().map_while(OnceLock::get) {
            let offset = address.wrapping_sub(chunk.as_ptr().addr());
            let slot = offset / size_of::<Handle<T>>();
            if slot < chunk.len() {
                return if offset.is_multiple_of(size_of::<Handle<T>>()) { chunk.get(slot) } else { None };
            }
        }
        None
    }

    /// Every slot.
    fn slots(&'static self) -> impl Iterator<Item = &'static Handle<T>> {
        self.chunks.iter().map_while(OnceLock::get).flatten()
    }

    fn vacate(&'static self, slot: &'static Handle<T>) {
        self.vacant.lock().slots.push_back(slot);
    }

    /// Takes a vacant slot. A new chunk comes when less than half of the slots are vacant, which keeps each slot vacant
    /// for a while.
    fn occupy(&'static self) -> Option<&'static Handle<T>> {
        let mut vacant = self.vacant.lock();
        if vacant.slots.len() * 2 <= vacant.total || vacant.total == 0 {
            let size = if vacant.total == 0 { FIRST_CHUNK } else { vacant.total };
            if let Some(cell) = self.chunks.get(vacant.chunks) {
                let chunk = cell.get_or_init(|| (0..size).map(|_| Handle::vacant()).collect());
                vacant.chunks += 1;
                vacant.total += chunk.len();
                vacant.slots.extend(chunk);
            }
        }
        vacant.slots.pop_front()
    }
}

/// What `clIcdSetPlatformDispatchDataKHR` gave; every new handle gets it.
static DISPATCH_DATA: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Sets the loader's word for all handles to come, and for those of platforms and devices, the only ones that exist when
/// a loader sets it.
pub fn set_dispatch_data(data: *mut c_void) {
    DISPATCH_DATA.store(data, Ordering::Release);
    refresh_dispatch_data::<Platform>(data);
    refresh_dispatch_data::<Device>(data);
}

fn refresh_dispatch_data<T: ApiObject>(data: *mut c_void) {
    for slot in T::slab().slots() {
        slot.dispatch_data.store(data, Ordering::Release);
    }
}

/// Gives an object that has no handle one, with this many references; none if another thread was faster.
fn attach<T: ApiObject>(object: &Arc<T>, references: u32) -> Result<Option<&'static Handle<T>>, ApiError> {
    let slot = T::slab().occupy().ok_or(ApiError::OutOfHostMemory)?;
    slot.dispatch_data.store(DISPATCH_DATA.load(Ordering::Acquire), Ordering::Release);
    *slot.state.lock() =
        State { references, strong: (references != 0).then(|| Arc::clone(object)), weak: Arc::downgrade(object) };
    if object.cell().get_or_make(|| slot).address() == slot.address() {
        return Ok(Some(slot));
    }
    *slot.state.lock() = State { references: 0, strong: None, weak: Weak::new() };
    T::slab().vacate(slot);
    Ok(None)
}

/// The handle of an object; made now if it has none. Counts no reference.
pub fn handle_of<T: ApiObject>(object: &Arc<T>) -> Result<&'static Handle<T>, ApiError> {
    if object.cell().get().is_none()
        && let Some(handle) = attach(object, 0)?
    {
        return Ok(handle);
    }
    object.cell().get().and_then(|slot| T::slab().find(slot.address())).ok_or(ApiError::OutOfHostMemory)
}

/// Gives an object to the application: its handle, with one reference more.
pub fn give<T: ApiObject>(object: &Arc<T>) -> Result<*mut T::Opaque, ApiError> {
    if object.cell().get().is_none()
        && let Some(handle) = attach(object, 1)?
    {
        return Ok(handle.as_opaque());
    }
    let handle = handle_of(object)?;
    handle.retain()?;
    Ok(handle.as_opaque())
}

/// The slot behind a C handle, which may be anything.
pub fn slot<T: ApiObject>(handle: *mut T::Opaque) -> Result<&'static Handle<T>, ApiError> {
    T::slab().find(handle.addr()).ok_or(T::INVALID)
}

/// The object behind a C handle, which may be anything.
pub fn object<T: ApiObject>(handle: *mut T::Opaque) -> Result<Arc<T>, ApiError> {
    slot::<T>(handle)?.object().ok_or(T::INVALID)
}
