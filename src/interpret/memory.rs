//! Memory as kernels see it: global memory belongs to the caller, everything else to the machine.

use std::collections::BTreeMap;

use crate::Fault;

/// Global memory, by address. Addresses from 0xC000_0000_0000_0000 up are the machine's own and never reach it.
pub trait Memory {
    /// Reads `bytes.len()` bytes at `address`.
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Fault>;
    /// Writes `bytes` at `address`.
    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault>;
}

/// First address of the work-group's local memory.
pub(crate) const LOCAL: u64 = 0xC000_0000_0000_0000;
/// First address of UniformConstant variables outside the program block.
pub(crate) const CONSTANT: u64 = 0xD000_0000_0000_0000;
/// First address of the work-item's built-in variables.
pub(crate) const INPUT: u64 = 0xE000_0000_0000_0000;
/// First address of the work-item's private memory.
pub(crate) const PRIVATE: u64 = 0xF000_0000_0000_0000;

/// Global memory made of separate objects, for tests: an access must lie inside one of them.
#[derive(Debug, Default)]
pub struct FlatMemory {
    objects: BTreeMap<u64, Vec<u8>>,
    next: u64,
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
}

/// `size` bytes at `offset`, if they are inside.
pub(crate) fn slice_mut(bytes: &mut [u8], offset: u64, size: usize) -> Option<&mut [u8]> {
    let start = usize::try_from(offset).ok()?;
    bytes.get_mut(start..start.checked_add(size)?)
}
