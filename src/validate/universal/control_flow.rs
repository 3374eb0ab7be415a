//! Control-Flow Instructions: what they take. Where blocks stand and which dominate which is `blocks`.

use oxicl_spirv::grammar::LoopControl;
use oxicl_spirv::{Def, Operand, Type, is_imported_printf};

use crate::at::{At, Scalar, Shape};
use crate::rule::Rule;
use crate::violation::{Check, fault};

/// Cases of a switch.
const MAX_CASES: usize = 16_383;

/// OpPhi: pairs of a value of the result's type and a block.
pub(crate) fn phi(at: &At<'_>) -> Check {
    let ty = at.result()?;
    at.require(at.subject.declaration(ty) != Some(&Type::Void), || "gives void".to_owned())?;
    at.require(at.operand_count().is_multiple_of(2), || "has an odd number of operands".to_owned())?;
    (0..at.operand_count()).step_by(2).try_for_each(|index| at.operand_is(index, ty))
}

/// OpBranchConditional: condition, two labels, and two weights or none.
pub(crate) fn branch_conditional(at: &At<'_>) -> Check {
    let condition = at.shape(0)?;
    at.require(condition == Shape { scalar: Scalar::Bool, count: 1 }, || "has no boolean condition".to_owned())?;
    at.require(matches!(at.operand_count(), 3 | 5), || "has one branch weight".to_owned())?;
    if at.operand_count() == 5 {
        let (taken, not) = (at.word(3)?, at.word(4)?);
        at.require(taken != 0 || not != 0, || "has weights that are both zero".to_owned())?;
    }
    Ok(())
}

/// OpLoopMerge: merge block, continue target, loop control and its parameters.
pub(crate) fn loop_merge(at: &At<'_>) -> Check {
    let bits = at.word(2)?;
    let control = LoopControl::from_bits_truncate(bits);
    let unrolls = LoopControl::UNROLL | LoopControl::PEEL_COUNT | LoopControl::PARTIAL_COUNT;
    at.require(!control.contains(LoopControl::DONT_UNROLL) || !control.intersects(unrolls), || {
        "asks for DontUnroll, and for unrolling or peeling too".to_owned()
    })?;
    if control.contains(LoopControl::ITERATION_MULTIPLE) {
        // Parameters come in the order of the bits; those before this one have a word each.
        let before = LoopControl::DEPENDENCY_LENGTH | LoopControl::MIN_ITERATIONS | LoopControl::MAX_ITERATIONS;
        let multiple = at.word(3 + (control & before).bits().count_ones() as usize)?;
        at.require(multiple != 0, || "has iterations that are a multiple of 0".to_owned())?;
    }
    Ok(())
}

/// OpSwitch: an integer selector, and different literals.
pub(crate) fn switch(at: &At<'_>) -> Check {
    let width = at.int_scalar(0)?;
    let words = if width > 32 { 2 } else { 1 };
    let mut seen = std::collections::HashSet::new();
    let cases = at.instruction.operands(at.module()).get(2..).unwrap_or_default();
    if cases.len() / (words + 1) > MAX_CASES {
        return fault(Rule::UniversalLimit, format!("a switch has more than {MAX_CASES} cases"));
    }
    for case in cases.chunks(words + 1) {
        let literal = match case {
            [Operand::Word(low), Operand::Id(_)] => u64::from(*low),
            [Operand::Word(low), Operand::Word(high), Operand::Id(_)] => u64::from(*low) | u64::from(*high) << 32,
            _ => return at.fault("has a case without a literal and a label"),
        };
        at.require(seen.insert(literal), || format!("has the literal {literal} twice"))?;
    }
    Ok(())
}

/// OpReturn: the function gives void.
pub(crate) fn return_void(at: &At<'_>, result: Option<&Type>) -> Check {
    at.require(result == Some(&Type::Void), || "stands in a function with a result".to_owned())
}

/// OpReturnValue: a value of the function's result type.
pub(crate) fn return_value(at: &At<'_>, result: oxicl_spirv::TypeRef) -> Check {
    at.require(at.subject.declaration(result) != Some(&Type::Void), || {
        "stands in a function without result".to_owned()
    })?;
    at.operand_is(0, result)
}

/// OpFunctionCall: function, arguments.
pub(crate) fn call(at: &At<'_>) -> Check {
    let callee = at.id(0)?;
    let Some(function) = at.module().function(callee).filter(|_| matches!(at.module().def(callee), Def::Function(_)))
    else {
        return at.fault(format!("calls {callee}, which is no function"));
    };
    let Some(Type::Function { result, parameters }) = at.subject.declaration(function.ty) else {
        return at.fault(format!("calls {callee}, which has no function type"));
    };
    at.require(*result == at.result()?, || "gives another type than the function".to_owned())?;
    let passed = at.operand_count() - 1;
    // Linking makes an instruction of it, which takes what is printed.
    let takes_more = at.subject.is_object && is_imported_printf(at.module(), callee);
    at.require(parameters.len() == passed || takes_more && parameters.len() < passed, || {
        format!("passes {passed} arguments to {} parameters", parameters.len())
    })?;
    parameters.iter().enumerate().try_for_each(|(index, ty)| at.operand_is(index + 1, *ty))
}
