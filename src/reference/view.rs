//! The memory that a launch may use.

use std::any::Any;
use std::sync::Arc;

use oxicl_interpret::Fault;

use oxicl_device::{Arguments, HostSpan, Variables, poke, probe};

/// What a launch may read and write: the memory that is there when it runs. Buffers and shared virtual memory stay
/// until the launch is over, because it and this view keep them.
pub(super) struct View {
    spans: Vec<HostSpan>,
    /// Memory of the application is lent, too.
    system: bool,
    _keep: Vec<Arc<dyn Any + Send + Sync>>,
}

impl View {
    pub(super) fn new(arguments: &Arguments, variables: Option<&Variables>) -> View {
        let mut lent = arguments.context.as_ref().map(|context| context.lend(arguments)).unwrap_or_default();
        lent.spans.extend(variables.map(Variables::span));
        View { spans: lent.spans, system: arguments.reach.system, _keep: lent.keep }
    }

    /// The memory as the interpreter wants it.
    pub(super) fn memory(&self) -> ViewMemory<'_> {
        ViewMemory { view: self, last: 0 }
    }
}

/// A view, and where in it the last access was.
pub(super) struct ViewMemory<'v> {
    view: &'v View,
    last: usize,
}

impl ViewMemory<'_> {
    /// The span that the bytes lie in, and the offset in it.
    fn find(&mut self, address: u64, size: usize) -> Option<(HostSpan, usize)> {
        let within = |span: &HostSpan| {
            let offset = usize::try_from(address).ok()?.checked_sub(span.address())?;
            span.part(offset, size).map(|_| (*span, offset))
        };
        if let Some(found) = self.view.spans.get(self.last).and_then(within) {
            return Some(found);
        }
        let (index, found) =
            self.view.spans.iter().enumerate().find_map(|(index, span)| Some((index, within(span)?)))?;
        self.last = index;
        Some(found)
    }

    fn lent(&self) -> bool {
        self.view.system
    }
}

impl oxicl_interpret::Memory for ViewMemory<'_> {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        let size = bytes.len();
        match self.find(address, size).and_then(|(span, offset)| span.part(offset, size)) {
            Some(part) => part.read(bytes),
            None if self.lent() && probe(address as usize, bytes) => {}
            None => return Err(Fault::Address { address, size }),
        }
        Ok(())
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let size = bytes.len();
        match self.find(address, size).and_then(|(span, offset)| span.part(offset, size)) {
            Some(part) => part.write(bytes),
            None if self.lent() && poke(address as usize, bytes) => {}
            None => return Err(Fault::Address { address, size }),
        }
        Ok(())
    }

    fn update(&mut self, address: u64, size: usize, change: &mut dyn FnMut(u64) -> Option<u64>) -> Result<u64, Fault> {
        let fault = Fault::Address { address, size };
        if let Some((span, offset)) = self.find(address, size) {
            return span.update(offset, size, change).ok_or(fault);
        }
        // Memory of the application: the access is atomic among work-items, which take turns.
        let mut word = [0; 8];
        let bytes = word.get_mut(..size).ok_or(fault)?;
        self.load(address, bytes)?;
        let old = u64::from_le_bytes(word);
        if let Some(new) = change(old) {
            self.store(address, new.to_le_bytes().get(..size).unwrap_or_default())?;
        }
        Ok(old)
    }

    fn print(&mut self, text: &[u8]) {
        oxicl_device::write(text);
    }
}
