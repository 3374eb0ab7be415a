//! Whether a loop has a second body, for iterations that all lanes are in.

use crate::analyse::all_on::all_on;
use crate::analyse::course::Course;
use crate::analyse::graph::Graph;
use crate::plan::costs::Costs;
use crate::plan::guards::is_worth_a_body;
use crate::plan::masks::share_of_loop;

/// Decides for each divergent loop.
pub(super) fn decide(costs: &Costs<'_>, graph: &Graph, course: &mut Course) {
    for number in (0..graph.loops.len()).filter(|number| course.diverges(*number)).collect::<Vec<_>>() {
        let size = graph.insts(costs.function, number).count();
        // The body is too long even if masks took all of the time.
        if !is_worth_a_body(1.0, size) {
            continue;
        }
        let found = all_on(costs.function, costs.shapes, graph, course, number);
        let pays = |found: &Course| is_worth_a_body(share_of_loop(costs, graph, course, number, found), size);
        course.all_on[number] = found.filter(pays).map(Box::new);
    }
}
