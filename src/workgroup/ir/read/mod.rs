//! Reads LLVM's IR. This is the one place before `emit` that asks LLVM what a value is.

mod instruction;

use std::collections::HashMap;
use std::rc::Rc;

use oxicl_llvm::{Block as LlvmBlock, Place, Type as LlvmType, TypeKind, Value, ValueKind};
use oxicl_ops::{Operation, attribute};

use crate::failure::{OrFail, Result, failure};
use crate::ir::constant::{Constant, ConstantKind, Expression, Global};
use crate::ir::instruction::{Handle, Inst, Kind, Operand};
use crate::ir::types::{Scalar, Struct, Type};
use crate::ir::{Block, BlockId, ConstantId, Function, Gather, InstId, Label, Opcode, Parameter, StateId, Terminator};
use crate::prices::Prices;

pub(super) use instruction::{Class, class_of_call, of_fibers};
use instruction::{classify, detail};

/// Reads a function.
pub(crate) fn read<'m>(function: Value<'m>, prices: &Rc<Prices>) -> Result<Function<'m>> {
    read_as(function, prices, false)
}

impl<'m> Function<'m> {
    /// Reads the function once more, for a caller that changes it. All decisions may be taken for it.
    pub(crate) fn again(&self) -> Result<Function<'m>> {
        read(*self.llvm, &self.prices)
    }

    /// The same for fibers.
    pub(crate) fn again_for_fibers(&self) -> Result<Function<'m>> {
        read_as(*self.llvm, &self.prices, true)
    }
}

fn read_as<'m>(value: Value<'m>, prices: &Rc<Prices>, in_fibers: bool) -> Result<Function<'m>> {
    let asks_storage_class = value.function_beside(&Operation::StorageClass.name()).is_some_and(Value::has_uses);
    let mut reader = Reader {
        ids: HashMap::new(),
        first: HashMap::new(),
        last: HashMap::new(),
        parameters: HashMap::new(),
        constants: HashMap::new(),
        function: Function {
            name: value.name(),
            result: value.value_type().and_then(LlvmType::return_type).map_or(Type::Void, type_of),
            in_fibers,
            asks_storage_class,
            ..Function::empty(prices, Handle::new(value))
        },
        numbers: 0,
        collectives: 0,
    };
    reader.read_parameters(value);
    let blocks = value.blocks();
    for block in &blocks {
        reader.split(*block)?;
    }
    for block in &blocks {
        reader.connect(*block)?;
    }
    reader.resolve()?;
    let mut function = reader.function;
    super::finish(&mut function);
    if cfg!(debug_assertions)
        && let Err(why) = function.verify()
    {
        return failure(format!("{} was read wrongly: {why}", function.name));
    }
    Ok(function)
}

struct Reader<'m> {
    ids: HashMap<Value<'m>, InstId>,
    /// First block of ours for each of LLVM's.
    first: HashMap<LlvmBlock<'m>, BlockId>,
    /// Last block of ours for each of LLVM's.
    last: HashMap<LlvmBlock<'m>, BlockId>,
    parameters: HashMap<Value<'m>, u32>,
    constants: HashMap<Value<'m>, ConstantId>,
    function: Function<'m>,
    /// How many values without a name were read so far: LLVM numbers these.
    numbers: u32,
    /// Collective operations of fibers so far.
    collectives: u32,
}

impl<'m> Reader<'m> {
    fn read_parameters(&mut self, function: Value<'m>) {
        for (index, value) in (0..).zip(function.parameters()) {
            let attribute = |name| function.attribute(Place::Parameter(index), name);
            let number = |name| attribute(name).map_or(0, |attribute| attribute.value());
            self.parameters.insert(value, index);
            let parameter = Parameter {
                ty: type_of(value.ty()),
                label: self.label(&value.name()),
                is_noalias: attribute("noalias").is_some(),
                by_value: attribute("byval").and_then(|of| of.ty()).map(type_of),
                is_result: attribute("sret").is_some(),
                align: number("align"),
                dereferenceable: number("dereferenceable"),
                llvm: Handle::new(value),
            };
            self.function.parameters.push(parameter);
        }
    }

    fn new_block(&mut self) -> BlockId {
        let id = BlockId(self.function.blocks.len() as u32);
        self.function.blocks.push(Block { insts: Vec::new(), terminator: Terminator::Unreachable });
        id
    }

    /// The label of a value with this name in LLVM, or the next number if that is empty.
    fn label(&mut self, name: &str) -> Label {
        if !name.is_empty() {
            return Label::Name(name.into());
        }
        self.numbers += 1;
        Label::Number(self.numbers - 1)
    }

    /// Makes blocks and instructions of one of LLVM's blocks, without operands and successors.
    fn split(&mut self, block: LlvmBlock<'m>) -> Result<()> {
        let mut current = self.new_block();
        self.first.insert(block, current);
        self.label(&block.name());
        for value in block.instructions() {
            let Some(opcode) = value.opcode() else { continue };
            if value.is_terminator() {
                continue;
            }
            let ty = type_of(value.ty());
            let label = if ty == Type::Void { Label::None } else { self.label(&value.name()) };
            let id = InstId(self.function.insts.len() as u32);
            let kind = match classify(value, opcode)? {
                Class::Keep(kind) => kind,
                Class::Drop => continue,
                Class::Cut(collective) if self.function.in_fibers => of_fibers(collective, &mut self.collectives),
                Class::Cut(collective) => {
                    let state = StateId(self.function.states.len() as u32);
                    let gather = collective.map(|collective| Gather { collective, operands: Vec::new(), result: id });
                    let cut = Terminator::Cut { state, gather, llvm: Handle::new(value) };
                    self.function.blocks[current.index()].terminator = cut;
                    current = self.new_block();
                    self.function.states.push(current);
                    if collective.is_none() {
                        continue;
                    }
                    Kind::Gathered(state)
                }
            };
            let (detail, llvm) = (detail(value, opcode), Handle::new(value));
            let inst = Inst { opcode, kind, block: current, operands: Vec::new(), ty, detail, label, llvm };
            self.function.insts.push(inst);
            self.function.blocks[current.index()].insts.push(id);
            self.ids.insert(value, id);
        }
        self.last.insert(block, current);
        Ok(())
    }

    /// Reads the terminator of one of LLVM's blocks.
    fn connect(&mut self, block: LlvmBlock<'m>) -> Result<()> {
        let value = block.terminator().or_fail("a block without end")?;
        let last = self.last[&block];
        let terminator = match value.opcode() {
            Some(Opcode::Ret) => match value.operand(0) {
                Some(result) => Terminator::Return(Some(self.operand(result)?)),
                None => Terminator::Return(None),
            },
            Some(Opcode::Unreachable) => Terminator::Unreachable,
            Some(opcode @ (Opcode::Br | Opcode::Switch)) => {
                let condition = if opcode == Opcode::Switch { value.operand(0) } else { value.condition() };
                Terminator::Branch {
                    condition: condition.map(|condition| self.operand(condition)).transpose()?,
                    successors: value.successors().iter().map(|block| self.first[block]).collect(),
                    cases: value.switch_cases().into_iter().map(|(case, _)| self.constant(case, 0)).collect(),
                    weights: value.branch_weights(),
                    llvm: Handle::new(value),
                }
            }
            other => return failure(format!("a terminator {other:?}")),
        };
        self.function.blocks[last.index()].terminator = terminator;
        Ok(())
    }

    fn operand(&mut self, value: Value<'m>) -> Result<Operand> {
        Ok(match value.kind() {
            ValueKind::Instruction => match self.ids.get(&value) {
                Some(id) => Operand::Inst(*id),
                None => return failure(format!("a use of {value}, which is no value")),
            },
            ValueKind::Parameter => Operand::Parameter(self.parameters[&value]),
            ValueKind::Constant | ValueKind::Function | ValueKind::GlobalVariable => {
                Operand::Constant(self.constant(value, 0))
            }
            ValueKind::Block | ValueKind::Metadata | ValueKind::Other => Operand::Opaque,
        })
    }

    fn all_operands(&mut self, values: Vec<Value<'m>>) -> Result<Vec<Operand>> {
        values.into_iter().map(|value| self.operand(value)).collect()
    }

    /// Fills in the operands of all instructions.
    fn resolve(&mut self) -> Result<()> {
        for index in 0..self.function.insts.len() {
            let inst = &self.function.insts[index];
            let value = *inst.llvm;
            let (values, phi) = match &inst.kind {
                Kind::Phi(_) => {
                    let incoming = value.incoming();
                    let blocks = incoming.iter().map(|(_, block)| self.last[block]).collect();
                    (incoming.into_iter().map(|(value, _)| value).collect(), Some(Kind::Phi(blocks)))
                }
                Kind::Gathered(_) => continue,
                Kind::Collective(..) => (value.arguments(), None),
                _ => (value.operands(), None),
            };
            let operands = self.all_operands(values)?;
            let inst = &mut self.function.insts[index];
            inst.operands = operands;
            inst.kind = phi.unwrap_or_else(|| inst.kind.clone());
        }
        for index in 0..self.function.blocks.len() {
            let Terminator::Cut { llvm, gather: Some(_), .. } = &self.function.blocks[index].terminator else {
                continue;
            };
            let given = self.all_operands(llvm.arguments())?;
            if let Terminator::Cut { gather: Some(gather), .. } = &mut self.function.blocks[index].terminator {
                gather.operands = given;
            }
        }
        Ok(())
    }

    /// A constant that is nested in `depth` others.
    fn constant(&mut self, value: Value<'m>, depth: usize) -> ConstantId {
        if let Some(id) = self.constants.get(&value) {
            return *id;
        }
        let constant = Constant { ty: type_of(value.ty()), kind: self.constant_kind(value, depth) };
        let id = ConstantId(self.function.constants.len() as u32);
        self.function.constants.push(constant);
        self.function.llvm_constants.push(Handle::new(value));
        self.constants.insert(value, id);
        id
    }

    fn constant_kind(&mut self, value: Value<'m>, depth: usize) -> ConstantKind {
        use oxicl_llvm::ConstantKind as K;
        /// Bounds on compile time: elements of an aggregate, and depth of nested constants, that are looked into.
        const MOST: u64 = 16;
        const DEEPEST: usize = 8;
        let Some(kind) = value.constant_kind() else { return ConstantKind::Global(Rc::new(global(value))) };
        let known = match kind {
            K::Int => value.as_u128().map(ConstantKind::Int),
            K::Float => value.float_bits().map(ConstantKind::Float),
            K::Null | K::Zero => Some(ConstantKind::Zero),
            K::Undef => Some(ConstantKind::Undef),
            K::Poison => Some(ConstantKind::Poison),
            K::Aggregate if depth < DEEPEST && value.ty().length() <= MOST => {
                let elements = (0..value.ty().length() as u32).map_while(|index| value.constant_element(index));
                Some(ConstantKind::Aggregate(elements.map(|element| self.constant(element, depth + 1)).collect()))
            }
            K::Expression if depth < DEEPEST => value.expression_opcode().map(|opcode| {
                let operands = value.operands().into_iter().map(|operand| self.constant(operand, depth + 1)).collect();
                ConstantKind::Expression(Expression { opcode, source: value.gep_source_type().map(type_of), operands })
            }),
            K::Aggregate | K::Expression => None,
        };
        known.unwrap_or(ConstantKind::Unknown(self.function.constants.len() as u32))
    }
}

fn global(value: Value<'_>) -> Global {
    let is_known = value.is_global_constant() && value.initializer().is_some();
    Global { name: value.name(), content: value.value_type().filter(|_| is_known).map(type_of) }
}

/// A type of LLVM's.
pub(crate) fn type_of(ty: LlvmType<'_>) -> Type {
    let other = || Type::Other(ty.to_string().into());
    match ty.kind() {
        TypeKind::Void => Type::Void,
        TypeKind::Vector => match ty.element().and_then(scalar_of) {
            Some(element) => Type::Vector(element, ty.length() as u32),
            None => other(),
        },
        TypeKind::Array => match ty.element() {
            Some(element) => Type::Array(Rc::new(type_of(element)), ty.length()),
            None => other(),
        },
        TypeKind::Struct => {
            let members = (0..ty.length() as u32).filter_map(|index| ty.member(index)).map(type_of).collect();
            Type::Struct(Rc::new(Struct { members, is_packed: ty.is_packed() }))
        }
        _ => scalar_of(ty).map_or_else(other, Type::Scalar),
    }
}

fn scalar_of(ty: LlvmType<'_>) -> Option<Scalar> {
    Some(match ty.kind() {
        TypeKind::Integer => Scalar::Int(ty.int_width()),
        TypeKind::Half => Scalar::Half,
        TypeKind::BFloat => Scalar::BFloat,
        TypeKind::Float => Scalar::Float,
        TypeKind::Double => Scalar::Double,
        TypeKind::Pointer => Scalar::Pointer(ty.address_space()),
        _ => return None,
    })
}

/// Is a function compiled apart from what calls it?
pub(crate) fn is_apart(function: Value<'_>) -> bool {
    function.is_declaration() && function.attribute_text(Place::Function, attribute::APART).is_some()
}
