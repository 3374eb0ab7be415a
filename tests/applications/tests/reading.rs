//! What is read from outputs.

use oxicl_applications::program::Reader;
use oxicl_applications::reading::Tests;
use oxicl_applications::results::Failure;

fn failure(test: &str, why: &str) -> Failure {
    Failure { test: test.to_owned(), why: why.to_owned() }
}

#[test]
fn lines_of_scripts_are_counted_and_others_are_passed_over() {
    let output =
        "starting\npass one\npassed 30\nskipped 4\nskip two\nfail three: no such kernel: x\nspeed add 32 0.25\n";
    let tests = Tests::read(Reader::Lines, output);
    assert_eq!((tests.passed, tests.skipped), (31, 5));
    assert_eq!(tests.failed, [failure("three", "no such kernel: x")]);
    assert_eq!(tests.speeds.get("add 32"), Some(&0.25));
}

#[test]
fn lines_of_rusts_test_runner_are_counted() {
    let output = "running 3 tests\ntest a::b ... ok\ntest src/lib.rs - c (line 3) ... FAILED\ntest d ... ignored, slow\n\
                  test result: FAILED. 1 passed; 1 failed\n";
    let tests = Tests::read(Reader::Cargo, output);
    assert_eq!((tests.passed, tests.skipped), (1, 1));
    assert_eq!(tests.failed, [failure("src/lib.rs - c (line 3)", "")]);
}

#[test]
fn a_long_reason_is_cut_between_characters() {
    let output = format!("fail long: {}", "\u{e4}".repeat(300));
    let tests = Tests::read(Reader::Lines, &output);
    let why = &tests.failed[0].why;
    assert!(why.len() <= 200 && why.chars().all(|c| c == '\u{e4}'), "{why}");
}
