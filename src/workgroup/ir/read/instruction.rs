//! Reads the details of an instruction, and finds out what becomes of it.

use oxicl_llvm::{Place, Value};
use oxicl_ops::{Collective, NotAnOperation, Operation};

use super::{is_apart, type_of};
use crate::failure::{Result, failure};
use crate::ir::instruction::{Detail, Kind, Memory, Promises};
use crate::ir::{Call, Callee, Opcode, StateId};

/// What an instruction has beside its operands, by its opcode.
pub(super) fn detail(value: Value<'_>, opcode: Opcode) -> Detail {
    match opcode {
        Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl => {
            let (no_signed_wrap, no_unsigned_wrap) = value.no_wrap();
            Detail::Promises(Promises { no_signed_wrap, no_unsigned_wrap, ..Promises::default() })
        }
        Opcode::UDiv | Opcode::SDiv | Opcode::LShr | Opcode::AShr => {
            Detail::Promises(Promises { exact: value.is_exact(), ..Promises::default() })
        }
        Opcode::Or => Detail::Promises(Promises { disjoint: value.is_disjoint(), ..Promises::default() }),
        Opcode::ZExt => Detail::Promises(Promises { nonnegative: value.is_nonnegative(), ..Promises::default() }),
        Opcode::FNeg | Opcode::FAdd | Opcode::FSub | Opcode::FMul | Opcode::FDiv | Opcode::FRem => {
            Detail::FastMath(value.fast_math())
        }
        Opcode::ICmp => value.int_predicate().map_or(Detail::None, Detail::ICmp),
        Opcode::FCmp => {
            value.real_predicate().map_or(Detail::None, |predicate| Detail::FCmp(predicate, value.fast_math()))
        }
        Opcode::Alloca => {
            value.allocated_type().map_or(Detail::None, |ty| Detail::Alloca(type_of(ty), value.alignment()))
        }
        Opcode::Load | Opcode::Store | Opcode::Fence | Opcode::AtomicRmw | Opcode::AtomicCmpXchg => {
            Detail::Access(Memory {
                align: value.alignment(),
                is_volatile: value.is_volatile(),
                ordering: value.ordering(),
                operation: value.rmw_op(),
                of_failure: value.failure_ordering(),
            })
        }
        Opcode::GetElementPtr => {
            value.gep_source_type().map_or(Detail::None, |source| Detail::Address(type_of(source), value.gep_flags()))
        }
        Opcode::ShuffleVector => Detail::Shuffle(value.shuffle_mask()),
        Opcode::ExtractValue | Opcode::InsertValue => Detail::Indices(value.indices()),
        Opcode::Call => Detail::Call(Box::new(call(value))),
        _ => Detail::None,
    }
}

fn call(value: Value<'_>) -> Call {
    let function = value.called_function();
    let name = function.map(Value::name).unwrap_or_default();
    let touches_nothing =
        |value: Value<'_>| value.attribute(Place::Function, "memory").is_some_and(|memory| memory.value() == 0);
    Call {
        callee: function.map_or(Callee::Unknown, |_| Callee::of_name(&name)),
        name,
        arguments: value.arguments().len(),
        is_pure: touches_nothing(value) || function.is_some_and(touches_nothing),
        fast_math: value.fast_math(),
    }
}

/// What becomes of an instruction.
pub(in crate::ir) enum Class {
    Keep(Kind),
    Drop,
    /// The block ends at a barrier or collective operation.
    Cut(Option<Collective>),
}

/// What a barrier or collective operation becomes for fibers; `before` counts the collective operations.
pub(in crate::ir) fn of_fibers(collective: Option<Collective>, before: &mut u32) -> Kind {
    let Some(collective) = collective else { return Kind::Barrier };
    *before += 1;
    Kind::Collective(StateId(*before), collective)
}

pub(super) fn classify(value: Value<'_>, opcode: Opcode) -> Result<Class> {
    Ok(match opcode {
        Opcode::Phi => Class::Keep(Kind::Phi(Vec::new())),
        Opcode::Alloca => match value.operand(0).and_then(|count| count.as_u64()) {
            Some(_) => Class::Keep(Kind::Alloca),
            None => return failure("a private variable of variable size"),
        },
        Opcode::Call => match value.called_function() {
            Some(callee) => {
                let argument = value.arguments().first().and_then(|a| a.as_u64());
                class_of_call(&callee.name(), argument, callee.is_declaration() && !is_apart(callee))?
            }
            None => Class::Keep(Kind::Plain),
        },
        Opcode::Other => return failure(format!("the instruction {value}")),
        _ => Class::Keep(Kind::Plain),
    })
}

/// What becomes of a call, by name, constant first argument, and whether nothing else is known of the function.
pub(in crate::ir) fn class_of_call(name: &str, argument: Option<u64>, is_declared: bool) -> Result<Class> {
    // These describe a private object, and would be wrong once that is a part of a larger block.
    if name.starts_with("llvm.lifetime.") || name.starts_with("llvm.dbg.") {
        return Ok(Class::Drop);
    }
    Ok(match Operation::parse(name, argument) {
        Ok(Operation::Barrier) => Class::Cut(None),
        Ok(Operation::Collective(collective)) => Class::Cut(Some(collective)),
        Ok(Operation::SubGroup(operation)) => Class::Keep(Kind::SubGroup(operation)),
        Ok(Operation::NamedBarrier(operation)) => Class::Keep(Kind::NamedBarrier(operation)),
        Ok(Operation::Print) => Class::Keep(Kind::Print),
        Ok(Operation::StorageClass) => Class::Keep(Kind::StorageClass),
        Ok(Operation::Query(query)) => Class::Keep(Kind::Query(query)),
        Err(NotAnOperation::WithoutDimension) => {
            return failure(format!("the call of {name} needs a constant dimension from 0 to 2"));
        }
        Err(NotAnOperation::Unknown) => return failure(format!("the operation {name} is not supported yet")),
        Err(NotAnOperation::Other) if is_declared => Class::Keep(Kind::Plain),
        Err(NotAnOperation::Other) => Class::Keep(Kind::Call),
    })
}
