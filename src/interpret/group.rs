//! Work-groups of an ND-range, and barriers.

use crate::Fault;
use crate::machine::{Item, Machine, State};
use crate::memory::{LOCAL, Memory};
use crate::program::Program;
use crate::value::Value;
use oxicl_validate::{ArgumentKind, KernelSignature};

/// An ND-range. Absent dimensions have size 1 and offset 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NdRange {
    /// Number of dimensions as enqueued, 1 to 3.
    pub work_dim: u32,
    /// Offset of the global ids, in work-items.
    pub global_offset: [u64; 3],
    /// Global size, in work-items.
    pub global_size: [u64; 3],
    /// Enqueued work-group size, in work-items; the last group of a dimension may be smaller.
    pub local_size: [u64; 3],
}

impl NdRange {
    /// Number of work-groups in each dimension.
    pub fn num_groups(&self) -> [u64; 3] {
        [0, 1, 2].map(|d| self.global_size[d].div_ceil(self.local_size[d].max(1)))
    }
}

/// What a launch has beside its ND-range.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The argument block. A pointer to local memory is in it as an offset, not below
    /// [`Program::local_bytes`].
    pub arguments: &'a [u8],
    /// Bytes of local memory that belong to arguments.
    pub dynamic_local: u64,
    /// Address of the block of program-scope variables.
    pub program_block: u64,
    /// Instructions that a work-group may execute.
    pub steps: u64,
}

/// The work-group that a machine executes.
pub(crate) struct Group {
    pub(crate) range: NdRange,
    pub(crate) id: [u64; 3],
    /// Its own size, which in the last group of a dimension may be smaller than the enqueued one.
    pub(crate) size: [u64; 3],
    pub(crate) program_block: u64,
}

impl Program<'_> {
    /// Runs every work-group of an ND-range in linear order.
    pub fn run(
        &self,
        kernel: &str,
        range: &NdRange,
        launch: &Launch<'_>,
        memory: &mut dyn Memory,
    ) -> Result<(), Fault> {
        let kernels = &self.facts.kernels;
        let signature = kernels.iter().find(|k| k.name == kernel).ok_or_else(|| Fault::NoKernel(kernel.to_string()))?;
        let groups = range.num_groups();
        for z in 0..groups[2] {
            for y in 0..groups[1] {
                for x in 0..groups[0] {
                    let id = [x, y, z];
                    let size =
                        [0, 1, 2].map(|d| range.local_size[d].min(range.global_size[d] - id[d] * range.local_size[d]));
                    let group = Group { range: *range, id, size, program_block: launch.program_block };
                    let local = vec![0; (self.local_bytes() + launch.dynamic_local) as usize];
                    let mut machine = Machine {
                        program: self,
                        memory,
                        group,
                        local,
                        constant_memory: self.constant_memory(launch.program_block),
                        items: Vec::new(),
                        current: 0,
                        steps: launch.steps,
                    };
                    machine.run_group(signature, launch.arguments)?;
                }
            }
        }
        Ok(())
    }
}

impl Machine<'_> {
    fn run_group(&mut self, signature: &KernelSignature, arguments: &[u8]) -> Result<(), Fault> {
        let size = self.group.size;
        for linear in 0..size[0] * size[1] * size[2] {
            let local_id = [linear % size[0], linear / size[0] % size[1], linear / size[0] / size[1]];
            let input = self.inputs(local_id)?;
            self.items.push(Item { frames: Vec::new(), private: Vec::new(), input, state: State::Running });
            self.current = self.items.len() - 1;
            let values = self.argument_values(signature, arguments)?;
            let module = self.program.module;
            let function = module.function(signature.function).ok_or(Fault::Malformed("no entry point"))?;
            let oxicl_spirv::Def::Function(index) = module.def(signature.function) else {
                return Err(Fault::Malformed("no entry point"));
            };
            self.enter(function, index, values, None)?;
        }
        loop {
            for index in 0..self.items.len() {
                if self.items[index].state != State::Returned {
                    self.current = index;
                    self.run_item()?;
                }
            }
            let mut waiting = self.items.iter().map(|item| item.state).filter(|state| *state != State::Returned);
            let Some(first) = waiting.next() else { return Ok(()) };
            // Work-items that returned count as arrived; the others must all wait at one barrier.
            if waiting.any(|state| state != first) {
                return Err(Fault::DivergentBarrier);
            }
        }
    }

    fn argument_values(&mut self, signature: &KernelSignature, block: &[u8]) -> Result<Vec<Value>, Fault> {
        let module = self.program.module;
        let function = module.function(signature.function).ok_or(Fault::Malformed("no entry point"))?;
        let mut values = Vec::new();
        for (argument, parameter) in signature.arguments.iter().zip(&function.parameters) {
            let start = argument.offset as usize;
            let bytes = block
                .get(start..start + argument.size as usize)
                .ok_or(Fault::Malformed("the argument block is too short"))?;
            values.push(match argument.kind {
                ArgumentKind::Value => self.program.value_of(bytes, parameter.ty)?,
                ArgumentKind::Global | ArgumentKind::Constant => Value::Scalar(word(bytes)),
                ArgumentKind::Local { .. } => Value::Scalar(LOCAL + word(bytes)),
                ArgumentKind::ByValue => {
                    let private = &mut self.items[self.current].private;
                    let offset = private.len().next_multiple_of(argument.align.max(1) as usize);
                    private.resize(offset, 0);
                    private.extend_from_slice(bytes);
                    Value::Scalar(crate::memory::PRIVATE + offset as u64)
                }
            });
        }
        Ok(values)
    }
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte))
}
