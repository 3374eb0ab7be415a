//! The block of program-scope variables of a program on a device. Kernels write to it; it lives as long as they do.

use oxicl_abi::ProgramBlock;

use crate::{HostMemory, HostSpan};

/// The block.
pub struct Variables(HostMemory);

impl Variables {
    /// Makes the block with its initial content. `Some(None)` if there are no variables; `None` if there is no memory,
    /// or a pointer lies outside the block.
    pub fn new(layout: &ProgramBlock) -> Option<Option<Self>> {
        if layout.initial.is_empty() {
            return Some(None);
        }
        let memory = HostMemory::new(layout.initial.len(), layout.align.max(1) as usize)?;
        let base = memory.span().address() as u64;
        let mut content = Vec::new();
        content.try_reserve_exact(layout.initial.len()).ok()?;
        content.extend_from_slice(&layout.initial);
        for (at, offset) in &layout.pointers {
            let at = usize::try_from(*at).ok()?;
            let word = content.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<8>)?;
            *word = base.wrapping_add(*offset).to_le_bytes();
        }
        memory.span().write(&content);
        Some(Some(Variables(memory)))
    }

    /// Its bytes.
    pub fn span(&self) -> HostSpan {
        self.0.span()
    }

    /// Their address.
    pub fn address(&self) -> u64 {
        self.0.span().address() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_in_initialisers_become_addresses() {
        let layout =
            ProgramBlock { initial: vec![7; 24], align: 64, pointers: vec![(8, 16)], ..ProgramBlock::default() };
        let variables = Variables::new(&layout).expect("memory").expect("variables");
        assert_eq!(variables.address() % 64, 0);
        let mut content = [0; 24];
        variables.0.span().read(&mut content);
        assert_eq!(content[..8], [7; 8]);
        assert_eq!(content[8..16], (variables.address() + 16).to_le_bytes());
        assert_eq!(content[16..], [7; 8]);
        assert!(Variables::new(&ProgramBlock::default()).expect("no memory needed").is_none());
    }

    #[test]
    fn a_pointer_outside_the_block_is_refused() {
        let layout = ProgramBlock { initial: vec![0; 8], align: 8, pointers: vec![(1, 0)], ..ProgramBlock::default() };
        assert!(Variables::new(&layout).is_none());
    }
}
