//! Work-groups of an ND-range, and where their work-items wait for each other.

use oxicl_abi::{ArgumentKind, KernelSignature};

use crate::Fault;
use crate::constant::Constants;
use crate::kernel::Kernel;
use crate::machine::{Item, Machine, State};
use crate::memory::{LOCAL, Memory, PRIVATE, word, zeroed};
use crate::program::Program;
use crate::value::Value;

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
    /// The argument block. A pointer to local memory is in it as an offset, not below [`Kernel::local_bytes`].
    pub arguments: &'a [u8],
    /// Bytes of local memory that belong to arguments.
    pub dynamic_local: u64,
    /// Address of the block of program-scope variables.
    pub program_block: u64,
    /// Instructions that a work-group may execute.
    pub steps: u64,
    /// Bytes that one call of `printf` may make.
    pub print_limit: usize,
    /// Work-items of a sub-group of kernels that ask for no size, a power of two up to 64.
    pub sub_group_size: u32,
}

/// The work-group that a machine executes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) range: NdRange,
    pub(crate) id: [u64; 3],
    /// Its own size, which in the last group of a dimension may be smaller than the enqueued one.
    pub(crate) size: [u64; 3],
    pub(crate) program_block: u64,
    /// Work-items of a full sub-group.
    pub(crate) sub_group_size: u64,
}

impl Group {
    /// Local id of the work-item with a linear one.
    pub(crate) fn local_id(&self, linear: u64) -> [u64; 3] {
        let size = self.size;
        [linear % size[0], linear / size[0] % size[1], linear / size[0] / size[1]]
    }

    /// Linear local id of a work-item.
    pub(crate) fn linear(&self, local: [u64; 3]) -> u64 {
        local[0] + self.size[0] * (local[1] + self.size[1] * local[2])
    }
}

impl Program {
    /// Runs every work-group of an ND-range in linear order.
    ///
    /// # Errors
    /// The kernel did something that has no meaning, or that has no end within the steps allowed.
    pub fn run(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        launch: &Launch<'_>,
        memory: &mut dyn Memory,
    ) -> Result<(), Fault> {
        let constants = self.constants(kernel, launch.program_block)?;
        let groups = range.num_groups();
        let mut clock = 0;
        for z in 0..groups[2] {
            for y in 0..groups[1] {
                for x in 0..groups[0] {
                    clock = self.run_group(kernel, &constants, range, [x, y, z], launch, memory, clock)?;
                }
            }
        }
        Ok(())
    }

    /// Runs a work-group; gives the clock at its end.
    #[allow(clippy::too_many_arguments, reason = "what a launch is made of")]
    fn run_group(
        &self,
        kernel: &Kernel,
        constants: &Constants,
        range: &NdRange,
        id: [u64; 3],
        launch: &Launch<'_>,
        memory: &mut dyn Memory,
        clock: u64,
    ) -> Result<u64, Fault> {
        let size = [0, 1, 2].map(|d| range.local_size[d].min(range.global_size[d] - id[d] * range.local_size[d]));
        let sub_group_size = u64::from(kernel.sub_group_size(launch.sub_group_size));
        let local = kernel.local_bytes().checked_add(launch.dynamic_local).ok_or(Fault::Memory)?;
        let mut machine = Machine {
            program: self,
            kernel,
            constants,
            memory,
            group: Group { range: *range, id, size, program_block: launch.program_block, sub_group_size },
            local: zeroed(local)?,
            items: Vec::new(),
            named_barriers: Vec::new(),
            current: 0,
            steps: launch.steps,
            print_limit: launch.print_limit,
            clock,
        };
        machine.run_items(&kernel.signature, launch.arguments)?;
        Ok(machine.clock)
    }
}

impl Machine<'_> {
    fn run_items(&mut self, signature: &KernelSignature, arguments: &[u8]) -> Result<(), Fault> {
        let count = self.group.size.iter().product();
        for linear in 0..count {
            let input = self.inputs(self.group.local_id(linear))?;
            self.items.push(Item::new(input));
            self.current = self.items.len() - 1;
            let values = self.argument_values(signature, arguments)?;
            self.enter(self.kernel.function, values, None)?;
        }
        loop {
            let mut progress = false;
            // Arrivals only grow, so whoever may go on now may go on later in this round.
            let arrived =
                self.items.iter().filter(|item| item.state != State::Returned).map(|item| item.arrivals).min();
            for index in 0..self.items.len() {
                let ready = match self.items[index].state {
                    State::Running => true,
                    State::Arrived(count) => arrived.is_none_or(|arrived| arrived >= count),
                    State::Named { barrier, opened } => self.named_barriers[barrier].opened > opened,
                    State::Waiting { .. } | State::Meeting | State::Returned => false,
                };
                if ready {
                    self.current = index;
                    self.run_item()?;
                    progress = true;
                }
            }
            progress |= self.meet_in_sub_groups()?;
            if !progress && !self.open()? {
                return Ok(());
            }
        }
    }

    /// In each sub-group those work-items go on that are the farthest behind: at the end of a turn of a loop, or at an
    /// instruction at which they meet. The others wait for them, as they may come to where these are. False if none waits.
    fn meet_in_sub_groups(&mut self) -> Result<bool, Fault> {
        let size = self.group.sub_group_size as usize;
        let mut progress = false;
        for first in (0..self.items.len()).step_by(size) {
            let all = first..self.items.len().min(first + size);
            if all.clone().any(|index| self.items[index].state == State::Running) {
                // It was only made to let others go on, and may come to where these are.
                continue;
            }
            let waiting = || all.clone().filter(|index| self.items[*index].state == State::Meeting);
            let Some(place) = waiting().map(|index| &self.items[index].place).min() else { continue };
            let members: Vec<usize> = waiting().filter(|index| self.items[*index].place == *place).collect();
            for member in &members {
                self.items[*member].state = State::Running;
            }
            if let Some((block, index)) = self.items[members[0]].meeting {
                self.meet(block, index, &members)?;
            }
            progress = true;
        }
        Ok(progress)
    }

    /// Lets the work-items go on that wait for each other; false if none is left. Work-items that returned count as
    /// arrived; the others must all wait at one instruction.
    fn open(&mut self) -> Result<bool, Fault> {
        let mut waiting = self.items.iter().map(|item| item.state).filter(|state| *state != State::Returned);
        let Some(first) = waiting.next() else { return Ok(false) };
        let State::Waiting { block, index } = first else { return Err(Fault::DivergentBarrier) };
        if waiting.any(|state| state != first) {
            return Err(Fault::DivergentBarrier);
        }
        let members: Vec<usize> =
            (0..self.items.len()).filter(|index| self.items[*index].state != State::Returned).collect();
        self.meet(block, index, &members)?;
        for item in self.items.iter_mut().filter(|item| item.state == first) {
            item.state = State::Running;
        }
        Ok(true)
    }

    fn argument_values(&mut self, signature: &KernelSignature, block: &[u8]) -> Result<Vec<Value>, Fault> {
        let program = self.program;
        let function = program.module().function(signature.function).ok_or(Fault::Malformed("no entry point"))?;
        let mut values = Vec::new();
        for (argument, parameter) in signature.arguments.iter().zip(&function.parameters) {
            let start = argument.offset as usize;
            let bytes = block
                .get(start..start + argument.size as usize)
                .ok_or(Fault::Malformed("the argument block is too short"))?;
            values.push(match argument.kind {
                ArgumentKind::Value => program.value_of(bytes, parameter.ty)?,
                ArgumentKind::Global | ArgumentKind::Constant | ArgumentKind::Image(_) | ArgumentKind::Sampler => {
                    Value::Scalar(word(bytes))
                }
                ArgumentKind::Local { .. } => Value::Scalar(LOCAL + word(bytes)),
                ArgumentKind::ByValue => {
                    let private = &mut self.items[self.current].private;
                    let offset = private.len().next_multiple_of(argument.align.max(1) as usize);
                    private.resize(offset, 0);
                    private.extend_from_slice(bytes);
                    Value::Scalar(PRIVATE + offset as u64)
                }
            });
        }
        Ok(values)
    }
}
