//! Decides what is inlined: bottom-up, within a budget. The module may grow eightfold, and no function past a bound.
//! Without these, a small valid module in which each function calls the one before twice would grow without end.

use std::collections::HashMap;

use oxicl_llvm::{Linkage, Module, Opcode, Place, Value};
use oxicl_ops::{is_collective, library};
use oxicl_protocol::{BuildFailure, Diagnostic, Stage};

/// Bounds on compile time. Inlining may make a module this many times as large.
const GROWTH: u64 = 8;
/// Modules smaller than this may grow as if they had this many instructions.
const SMALL_MODULE: u64 = 1_000;
/// The most instructions, with what is inlined into it, of a function that is inlined.
const FUNCTION_LIMIT: u64 = 20_000;
/// The most instructions of a function with what is inlined into it. Calls that reach a barrier have to be inlined; if
/// that makes a function larger, the build fails.
const COLLECTIVE_LIMIT: u64 = 400_000;

/// A function and its calls.
struct Node<'m> {
    value: Value<'m>,
    /// Its own instructions.
    own: u64,
    /// Functions of this module that it calls, one entry a call.
    calls: Vec<usize>,
    /// Does it call a collective operation itself?
    collective: bool,
}

/// Marks every function of the module as always or never inlined.
pub(crate) fn mark(module: &Module<'_>) -> Result<(), BuildFailure> {
    let nodes = call_graph(module);
    let order = bottom_up(&nodes)?;
    let inlined = choose(&nodes, &order)?;
    for index in order {
        set(module, nodes[index].value, inlined[index]);
    }
    Ok(())
}

/// The defined functions of a module, callees before callers.
///
/// # Errors
/// A function calls itself.
pub(crate) fn callees_first<'m>(module: &'m Module<'_>) -> Result<Vec<Value<'m>>, BuildFailure> {
    let nodes = call_graph(module);
    Ok(bottom_up(&nodes)?.into_iter().map(|index| nodes[index].value).collect())
}

/// Checks what [`mark`] would refuse if each of these kernels were in a module of its own, with what it calls.
///
/// # Errors
/// What [`mark`] would return.
pub(crate) fn check(module: &Module<'_>, kernels: &[&str]) -> Result<(), BuildFailure> {
    let nodes = call_graph(module);
    let order = bottom_up(&nodes)?;
    for kernel in kernels {
        let mut reached = vec![false; nodes.len()];
        let mut work: Vec<usize> = (0..nodes.len()).filter(|index| nodes[*index].value.name() == *kernel).collect();
        while let Some(index) = work.pop() {
            if !std::mem::replace(&mut reached[index], true) {
                work.extend(&nodes[index].calls);
            }
        }
        let order: Vec<usize> = order.iter().copied().filter(|index| reached[*index]).collect();
        choose(&nodes, &order)?;
    }
    Ok(())
}

/// Which functions are inlined. `order` has callees before callers.
fn choose(nodes: &[Node<'_>], order: &[usize]) -> Result<Vec<bool>, BuildFailure> {
    let collective = reach_collective(nodes, order);
    let mut calls_to = vec![0u64; nodes.len()];
    for called in order.iter().flat_map(|index| &nodes[*index].calls) {
        calls_to[*called] += 1;
    }
    let size: u64 = order.iter().map(|index| nodes[*index].own).sum();
    let mut budget = size.max(SMALL_MODULE).saturating_mul(GROWTH - 1);
    // Size of each function with what was chosen to be inlined into it.
    let mut full = vec![0u64; nodes.len()];
    let mut inlined = vec![false; nodes.len()];
    for index in order.iter().copied() {
        let node = &nodes[index];
        let more: u64 =
            node.calls.iter().filter(|c| inlined[**c]).fold(0, |sum, called| sum.saturating_add(full[*called]));
        full[index] = node.own.saturating_add(more);
        if full[index] > COLLECTIVE_LIMIT {
            return Err(too_large(node.value, full[index]));
        }
        let growth = full[index].saturating_mul(calls_to[index].saturating_sub(1));
        let affordable = growth <= budget && full[index] <= FUNCTION_LIMIT;
        inlined[index] = is_callee(node.value) && (collective[index] || affordable && !stays(node.value));
        if inlined[index] {
            budget = budget.saturating_sub(growth);
        }
    }
    Ok(inlined)
}

/// Functions other than kernels are internal.
fn is_callee(function: Value<'_>) -> bool {
    matches!(function.linkage(), Linkage::Internal | Linkage::Private)
}

/// Is this a function of the device library that asks not to be inlined? Such functions run rarely.
fn stays(function: Value<'_>) -> bool {
    function.attribute(Place::Function, "noinline").is_some() && library::is_of_library(&function.name())
}

fn set(module: &Module<'_>, function: Value<'_>, inlined: bool) {
    let (wanted, other) = if inlined { ("alwaysinline", "noinline") } else { ("noinline", "alwaysinline") };
    function.remove_attribute(Place::Function, other);
    function.remove_attribute(Place::Function, "optnone");
    if !is_callee(function) {
        function.remove_attribute(Place::Function, "noinline");
        return;
    }
    if let Some(attribute) = module.context().attribute(wanted, 0) {
        function.add_attribute(Place::Function, attribute);
    }
}

fn call_graph<'m>(module: &'m Module<'_>) -> Vec<Node<'m>> {
    let functions: Vec<_> = module.functions().into_iter().filter(|f| !f.is_declaration()).collect();
    let index: HashMap<_, _> = functions.iter().enumerate().map(|(i, f)| (*f, i)).collect();
    let node = |function: &Value<'m>| {
        let mut node = Node { value: *function, own: 0, calls: Vec::new(), collective: false };
        for instruction in function.blocks().into_iter().flat_map(|b| b.instructions()) {
            node.own += 1;
            if instruction.opcode() != Some(Opcode::Call) {
                continue;
            }
            let Some(callee) = instruction.called_function() else { continue };
            match index.get(&callee) {
                Some(called) => node.calls.push(*called),
                None => node.collective |= is_collective(&callee.name()),
            }
        }
        node
    };
    functions.iter().map(node).collect()
}

/// The functions, callees before callers.
fn bottom_up(nodes: &[Node<'_>]) -> Result<Vec<usize>, BuildFailure> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; nodes.len()];
    let mut order = Vec::with_capacity(nodes.len());
    for root in 0..nodes.len() {
        if marks[root] != Mark::New {
            continue;
        }
        marks[root] = Mark::Open;
        let mut stack = vec![(root, 0)];
        while let Some((index, next)) = stack.last_mut() {
            let Some(called) = nodes[*index].calls.get(*next).copied() else {
                marks[*index] = Mark::Done;
                order.push(*index);
                stack.pop();
                continue;
            };
            *next += 1;
            match marks[called] {
                Mark::New => {
                    marks[called] = Mark::Open;
                    stack.push((called, 0));
                }
                Mark::Open => {
                    let text = format!("the function {} calls itself", nodes[called].value.name());
                    return Err(BuildFailure::new(Stage::Optimize, text));
                }
                Mark::Done => {}
            }
        }
    }
    Ok(order)
}

fn reach_collective(nodes: &[Node<'_>], order: &[usize]) -> Vec<bool> {
    let mut reaches = vec![false; nodes.len()];
    for index in order {
        reaches[*index] = nodes[*index].collective || nodes[*index].calls.iter().any(|c| reaches[*c]);
    }
    reaches
}

fn too_large(function: Value<'_>, size: u64) -> BuildFailure {
    let text = format!(
        "the function {} has {size} instructions once calls that reach a barrier are inlined; {COLLECTIVE_LIMIT} are \
         supported",
        function.name()
    );
    BuildFailure { stage: Stage::Optimize, diagnostics: vec![Diagnostic::error(text)] }
}
