//! Functions that stay functions. Those that ask where the work-item is, or use local variables, are copied with the
//! address of a hidden block as one parameter more.

use std::collections::{HashMap, HashSet};

use oxicl_llvm::{Builder, Linkage, Module, Place, Value, ValueKind};

use crate::emit::copy::{Copier, Surroundings};
use crate::emit::places::Places;
use crate::failure::{Failure, failure};
use crate::ir::{BlockId, Function, Kind, Operand, Terminator, is_apart, read};
use crate::plan;

/// The functions that a kernel reaches, and what it uses there.
pub(crate) struct CallTree<'m> {
    pub(crate) functions: Vec<Function<'m>>,
    /// It calls functions that are compiled apart. They ask for nothing, and use no local variables.
    pub(crate) calls_apart: bool,
    /// Local variables that the kernel and its functions use, in the order of their first use.
    pub(crate) locals: Vec<Value<'m>>,
    /// Functions that need the hidden block.
    pub(crate) needy: HashSet<Value<'m>>,
}

/// Reads everything that `kernel` calls.
pub(crate) fn call_tree<'m>(kernel: &Function<'m>) -> Result<CallTree<'m>, Failure> {
    let mut tree = CallTree { functions: Vec::new(), calls_apart: false, locals: Vec::new(), needy: HashSet::new() };
    let mut seen = HashSet::new();
    let mut seen_constants = HashSet::new();
    let mut callers: HashMap<Value<'m>, Vec<Value<'m>>> = HashMap::new();
    let mut work = called(kernel);
    uses_locals(kernel, &mut tree.locals, &mut seen_constants);
    while let Some(callee) = work.pop() {
        if !seen.insert(callee) {
            continue;
        }
        if is_apart(callee) {
            tree.calls_apart = true;
            continue;
        }
        let mut function = read(callee, &kernel.prices)?;
        function.switches = kernel.switches.of_callee(&callee.name());
        if function.has_cuts() || function.has_sub_group_operations() {
            return failure(format!(
                "the function {} reaches a barrier or collective operation and could not be inlined",
                callee.name()
            ));
        }
        function.yields = plan::yields(&function);
        let asks = !function.yields.is_empty()
            || function.insts.iter().any(|i| matches!(i.kind, Kind::Query(_) | Kind::StorageClass | Kind::Print));
        // A constant that the kernel uses too is not new, so each function looks with fresh eyes.
        let mut locals = Vec::new();
        uses_locals(&function, &mut locals, &mut HashSet::new());
        if asks || !locals.is_empty() {
            tree.needy.insert(callee);
        }
        tree.locals.extend(locals);
        for next in called(&function) {
            callers.entry(next).or_default().push(callee);
            work.push(next);
        }
        tree.functions.push(function);
    }
    let mut work: Vec<_> = tree.needy.iter().copied().collect();
    while let Some(callee) = work.pop() {
        for caller in callers.get(&callee).into_iter().flatten() {
            if tree.needy.insert(*caller) {
                work.push(*caller);
            }
        }
    }
    let mut once = HashSet::new();
    tree.locals.retain(|l| once.insert(*l));
    Ok(tree)
}

fn called<'m>(function: &Function<'m>) -> Vec<Value<'m>> {
    let calls = function.insts.iter().filter(|i| matches!(i.kind, Kind::Call));
    calls.filter_map(|i| i.llvm.called_function()).collect()
}

/// Adds the local variables that a function uses, constant expressions looked into.
fn uses_locals<'m>(function: &Function<'m>, locals: &mut Vec<Value<'m>>, seen: &mut HashSet<Value<'m>>) {
    let operands = function.insts.iter().flat_map(|i| i.operands.iter().copied());
    let ends = function.blocks.iter().filter_map(|b| match &b.terminator {
        Terminator::Return(operand) => *operand,
        Terminator::Branch { condition, .. } => *condition,
        _ => None,
    });
    let mut work: Vec<Value<'m>> = operands
        .chain(ends)
        .filter_map(|o| match o {
            Operand::Constant(id) => Some(*function.llvm_constants[id.index()]),
            _ => None,
        })
        .collect();
    work.reverse();
    while let Some(value) = work.pop() {
        match value.kind() {
            ValueKind::GlobalVariable if value.ty().address_space() == 3 && seen.insert(value) => locals.push(value),
            ValueKind::Constant if value.operand_count() > 0 && seen.insert(value) => work.extend(value.operands()),
            _ => {}
        }
    }
}

/// Copies the functions that need the hidden block, and enters the copies in `around`.
pub(crate) fn emit_callees<'m>(
    module: &'m Module<'_>,
    b: &Builder<'m>,
    tree: &CallTree<'m>,
    around: &mut Surroundings<'m>,
    sub_group_size: u32,
) -> Result<(), Failure> {
    let pointer = b.context().pointer_type(0);
    let needy: Vec<_> = tree.functions.iter().filter(|f| tree.needy.contains(&*f.llvm)).collect();
    for function in &needy {
        let Some(ty) = function.llvm.value_type() else { return failure("a function without type") };
        let Some(result) = ty.return_type() else { return failure("a function type without result") };
        let mut parameters = ty.parameters();
        parameters.push(pointer);
        let copy = module.add_function(&format!("{}.item", function.llvm.name()), result.function(&parameters));
        copy.set_linkage(Linkage::Internal);
        for attribute in function.llvm.attributes(Place::Function) {
            copy.add_attribute(Place::Function, attribute);
        }
        // What was independent of memory now reads the hidden block.
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
) -> Result<(), Failure> {
    let copy = around.callees[&*function.llvm];
    let mut parameters = copy.parameters();
    let Some(hidden) = parameters.pop() else { return failure("a copy without the hidden parameter") };
    let context = b.context();
    let start = copy.append_block(context, "");
    b.position_at_end(start);
    let places = Places::load(b, hidden, sub_group_size);
    let blocks: Vec<BlockId> = (0..function.blocks.len() as u32).map(BlockId).collect();
    let blocks: Vec<BlockId> = blocks.into_iter().filter(|b| function.reachable[b.index()]).collect();
    let mut copier = Copier {
        b,
        function,
        around,
        places,
        parameters,
        hidden: Some(hidden),
        values: HashMap::new(),
        blocks: blocks.iter().map(|block| (*block, copy.append_block(context, ""))).collect(),
        phis: Vec::new(),
        access_group: None,
        outcomes: HashMap::new(),
    };
    for id in function.blocks.iter().flat_map(|block| &block.insts) {
        if matches!(function.inst(*id).kind, Kind::Alloca) {
            let alloca = copier.copy(*id)?;
            copier.values.insert(*id, crate::emit::copy::Mapped::Value(alloca));
        }
    }
    b.br(copier.blocks[&BlockId(0)]);
    // LLVM's order of blocks need not have definitions first.
    for block in function.definitions_first() {
        copier.copy_block(block)?;
        if let Terminator::Return(result) = function.block(block).terminator {
            match result {
                Some(operand) => match copier.operand(operand)? {
                    Some(value) => b.ret(value),
                    None => return failure("a result that is no value"),
                },
                None => b.ret_void(),
            };
        }
    }
    copier.fill_phis()
}
