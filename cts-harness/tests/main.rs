//! The harness on a script that stands for the suite: it passes, fails, skips, crashes and hangs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

use oxicl_cts_harness::outcome::Outcome;
use oxicl_cts_harness::report::Report;
use rustix::process::{Pid, Signal, kill_process};

/// A built suite in a folder of its own, whose binaries are the script.
struct Suite {
    folder: PathBuf,
}

impl Suite {
    fn new() -> Suite {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("oxicl-cts-harness-{}-{number}", std::process::id()));
        for binary in ["geometrics/test_geometrics", "relationals/test_relationals", "conversions/test_conversions"] {
            let path = folder.join("cts").join(binary);
            let parent = path.parent().expect("it has one");
            std::fs::create_dir_all(parent).expect("a temporary folder");
            std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite.sh"), &path).expect("the script");
            std::fs::write(parent.join("data.txt"), "data").expect("a file beside the binary");
        }
        std::fs::write(folder.join("liboxicl.so"), "").expect("a file in the library's place");
        Suite { folder }
    }

    /// A run of a list with this text; `geometrics` is one process, `relationals` one for each sub-test.
    fn command(&self, list: &str, arguments: &[&str]) -> Command {
        let file = self.folder.join("list.toml");
        std::fs::write(&file, list).expect("the list");
        let mut command = Command::new(env!("CARGO_BIN_EXE_cts-harness"));
        command.arg("run").arg("--cts").arg(self.folder.join("cts")).arg("--list").arg(file);
        command.arg("--library").arg(self.folder.join("liboxicl.so")).arg("--out").arg(self.out());
        command.env("FAKE_NOTES", self.folder.join("notes")).args(arguments);
        command
    }

    fn run(&self, list: &str, arguments: &[&str]) -> (Report, Output) {
        let output = self.command(list, arguments).output().expect("the harness runs");
        let text = std::fs::read_to_string(self.out().join("report.json"));
        let text = text.unwrap_or_else(|_| panic!("no report: {}", String::from_utf8_lossy(&output.stderr)));
        (serde_json::from_str(&text).expect("the report is JSON"), output)
    }

    fn out(&self) -> PathBuf {
        self.folder.join("out")
    }

    /// The sub-tests that have started, in their order.
    fn notes(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.join("notes")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

impl Drop for Suite {
    fn drop(&mut self) {
        // A folder that is left behind is no failure.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn list(suite: &str, tests: &str) -> String {
    format!("[[run]]\nsuite = \"{suite}\"\ntests = [{tests}]\n")
}

fn outcomes(report: &Report) -> BTreeMap<&str, Outcome> {
    report.tests().map(|(_, test)| (test.name.as_str(), test.outcome)).collect()
}

const ALL: &str = r#""pass*", "fail", "skip*", "crash*", "hang", "exit_three", "silent_fail""#;

fn assert_all_told_apart(suite: &str) {
    let folder = Suite::new();
    let (report, output) = folder.run(&list(suite, ALL), &["--expect", "none", "--test-limit", "1"]);
    let expected = [
        ("crash", Outcome::Crash),
        ("crash_after", Outcome::Crash),
        ("exit_three", Outcome::Fail),
        ("fail", Outcome::Fail),
        ("hang", Outcome::TimeOut),
        ("pass_one", Outcome::Pass),
        ("pass_two", Outcome::Pass),
        ("silent_fail", Outcome::Fail),
        ("skip", Outcome::Skip),
        ("skip_version", Outcome::Skip),
    ];
    assert_eq!(outcomes(&report), BTreeMap::from(expected));
    assert_eq!(output.status.code(), Some(1));
    let detail = |name: &str| report.tests().find(|(_, test)| test.name == name).map(|(_, test)| test.detail.clone());
    assert!(detail("crash").is_some_and(|text| text.contains("signal 11") && text.contains("about to crash")));
    assert!(detail("fail").is_some_and(|text| text.contains("ERROR: 1 is not 2")));
    assert!(detail("exit_three").is_some_and(|text| text.contains("status 3")));
    assert_eq!(detail("pass_one").as_deref(), Some(""));
    let mut started = folder.notes();
    started.sort();
    started.dedup();
    assert_eq!(started.len(), expected.len(), "every sub-test has run");
    assert_eq!(folder.notes().len(), expected.len(), "and none of them twice");
}

#[test]
fn outcomes_are_told_apart_and_a_crash_takes_none_of_the_others_along() {
    assert_all_told_apart("geometrics");
}

#[test]
fn outcomes_are_the_same_where_each_sub_test_has_its_process() {
    assert_all_told_apart("relationals");
}

#[test]
fn a_child_that_holds_the_output_open_holds_up_nothing() {
    let suite = Suite::new();
    let (report, output) =
        suite.run(&list("geometrics", r#""leave_child""#), &["--expect", "none", "--test-limit", "20"]);
    assert_eq!(outcomes(&report), BTreeMap::from([("leave_child", Outcome::Pass)]));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_binary_that_takes_no_names_is_given_none() {
    let suite = Suite::new();
    let (report, _) = suite.run(&list("conversions", r#""pass*""#), &["--expect", "none"]);
    assert_eq!(outcomes(&report), BTreeMap::from([("pass_one", Outcome::Pass)]));
    assert_eq!(suite.notes(), ["pass_one"]);
}

#[test]
fn the_limit_of_a_binary_ends_it_and_what_has_not_started() {
    let suite = Suite::new();
    let tests = r#""hang", "leave_child", "exit_three""#;
    let (report, _) = suite.run(&list("geometrics", tests), &["--expect", "none", "--limit", "1"]);
    assert!(report.tests().all(|(_, test)| test.outcome == Outcome::TimeOut), "{:?}", outcomes(&report));
    assert_eq!(suite.notes(), ["hang"]);
}

#[test]
fn what_is_expected_is_success_and_an_unexpected_pass_is_told() {
    let suite = Suite::new();
    let file = suite.folder.join("expect.toml");
    let row = |test: &str, outcome: &str| {
        format!(
            "[[expect]]\nentry = \"geometrics\"\ntests = [\"{test}\"]\noutcome = \"{outcome}\"\nreason = \"known\"\n"
        )
    };
    let path = file.display().to_string();
    std::fs::write(&file, row("fail", "fail") + &row("skip*", "skip")).expect("a file");
    let tests = list("geometrics", r#""pass_one", "fail", "skip*""#);
    let (report, output) = suite.run(&tests, &["--expect", &path]);
    assert_eq!((output.status.code(), report.unexpected().count()), (Some(0), 0));

    std::fs::write(&file, row("fail", "crash") + &row("skip*", "skip") + &row("pass_one", "fail")).expect("a file");
    let (report, output) = suite.run(&tests, &["--expect", &path]);
    let unexpected: Vec<&str> = report.unexpected().map(|(_, test)| test.name.as_str()).collect();
    assert_eq!((output.status.code(), unexpected), (Some(1), vec!["fail", "pass_one"]));
}

#[test]
fn an_interrupted_run_reports_what_it_has_and_goes_on_where_it_was() {
    let suite = Suite::new();
    let tests = list("geometrics", r#""pass_one", "hang""#) + &list("relationals", r#""pass_two""#);
    let mut command = suite.command(&tests, &["--expect", "none", "--jobs", "1", "--resume"]);
    let child = command.stdout(std::process::Stdio::piped()).spawn().expect("the harness runs");
    while !suite.notes().contains(&"hang".to_owned()) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let id = Pid::from_raw(i32::try_from(child.id()).expect("it fits")).expect("it is not zero");
    kill_process(id, Signal::INT).expect("it is there");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let text = std::fs::read_to_string(suite.out().join("report.json")).expect("it reports");
    let report: Report = serde_json::from_str(&text).expect("the report is JSON");
    assert!(!report.complete && !report.resumed);
    assert_eq!(outcomes(&report), BTreeMap::from([("pass_one", Outcome::Pass)]));

    let (report, _) = suite.run(&tests, &["--expect", "none", "--jobs", "1", "--resume", "--test-limit", "1"]);
    assert!(report.complete && report.resumed);
    assert_eq!(suite.notes(), ["pass_one", "hang", "hang", "pass_two"]);
    let expected = [("pass_one", Outcome::Pass), ("hang", Outcome::TimeOut), ("pass_two", Outcome::Pass)];
    assert_eq!(outcomes(&report), BTreeMap::from(expected));
}

#[test]
fn a_run_does_not_go_on_from_the_journal_of_another() {
    let suite = Suite::new();
    let tests = list("geometrics", r#""pass_one""#);
    suite.run(&tests, &["--expect", "none"]);
    let output = suite.command(&tests, &["--mode", "spir-v", "--resume"]).output().expect("the harness runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("another run"));
}

#[test]
fn a_binary_that_is_not_there_is_a_failure() {
    let suite = Suite::new();
    let (report, output) = suite.run("[[run]]\nsuite = \"pipes\"\n", &["--expect", "none"]);
    assert_eq!(outcomes(&report), BTreeMap::from([("(binary)", Outcome::Fail)]));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_offline_compiler_reaches_the_suite() {
    let suite = Suite::new();
    let arguments = ["--expect", "none", "--mode", "spir-v", "--offline-compiler", "my-compiler --flag"];
    suite.run(&list("geometrics", r#""pass_one""#), &arguments);
    let log = std::fs::read_to_string(suite.out().join("logs/geometrics.log")).expect("there is a log");
    assert!(log.contains("compiler: my-compiler --flag"), "{log}");
}

#[test]
fn reports_come_as_json_markdown_and_junit() {
    let suite = Suite::new();
    let tests = list("geometrics", r#""pass_one", "fail", "crash""#);
    let (report, output) = suite.run(&tests, &["--expect", "none", "--json", "--quiet"]);
    let printed: Report = serde_json::from_slice(&output.stdout).expect("standard output is the report alone");
    assert_eq!(outcomes(&printed), outcomes(&report));
    assert_eq!(printed.device.as_deref(), Some("Fake, Compute Device Version = OpenCL 3.0"));
    assert!(output.stderr.is_empty(), "quiet is quiet");

    let markdown = std::fs::read_to_string(suite.out().join("report.md")).expect("a report");
    assert!(markdown.contains("| `test_geometrics pass_one fail crash` | 1 | 1 | 1 | 0 | 0 |"), "{markdown}");
    let xml = std::fs::read_to_string(suite.out().join("junit.xml")).expect("a report");
    for part in ["tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\"", "<failure message=\"fail: ", "1 is not 2"] {
        assert!(xml.contains(part), "{part} in {xml}");
    }

    let mut table = Command::new(env!("CARGO_BIN_EXE_cts-harness"));
    let output = table.arg("table").arg(suite.out().join("report.json")).output().expect("the harness runs");
    assert!(String::from_utf8_lossy(&output.stdout).contains("## Kernels as source"));
}

#[test]
fn nonsense_on_the_command_line_is_an_error_of_its_own() {
    let suite = Suite::new();
    let status = |command: &mut Command| command.output().expect("the harness runs").status.code();
    assert_eq!(status(&mut suite.command("nonsense", &[])), Some(2));
    assert_eq!(status(&mut suite.command("[[run]]\nsuite = \"nothing\"\n", &[])), Some(2));
    assert_eq!(status(&mut suite.command(&list("geometrics", ""), &["--mode", "other"])), Some(2));
    assert_eq!(status(&mut suite.command(&list("geometrics", ""), &["nothing:at_all"])), Some(2));
}
