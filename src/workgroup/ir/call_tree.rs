//! The functions that are called rather than inlined, and what a kernel uses in them.

use std::collections::{BTreeSet, HashMap, HashSet};

use oxicl_llvm::{Value, ValueKind};

use crate::failure::{Result, failure};
use crate::ir::{BlockId, Function, Inst, Kind, Operand, is_apart, read, space};

/// The functions that a kernel reaches, and what it uses there.
pub(crate) struct CallTree<'m> {
    pub(crate) functions: Vec<Function<'m>>,
    /// Functions that are compiled apart. They make no queries, and use no local variables.
    pub(crate) apart: Vec<Value<'m>>,
    /// Local variables that the kernel and its functions use, in the order of their first use.
    pub(crate) locals: Vec<Value<'m>>,
    /// Functions that need the hidden block, which called functions read places from.
    pub(crate) needy: HashSet<Value<'m>>,
}

/// A function of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Callee {
    /// One of its functions.
    Here(usize),
    /// One that is compiled apart.
    Apart(usize),
}

impl<'m> CallTree<'m> {
    /// The function that an instruction calls, if it is one of the tree.
    pub(crate) fn callee(&self, inst: &Inst<'m>) -> Option<Callee> {
        let value = inst.llvm.called_function()?;
        let here = self.functions.iter().position(|function| *function.llvm == value).map(Callee::Here);
        here.or_else(|| self.apart.iter().position(|function| *function == value).map(Callee::Apart))
    }

    /// Its function in the module.
    pub(crate) fn value(&self, callee: Callee) -> Value<'m> {
        match callee {
            Callee::Here(index) => *self.functions[index].llvm,
            Callee::Apart(index) => self.apart[index],
        }
    }

    /// Its name.
    pub(crate) fn name(&self, callee: Callee) -> String {
        self.value(callee).name()
    }

    /// Does it need the hidden block?
    pub(crate) fn needs_block(&self, callee: Callee) -> bool {
        self.needy.contains(&self.value(callee))
    }
}

/// Reads everything that `kernel` calls. `yields` finds the latches of loops that wait for other work-items.
pub(crate) fn call_tree<'m>(
    kernel: &Function<'m>,
    yields: fn(&Function<'_>) -> BTreeSet<BlockId>,
) -> Result<CallTree<'m>> {
    let mut tree = CallTree { functions: Vec::new(), apart: Vec::new(), locals: Vec::new(), needy: HashSet::new() };
    let mut seen = HashSet::new();
    let mut callers: HashMap<Value<'m>, Vec<Value<'m>>> = HashMap::new();
    let mut work = called(kernel);
    uses_locals(kernel, &mut tree.locals, &mut HashSet::new());
    while let Some(callee) = work.pop() {
        if !seen.insert(callee) {
            continue;
        }
        if is_apart(callee) {
            tree.apart.push(callee);
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
        function.is_called = true;
        function.yields = yields(&function);
        let asks = !function.yields.is_empty()
            || function.insts.iter().any(|i| matches!(i.kind, Kind::Query(_) | Kind::StorageClass | Kind::Print));
        // `seen` is empty for each function: variables that the kernel uses as well count here, too.
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

/// Adds the local variables that a function uses, also within constant expressions.
fn uses_locals<'m>(function: &Function<'m>, locals: &mut Vec<Value<'m>>, seen: &mut HashSet<Value<'m>>) {
    let operands = function.insts.iter().flat_map(|i| &i.operands);
    let ends = function.block_ids().flat_map(|block| function.used_at_end(block));
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
            ValueKind::GlobalVariable if value.ty().address_space() == space::LOCAL && seen.insert(value) => {
                locals.push(value)
            }
            ValueKind::Constant if value.operand_count() > 0 && seen.insert(value) => work.extend(value.operands()),
            _ => {}
        }
    }
}
