//! `cargo xtask bisect` on a command that a wrong decision of the compiler makes fail.

use std::path::PathBuf;
use std::process::{Command, Output};

use crate::scenario;

/// Builds the command.
fn xtask() -> PathBuf {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let status = command.args(["build", "--quiet", "--package", "xtask"]).status();
    assert!(status.is_ok_and(|status| status.success()), "xtask does not build");
    // It is built for debugging, whatever the tests are built for.
    oxicl_tests::built_folder().with_file_name("debug").join("xtask")
}

/// Looks for the decision that makes a scenario fail.
fn bisect(scenario: &str, fault: Option<&str>) -> Output {
    let mut command = Command::new(xtask());
    command.args(["bisect", "--seconds", "60", env!("CARGO_BIN_EXE_oxicl-guest"), scenario]);
    command.env("OCL_ICD_VENDORS", oxicl_tests::driver()).env_remove("OXICL_COMPILER_FAULT");
    if let Some(fault) = fault {
        command.env("OXICL_COMPILER_FAULT", fault);
    }
    command.output().unwrap_or_else(|error| panic!("xtask: {error}"))
}

#[test]
fn a_wrong_decision_is_found_by_kernel_and_instruction() {
    if oxicl_tests::is_reference() {
        return;
    }
    scenario("adds-by-place", 60, |_| ());
    let found = bisect("adds-by-place", Some("victim:workgroup:wrong:any"));
    let text = String::from_utf8_lossy(&found.stdout);
    assert!(found.status.success(), "{text}{}", String::from_utf8_lossy(&found.stderr));
    let line = text.lines().find(|line| line.starts_with("kernel ")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.starts_with("kernel victim, decision ") && line.contains(": comparisons for `"), "{line}");
    assert!(line.contains(" = icmp "), "{line}");
    // The first decisions of the kernel are right.
    let number = line.split(' ').nth(3).and_then(|word| word.trim_end_matches(':').parse::<u32>().ok());
    assert!(number.is_some_and(|number| number > 1), "{line}");
}

#[test]
fn a_command_that_does_not_fail_has_no_wrong_decision() {
    if oxicl_tests::is_reference() {
        return;
    }
    let found = bisect("adds-by-place", None);
    let errors = String::from_utf8_lossy(&found.stderr);
    assert!(!found.status.success() && errors.contains("passes with all decisions"), "{errors}");
}

#[test]
fn a_decision_that_is_disabled_cannot_be_wrong() {
    if oxicl_tests::is_reference() {
        return;
    }
    scenario("adds-by-place", 60, |command| {
        command.env("OXICL_COMPILER_FAULT", "victim:workgroup:wrong:any").env("OXICL_DISABLE", "comparisons");
    });
}
