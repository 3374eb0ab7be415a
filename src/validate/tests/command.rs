//! `oxicl-validate`: exit status, text, JSON.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use oxicl_offline::assemble;

const VALID: &str = "OpCapability Kernel
OpCapability Addresses
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main \"main\"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%one = OpConstant %uint 1
%half = OpConstant %float 0.5
%p = OpTypePointer Function %uint
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%entry = OpLabel
%v = OpVariable %p Function
OpStore %v %one Aligned 4
OpReturn
OpFunctionEnd
";

/// A folder for the files of one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("oxicl-validate-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).expect("a file");
        path.to_str().expect("a name").to_owned()
    }

    fn module(&self, name: &str, text: &str) -> String {
        self.file(name, &assemble(text).expect("the text assembles"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays is no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_oxicl-validate"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().expect("a pipe").write_all(input).expect("is read");
    child.wait_with_output().expect("the command ends")
}

fn invalid() -> String {
    VALID.replace("OpStore %v %one", "OpStore %v %half\nOpStore %one %v")
}

#[test]
fn a_valid_module_prints_nothing_and_ends_with_0() {
    let folder = Folder::new("valid");
    let output = run(&[&folder.module("a.spv", VALID)], &[]);
    assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0));
}

#[test]
fn an_invalid_module_prints_all_that_is_wrong_and_ends_with_1() {
    let folder = Folder::new("invalid");
    let (good, bad) = (folder.module("a.spv", VALID), folder.module("b.spv", &invalid()));
    let output = run(&[&good, &bad], &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.starts_with(&format!("{bad}: invalid, 2 violations\nerror: OpStore ")), "{text}");
    for part in
        ["  in OpStore", "  at word ", "  rule: MemoryAccess: ", "  specification: SPIR-V 1.6, Memory Instructions"]
    {
        assert_eq!(text.matches(part).count(), 2, "{part} in {text}");
    }
}

#[test]
fn warnings_leave_a_module_valid() {
    let folder = Folder::new("warning");
    let file = folder.module("a.spv", &VALID.replace("Aligned 4", "Aligned 5"));
    let output = run(&[&file], &[]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(
        text.starts_with(&format!("{file}: valid, 1 warning\nwarning: OpStore has an alignment of 5 bytes")),
        "{text}"
    );
}

#[test]
fn standard_input_is_a_file_of_one_hyphen() {
    let bytes = assemble(&invalid()).expect("the text assembles");
    let output = run(&["-"], &bytes);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.starts_with(b"-: invalid"));
}

#[test]
fn words_that_are_no_module_are_invalid() {
    let folder = Folder::new("noise");
    for (name, bytes) in [("empty", &b""[..]), ("short", b"abc"), ("noise", b"no module at all, but words")] {
        let output = run(&[&folder.file(name, bytes)], &[]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("PhysicalLayout"), "{name}: {output:?}");
    }
}

#[test]
fn what_cannot_be_read_ends_with_2_and_the_rest_is_still_judged() {
    let folder = Folder::new("unreadable");
    let bad = folder.module("b.spv", &invalid());
    let output = run(&["/nonexistent/a.spv", &bad], &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nonexistent/a.spv: "));
    assert!(String::from_utf8_lossy(&output.stdout).contains("b.spv: invalid"));
}

#[test]
fn wrong_usage_ends_with_2() {
    for arguments in [&[][..], &["--nonsense"], &["--json"]] {
        let output = run(arguments, &[]);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("Usage: oxicl-validate"));
    }
    let help = run(&["--help"], &[]);
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&help.stdout).contains("Exit status"));
}

#[test]
fn json_has_an_object_for_each_file() {
    let folder = Folder::new("json");
    let good = folder.module("a.spv", &VALID.replace("Aligned 4", "Aligned 5"));
    let bad = folder.module(
        "b\"\\.spv",
        &invalid()
            .replace("%void =", "%f = OpString \"x.cl\"\nOpName %v \"v\"\n%void =")
            .replace("OpStore %one", "OpLine %f 3 4\nOpStore %one"),
    );
    let output = run(&["--json", &good, &bad, "/nonexistent/c.spv"], &[]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(
        lines[0]
            .starts_with(&format!("[{{\"file\": \"{good}\", \"valid\": true, \"violations\": [], \"warnings\": [{{")),
        "{text}"
    );
    assert!(lines[0].contains("\"quirk\": \"AlignmentNotPowerOfTwo\""), "{text}");
    for part in [
        "b\\\"\\\\.spv\", \"valid\": false",
        "\"rule\": \"MemoryAccess\"",
        "\"word_offset\": ",
        "\"opcode\": \"OpStore\"",
        "\"instruction\": \"OpStore %uint_1 %v Aligned 4\"",
        "\"source\": {\"file\": \"x.cl\", \"line\": 3, \"column\": 4}",
        "\"warnings\": []",
    ] {
        assert!(lines[1].contains(part), "no {part} in {text}");
    }
    assert!(lines[2].contains("\"error\": \""), "{text}");
}
