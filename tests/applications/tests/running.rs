//! How programs are run: alone, with empty caches, and not for ever. The programs are shell scripts and the driver is a
//! stranger's, as neither has to do with OpenCL here.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use oxicl_applications::driver::Driver;
use oxicl_applications::install::Installed;
use oxicl_applications::program::Program;
use oxicl_applications::results::Run;
use oxicl_applications::run::run;

fn shell(name: &str, script: &str) -> Run {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    let installed = Installed { folder: folder.clone(), version: "1".to_owned() };
    let text = format!(
        "title = 'sh'\nabout = ''\ncommand = ['sh', '-c', '''{script}''']\nlimit = 2\ndevice = 'any'\n[packages]\n\
         [environment]\nHERE = '{{here}} {{library}}'\n"
    );
    let program: Program = toml::from_str(&text).expect("a program");
    let driver = Driver { name: "stranger".to_owned(), library: folder.join("libstranger.so") };
    run(&program, &installed, &driver, &AtomicBool::new(false)).expect("a run")
}

#[test]
fn a_program_sees_one_driver_and_no_caches_of_another_run() {
    let script = r#"
        cat "$OCL_ICD_VENDORS"/* | grep -c libstranger.so | sed s/^1$/pass_driver/ | tr _ " "
        test ! -e "$HOME/seen" && test ! -e "$OXICL_CACHE_DIR" && echo pass empty
        echo > "$HOME/seen"; mkdir -p "$OXICL_CACHE_DIR"
        case "$HERE" in */alone\ */libstranger.so) echo pass places;; esac
        test -z "$(ls -A .)" && echo pass folder
        "#;
    for _ in 0..2 {
        let run = shell("alone", script);
        assert_eq!((run.passed, run.failed.as_slice()), (4, [].as_slice()), "{run:?}");
    }
}

#[test]
fn a_program_that_goes_on_too_long_is_ended_with_what_it_started() {
    let run = shell("late", "echo pass first; sleep 1000 & sleep 1000");
    assert_eq!(run.ended.as_deref(), Some("not done after 2 s"));
    assert_eq!((run.passed, run.failed.len()), (1, 1));
    assert!(run.seconds < 20.0, "{run:?}");
}

#[test]
fn a_program_that_dies_or_says_nothing_has_failed() {
    assert_eq!(shell("dies", "echo pass first; kill -SEGV $$").ended.as_deref(), Some("killed by signal 11"));
    assert_eq!(shell("status", "echo pass first; exit 3").ended.as_deref(), Some("ended with status 3"));
    assert_eq!(shell("silent", "true").failed.len(), 1);
}
