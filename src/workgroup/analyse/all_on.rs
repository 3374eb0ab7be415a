//! Loops in which all lanes stay together until one of them leaves. Most loops up to a bound, such as
//! `for (i = get_global_id(0); i < n; i += get_global_size(0))`, are so in all iterations but the last. An iteration
//! that all lanes are in needs no mask.

use std::collections::BTreeSet;

use crate::analyse::course::{Course, Leave, Mask, course};
use crate::analyse::graph::Graph;
use crate::analyse::instructions::is_harmless;
use crate::analyse::shape::Shapes;
use crate::ir::{Function, Operand, Terminator};

/// The course through an iteration of a loop that all lanes of the gang begin and none leaves. `None` unless lanes
/// leave at the header alone, no loop within diverges, and the header may be run again: the usual body does so for an
/// iteration that some lane leaves.
pub(crate) fn all_on(
    function: &Function<'_>,
    shapes: &Shapes,
    graph: &Graph,
    usual: &Course,
    number: usize,
) -> Option<Course> {
    let l = &graph.loops[number];
    let within = |n: &usize| *n != number && graph.is_in(graph.loops[*n].header, number);
    let is_innermost = !(0..graph.loops.len()).filter(within).any(|n| usual.diverges(n));
    let header = function.block(graph.blocks[l.header]);
    let Terminator::Branch { condition: Some(Operand::Inst(condition)), successors, .. } = &header.terminator else {
        return None;
    };
    let diverges =
        usual.diverges(number) && matches!(usual.leave[l.header], Leave::Diverge { .. }) && successors.len() == 2;
    let alone = !(l.header + 1..l.end).any(|node| graph.leaves(node, number));
    if !is_innermost || !diverges || !alone || !header.insts.iter().all(|id| is_harmless(function, *id)) {
        return None;
    }
    let mut course = course(function, shapes, graph, &BTreeSet::from([*condition])).ok()?;
    // All lanes are in the loop.
    for node in l.nodes() {
        let mask = &mut course.masks[node];
        if node == l.header || matches!(*mask, Mask::Of(head) if head <= l.header) {
            *mask = Mask::Entry;
        }
    }
    Some(course)
}
