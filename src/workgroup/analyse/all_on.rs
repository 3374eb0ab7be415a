//! Loops that all lanes go through together until one of them leaves, which most loops of `i < n` are in all iterations but the
//! last: `for (i = get_global_id(0); i < n; i += get_global_size(0))`. As long as all lanes are in it, an iteration needs no
//! mask.

use std::collections::BTreeSet;

use crate::analyse::course::{Course, Leave, Mask, course};
use crate::analyse::graph::Graph;
use crate::analyse::instructions::is_harmless;
use crate::analyse::shape::Shapes;
use crate::ir::{Function, Operand, Terminator};

/// The course through an iteration of a loop that begins with all lanes of the gang and that none of them leaves. `None` unless
/// lanes leave at its header alone, and what that does may be done again for the lanes that are left.
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
    let stays = |node: usize| graph.successors[node].iter().all(|to| graph.is_in(*to, number));
    let header = function.block(graph.blocks[l.header]);
    let Terminator::Branch { condition: Some(Operand::Inst(condition)), successors, .. } = &header.terminator else {
        return None;
    };
    let parts =
        usual.diverges(number) && matches!(usual.leave[l.header], Leave::Diverge { .. }) && successors.len() == 2;
    let alone = (l.header + 1..l.end).all(stays);
    if !is_innermost || !parts || !alone || !header.insts.iter().all(|id| is_harmless(function, *id)) {
        return None;
    }
    let mut course = course(function, shapes, graph, &BTreeSet::from([*condition])).ok()?;
    // Who is in the loop is everybody.
    for node in l.header..l.end {
        let mask = &mut course.masks[node];
        if node == l.header || matches!(*mask, Mask::Of(head) if head <= l.header) {
            *mask = Mask::Entry;
        }
    }
    Some(course)
}
