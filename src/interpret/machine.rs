//! The machine: work-items of one work-group, and the dispatch of their instructions.

use oxicl_spirv::grammar::{Decoration, FunctionParameterAttribute, Op};
use oxicl_spirv::{BlockRef, Def, Id, Instruction, Intrinsic, Module, Operand, Type, TypeRef};

use crate::Fault;
use crate::constant::Constants;
use crate::group::Group;
use crate::kernel::Kernel;
use crate::memory::Memory;
use crate::program::Program;
use crate::value::Value;

/// An activation of a function.
pub(crate) struct Frame {
    function: u32,
    block: u32,
    next: usize,
    /// The block that control came from, for OpPhi.
    previous: Option<Id>,
    values: Vec<Option<Value>>,
    /// Where the caller wants the result.
    result: Option<Id>,
    /// Size of private memory when the frame was entered.
    private_mark: usize,
}

/// What a work-item is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    /// Waits for all others at the instruction at which the group meets.
    Waiting {
        block: BlockRef,
        index: usize,
    },
    /// Waits for those of its sub-group that come to the same place.
    Meeting,
    /// Waits until all others have arrived so often.
    Arrived(u64),
    /// Waits until a named barrier opens that has opened so often.
    Named {
        barrier: usize,
        opened: u64,
    },
    Returned,
}

/// A named barrier.
pub(crate) struct NamedBarrier {
    /// Sub-groups that it is for.
    pub(crate) wanted: u64,
    /// Sub-groups that have come since it opened last.
    pub(crate) arrived: u64,
    /// How often it has opened.
    pub(crate) opened: u64,
}

/// A work-item.
pub(crate) struct Item {
    pub(crate) frames: Vec<Frame>,
    pub(crate) private: Vec<u8>,
    pub(crate) input: Vec<u8>,
    pub(crate) state: State,
    /// How often it arrived at a split barrier.
    pub(crate) arrivals: u64,
    /// Its operands of the instruction at which the group meets.
    pub(crate) offer: Vec<Value>,
    /// Where it waits for its sub-group: the place of the block, and the instruction, in each active function.
    pub(crate) place: Vec<(u32, usize)>,
    /// The instruction at which it waits for its sub-group; at the end of a turn of a loop there is none.
    pub(crate) meeting: Option<(BlockRef, usize)>,
}

impl Item {
    pub(crate) fn new(input: Vec<u8>) -> Self {
        Item {
            frames: Vec::new(),
            private: Vec::new(),
            input,
            state: State::Running,
            arrivals: 0,
            offer: Vec::new(),
            place: Vec::new(),
            meeting: None,
        }
    }
}

/// A work-group in execution.
pub(crate) struct Machine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) kernel: &'p Kernel,
    pub(crate) constants: &'p Constants,
    pub(crate) memory: &'p mut dyn Memory,
    pub(crate) group: Group,
    pub(crate) local: Vec<u8>,
    pub(crate) items: Vec<Item>,
    pub(crate) named_barriers: Vec<NamedBarrier>,
    pub(crate) current: usize,
    /// Instructions that may still be executed.
    pub(crate) steps: u64,
    /// A work-item prints at most this many bytes at a time.
    pub(crate) print_limit: usize,
    /// Instructions that the launch has executed.
    pub(crate) clock: u64,
}

/// Instructions of one work-item before others go on.
const PATIENCE: u64 = 10_000;

/// Functions that are active in one work-item at most.
const DEEPEST_CALL: usize = 10_000;

impl<'p> Machine<'p> {
    pub(crate) fn module(&self) -> &'p Module {
        self.program.module()
    }

    fn frame(&self) -> Result<&Frame, Fault> {
        self.items[self.current].frames.last().ok_or(Fault::Malformed("no frame"))
    }

    fn frame_mut(&mut self) -> Result<&mut Frame, Fault> {
        self.items[self.current].frames.last_mut().ok_or(Fault::Malformed("no frame"))
    }

    /// Runs the current work-item until it waits or returns, or others are to go on: it may be in a loop that waits for them.
    pub(crate) fn run_item(&mut self) -> Result<(), Fault> {
        self.items[self.current].state = State::Running;
        let end = self.steps.saturating_sub(PATIENCE);
        while self.items[self.current].state == State::Running && (self.steps > end || end == 0) {
            self.steps = self.steps.checked_sub(1).ok_or(Fault::StepLimit)?;
            self.clock += 1;
            let frame = self.frame_mut()?;
            let (function, block, index) = (frame.function, frame.block, frame.next);
            frame.next += 1;
            let inst = self
                .module()
                .functions
                .get(function as usize)
                .and_then(|function| function.blocks.get(block as usize))
                .and_then(|block| block.instructions.get(index))
                .ok_or(Fault::Malformed("control ran off a block"))?;
            self.step(inst, BlockRef { function, block }, index)?;
        }
        Ok(())
    }

    /// Enters a function with its arguments.
    pub(crate) fn enter(&mut self, index: u32, arguments: Vec<Value>, result: Option<Id>) -> Result<(), Fault> {
        let function = self.module().functions.get(index as usize).ok_or(Fault::Malformed("a call of no function"))?;
        if function.blocks.is_empty() {
            return Err(Fault::Malformed("a call of a declaration"));
        }
        if self.items[self.current].frames.len() >= DEEPEST_CALL {
            return Err(Fault::Memory);
        }
        let mut values = vec![None; self.program.slot_count(index)];
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            if let Some(slot) = values.get_mut(self.program.slot(parameter.id)) {
                *slot = Some(argument);
            }
        }
        let item = &mut self.items[self.current];
        let private_mark = item.private.len();
        item.frames.push(Frame { function: index, block: 0, next: 0, previous: None, values, result, private_mark });
        Ok(())
    }

    fn leave(&mut self, value: Option<Value>) -> Result<(), Fault> {
        let item = &mut self.items[self.current];
        let frame = item.frames.pop().ok_or(Fault::Malformed("no frame"))?;
        if item.frames.is_empty() {
            item.state = State::Returned;
            return Ok(());
        }
        item.private.truncate(frame.private_mark);
        match (frame.result, value) {
            (Some(result), Some(value)) => self.define(result, value),
            _ => Ok(()),
        }
    }

    pub(crate) fn define(&mut self, id: Id, value: Value) -> Result<(), Fault> {
        let slot = self.program.slot(id);
        *self.frame_mut()?.values.get_mut(slot).ok_or(Fault::Malformed("no slot"))? = Some(value);
        Ok(())
    }

    /// The value of an id.
    pub(crate) fn value(&self, id: Id) -> Result<Value, Fault> {
        match self.module().def(id) {
            Def::Constant(constant) => self.constants.value(constant.0).cloned(),
            Def::Global(_) => self.program.address(self.kernel, id, self.group.program_block).map(Value::Scalar),
            _ => {
                let slot = self.program.slot(id);
                self.frame()?.values.get(slot).cloned().flatten().ok_or(Fault::Malformed("use before definition"))
            }
        }
    }

    /// Operand `index` as an id.
    pub(crate) fn operand_id(&self, inst: &Instruction, index: usize) -> Result<Id, Fault> {
        inst.id(self.module(), index).ok_or(Fault::Malformed("an id operand is missing"))
    }

    /// Value of operand `index`.
    pub(crate) fn operand(&self, inst: &Instruction, index: usize) -> Result<Value, Fault> {
        self.value(self.operand_id(inst, index)?)
    }

    /// Type of operand `index`.
    pub(crate) fn operand_type(&self, inst: &Instruction, index: usize) -> Result<TypeRef, Fault> {
        let id = self.operand_id(inst, index)?;
        self.module().type_of(id).ok_or(Fault::Malformed("an operand has no type"))
    }

    /// Result type.
    pub(crate) fn result_type_ref(&self, inst: &Instruction) -> Result<TypeRef, Fault> {
        inst.result_type.ok_or(Fault::Malformed("no result type"))
    }

    /// Declaration of the result type.
    pub(crate) fn result_type(&self, inst: &Instruction) -> Result<&'p Type, Fault> {
        Ok(self.module().ty(self.result_type_ref(inst)?))
    }

    /// Width, in bits, of a scalar type or of a vector's components.
    pub(crate) fn element_width(&self, ty: TypeRef) -> Result<u32, Fault> {
        self.program.element_width(ty)
    }

    /// Width of the result's components, in bits.
    pub(crate) fn result_width(&self, inst: &Instruction) -> Result<u32, Fault> {
        self.element_width(self.result_type_ref(inst)?)
    }

    /// Width of an operand's components, in bits.
    pub(crate) fn operand_width(&self, inst: &Instruction, index: usize) -> Result<u32, Fault> {
        self.element_width(self.operand_type(inst, index)?)
    }

    /// Operand words of a decoration of the result, if it has it.
    pub(crate) fn decoration(&self, inst: &Instruction, decoration: Decoration) -> Option<&'p [u32]> {
        let decorations = self.module().decorations_of(inst.result?);
        decorations.iter().find(|d| d.decoration == decoration).map(|d| d.operands.as_slice())
    }

    /// Executes an instruction.
    pub(crate) fn step(&mut self, inst: &'p Instruction, block: BlockRef, index: usize) -> Result<(), Fault> {
        match inst.op {
            Op::Branch => self.jump(self.operand_id(inst, 0)?),
            Op::BranchConditional => {
                let taken = self.operand(inst, 0)?.scalar()? != 0;
                self.jump(self.operand_id(inst, if taken { 1 } else { 2 })?)
            }
            Op::Switch => self.switch(inst),
            Op::Return => self.leave(None),
            Op::ReturnValue => {
                let value = self.operand(inst, 0)?;
                self.leave(Some(value))
            }
            Op::Unreachable => Err(Fault::Unreachable),
            Op::FunctionCall => self.call(inst),
            op if crate::collective::meets(op) => self.arrive(inst, block, index),
            Op::Phi => self.phis(block, index),
            Op::Nop
            | Op::MemoryBarrier
            | Op::LoopMerge
            | Op::LoopControlINTEL
            | Op::SelectionMerge
            | Op::LifetimeStart
            | Op::LifetimeStop
            | Op::AssumeTrueKHR
            | Op::NoLine
            | Op::Line => Ok(()),
            Op::ControlBarrierArriveINTEL => {
                self.items[self.current].arrivals += 1;
                Ok(())
            }
            Op::ControlBarrierWaitINTEL => {
                let item = &mut self.items[self.current];
                item.state = State::Arrived(item.arrivals);
                Ok(())
            }
            Op::ImageWrite => self.write_image(inst),
            Op::SubgroupImageBlockWriteINTEL => self.image_block_write(inst),
            Op::Store
            | Op::CopyMemory
            | Op::CopyMemorySized
            | Op::AtomicStore
            | Op::AtomicFlagClear
            | Op::RestoreMemoryINTEL
            | Op::MaskedScatterINTEL
            | Op::SubgroupBlockWriteINTEL => self.effect(inst),
            _ => {
                let value = self.evaluate(inst)?;
                match inst.result {
                    Some(result) => self.define(result, value),
                    None => Err(Fault::Malformed("a value without a result")),
                }
            }
        }
    }

    fn jump(&mut self, label: Id) -> Result<(), Fault> {
        let Def::Block(target) = self.module().def(label) else {
            return Err(Fault::Malformed("a branch to no block"));
        };
        let frame = self.frame()?;
        let current = &self.module().functions[frame.function as usize].blocks[frame.block as usize];
        let previous = Some(current.label);
        let frame = self.frame_mut()?;
        let (function, from, to) = (frame.function, frame.block, target.block);
        frame.previous = previous;
        let again = self.program.place(function, to) <= self.program.place(function, from);
        if again && self.group.sub_group_size > 1 && self.program.place(function, to).is_some() {
            // Another turn of a loop begins with all that are still in it.
            self.wait_for_sub_group(None, usize::MAX);
        }
        let frame = self.frame_mut()?;
        frame.block = to;
        frame.next = 0;
        Ok(())
    }

    /// The current work-item waits for its sub-group, in the current block at an instruction or behind the last one.
    pub(crate) fn wait_for_sub_group(&mut self, meeting: Option<(BlockRef, usize)>, index: usize) {
        let item = &mut self.items[self.current];
        item.state = State::Meeting;
        item.meeting = meeting;
        let place = |frame: &Frame| (self.program.place(frame.function, frame.block).unwrap_or(u32::MAX), frame.next);
        item.place = item.frames.iter().map(place).collect();
        if let Some(last) = item.place.last_mut() {
            last.1 = index;
        }
    }

    fn switch(&mut self, inst: &Instruction) -> Result<(), Fault> {
        let selector = self.operand(inst, 0)?.scalar()?;
        let words_a_literal = if self.operand_width(inst, 0)? > 32 { 2 } else { 1 };
        let operands = inst.operands(self.module());
        let mut target = self.operand_id(inst, 1)?;
        let width = self.operand_width(inst, 0)?;
        for case in operands.get(2..).unwrap_or(&[]).chunks_exact(words_a_literal + 1) {
            let literal = case[..words_a_literal].iter().rev().fold(0u64, |literal, operand| match operand {
                Operand::Word(word) => (literal << 32) | u64::from(*word),
                Operand::Id(_) => literal,
            });
            if let (true, Operand::Id(label)) =
                (crate::value::truncate(literal, width) == selector, case[words_a_literal])
            {
                target = label;
                break;
            }
        }
        self.jump(target)
    }

    fn call(&mut self, inst: &Instruction) -> Result<(), Fault> {
        let callee = self.operand_id(inst, 0)?;
        let index = self.program.function(callee)?;
        let arguments = (1..inst.operands(self.module()).len())
            .map(|index| self.operand(inst, index))
            .collect::<Result<Vec<_>, _>>()?;
        let declaration = self.module().function(callee).is_some_and(|function| function.blocks.is_empty());
        if declaration && let Some(intrinsic) = Intrinsic::of(self.module(), callee) {
            if intrinsic == Intrinsic::Fence {
                return Ok(());
            }
            let (from, to) = (self.operand_width(inst, 1)?, self.result_width(inst)?);
            let value = crate::intrinsic::call(intrinsic, &arguments, from, to)?;
            return self.define(inst.result.ok_or(Fault::Malformed("a call without result"))?, value);
        }
        self.enter(index, arguments, inst.result)?;
        self.copy_by_value(index)
    }

    /// "A hidden copy of the pointee is made between the caller and the callee."
    fn copy_by_value(&mut self, function: u32) -> Result<(), Fault> {
        let module = self.module();
        let parameters = module.functions.get(function as usize).map_or(&[][..], |function| &function.parameters);
        for parameter in parameters {
            if module.has_parameter_attribute(parameter.id, FunctionParameterAttribute::ByVal) {
                let pointee = self.program.pointee(parameter.ty)?;
                let (size, original) = (self.program.size(pointee)?, self.value(parameter.id)?.scalar()?);
                let declared = u64::from(module.alignment(parameter.id).unwrap_or(1));
                let copy = self.allocate(size, self.program.align(pointee)?.max(declared))?;
                self.copy(copy, original, size)?;
                self.define(parameter.id, Value::Scalar(copy))?;
            }
        }
        Ok(())
    }

    /// All OpPhi of a block at once: they read values from before any of them.
    fn phis(&mut self, block: BlockRef, index: usize) -> Result<(), Fault> {
        let module = self.module();
        let instructions = &module.functions[block.function as usize].blocks[block.block as usize].instructions;
        let previous = self.frame()?.previous.ok_or(Fault::Malformed("a phi in an entry block"))?;
        let phis: Vec<&Instruction> = instructions[index..].iter().take_while(|inst| inst.op == Op::Phi).collect();
        let mut values = Vec::with_capacity(phis.len());
        for phi in &phis {
            let incoming = phi.operands(module).chunks_exact(2).find_map(|pair| match pair {
                [Operand::Id(value), Operand::Id(label)] if *label == previous => Some(*value),
                _ => None,
            });
            values.push(self.value(incoming.ok_or(Fault::Malformed("a phi without its predecessor"))?)?);
        }
        for (phi, value) in phis.iter().zip(values) {
            self.define(phi.result.ok_or(Fault::Malformed("a phi without result"))?, value)?;
        }
        self.frame_mut()?.next = index + phis.len();
        Ok(())
    }
}
