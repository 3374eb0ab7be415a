//! Tables of error codes.

use crate::Fixture;
use oxicl_client::code_name;
use oxicl_client::sys::cl_int;

/// One wrong call.
pub struct Case {
    /// What is wrong with it.
    pub name: &'static str,
    /// The code that the specification asks for.
    pub expected: cl_int,
    /// Makes the call and gives its code.
    pub call: fn(&Fixture) -> cl_int,
}

/// Makes every call of a table and panics with a line for each wrong answer.
pub fn check_table(entry_point: &str, cases: &[Case]) {
    let fixture = Fixture::new();
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let found = (case.call)(&fixture);
            (found != case.expected)
                .then(|| format!("  {}: {} instead of {}", case.name, code_name(found), code_name(case.expected)))
        })
        .collect();
    assert!(wrong.is_empty(), "{entry_point}:\n{}", wrong.join("\n"));
}
