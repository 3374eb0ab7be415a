//! Another compiler than this process can be compared: the one that `OXICL_COMPILER` names.

use std::process::Command;

#[test]
fn what_is_named_compiles_and_nothing_else() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oxicl-differential"));
    let output = command.args(["0", "1", "--quick"]).env("OXICL_COMPILER", "/bin/true").output().expect("started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("/bin/true is no compiler of oxicl's"), "{text}");
}
