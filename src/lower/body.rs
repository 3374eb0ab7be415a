//! A function being lowered: its values, its blocks, and what every instruction needs.

use std::collections::HashMap;

use oxicl_llvm::{Block, Builder, FastMath, Place, Type as LlvmType, Value};
use oxicl_ops::Query;
use oxicl_spirv::{Def, Id, Instruction, Operand, Type, TypeRef};
use spirv::{Decoration, FPFastMathMode};

use crate::refusal::{Refusal, Result};
use crate::unit::{Effects, Unit};

/// A function being lowered.
pub(crate) struct Body<'u, 'a> {
    pub unit: &'u Unit<'a>,
    /// Inserts at the end of the current block.
    pub builder: Builder<'a>,
    pub function: Value<'a>,
    /// Holds allocas and what is computed once; goes to the first block.
    pub prologue: Block<'a>,
    /// The LLVM block of each reachable OpLabel.
    pub blocks: HashMap<Id, Block<'a>>,
    /// Phis to complete when all blocks exist.
    pub phis: Vec<(Value<'a>, Instruction)>,
    /// Memory for arrays of variable length, and how much of it is taken, once there is such an array.
    pub arrays: Option<(Value<'a>, Value<'a>)>,
    values: HashMap<Id, Value<'a>>,
}

impl<'u, 'a> Body<'u, 'a> {
    /// Calls an operation that the work-group stage answers, by its [`Operation::name`](oxicl_ops::Operation::name), or
    /// [`name_for`](oxicl_ops::Operation::name_for) a type. Work-items come to it together.
    pub(crate) fn call_operation(
        &self,
        name: &str,
        result: LlvmType<'a>,
        arguments: &[Value<'a>],
        effects: Effects,
    ) -> Value<'a> {
        let parameters: Vec<_> = arguments.iter().map(|argument| argument.ty()).collect();
        let function = self.unit.declare(name, result.function(&parameters), effects);
        let call = self.builder.call(function, arguments);
        self.unit.add_attribute(call, Place::Function, "convergent", 0);
        call
    }

    /// A function with no block but the prologue.
    pub fn new(unit: &'u Unit<'a>, function: Value<'a>) -> Self {
        let prologue = function.append_block(unit.context, "prologue");
        let builder = unit.builder();
        builder.position_at_end(prologue);
        Body {
            unit,
            builder,
            function,
            prologue,
            blocks: HashMap::new(),
            phis: Vec::new(),
            arrays: None,
            values: HashMap::new(),
        }
    }

    /// Adds the LLVM block of a reachable label.
    pub fn add_block(&mut self, label: Id) {
        let block = self.function.append_block(self.unit.context, "");
        self.blocks.insert(label, block);
    }

    /// The LLVM block of a label that is the target of a reachable branch.
    pub fn block(&self, label: Id) -> Result<Block<'a>> {
        self.blocks.get(&label).copied().ok_or_else(|| Refusal::new(format!("{label} is no block of this function")))
    }

    /// Names the value of a result id.
    pub fn set(&mut self, id: Id, value: Value<'a>) {
        self.values.insert(id, value);
    }

    /// Names the value of an instruction's result.
    pub fn define(&mut self, instruction: &Instruction, value: Value<'a>) -> Result<()> {
        if let Some(id) = instruction.result {
            self.values.insert(id, value);
        }
        Ok(())
    }

    /// The value of an id, in register form.
    pub fn value(&mut self, id: Id) -> Result<Value<'a>> {
        if let Some(value) = self.values.get(&id) {
            return Ok(*value);
        }
        let value = match self.unit.module.def(id) {
            Def::Constant(_) => match self.unit.constants.get(self.unit, id) {
                Some(value) => return Ok(value),
                None => self.runtime_constant(id)?,
            },
            Def::Global(_) if self.unit.module.built_in(id).is_some() => crate::builtin_variables::address(self, id)?,
            Def::Global(_) => match self.unit.block_offset(id) {
                Some(offset) => self.in_prologue(|body| body.program_variable(id, offset))?,
                None => return self.unit.global(id),
            },
            Def::Function(_) => return self.unit.function(id),
            _ => return Err(Refusal::new(format!("{id} is used before it is defined"))),
        };
        self.values.insert(id, value);
        Ok(value)
    }

    /// Builds something in the prologue, where it dominates every block.
    pub fn in_prologue<T>(&mut self, build: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let here = self.builder.block();
        self.builder.position_at_end(self.prologue);
        let built = build(self);
        if let Some(block) = here {
            self.builder.position_at_end(block);
        }
        built
    }

    /// The address of a program-scope variable.
    fn program_variable(&mut self, id: Id, offset: u64) -> Result<Value<'a>> {
        let context = self.unit.context;
        let ty = context.pointer_type(1).function(&[]);
        let block = self.unit.declare_query(Query::ProgramBlock, ty);
        let base = self.builder.call(block, &[]);
        let address = self.builder.byte_offset(base, context.int_type(64).const_int(offset));
        // Constant variables may live in the block too, when they hold the address of one that does.
        let pointer = self.unit.module.type_of(id).map(|ty| self.unit.ty(ty)).transpose()?;
        Ok(match pointer {
            Some(ty) if ty.register != address.ty() => self.builder.addrspace_cast(address, ty.register),
            _ => address,
        })
    }

    /// A constant that depends on the address of a program-scope variable: all of those in module order, which is the
    /// order of dependence.
    fn runtime_constant(&mut self, wanted: Id) -> Result<Value<'a>> {
        let module = self.unit.module;
        self.in_prologue(|body| {
            for constant in &module.constants {
                if body.values.contains_key(&constant.id) || body.unit.constants.get(body.unit, constant.id).is_some() {
                    continue;
                }
                // One that cannot be built matters only if it is wanted.
                if let Ok(value) = body.build_constant(constant) {
                    body.values.insert(constant.id, value);
                }
                if constant.id == wanted {
                    break;
                }
            }
            body.values
                .get(&wanted)
                .copied()
                .ok_or_else(|| Refusal { id: Some(wanted), ..Refusal::new("this constant is not supported") })
        })
    }

    fn build_constant(&mut self, constant: &oxicl_spirv::Constant) -> Result<Value<'a>> {
        use oxicl_spirv::ConstantKind;
        match &constant.kind {
            ConstantKind::Composite(parts) => {
                let mut value = self.unit.ty(constant.ty)?.register.zero();
                for (index, part) in parts.iter().enumerate() {
                    if !self.values.contains_key(part)
                        && self.unit.constants.get(self.unit, *part).is_none()
                        && self.unit.block_offset(*part).is_none()
                    {
                        return Err(Refusal::new("a part of the constant is not supported"));
                    }
                    let part = self.value(*part)?;
                    value = crate::composite::insert(self, constant.ty, value, part, &[index as u32])?;
                }
                Ok(value)
            }
            ConstantKind::Operation { op, operands } => {
                let instruction = Instruction {
                    op: *op,
                    result_type: Some(constant.ty),
                    result: Some(constant.id),
                    operands: *operands,
                    offset: constant.offset,
                };
                crate::dispatch::instruction(self, &instruction)?;
                self.values.get(&constant.id).copied().ok_or_else(|| Refusal::new("the operation gives no value"))
            }
            _ => Err(Refusal::new("this constant is not supported")),
        }
    }

    /// Operand `index` as an id.
    pub fn id(&self, instruction: &Instruction, index: usize) -> Result<Id> {
        instruction.id(self.unit.module, index).ok_or_else(|| Refusal::new(format!("operand {index} is no id")))
    }

    /// Operand `index` as a literal.
    pub fn word(&self, instruction: &Instruction, index: usize) -> Result<u32> {
        instruction.word(self.unit.module, index).ok_or_else(|| Refusal::new(format!("operand {index} is no literal")))
    }

    /// The literals from operand `index` on.
    pub fn words(&self, instruction: &Instruction, index: usize) -> Vec<u32> {
        let operands = instruction.operands(self.unit.module).iter().skip(index);
        operands.filter_map(|o| if let Operand::Word(word) = o { Some(*word) } else { None }).collect()
    }

    /// The value of operand `index`.
    pub fn operand(&mut self, instruction: &Instruction, index: usize) -> Result<Value<'a>> {
        let id = self.id(instruction, index)?;
        self.value(id)
    }

    /// The value of operand `index`, if there is one.
    pub fn optional(&mut self, instruction: &Instruction, index: usize) -> Result<Option<Value<'a>>> {
        instruction.id(self.unit.module, index).map(|id| self.value(id)).transpose()
    }

    /// The values of all id operands from `index` on.
    pub fn operands(&mut self, instruction: &Instruction, index: usize) -> Result<Vec<Value<'a>>> {
        let operands = instruction.operands(self.unit.module);
        let ids = operands.iter().skip(index).filter_map(|o| if let Operand::Id(id) = o { Some(*id) } else { None });
        ids.collect::<Vec<_>>().into_iter().map(|id| self.value(id)).collect()
    }

    /// The SPIR-V type of an instruction's result.
    pub fn result_ref(&self, instruction: &Instruction) -> Result<TypeRef> {
        instruction.result_type.ok_or_else(|| Refusal::new("there is no result type"))
    }

    /// The register form of an instruction's result type.
    pub fn result_type(&self, instruction: &Instruction) -> Result<LlvmType<'a>> {
        Ok(self.unit.ty(self.result_ref(instruction)?)?.register)
    }

    /// The SPIR-V type of operand `index`.
    pub fn operand_ref(&self, instruction: &Instruction, index: usize) -> Result<TypeRef> {
        let id = self.id(instruction, index)?;
        self.unit.module.type_of(id).ok_or_else(|| Refusal::new(format!("{id} has no type")))
    }

    /// What the pointer operand `index` points to.
    pub fn pointee(&self, instruction: &Instruction, index: usize) -> Result<TypeRef> {
        self.pointee_of(self.operand_ref(instruction, index)?)
    }

    /// What a pointer type points to.
    pub fn pointee_of(&self, ty: TypeRef) -> Result<TypeRef> {
        match self.unit.module.ty(ty) {
            Type::Pointer { pointee, .. } => Ok(*pointee),
            _ => Err(Refusal::new("the operand is no pointer")),
        }
    }

    /// The unsigned value of operand `index`, a constant.
    pub fn constant(&self, instruction: &Instruction, index: usize) -> Option<u64> {
        self.unit.module.constant_bits(instruction.id(self.unit.module, index)?)
    }

    /// A constant of the shape of `ty` (a scalar or vector of integers) with every element `value`.
    pub fn splat(&self, ty: LlvmType<'a>, value: u64) -> Value<'a> {
        self.repeat(ty, ty.scalar().const_int(value))
    }

    /// The same for a floating-point type.
    pub fn splat_float(&self, ty: LlvmType<'a>, value: f64) -> Value<'a> {
        self.repeat(ty, ty.scalar().const_float(value))
    }

    /// Booleans, one for each element of `ty`.
    pub fn splat_bool(&self, ty: LlvmType<'a>, value: bool) -> Value<'a> {
        self.repeat(ty, self.unit.context.int_type(1).const_int(u64::from(value)))
    }

    /// A constant vector of the length of `ty`, or the scalar itself.
    fn repeat(&self, ty: LlvmType<'a>, scalar: Value<'a>) -> Value<'a> {
        if ty.is_vector() {
            let elements = vec![scalar; ty.length() as usize];
            self.unit.context.const_vector(&elements)
        } else {
            scalar
        }
    }

    /// A scalar in every element of a vector type; the scalar itself if `ty` is none.
    pub fn broadcast(&self, ty: LlvmType<'a>, scalar: Value<'a>) -> Value<'a> {
        if !ty.is_vector() || scalar.ty().is_vector() {
            return scalar;
        }
        let mut vector = ty.zero();
        for index in 0..ty.length() {
            vector = self.builder.insert_element(vector, scalar, self.index(index));
        }
        vector
    }

    /// A constant index of a vector element.
    pub fn index(&self, index: u64) -> Value<'a> {
        self.unit.context.int_type(32).const_int(index)
    }

    /// Calls an LLVM intrinsic.
    pub fn intrinsic(&self, name: &str, overloads: &[LlvmType<'a>], arguments: &[Value<'a>]) -> Result<Value<'a>> {
        let function = self
            .unit
            .out
            .intrinsic(name, overloads)
            .ok_or_else(|| Refusal::new(format!("internal error: LLVM has no {name}")))?;
        Ok(self.builder.call(function, arguments))
    }

    /// Calls an intrinsic overloaded on the type of its first argument only.
    pub fn intrinsic_like(&self, name: &str, arguments: &[Value<'a>]) -> Result<Value<'a>> {
        let Some(first) = arguments.first() else { return Err(Refusal::new("internal error: no argument")) };
        self.intrinsic(name, &[first.ty()], arguments)
    }

    /// Applies a scalar operation to each element of vectors, or once to scalars. Scalars among the arguments of a
    /// vector operation are the same for every element.
    pub fn each(
        &mut self,
        result: LlvmType<'a>,
        arguments: &[Value<'a>],
        mut operation: impl FnMut(&mut Self, &[Value<'a>]) -> Result<Value<'a>>,
    ) -> Result<Value<'a>> {
        if !result.is_vector() {
            return operation(self, arguments);
        }
        let mut vector = result.zero();
        for lane in 0..result.length() {
            let index = self.index(lane);
            let scalars: Vec<_> = arguments
                .iter()
                .map(|a| if a.ty().is_vector() { self.builder.extract_element(*a, index) } else { *a })
                .collect();
            let element = operation(self, &scalars)?;
            vector = self.builder.insert_element(vector, element, index);
        }
        Ok(vector)
    }

    /// The fast-math flags of an instruction: its decoration, the build options, and contraction where it is on.
    pub fn fast_math(&self, instruction: &Instruction) -> FastMath {
        let mut flags = self.unit.fast_math;
        if self.unit.contract {
            flags = flags.union(FastMath::CONTRACT);
        }
        let decoration = instruction.result.and_then(|id| self.unit.module.decoration(id, Decoration::FPFastMathMode));
        let mode = decoration.and_then(|d| d.operands.first()).copied().unwrap_or(0);
        let table = [
            (FPFastMathMode::NOT_NAN, FastMath::NO_NANS),
            (FPFastMathMode::NOT_INF, FastMath::NO_INFS),
            (FPFastMathMode::NSZ, FastMath::NO_SIGNED_ZEROS),
            (FPFastMathMode::ALLOW_RECIP, FastMath::RECIPROCAL),
            (FPFastMathMode::FAST, FastMath::ALL),
            (FPFastMathMode::ALLOW_CONTRACT, FastMath::CONTRACT),
            (FPFastMathMode::ALLOW_REASSOC, FastMath::REASSOC),
            (FPFastMathMode::ALLOW_TRANSFORM, FastMath::REASSOC.union(FastMath::CONTRACT)),
        ];
        for (bit, flag) in table {
            if mode & bit.bits() != 0 {
                flags = flags.union(flag);
            }
        }
        flags
    }

    /// Defines a floating-point result and gives the operation its flags.
    pub fn define_float(&mut self, instruction: &Instruction, value: Value<'a>) -> Result<()> {
        value.set_fast_math(self.fast_math(instruction));
        self.define(instruction, value)
    }
}
