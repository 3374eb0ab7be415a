//! Memory as kernels see it: global memory belongs to the caller, everything else to the machine.

use std::collections::BTreeMap;

use crate::Fault;

/// Global memory, by address. Addresses from 0xC000_0000_0000_0000 up are the machine's own and never reach it.
pub trait Memory {
    /// Reads `bytes.len()` bytes at `address`.
    ///
    /// # Errors
    /// They are not all there.
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Fault>;

    /// Writes `bytes` at `address`.
    ///
    /// # Errors
    /// They are not all there.
    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault>;

    /// An atomic access of `size` bytes, 1 to 8, a power of two, at `address`: gives what was there, and stores what
    /// `change` makes of it. `change` may be called several times.
    ///
    /// # Errors
    /// They are not all there, or not aligned.
    fn update(&mut self, address: u64, size: usize, change: &mut dyn FnMut(u64) -> Option<u64>) -> Result<u64, Fault> {
        let mut bytes = [0; 8];
        let bytes = bytes.get_mut(..size).ok_or(Fault::Address { address, size })?;
        self.load(address, bytes)?;
        let old = word(bytes);
        if let Some(new) = change(old) {
            self.store(address, new.to_le_bytes().get(..size).unwrap_or_default())?;
        }
        Ok(old)
    }

    /// What a kernel printed. A work-item's output comes whole and in order.
    fn print(&mut self, text: &[u8]) {
        let _ = text;
    }
}

/// First address of the work-group's local memory.
pub(crate) const LOCAL: u64 = 0xC000_0000_0000_0000;
/// First address of UniformConstant variables outside the program block.
pub(crate) const CONSTANT: u64 = 0xD000_0000_0000_0000;
/// First address of the work-item's built-in variables.
pub(crate) const INPUT: u64 = 0xE000_0000_0000_0000;
/// First address of the work-item's private memory.
pub(crate) const PRIVATE: u64 = 0xF000_0000_0000_0000;

/// A work-item has at most this much private memory, in bytes.
const PRIVATE_LIMIT: usize = 256 << 20;

/// Zeroed bytes, if there is memory for them.
pub(crate) fn zeroed(size: u64) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    grow(&mut bytes, usize::try_from(size).map_err(|_| Fault::Memory)?)?;
    Ok(bytes)
}

/// Makes `bytes` at least `len` long.
pub(crate) fn grow(bytes: &mut Vec<u8>, len: usize) -> Result<(), Fault> {
    let more = len.saturating_sub(bytes.len());
    if len > PRIVATE_LIMIT || bytes.try_reserve(more).is_err() {
        return Err(Fault::Memory);
    }
    bytes.resize(bytes.len() + more, 0);
    Ok(())
}

/// Global memory made of separate objects, for tests: an access must lie inside one of them.
#[derive(Debug, Default)]
pub struct FlatMemory {
    objects: BTreeMap<u64, Vec<u8>>,
    next: u64,
    /// What was printed.
    pub printed: Vec<u8>,
}

impl FlatMemory {
    /// Adds an object and returns its address, a multiple of 4096.
    pub fn add(&mut self, content: Vec<u8>) -> u64 {
        let address = self.next.max(0x10000);
        // One page lies between objects, so that running off the end of one is seen.
        self.next = (address + content.len() as u64 + 4096).next_multiple_of(4096);
        self.objects.insert(address, content);
        address
    }

    /// Content of the object at `address`.
    pub fn object(&self, address: u64) -> Option<&[u8]> {
        self.objects.get(&address).map(Vec::as_slice)
    }

    fn find(&mut self, address: u64, size: usize) -> Result<&mut [u8], Fault> {
        let fault = Fault::Address { address, size };
        let (base, object) = self.objects.range_mut(..=address).next_back().ok_or(fault.clone())?;
        slice_mut(object, address - base, size).ok_or(fault)
    }
}

impl Memory for FlatMemory {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        bytes.copy_from_slice(self.find(address, bytes.len())?);
        Ok(())
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.find(address, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    fn print(&mut self, text: &[u8]) {
        self.printed.extend_from_slice(text);
    }
}

/// `size` bytes at `offset`, if they are inside.
pub(crate) fn slice_mut(bytes: &mut [u8], offset: u64, size: usize) -> Option<&mut [u8]> {
    let start = usize::try_from(offset).ok()?;
    bytes.get_mut(start..start.checked_add(size)?)
}

/// A little-endian number of at most 8 bytes.
pub(crate) fn word(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |word, byte| (word << 8) | u64::from(*byte))
}
