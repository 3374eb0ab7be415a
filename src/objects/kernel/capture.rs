//! The arguments of a launch: what the argument block holds at the time of an enqueue.

use std::any::Any;
use std::sync::{Arc, Weak};

use oxicl_abi::{ArgumentKind, KernelFacts, KernelSignature};
use oxicl_device::{ArgumentBlock, Arguments, Reach, Surroundings};
use oxicl_spirv::grammar::AccessQualifier;

use super::{Argument, Kernel};
use crate::ApiError;
use crate::context::Context;
use crate::device::Device;
use crate::memory::{Access, Memory};

impl Kernel {
    /// The current arguments, as a launch on `device` needs them. Launches that are under way together share the
    /// block, until an argument changes.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE` if the program is not built for the device; `CL_INVALID_KERNEL_ARGS` if an
    /// argument was not set, or is a memory object that is gone; `CL_IMAGE_FORMAT_NOT_SUPPORTED`; `CL_OUT_OF_RESOURCES` if local arguments exceed what can be addressed.
    pub fn capture(&self, device: &Device) -> Result<Arc<Arguments>, ApiError> {
        let index = self.index_of(device).ok_or(ApiError::InvalidProgramExecutable)?;
        let on = self.devices.get(index).ok_or(ApiError::InvalidProgramExecutable)?;
        let facts = on.kernel.facts()?;
        let mut state = self.state.lock();
        if let Some(captured) = state.captured.get(index).and_then(Weak::upgrade) {
            return Ok(captured);
        }
        let mut arguments = arguments(&self.signature, facts, &state.arguments)?;
        let context = &self.program().context;
        arguments.reach = state.exec_info.reach();
        lend_shared_memory(&mut arguments, &state.arguments, context);
        arguments.disjoint = facts.disjoint && are_disjoint(&state.arguments, context);
        arguments.context = Some(Arc::clone(context) as Arc<dyn Surroundings>);
        let arguments = Arc::new(arguments);
        if let Some(captured) = state.captured.get_mut(index) {
            *captured = Arc::downgrade(&arguments);
        }
        Ok(arguments)
    }

    /// Memory for the local arguments that are set, in bytes, alignment included.
    pub(super) fn dynamic_local(&self, facts: &KernelFacts) -> u64 {
        let state = self.state.lock();
        let mut local = LocalArea::after(facts);
        for (argument, value) in self.signature.arguments.iter().zip(&state.arguments) {
            if let (ArgumentKind::Local { align }, Some(Argument::Local(size))) = (argument.kind, value)
                && local.place(*size, align).is_err()
            {
                return u64::MAX;
            }
        }
        local.used()
    }
}

/// Local arguments follow the kernel's own local variables.
struct LocalArea {
    start: u64,
    end: u64,
}

impl LocalArea {
    fn after(facts: &KernelFacts) -> Self {
        LocalArea { start: facts.local_bytes, end: facts.local_bytes }
    }

    /// Offset of `size` bytes from the start of the context block.
    fn place(&mut self, size: u64, align: u32) -> Result<u64, ApiError> {
        let offset = self.end.checked_next_multiple_of(u64::from(align.max(1))).ok_or(ApiError::OutOfResources)?;
        self.end = offset.checked_add(size).ok_or(ApiError::OutOfResources)?;
        Ok(offset)
    }

    fn used(&self) -> u64 {
        self.end - self.start
    }
}

fn arguments(
    signature: &KernelSignature,
    facts: &KernelFacts,
    values: &[Option<Argument>],
) -> Result<Arguments, ApiError> {
    let mut block = ArgumentBlock::new(signature.argument_bytes as usize).ok_or(ApiError::OutOfHostMemory)?;
    let mut local = LocalArea::after(facts);
    let mut keep: Vec<Arc<dyn Any + Send + Sync>> = Vec::new();
    for (argument, value) in signature.arguments.iter().zip(values) {
        let offset = argument.offset as usize;
        let address = match value.as_ref().ok_or(ApiError::InvalidKernelArgs)? {
            Argument::Bytes(bytes) => {
                block.write(offset, bytes).ok_or(ApiError::InvalidKernelArgs)?;
                continue;
            }
            Argument::Memory(None) => 0,
            Argument::Memory(Some(memory)) => {
                // Released by the application since it was set.
                let memory = memory.upgrade().ok_or(ApiError::InvalidKernelArgs)?;
                check_format(&memory, argument.kind)?;
                // A kernel knows an image by its descriptor.
                let address = memory.image().map_or(memory.address(), |image| image.descriptor().address()) as u64;
                keep.push(memory);
                address
            }
            Argument::Svm(address) => *address as u64,
            Argument::Local(size) => match argument.kind {
                ArgumentKind::Local { align } => local.place(*size, align)?,
                _ => return Err(ApiError::InvalidKernelArgs),
            },
        };
        block.write(offset, &address.to_le_bytes()).ok_or(ApiError::InvalidKernelArgs)?;
    }
    Ok(Arguments { block, dynamic_local: local.used(), keep, context: None, reach: Reach::default(), disjoint: false })
}

/// "CL_IMAGE_FORMAT_NOT_SUPPORTED if an image object is specified as an argument value for kernel, and the image format is
/// not supported by device": for what the kernel does with it.
fn check_format(memory: &Memory, kind: ArgumentKind) -> Result<(), ApiError> {
    match (memory.image(), kind) {
        (Some(image), ArgumentKind::Image(wanted)) => {
            let access = match wanted.access {
                AccessQualifier::ReadOnly => Access::Read,
                AccessQualifier::WriteOnly => Access::Write,
                AccessQualifier::ReadWrite => Access::Both,
            };
            if image.allows(&memory.context, access) {
                return Ok(());
            }
            Err(ApiError::ImageFormatNotSupported.because("kernels do not access images of this format and type so"))
        }
        _ => Ok(()),
    }
}

/// Adds what the arguments point to, and keeps all allocations that pointers name: a command that was enqueued may use
/// them to its end, whatever is freed meanwhile.
fn lend_shared_memory(arguments: &mut Arguments, values: &[Option<Argument>], context: &Context) {
    for value in values.iter().flatten() {
        if let Argument::Svm(address) = value {
            arguments.reach.pointers.push(*address);
            let ours = context.svm.find(*address).is_some() || context.addresses.find(*address).is_some();
            arguments.reach.system |= *address != 0 && !ours;
        }
    }
    for address in &arguments.reach.pointers {
        if let Some(allocation) = context.svm.find(*address) {
            arguments.keep.push(allocation);
        } else if let Some(buffer) = context.addresses.find(*address) {
            arguments.keep.push(buffer);
        }
    }
}

/// Does it follow from where the memory lies that arguments lead to that no two lead to the same? A pointer may be used to reach all of
/// its allocation.
fn are_disjoint(values: &[Option<Argument>], context: &Context) -> bool {
    let mut ranges = Vec::new();
    for value in values.iter().flatten() {
        let span = match value {
            Argument::Memory(Some(memory)) => memory.upgrade().map(|memory| memory.span()),
            Argument::Svm(address) if *address != 0 => match context.svm.find(*address) {
                Some(allocation) => Some(allocation.span()),
                None => context.addresses.find(*address).map(|buffer| buffer.span()),
            },
            // They lead nowhere, or to memory that is theirs alone.
            Argument::Bytes(_) | Argument::Memory(None) | Argument::Svm(_) | Argument::Local(_) => continue,
        };
        let Some(span) = span else { return false };
        ranges.push((span.address(), span.len()));
    }
    ranges.sort_unstable();
    ranges.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_arguments_follow_the_kernels_own_variables_at_their_alignment() {
        let facts = KernelFacts { local_bytes: 10, ..KernelFacts::default() };
        let mut area = LocalArea::after(&facts);
        assert_eq!(area.place(4, 16), Ok(16));
        assert_eq!(area.place(1, 4), Ok(20));
        assert_eq!(area.place(1, 4), Ok(24));
        assert_eq!(area.used(), 15);
        assert_eq!(area.place(u64::MAX, 1), Err(ApiError::OutOfResources));
    }
}
