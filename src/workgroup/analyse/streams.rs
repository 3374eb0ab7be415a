//! Memory that a kernel writes and does not read, for streaming stores.
//!
//! An ordinary store first fetches the line that it writes into the cache. Where a launch touches more memory than the caches
//! hold, these fetches are a quarter of the traffic of `a[i] = b[i] + c[i]`, and nobody finds the lines in the caches later.

use std::collections::{HashMap, HashSet};

use crate::analyse::shape::{Shape, Shapes};
use crate::ir::{Function, Inst, Kind, Opcode, Operand, space};

/// Where a kernel may use streaming stores.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streams {
    /// Arguments that point to global memory which the kernel writes and does not read.
    arguments: HashSet<u32>,
    /// Bytes that a work-item touches in all contiguous accesses to global memory; 0 if `arguments` is empty.
    pub(crate) bytes: u32,
}

impl Streams {
    /// Finds them for a kernel. None where other threads may see its stores before it ends, since streaming stores are not
    /// ordered with others; and none where there are barriers: what is loaded after a barrier, by vectors of what single
    /// numbers were stored to, waits until all earlier stores have left the processor, and streaming stores take long for
    /// that (a transposition by tiles took twice the time on Ice Lake with AVX-512, as it gathers from the tile).
    pub(crate) fn of(function: &Function<'_>, shapes: &Shapes) -> Streams {
        let orders = |inst: &Inst<'_>| !inst.is_ordinary() || matches!(inst.kind, Kind::Call);
        if function.in_fibers || function.has_cuts() || function.insts.iter().any(orders) {
            return Streams::default();
        }
        let (mut loaded, mut touched) = (HashSet::new(), HashMap::new());
        for inst in &function.insts {
            let Some((address, argument)) = accessed(function, inst) else { continue };
            if inst.opcode == Opcode::Load {
                loaded.insert(argument);
            }
            let bytes = function.moved_type(inst).size();
            let shape = shapes.of_operand(address);
            if matches!(shape, Shape::Affine(by) | Shape::Wrapping(by) if by == bytes as i64) {
                let most = touched.entry(argument).or_insert(0);
                *most = bytes.max(*most);
            }
        }
        let arguments: HashSet<u32> = touched.keys().copied().filter(|argument| !loaded.contains(argument)).collect();
        let bytes = if arguments.is_empty() { 0 } else { touched.into_values().sum::<u64>() };
        Streams { arguments, bytes: bytes as u32 }
    }

    /// Is a store to memory that the kernel does not read?
    pub(crate) fn contain(&self, function: &Function<'_>, store: &Inst<'_>) -> bool {
        accessed(function, store).is_some_and(|(_, argument)| self.arguments.contains(&argument))
    }
}

/// The address of a load or store in global memory, and the argument that it is derived from.
fn accessed(function: &Function<'_>, inst: &Inst<'_>) -> Option<(Operand, u32)> {
    let address = inst.address().filter(|address| function.type_of(*address).address_space() == space::GLOBAL)?;
    if let Operand::Parameter(argument) = function.base(address) { Some((address, argument)) } else { None }
}
