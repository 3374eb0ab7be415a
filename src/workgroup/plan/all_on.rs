//! Whether iterations of a loop that all lanes are in have a body of their own.

use crate::analyse::all_on::all_on;
use crate::analyse::course::Course;
use crate::analyse::graph::Graph;
use crate::bounds::all_on::MOST;
use crate::plan::costs::Costs;
use crate::plan::guards::WORTH;
use crate::plan::masks::share_of_loop;

/// Decides for each loop that lanes leave in different iterations.
pub(super) fn decide(costs: &Costs<'_>, graph: &Graph, course: &mut Course) {
    for number in (0..graph.loops.len()).filter(|number| course.diverges(*number)).collect::<Vec<_>>() {
        let l = &graph.loops[number];
        let size: usize = (l.header..l.end).map(|node| costs.block(graph.blocks[node]).len()).sum();
        let found = if size <= MOST { all_on(costs.function, costs.shapes, graph, course, number) } else { None };
        let pays = |found: &Course| share_of_loop(costs, graph, course, number, found) > WORTH;
        course.all_on[number] = found.filter(pays).map(Box::new);
    }
}
