//! What the page says of results.

use std::collections::BTreeMap;

use oxicl_applications::document::page;
use oxicl_applications::program::{Absent, Known, Packages, Program, Reader};
use oxicl_applications::results::{Failure, Results, Run};

fn program(name: &str) -> Program {
    Program {
        name: name.to_owned(),
        title: name.to_owned(),
        about: "Adds.".to_owned(),
        packages: Packages::default(),
        prepare: Vec::new(),
        command: vec!["add".to_owned()],
        directory: None,
        reader: Reader::Lines,
        limit: 1,
        environment: BTreeMap::new(),
        device: "takes any".to_owned(),
        known: vec![Known { tests: vec!["half".to_owned()], reason: "Its test is wrong.".to_owned() }],
        note: String::new(),
    }
}

fn run(driver: &str, failed: &[&str], seconds: f64) -> Run {
    let failed = failed.iter().map(|test| Failure { test: (*test).to_owned(), why: String::new() }).collect();
    Run { driver: driver.to_owned(), passed: 7, seconds, failed, ..Run::default() }
}

fn shown(runs: Vec<Run>) -> String {
    let results = Results { version: "1.2".to_owned(), runs };
    let absent = Absent { title: "Divider".to_owned(), looked: "no package".to_owned() };
    page(&[program("adder")], &BTreeMap::from([("adder".to_owned(), results)]), &[absent])
}

#[test]
fn a_row_has_both_counts_and_the_ratio_of_the_times() {
    let text = shown(vec![run("oxicl", &["half"], 4.0), run("other", &[], 2.0)]);
    assert!(text.contains("| [adder](#adder) | 1.2 | 7 | 1 | 0 | 4.0 s | 7 | 0 | 2.0 s | 2.00 |  |"), "{text}");
}

#[test]
fn failures_come_with_their_reasons_and_with_who_else_fails() {
    let text = shown(vec![run("oxicl", &["add half", "add int"], 1.0), run("other", &["add int", "add long"], 1.0)]);
    assert!(text.contains("- Failed: `add half` - Its test is wrong."), "{text}");
    assert!(text.contains("- Failed: `add int` (on both) - not known yet"), "{text}");
    assert!(text.contains("- Failed on the peer only: `add long`"), "{text}");
}

#[test]
fn speeds_far_behind_the_peer_are_named_the_slowest_first() {
    let mut runs = vec![run("oxicl", &[], 1.0), run("other", &[], 1.0)];
    runs[0].speeds = BTreeMap::from([("a".to_owned(), 2.0), ("b".to_owned(), 1.0), ("c".to_owned(), 9.0)]);
    runs[1].speeds = BTreeMap::from([("a".to_owned(), 1.0), ("b".to_owned(), 2.0), ("c".to_owned(), 3.0)]);
    let text = shown(runs);
    assert!(
        text.contains("3 things measured, slower than the peer in 2. By 1.5 times or more: c 3.0, a 2.0."),
        "{text}"
    );
    assert!(text.contains("| 1.00 | 2.00 |"), "the median is in the row: {text}");
}

#[test]
fn programs_that_were_not_found_come_last() {
    assert!(shown(vec![run("oxicl", &[], 1.0)]).ends_with("\n## Not run\n\n- Divider: no package.\n"));
}

#[test]
fn a_program_that_did_not_end_has_no_ratio() {
    let mut late = run("oxicl", &[], 1.0);
    late.ended = Some("not done after 1 s".to_owned());
    let text = shown(vec![late, run("other", &[], 1.0)]);
    assert!(text.contains("| 7 | 0 | 0 | not done after 1 s | 7 | 0 | 1.0 s |  |  |"), "{text}");
}
