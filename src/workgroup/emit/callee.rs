//! Functions that are called, not inlined. Those that need ids, services or local variables are copied with one more
//! parameter, the address of a hidden block.

use oxicl_llvm::{Builder, Linkage, Module, Place};

use crate::emit::copy::{Copier, Mapped, Surroundings};
use crate::emit::places::Places;
use crate::failure::{OrFail, Result};
use crate::ir::call_tree::CallTree;
use crate::ir::order::reverse_post_order;
use crate::ir::{BlockId, Function, Kind, Terminator};

/// Copies the functions that need the hidden block, and enters the copies in `around`.
pub(crate) fn emit_callees<'m>(
    module: &'m Module<'_>,
    b: &Builder<'m>,
    tree: &CallTree<'m>,
    around: &mut Surroundings<'m>,
    sub_group_size: u32,
) -> Result<()> {
    let pointer = b.context().pointer_type(0);
    let needy: Vec<_> = tree.functions.iter().filter(|f| tree.needy.contains(&*f.llvm)).collect();
    for function in &needy {
        let ty = function.llvm.value_type().or_fail("a function without type")?;
        let result = ty.return_type().or_fail("a function type without result")?;
        let mut parameters = ty.parameters();
        parameters.push(pointer);
        let copy = module.add_function(&format!("{}.item", function.llvm.name()), result.function(&parameters));
        copy.set_linkage(Linkage::Internal);
        for attribute in function.llvm.attributes(Place::Function) {
            copy.add_attribute(Place::Function, attribute);
        }
        // A function that accessed no memory now reads the hidden block.
        copy.remove_attribute(Place::Function, "memory");
        copy.remove_attribute(Place::Function, "speculatable");
        for index in 0..function.parameters.len() as u32 {
            for attribute in function.llvm.attributes(Place::Parameter(index)) {
                copy.add_attribute(Place::Parameter(index), attribute);
            }
        }
        around.callees.insert(*function.llvm, copy);
    }
    for function in needy {
        emit_callee(b, function, around, sub_group_size)?;
    }
    Ok(())
}

fn emit_callee<'m>(
    b: &Builder<'m>,
    function: &Function<'m>,
    around: &Surroundings<'m>,
    sub_group_size: u32,
) -> Result<()> {
    let copy = around.callees[&*function.llvm];
    let mut parameters = copy.parameters();
    let hidden = parameters.pop().or_fail("a copy without the hidden parameter")?;
    let context = b.context();
    let start = copy.append_block(context, "");
    b.position_at_end(start);
    let places = Places::load(b, hidden, sub_group_size);
    let blocks = function.block_ids().filter(|block| function.reachable[block.index()]);
    let mut copier = Copier::new(b, function, around, places, parameters, Some(hidden));
    copier.blocks.extend(blocks.map(|block| (block, copy.append_block(context, ""))));
    for id in function.blocks.iter().flat_map(|block| &block.insts) {
        if matches!(function.inst(*id).kind, Kind::Alloca) {
            let alloca = copier.copy(*id)?;
            copier.values.insert(*id, Mapped::Value(alloca));
        }
    }
    b.br(copier.blocks[&BlockId(0)]);
    // In LLVM's order of blocks, uses may come before definitions.
    for block in reverse_post_order([BlockId(0)], function.blocks.len(), |block| function.successors(block)) {
        copier.copy_block(block)?;
        if let Terminator::Return(result) = function.block(block).terminator {
            match result {
                Some(operand) => b.ret(copier.value(operand)?),
                None => b.ret_void(),
            };
        }
    }
    copier.fill_phis()
}
