//! Gives specialisation constants their final values and folds what depends on them.

mod fold;

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::rc::Rc;

use spirv::{Decoration as Kind, Op};

use crate::error::{DecodeError, DecodeFault};
use crate::instruction::Operand;
use crate::module::{Constant, ConstantKind, Id, Module};
use crate::physical::{RawInstruction, raw_instructions};
use crate::syntax::op_name;
use crate::types::{Type, TypeRef};
pub(crate) use fold::half_to_f64;
use fold::{Scalar, mask, scalar_operation};

/// The most parts that folding may add to a module: each costs a new id.
const MAX_NEW_IDS: u32 = 1 << 20;

/// The most words that a specialised module may have: folding copies composites.
const MAX_WORDS: usize = 1 << 26;

/// A constant that the host may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpecConstant {
    /// The `SpecId`, by which the host names it.
    pub spec_id: u32,
    /// Its result id.
    pub id: Id,
    /// Size of its value as the host gives it, in bytes; 1 for booleans.
    pub size: u32,
}

/// The specialisation constants of a module that have a `SpecId`, in module order.
pub fn spec_constants(module: &Module) -> Vec<SpecConstant> {
    let constants = module.constants.iter().filter(|constant| constant.spec);
    constants
        .filter_map(|constant| {
            let spec_id = spec_id(module, constant)?;
            let size = match module.types.get(constant.ty.0 as usize)? {
                Type::Bool => 1,
                Type::Int { width, .. } | Type::Float { width, .. } => width.div_ceil(8).next_power_of_two(),
                _ => return None,
            };
            Some(SpecConstant { spec_id, id: constant.id, size })
        })
        .collect()
}

fn spec_id(module: &Module, constant: &Constant) -> Option<u32> {
    module.decoration(constant.id, Kind::SpecId)?.operands.first().copied()
}

/// A module whose specialisation constants have their values.
#[derive(Clone, Debug)]
pub struct Specialised {
    /// Its words.
    pub words: Vec<u32>,
    /// The runs of words, in order.
    runs: Vec<Run>,
}

/// Words of a specialised module and where they came from.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Offset of the first.
    start: u32,
    /// Offset of the instruction that it was before.
    origin: u32,
    /// All of it was made for that one instruction; else it is a copy.
    made: bool,
}

impl Specialised {
    /// Where the instruction at `offset` stood before specialisation; what was added counts to the constant that it was
    /// added for.
    pub fn origin(&self, offset: u32) -> u32 {
        let next = self.runs.partition_point(|run| run.start <= offset);
        match next.checked_sub(1).and_then(|last| self.runs.get(last)) {
            Some(run) if run.made => run.origin,
            Some(run) => run.origin + (offset - run.start),
            None => offset,
        }
    }
}

/// The words of `module` with every specialisation constant made an ordinary one: with the value (bits, zero-extended)
/// that `values` has for its `SpecId`, else its default. OpSpecConstantOp is folded; only those on addresses stay.
///
/// # Errors
/// An operation that cannot be folded.
pub fn specialise(module: &Module, values: &HashMap<u32, u64>) -> Result<Specialised, DecodeError> {
    if !module.constants.iter().any(|constant| constant.spec) {
        return Ok(Specialised { words: module.words.clone(), runs: Vec::new() });
    }
    let mut runs: Vec<Run> = Vec::new();
    let mut state = Specialiser {
        module,
        values,
        folded: HashMap::new(),
        out: module.words.get(..5).unwrap_or_default().to_vec(),
        next_id: module.bound,
    };
    let mut constants = module.constants.iter().peekable();
    for raw in raw_instructions(&module.words) {
        let start = state.out.len() as u32;
        match constants.next_if(|constant| constant.offset == raw.offset) {
            Some(constant) => {
                runs.push(Run { start, origin: raw.offset, made: true });
                state.constant(constant, raw)?;
            }
            None if is_spec_id(raw) => {}
            None => {
                let copied = runs.last().is_some_and(|run| !run.made && start - run.start == raw.offset - run.origin);
                if !copied {
                    runs.push(Run { start, origin: raw.offset, made: false });
                }
                state.out.extend_from_slice(raw.words);
            }
        }
    }
    if let Some(bound) = state.out.get_mut(3) {
        *bound = state.next_id;
    }
    Ok(Specialised { words: state.out, runs })
}

/// OpDecorate with SpecId: nothing is left to specialise.
fn is_spec_id(raw: RawInstruction<'_>) -> bool {
    raw.op() == Some(Op::Decorate) && raw.words.get(2) == Some(&(Kind::SpecId as u32))
}

/// What a constant is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    /// A boolean, integer or floating-point number.
    Bits(u64),
    Composite(Rc<Vec<Id>>),
    Null,
    Undef,
    /// An address, or what is no matter of ours; kept as it is.
    Opaque,
    /// The address that another constant is.
    Same(Id),
}

struct Specialiser<'m> {
    module: &'m Module,
    values: &'m HashMap<u32, u64>,
    folded: HashMap<Id, (TypeRef, Value)>,
    out: Vec<u32>,
    next_id: u32,
}

impl Specialiser<'_> {
    fn error<T>(&self, constant: &Constant, message: impl Into<String>) -> Result<T, DecodeError> {
        Err(DecodeError::grammar(constant.offset as usize, message).of(DecodeFault::ConstantOperation))
    }

    fn ty(&self, ty: TypeRef) -> Option<&Type> {
        self.module.types.get(ty.0 as usize)
    }

    fn constant(&mut self, constant: &Constant, raw: RawInstruction<'_>) -> Result<(), DecodeError> {
        let given = spec_id(self.module, constant).filter(|_| constant.spec).and_then(|id| self.values.get(&id));
        let value = match &constant.kind {
            ConstantKind::Bool(value) => Value::Bits(given.map_or(u64::from(*value), |given| u64::from(*given != 0))),
            ConstantKind::Scalar(bits) => {
                let width = self.scalar(constant.ty).map_or(64, Scalar::width);
                Value::Bits(given.copied().unwrap_or(*bits) & mask(width))
            }
            ConstantKind::Composite(parts) => Value::Composite(Rc::new(parts.clone())),
            ConstantKind::Null => Value::Null,
            ConstantKind::Undef => Value::Undef,
            ConstantKind::Operation { op, operands } => {
                let range = operands.start as usize..operands.start as usize + operands.len as usize;
                let operands = self.module.operands.get(range).unwrap_or_default();
                self.operation(constant, *op, operands)?
            }
            ConstantKind::Sampler { .. } | ConstantKind::Other { .. } => Value::Opaque,
        };
        if self.out.len() > MAX_WORDS {
            return self.error(constant, "specialisation makes the module too large");
        }
        if constant.spec && value != Value::Opaque {
            self.emit(constant.id, constant.ty, &value);
        } else {
            self.out.extend_from_slice(raw.words);
        }
        self.folded.insert(constant.id, (constant.ty, value));
        Ok(())
    }

    /// Writes a constant as an ordinary declaration.
    fn emit(&mut self, id: Id, ty: TypeRef, value: &Value) {
        let type_id = self.module.type_ids.get(ty.0 as usize).map_or(0, |id| id.number());
        let mut operands = vec![type_id, id.number()];
        let op = match value {
            Value::Bits(bits) => match self.scalar(ty) {
                Some(Scalar::Bool) if *bits != 0 => Op::ConstantTrue,
                Some(Scalar::Bool) => Op::ConstantFalse,
                scalar => {
                    operands.push(*bits as u32);
                    if scalar.is_some_and(|scalar| scalar.width() > 32) {
                        operands.push((*bits >> 32) as u32);
                    }
                    Op::Constant
                }
            },
            Value::Composite(parts) => {
                operands.extend(parts.iter().map(|part| part.number()));
                Op::ConstantComposite
            }
            Value::Null => Op::ConstantNull,
            Value::Same(other) => {
                operands.extend([Op::Bitcast as u32, other.number()]);
                Op::SpecConstantOp
            }
            Value::Undef | Value::Opaque => Op::Undef,
        };
        self.out.push(((operands.len() as u32 + 1) << 16) | op as u32);
        self.out.extend(operands);
    }

    /// Declares a further constant.
    fn declare(&mut self, at: &Constant, ty: TypeRef, value: Value) -> Result<Id, DecodeError> {
        let number = self.next_id;
        if number - self.module.bound >= MAX_NEW_IDS {
            return self.error(at, "specialisation makes more constants than a module may have");
        }
        let Some(id) = NonZeroU32::new(number).map(Id) else {
            return self.error(at, "the id bound is 0");
        };
        self.next_id += 1;
        self.emit(id, ty, &value);
        self.folded.insert(id, (ty, value));
        Ok(id)
    }

    fn scalar(&self, ty: TypeRef) -> Option<Scalar> {
        match self.ty(ty)? {
            Type::Bool => Some(Scalar::Bool),
            Type::Int { width: width @ 1..=64, .. } => Some(Scalar::Int(*width)),
            Type::Float { width: width @ (16 | 32 | 64), encoding: None } => Some(Scalar::Float(*width)),
            _ => None,
        }
    }

    /// Component type and count of a scalar or vector.
    fn components(&self, ty: TypeRef) -> Option<(TypeRef, Scalar, usize)> {
        match self.ty(ty)? {
            Type::Vector { component, count } => Some((*component, self.scalar(*component)?, *count as usize)),
            _ => Some((ty, self.scalar(ty)?, 1)),
        }
    }

    fn value(&self, at: &Constant, operands: &[Operand], index: usize) -> Result<(Id, TypeRef, Value), DecodeError> {
        match operands.get(index) {
            Some(Operand::Id(id)) => match self.folded.get(id) {
                Some((ty, value)) => Ok((*id, *ty, value.clone())),
                None => self.error(at, format!("the operand {id} of a constant operation is no constant")),
            },
            _ => self.error(at, "a constant operation lacks an operand"),
        }
    }

    /// The parts of a composite value, declared where it has none of its own.
    fn parts(&mut self, at: &Constant, ty: TypeRef, value: Value, count: usize) -> Result<Vec<Id>, DecodeError> {
        match value {
            Value::Composite(parts) if parts.len() == count => Ok(parts.to_vec()),
            Value::Null | Value::Undef => (0..count)
                .map(|index| match self.part_type(ty, index) {
                    Some(part) => self.declare(at, part, value.clone()),
                    None => self.error(at, "a constant operation selects a part that its operand has not"),
                })
                .collect(),
            _ => self.error(at, "a constant operation on what is no composite"),
        }
    }

    /// How many parts a composite type has.
    fn part_count(&self, ty: TypeRef) -> Option<usize> {
        match self.ty(ty)? {
            Type::Vector { count, .. } => Some(*count as usize),
            Type::Struct { members } => Some(members.len()),
            Type::Array { length, .. } => match self.folded.get(length) {
                Some((_, Value::Bits(bits))) => {
                    usize::try_from(*bits).ok().filter(|count| *count <= MAX_NEW_IDS as usize)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn part_type(&self, ty: TypeRef, index: usize) -> Option<TypeRef> {
        match self.ty(ty)? {
            Type::Vector { component, .. } => Some(*component),
            Type::Array { element, .. } => Some(*element),
            Type::Struct { members } => members.get(index).copied(),
            _ => None,
        }
    }

    fn operation(&mut self, at: &Constant, op: Op, operands: &[Operand]) -> Result<Value, DecodeError> {
        match op {
            Op::CompositeExtract => self.extract(at, operands),
            Op::CompositeInsert => self.insert(at, operands),
            Op::VectorShuffle => self.shuffle(at, operands),
            Op::Select => self.select(at, operands),
            _ if self.is_address(at, operands) => Ok(Value::Opaque),
            Op::Bitcast => self.bitcast(at, operands),
            _ => self.componentwise(at, op, operands),
        }
    }

    fn select(&mut self, at: &Constant, operands: &[Operand]) -> Result<Value, DecodeError> {
        let (_, ty, condition) = self.value(at, operands, 0)?;
        let chosen = match (self.components(ty), condition) {
            (Some((_, Scalar::Bool, 1)), Value::Bits(bits)) => operands.get(if bits != 0 { 1 } else { 2 }),
            (Some((_, Scalar::Bool, 1)), Value::Null | Value::Undef) => operands.get(2),
            _ if self.is_address(at, operands) => return Ok(Value::Opaque),
            _ => return self.componentwise(at, Op::Select, operands),
        };
        let Some(Operand::Id(chosen)) = chosen else { return self.error(at, "OpSelect lacks an operand") };
        match self.folded.get(chosen) {
            Some((_, Value::Opaque | Value::Same(_))) => Ok(Value::Same(*chosen)),
            Some((_, value)) => Ok(value.clone()),
            None if self.module.global(*chosen).is_some() => Ok(Value::Same(*chosen)),
            None => self.error(at, format!("the operand {chosen} of a constant operation is no constant")),
        }
    }

    /// OpBitcast, also between vectors of different numbers of components; the first has the low-order bits.
    fn bitcast(&mut self, at: &Constant, operands: &[Operand]) -> Result<Value, DecodeError> {
        let (_, ty, value) = self.value(at, operands, 0)?;
        let (Some((_, from, of)), Some((component, to, count))) = (self.components(ty), self.components(at.ty)) else {
            return self.error(at, "OpSpecConstantOp OpBitcast is of no numbers");
        };
        if of == count {
            return self.componentwise(at, Op::Bitcast, operands);
        }
        if from.width() as usize * of != to.width() as usize * count || from == Scalar::Bool || to == Scalar::Bool {
            return self.error(at, "OpSpecConstantOp OpBitcast changes the number of bits");
        }
        if !from.width().is_multiple_of(8) || !to.width().is_multiple_of(8) {
            return self.error(at, "OpSpecConstantOp OpBitcast is of components that are no whole bytes");
        }
        let mut bytes = Vec::new();
        for lane in 0..of {
            let bits = self.component(&value, lane, of).to_le_bytes();
            bytes.extend_from_slice(bits.get(..from.width() as usize / 8).unwrap_or_default());
        }
        let mut parts = Vec::with_capacity(count);
        for chunk in bytes.chunks_exact(to.width() as usize / 8) {
            let bits = chunk.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
            if count == 1 {
                return Ok(Value::Bits(bits));
            }
            parts.push(self.declare(at, component, Value::Bits(bits))?);
        }
        Ok(Value::Composite(Rc::new(parts)))
    }

    /// The operation makes or takes addresses, which only get values when the program is laid out.
    fn is_address(&self, at: &Constant, operands: &[Operand]) -> bool {
        let is_pointer = |ty: TypeRef| matches!(self.ty(ty), Some(Type::Pointer { .. }));
        let takes = operands.iter().any(|operand| match operand {
            Operand::Id(id) => {
                self.module.global(*id).is_some()
                    || self
                        .folded
                        .get(id)
                        .is_some_and(|(ty, value)| is_pointer(*ty) || matches!(value, Value::Opaque | Value::Same(_)))
            }
            Operand::Word(_) => false,
        });
        takes || is_pointer(at.ty)
    }

    /// An operation on scalars, or on the components of vectors.
    fn componentwise(&mut self, at: &Constant, op: Op, operands: &[Operand]) -> Result<Value, DecodeError> {
        let Some((component, scalar, count)) = self.components(at.ty) else {
            return self.error(at, format!("OpSpecConstantOp {} gives no number", op_name(op)));
        };
        let mut lanes: Vec<Vec<(Scalar, u64)>> = vec![Vec::with_capacity(operands.len()); count];
        for index in 0..operands.len() {
            let (_, ty, value) = self.value(at, operands, index)?;
            let Some((_, kind, of)) = self.components(ty).filter(|(_, _, of)| *of == count) else {
                return self.error(at, format!("OpSpecConstantOp {} has operands of another shape", op_name(op)));
            };
            for (lane, slot) in lanes.iter_mut().enumerate() {
                slot.push((kind, self.component(&value, lane, of)));
            }
        }
        let mut results = Vec::with_capacity(count);
        for lane in &lanes {
            match scalar_operation(op, lane, scalar) {
                Some(bits) => results.push(bits & mask(scalar.width())),
                None => return self.error(at, format!("OpSpecConstantOp {} cannot be folded", op_name(op))),
            }
        }
        if !matches!(self.ty(at.ty), Some(Type::Vector { .. })) {
            return Ok(Value::Bits(results.first().copied().unwrap_or_default()));
        }
        let parts: Result<Vec<Id>, _> =
            results.into_iter().map(|bits| self.declare(at, component, Value::Bits(bits))).collect();
        Ok(Value::Composite(Rc::new(parts?)))
    }

    /// Bits of one component; undefined ones are 0.
    fn component(&self, value: &Value, lane: usize, count: usize) -> u64 {
        match value {
            Value::Bits(bits) if count == 1 => *bits,
            Value::Composite(parts) => match parts.get(lane).and_then(|part| self.folded.get(part)) {
                Some((_, Value::Bits(bits))) => *bits,
                _ => 0,
            },
            _ => 0,
        }
    }

    /// Literal operands from `first` on.
    fn indices(operands: &[Operand], first: usize) -> Vec<usize> {
        let rest = operands.get(first..).unwrap_or_default();
        rest.iter()
            .map(|operand| match operand {
                Operand::Word(word) => *word as usize,
                Operand::Id(_) => usize::MAX,
            })
            .collect()
    }

    fn extract(&mut self, at: &Constant, operands: &[Operand]) -> Result<Value, DecodeError> {
        let (_, mut ty, mut value) = self.value(at, operands, 0)?;
        for index in Self::indices(operands, 1) {
            let Some(part_type) = self.part_type(ty, index) else {
                return self.error(at, "OpCompositeExtract selects a part that its operand has not");
            };
            value = match value {
                Value::Composite(parts) => match parts.get(index).map(|part| self.folded.get(part)) {
                    Some(Some((_, part))) => part.clone(),
                    Some(None) => Value::Opaque,
                    None => return self.error(at, "OpCompositeExtract selects a part that its operand has not"),
                },
                Value::Null | Value::Undef => value,
                _ => return self.error(at, "OpCompositeExtract takes what is no composite apart"),
            };
            ty = part_type;
        }
        if value == Value::Opaque || ty != at.ty {
            return self.error(at, "OpCompositeExtract cannot be folded");
        }
        Ok(value)
    }

    fn insert(&mut self, at: &Constant, operands: &[Operand]) -> Result<Value, DecodeError> {
        let (object, ..) = self.value(at, operands, 0)?;
        let (_, mut ty, mut value) = self.value(at, operands, 1)?;
        // Down to the part, then up again with the composites on the way made anew.
        let mut path = Vec::new();
        for index in Self::indices(operands, 2) {
            let Some(count) = self.part_count(ty).filter(|count| index < *count) else {
                return self.error(at, "OpCompositeInsert selects a part that its operand has not");
            };
            let parts = self.parts(at, ty, value, count)?;
            let part = parts.get(index).and_then(|part| self.folded.get(part)).cloned();
            path.push((ty, parts, index));
            (ty, value) = match part {
                Some(part) => part,
                None => return self.error(at, "OpCompositeInsert goes into what is no composite"),
            };
        }
        let mut new = object;
        while let Some((ty, mut parts, index)) = path.pop() {
            if let Some(part) = parts.get_mut(index) {
                *part = new;
            }
            if path.is_empty() {
                return Ok(Value::Composite(Rc::new(parts)));
            }
            new = self.declare(at, ty, Value::Composite(Rc::new(parts)))?;
        }
        self.error(at, "OpCompositeInsert has no index")
    }

    fn shuffle(&mut self, at: &Constant, operands: &[Operand]) -> Result<Value, DecodeError> {
        let mut all = Vec::new();
        for index in 0..2 {
            let (_, ty, value) = self.value(at, operands, index)?;
            let Some(count) = self.part_count(ty) else {
                return self.error(at, "OpVectorShuffle takes what is no vector");
            };
            all.extend(self.parts(at, ty, value, count)?);
        }
        let component = self.part_type(at.ty, 0);
        let mut parts = Vec::new();
        for index in Self::indices(operands, 2) {
            let part = match (all.get(index), component) {
                (Some(part), _) => *part,
                (None, Some(component)) if index == u32::MAX as usize => self.declare(at, component, Value::Undef)?,
                _ => return self.error(at, "OpVectorShuffle selects a component that its operands have not"),
            };
            parts.push(part);
        }
        Ok(Value::Composite(Rc::new(parts)))
    }
}
