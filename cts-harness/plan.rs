//! Turns a list into shards: what one process is to run.

use std::collections::{HashSet, VecDeque};

use crate::catalogue::{Entry, matches};
use crate::environment::Environment;
use crate::outcome::{Outcome, Record};
use crate::{Fallible, about};

/// Sub-tests of one entry for one process.
#[derive(Clone, Debug, PartialEq)]
pub struct Shard {
    /// Index of the entry.
    pub entry: usize,
    /// Names of the sub-tests.
    pub tests: Vec<String>,
}

/// What a run will do.
#[derive(Debug, Default)]
pub struct Plan {
    /// In the order in which they start.
    pub shards: VecDeque<Shard>,
    /// Sub-tests, those included that have run already.
    pub total: usize,
    /// Outcomes that are known without running: of binaries that are not there.
    pub known: Vec<Record>,
}

/// The name that stands for a whole binary where no sub-test is to blame.
pub const WHOLE: &str = "(binary)";

/// Asks each binary for its sub-tests, chooses, and leaves out those that have run.
pub fn plan(entries: &[Entry], environment: &Environment, done: &HashSet<(String, String)>) -> Fallible<Plan> {
    let mut plan = Plan::default();
    for (index, entry) in entries.iter().enumerate() {
        let chosen = match sub_tests(entry, environment) {
            Ok(chosen) => chosen,
            Err(error) => {
                plan.total += 1;
                plan.known.push(Record {
                    entry: entry.name.clone(),
                    test: WHOLE.to_owned(),
                    outcome: Outcome::Fail,
                    seconds: 0.0,
                    detail: error,
                });
                continue;
            }
        };
        plan.total += chosen.len();
        let left: Vec<String> =
            chosen.into_iter().filter(|test| !done.contains(&(entry.name.clone(), test.clone()))).collect();
        if entry.suite.split {
            plan.shards.extend(left.into_iter().map(|test| Shard { entry: index, tests: vec![test] }));
        } else if !left.is_empty() {
            plan.shards.push_back(Shard { entry: index, tests: left });
        }
    }
    // What takes longest starts first, so that no core waits for it at the end.
    let seconds = |shard: &Shard| entries.get(shard.entry).and_then(|entry| entry.suite.seconds).unwrap_or(0);
    plan.shards.make_contiguous().sort_by_key(|shard| std::cmp::Reverse(seconds(shard)));
    Ok(plan)
}

/// The sub-tests that an entry chooses, in the order of the binary's own list.
fn sub_tests(entry: &Entry, environment: &Environment) -> Fallible<Vec<String>> {
    let binary = environment.binary(&entry.suite);
    if !binary.is_file() {
        return Err(format!("{} is not there: the suite was built without it", binary.display()));
    }
    let output = about(environment.command(&entry.suite).arg("--list").output(), binary.display())?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{} --list: {}\n{text}", binary.display(), output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let all: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix('\t')).map(str::trim).collect();
    for pattern in &entry.tests {
        if !all.iter().any(|test| matches(pattern, test)) {
            return Err(format!("{} has no sub-test {pattern}", binary.display()));
        }
    }
    let chosen = |test: &&str| entry.tests.is_empty() || entry.tests.iter().any(|pattern| matches(pattern, test));
    let chosen: Vec<String> = all.into_iter().filter(chosen).map(str::to_owned).collect();
    if chosen.is_empty() {
        return Err(format!("{} --list names no sub-test", binary.display()));
    }
    Ok(chosen)
}
