//! Section 3.49.17, control flow. SPIR-V's structure declarations are not needed: kernels may have any flow graph.

use std::collections::HashMap;

use oxicl_llvm::Block;
use oxicl_spirv::{Id, Instruction, Operand, Type};

use crate::body::Body;
use crate::refusal::{Refusal, Result};

/// OpPhi: the entries are added when all blocks exist.
pub(crate) fn op_phi(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let ty = body.result_type(instruction)?;
    let phi = body.builder.phi(ty);
    body.phis.push((phi, *instruction));
    body.define(instruction, phi)
}

/// Gives the phis their entries: one per edge, so as many as a switch has ways here.
pub(crate) fn complete_phis(body: &mut Body<'_, '_>) -> Result<()> {
    // Edges by where they come from: many phis ask for those of one large switch.
    let mut edges: HashMap<Id, HashMap<Block<'_>, u32>> = HashMap::new();
    for (phi, instruction) in std::mem::take(&mut body.phis) {
        let operands: Vec<Operand> = instruction.operands(body.unit.module).to_vec();
        for pair in operands.chunks(2) {
            let [Operand::Id(value), Operand::Id(parent)] = pair else {
                return Err(Refusal::new("an operand is no id").at(&instruction));
            };
            // Not there: a block that control cannot reach.
            let Some(from) = body.blocks.get(parent).copied() else { continue };
            let value = body.value(*value).map_err(|refusal| refusal.at(&instruction))?;
            let from_here = edges.entry(*parent).or_insert_with(|| {
                from.successors().into_iter().fold(HashMap::new(), |mut counts, to| {
                    *counts.entry(to).or_default() += 1;
                    counts
                })
            });
            for _ in 0..phi.block().and_then(|block| from_here.get(&block)).copied().unwrap_or(0) {
                phi.add_incoming(value, from);
            }
        }
    }
    Ok(())
}

/// OpBranch.
pub(crate) fn op_branch(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let target = body.block(body.id(instruction, 0)?)?;
    body.builder.br(target);
    Ok(())
}

/// OpBranchConditional, weights included.
pub(crate) fn op_branch_conditional(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let condition = body.operand(instruction, 0)?;
    let (then, otherwise) = (body.id(instruction, 1)?, body.id(instruction, 2)?);
    if then == otherwise {
        let target = body.block(then)?;
        body.builder.br(target);
        return Ok(());
    }
    let branch = body.builder.cond_br(condition, body.block(then)?, body.block(otherwise)?);
    if let [left, right] = body.words(instruction, 3)[..] {
        use oxicl_llvm::Metadata;
        let context = body.unit.context;
        let weight = |w: u32| Metadata::from_constant(context.int_type(32).const_int(u64::from(w)));
        let node = context.metadata_node(&[context.metadata_string("branch_weights"), weight(left), weight(right)]);
        if left != 0 || right != 0 {
            branch.set_metadata(context, context.metadata_kind("prof"), node);
        }
    }
    Ok(())
}

/// OpSwitch: literals are as wide as the selector, and take two words beyond 32 bits.
pub(crate) fn op_switch(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let selector = body.operand(instruction, 0)?;
    let Type::Int { width, .. } = *body.unit.module.ty(body.operand_ref(instruction, 0)?) else {
        return Err(Refusal::new("the selector is no integer"));
    };
    let otherwise = body.block(body.id(instruction, 1)?)?;
    let cases = cases(instruction.operands(body.unit.module).get(2..).unwrap_or(&[]), width)?;
    let switch = body.builder.switch(selector, otherwise, cases.len() as u32);
    let mut seen = std::collections::HashSet::new();
    for (value, label) in cases {
        let literal = selector.ty().const_int(value);
        if seen.insert(literal.as_u64()) {
            switch.add_case(literal, body.block(label)?);
        }
    }
    Ok(())
}

fn cases(operands: &[Operand], width: u32) -> Result<Vec<(u64, Id)>> {
    let words = if width > 32 { 2 } else { 1 };
    let mut cases = Vec::new();
    for case in operands.chunks(words + 1) {
        match case {
            [Operand::Word(low), Operand::Id(label)] if words == 1 => cases.push((u64::from(*low), *label)),
            [Operand::Word(low), Operand::Word(high), Operand::Id(label)] if words == 2 => {
                cases.push((u64::from(*low) | u64::from(*high) << 32, *label));
            }
            _ => return Err(Refusal::new("the cases do not fit the selector")),
        }
    }
    Ok(cases)
}

/// OpReturn.
pub(crate) fn op_return(body: &mut Body<'_, '_>, _: &Instruction) -> Result<()> {
    body.builder.ret_void();
    Ok(())
}

/// OpReturnValue.
pub(crate) fn op_return_value(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let value = body.operand(instruction, 0)?;
    body.builder.ret(value);
    Ok(())
}

/// OpUnreachable: a return. A kernel that gets there anyway ends, instead of running into whatever code comes next.
pub(crate) fn op_unreachable(body: &mut Body<'_, '_>, _: &Instruction) -> Result<()> {
    let result = body.function.value_type().and_then(|ty| ty.return_type());
    match result {
        Some(ty) if !ty.is_void() => body.builder.ret(ty.zero()),
        _ => body.builder.ret_void(),
    };
    Ok(())
}
