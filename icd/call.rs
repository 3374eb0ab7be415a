//! The one place that follows pointers which the application passed.
//!
//! A [`Call`] exists only inside an entry point. It stands for the application's part of the C contract during that
//! call: each pointer argument is null, or valid for what the specification says the function reads or writes through
//! it. The methods below turn that contract into checked, typed values; they rely on nothing else, and so they must be
//! given only arguments of the call, or pointers that were read through such arguments.
#![allow(unsafe_code, reason = "follows the pointers that an application passes to the C API")]

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use khronos_headers::{cl_event, cl_uint};
use oxicl_objects::context::Context;
use oxicl_objects::event::Event;
use oxicl_objects::memory::{HostSpan, Pattern};
use oxicl_objects::properties::PropertyList;
use oxicl_objects::{ApiError, InfoValue};

use crate::handle::{self, ApiObject};
use crate::info;

/// A call of an API function that is under way.
#[derive(Default)]
pub struct Call {
    /// The context of the first object among the arguments, if it wants to hear of errors.
    context: RefCell<Option<Arc<Context>>>,
    /// What [`Call::failed`] was told.
    error: RefCell<Option<ApiError>>,
}

/// A 64-bit word of a property list.
pub trait PropertyWord: Copy {
    /// Its bits.
    fn bits(self) -> u64;
}

impl PropertyWord for isize {
    fn bits(self) -> u64 {
        self as u64
    }
}

impl PropertyWord for u64 {
    fn bits(self) -> u64 {
        self
    }
}

impl Call {
    /// For the guard of entry points only.
    pub(crate) fn new() -> Self {
        Call::default()
    }

    /// An error of a function whose result does not say it.
    pub fn failed(&self, error: ApiError) {
        *self.error.borrow_mut() = Some(error);
    }

    /// What [`Call::failed`] was told.
    pub(crate) fn failure(&self) -> Option<ApiError> {
        self.error.borrow_mut().take()
    }

    /// Who wants to hear of an error of this call.
    pub(crate) fn listener(&self) -> Option<Arc<Context>> {
        self.context.borrow_mut().take()
    }

    /// Remembers an object's context for [`Call::listener`].
    fn found<T: ApiObject>(&self, object: Arc<T>) -> Arc<T> {
        if let Some(context) = T::context(&object)
            && context.has_notify()
        {
            self.context.borrow_mut().get_or_insert_with(|| Arc::clone(context));
        }
        object
    }

    /// The object behind a handle; its type's `CL_INVALID_*` if there is none.
    pub fn object<T: ApiObject>(&self, handle: *mut T::Opaque) -> Result<Arc<T>, ApiError> {
        handle::object(handle).map(|object| self.found(object))
    }

    /// The object behind a handle, or none for a null handle.
    pub fn optional_object<T: ApiObject>(&self, handle: *mut T::Opaque) -> Result<Option<Arc<T>>, ApiError> {
        if handle.is_null() { Ok(None) } else { self.object(handle).map(Some) }
    }

    /// The objects behind an array of handles; `CL_INVALID_VALUE` if the array is null or empty.
    pub fn objects<T: ApiObject>(
        &self,
        count: cl_uint,
        handles: *const *mut T::Opaque,
    ) -> Result<Vec<Arc<T>>, ApiError> {
        if count == 0 {
            return Err(ApiError::InvalidValue.because("a list of objects has no entries"));
        }
        let handles = self.slice(handles, count as usize)?;
        let mut objects = Vec::new();
        objects.try_reserve_exact(handles.len()).map_err(|_| ApiError::OutOfHostMemory)?;
        for &handle in handles {
            objects.push(self.object(handle)?);
        }
        Ok(objects)
    }

    /// Like [`Call::objects`], but a null array with a count of zero means none.
    pub fn objects_or_none<T: ApiObject>(
        &self,
        count: cl_uint,
        handles: *const *mut T::Opaque,
    ) -> Result<Vec<Arc<T>>, ApiError> {
        if count == 0 && handles.is_null() { Ok(Vec::new()) } else { self.objects(count, handles) }
    }

    /// An event wait list. Any fault in it is `CL_INVALID_EVENT_WAIT_LIST`.
    pub fn wait_list(&self, count: cl_uint, events: *const cl_event) -> Result<Vec<Arc<Event>>, ApiError> {
        self.objects_or_none(count, events)
            .map_err(|error| if error == ApiError::OutOfHostMemory { error } else { ApiError::InvalidEventWaitList })
    }

    /// An array of plain data; `CL_INVALID_VALUE` if it is null or misaligned while `count` is not zero, or cannot be
    /// that long.
    pub fn slice<T: Copy>(&self, pointer: *const T, count: usize) -> Result<&[T], ApiError> {
        if count == 0 {
            return Ok(&[]);
        }
        let bytes = count.checked_mul(size_of::<T>()).ok_or(ApiError::InvalidValue)?;
        let end = pointer.addr().checked_add(bytes).ok_or(ApiError::InvalidValue)?;
        if pointer.is_null() || !pointer.is_aligned() || bytes > isize::MAX as usize || end > isize::MAX as usize {
            return Err(ApiError::InvalidValue.because("a list is null, misaligned or impossibly long"));
        }
        // SAFETY: not null, aligned, no longer than an object can be; the application passed it for reading `count`
        // values during this call.
        Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
    }

    /// A list that is null if, and only if, its length is zero; else `CL_INVALID_VALUE`.
    pub fn list<T: Copy>(&self, count: cl_uint, pointer: *const T) -> Result<&[T], ApiError> {
        if (count == 0) != pointer.is_null() {
            return Err(ApiError::InvalidValue);
        }
        self.slice(pointer, count as usize)
    }

    /// One plain value; none if the pointer is null. Any alignment.
    pub fn read<T: Copy>(&self, pointer: *const T) -> Option<T> {
        if pointer.is_null() {
            return None;
        }
        // SAFETY: not null; the application passed it for reading one value during this call.
        Some(unsafe { pointer.read_unaligned() })
    }

    /// `size` bytes; none if the pointer is null.
    pub fn bytes(&self, pointer: *const c_void, size: usize) -> Option<&[u8]> {
        if pointer.is_null() { None } else { self.slice(pointer.cast(), size).ok() }
    }

    /// Memory of the application that a command reads or writes, possibly after the call has returned; none if the
    /// pointer is null, or if no object can be that long there.
    pub fn span(&self, pointer: *const c_void, size: usize) -> Option<HostSpan> {
        let end = pointer.addr().checked_add(size)?;
        if pointer.is_null() || end > isize::MAX as usize {
            return None;
        }
        // SAFETY: the specification lets the application reuse or free the memory only when the command has ended, and
        // makes the absence of races its duty.
        Some(unsafe { HostSpan::new(pointer.cast::<u8>().cast_mut(), size) })
    }

    /// A fill pattern; none if the pointer is null or the size is none that patterns have.
    pub fn pattern(&self, pointer: *const c_void, size: usize) -> Option<&[u8]> {
        if Pattern::is_size(size) { self.bytes(pointer, size) } else { None }
    }

    /// A C string; none if the pointer is null.
    pub fn c_str(&self, pointer: *const c_char) -> Option<&CStr> {
        if pointer.is_null() {
            return None;
        }
        // SAFETY: not null; the application passed it as a string that ends with a zero.
        Some(unsafe { CStr::from_ptr(pointer) })
    }

    /// A property list that ends with a zero. `CL_INVALID_PROPERTY` if it is longer than any valid list.
    pub fn properties<W: PropertyWord>(&self, list: *const W) -> Result<PropertyList, ApiError> {
        if list.is_null() {
            return Ok(PropertyList::absent());
        }
        let mut pairs = Vec::new();
        let mut next = list;
        loop {
            // SAFETY: the application passed a list that ends with a zero, and no zero name came yet.
            let name = unsafe { next.read_unaligned() }.bits();
            if name == 0 {
                return Ok(PropertyList::new(pairs));
            }
            if pairs.len() == PropertyList::MAX_PAIRS {
                return Err(ApiError::InvalidProperty);
            }
            // SAFETY: as above: a name that is not zero is followed by a value.
            let value = unsafe { next.wrapping_add(1).read_unaligned() }.bits();
            pairs.push((name, value));
            next = next.wrapping_add(2);
        }
    }

    /// A property list in which no other names stand, and each at most once; else `CL_INVALID_VALUE`. The first name that
    /// breaks this is the last thing that is read.
    pub fn properties_of<W: PropertyWord>(&self, list: *const W, names: &[u64]) -> Result<PropertyList, ApiError> {
        let mut pairs: Vec<(u64, u64)> = Vec::new();
        let mut next = list;
        while let Some(name) = self.read(next).map(W::bits) {
            if name == 0 {
                return Ok(PropertyList::new(pairs));
            }
            if !names.contains(&name) || pairs.iter().any(|pair| pair.0 == name) {
                return Err(ApiError::InvalidValue);
            }
            let value = self.read(next.wrapping_add(1)).ok_or(ApiError::InvalidValue)?;
            pairs.push((name, value.bits()));
            next = next.wrapping_add(2);
        }
        Ok(PropertyList::absent())
    }

    /// Values up to, and without, the one that ends a list; at most `most`, else `CL_INVALID_VALUE`.
    pub fn until<T: Copy + PartialEq>(&self, list: *const T, end: T, most: usize) -> Result<Vec<T>, ApiError> {
        let mut values = Vec::new();
        if list.is_null() {
            return Ok(values);
        }
        loop {
            // SAFETY: the application passed a list that ends with `end`, which did not come yet.
            let value = unsafe { list.wrapping_add(values.len()).read_unaligned() };
            if value == end {
                return Ok(values);
            }
            if values.len() == most {
                return Err(ApiError::InvalidValue.because("a list does not end where it should"));
            }
            values.push(value);
        }
    }

    /// Stores an out-parameter; a null pointer means that the application does not want it.
    pub fn write<T: Copy>(&self, pointer: *mut T, value: T) {
        if !pointer.is_null() {
            // SAFETY: not null; the application passed it for writing one value during this call.
            unsafe { pointer.write_unaligned(value) }
        }
    }

    /// Stores as many of the values as the array has place for; nothing into a null array.
    pub fn write_array<T: Copy>(&self, pointer: *mut T, places: usize, values: &[T]) {
        if !pointer.is_null() {
            let bytes = values.len().min(places) * size_of::<T>();
            // SAFETY: not null; the application passed it for writing `places` values during this call. Copying bytes
            // asks for no alignment.
            unsafe { pointer.cast::<u8>().copy_from_nonoverlapping(values.as_ptr().cast(), bytes) }
        }
    }

    /// Gives a new object to the application.
    pub fn give<T: ApiObject>(&self, object: &Arc<T>) -> Result<*mut T::Opaque, ApiError> {
        handle::give(object)
    }

    /// Gives the event of a command to the application, if it wants it.
    pub fn give_event(&self, pointer: *mut cl_event, event: &Arc<Event>) -> Result<(), ApiError> {
        if !pointer.is_null() {
            self.write(pointer, handle::give(event)?);
        }
        Ok(())
    }

    /// `clRetain*`.
    pub fn retain<T: ApiObject>(&self, handle: *mut T::Opaque) -> Result<(), ApiError> {
        handle::slot::<T>(handle)?.retain()
    }

    /// `clRelease*`.
    pub fn release<T: ApiObject>(&self, handle: *mut T::Opaque) -> Result<(), ApiError> {
        handle::slot::<T>(handle)?.release()
    }

    /// Answers an info query about `object`: `CL_INVALID_VALUE` if the application's memory is too small.
    pub fn info<T: ApiObject>(
        &self,
        object: &Arc<T>,
        value: InfoValue,
        size: usize,
        memory: *mut c_void,
        size_ret: *mut usize,
    ) -> Result<(), ApiError> {
        match value {
            InfoValue::ReferenceCount => {
                let references = object.cell().get().map_or(0, |slot| slot.reference_count());
                self.answer(&references.to_ne_bytes(), size, memory, size_ret)
            }
            InfoValue::U32(value) => self.answer(&value.to_ne_bytes(), size, memory, size_ret),
            InfoValue::U64(value) => self.answer(&value.to_ne_bytes(), size, memory, size_ret),
            InfoValue::Size(value) => self.answer(&value.to_ne_bytes(), size, memory, size_ret),
            InfoValue::Binaries(binaries) => self.binaries(&binaries, size, memory, size_ret),
            value => self.answer(&info::bytes(value)?, size, memory, size_ret),
        }
    }

    /// The pattern of every query: the answer's bytes into `memory`, their number into `size_ret`.
    pub fn answer(&self, bytes: &[u8], size: usize, memory: *mut c_void, size_ret: *mut usize) -> Result<(), ApiError> {
        if !memory.is_null() {
            if size < bytes.len() {
                return Err(ApiError::InvalidValue.because("the memory is smaller than the answer"));
            }
            self.write_array(memory.cast::<u8>(), size, bytes);
        }
        self.write(size_ret, bytes.len());
        Ok(())
    }

    /// `CL_PROGRAM_BINARIES`: the application gives an array of addresses to copy to.
    fn binaries(
        &self,
        binaries: &[Vec<u8>],
        size: usize,
        memory: *mut c_void,
        size_ret: *mut usize,
    ) -> Result<(), ApiError> {
        let needed = binaries.len().saturating_mul(size_of::<*mut u8>());
        if !memory.is_null() {
            if size < needed {
                return Err(ApiError::InvalidValue.because("the memory is smaller than the answer"));
            }
            let places = memory.cast::<*mut u8>();
            for (index, binary) in binaries.iter().enumerate() {
                let place = self.read(places.wrapping_add(index)).unwrap_or(null_mut());
                self.write_array(place, binary.len(), binary);
            }
        }
        self.write(size_ret, needed);
        Ok(())
    }
}
