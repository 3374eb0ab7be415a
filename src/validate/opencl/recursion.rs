//! No recursion in the call graph of an entry point, and no call chain deeper than can be compiled.

use oxicl_spirv::Def;
use oxicl_spirv::grammar::Op;

use crate::at::Subject;
use crate::facts::calls::Calls;
use crate::rule::Rule;
use crate::violation::{Location, Report, fault};

/// The deepest chain of calls; later stages may recurse along it.
const MAX_CALL_DEPTH: u32 = 256;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unseen,
    Open,
    /// Calls in the longest chain from here.
    Closed(u32),
}

/// Checks the call trees of all entry points.
pub(crate) fn check(subject: Subject<'_>, calls: &Calls, report: &mut Report) {
    let mut states = vec![State::Unseen; calls.callees.len()];
    for entry in &subject.module.entry_points {
        let Def::Function(root) = subject.module.def(entry.function) else { continue };
        // Each frame is a function and the next of its callees to visit.
        let mut stack = vec![(root, 0usize)];
        while let Some((function, next)) = stack.pop() {
            let Some(callees) = calls.callees.get(function as usize) else { continue };
            if next == 0 && states[function as usize] != State::Unseen {
                continue;
            }
            states[function as usize] = State::Open;
            match callees.get(next) {
                Some(&callee) => {
                    stack.push((function, next + 1));
                    match states.get(callee as usize) {
                        Some(State::Open) => {
                            complain(
                                subject,
                                callee,
                                Rule::Recursion,
                                "the function calls itself, directly or not",
                                report,
                            );
                        }
                        Some(State::Unseen) => stack.push((callee, 0)),
                        _ => {}
                    }
                }
                None => {
                    let deepest = callees.iter().filter_map(|callee| match states.get(*callee as usize) {
                        Some(State::Closed(depth)) => Some(*depth),
                        _ => None,
                    });
                    let depth = deepest.max().unwrap_or_default() + 1;
                    if depth == MAX_CALL_DEPTH {
                        let detail = format!("calls nest deeper than {MAX_CALL_DEPTH}");
                        complain(subject, function, Rule::DeviceLimit, &detail, report);
                    }
                    states[function as usize] = State::Closed(depth);
                }
            }
        }
    }
}

fn complain(subject: Subject<'_>, function: u32, rule: Rule, detail: &str, report: &mut Report) {
    if let Some(function) = subject.module.functions.get(function as usize) {
        let location = Location { op: Some(Op::Function), result: Some(function.id), offset: function.offset };
        report.check(location, fault(rule, detail));
    }
}
