//! The compiler process through its client: what the application sees when it works, and when it does not.

mod client;

use std::num::NonZeroU32;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use oxicl_compiler_client::{Compiler, Settings};
use oxicl_protocol::{BuildFailure, CompileRequest, Stage};

fn compiler(fault: Option<&str>) -> Compiler {
    Compiler::new(Settings { fault: fault.map(str::to_owned), build_seconds: NonZeroU32::new(4), ..client::settings() })
}

/// A request that a living compiler answers with a failure in stage decode.
fn request(kernel: &str) -> CompileRequest {
    CompileRequest { spirv: vec![0; 8], kernels: vec![kernel.into()], ..CompileRequest::default() }
}

fn answer(compiler: &Compiler, kernel: &str) -> BuildFailure {
    compiler.compile(&request(kernel)).expect_err("zeros are no module")
}

#[test]
fn the_log_of_the_compiler_comes_back() {
    assert_eq!(answer(&compiler(None), "k").stage, Stage::Decode);
}

#[test]
fn requests_of_many_threads_get_their_own_answers() {
    let compiler = compiler(None);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..200 {
                    assert_eq!(answer(&compiler, "k").stage, Stage::Decode);
                }
            });
        }
    });
}

#[test]
fn many_large_requests_may_be_sent_before_an_answer_is_read() {
    let large = |word: u32| CompileRequest { spirv: vec![word; 100_000], ..CompileRequest::default() };
    let requests: Vec<CompileRequest> = (0..40).map(|_| large(u32::MAX)).collect();
    let results = compiler(None).compile_all(&requests);
    assert_eq!(results.len(), requests.len());
    assert!(results.iter().all(|result| result.as_ref().is_err_and(|failure| failure.stage == Stage::Decode)));
}

#[test]
fn a_worker_that_dies_costs_one_more_try_and_nobody_else_notices() {
    for kind in ["kill", "segv", "exit", "alloc"] {
        let compiler = compiler(Some(&format!("victim:decode:{kind}:full")));
        thread::scope(|scope| {
            for kernel in ["bystander", "victim", "bystander"] {
                let compiler = &compiler;
                scope.spawn(move || {
                    for _ in 0..3 {
                        assert_eq!(answer(compiler, kernel).stage, Stage::Decode, "{kind}");
                    }
                });
            }
        });
    }
}

#[test]
fn a_second_death_is_a_failure_that_names_kernel_stage_and_cause() {
    let causes = [
        ("kill", "signal 9 (SIGKILL"),
        ("segv", "signal 11 (SIGSEGV"),
        ("exit", "exited with status 1"),
        ("alloc", "more memory than its limit of 4096 MiB"),
    ];
    for (kind, cause) in causes {
        let compiler = compiler(Some(&format!("victim:decode:{kind}:any")));
        let failure = answer(&compiler, "victim");
        assert_eq!(failure.stage, Stage::CompilerProcess);
        let log = failure.to_string();
        for part in [cause, "stage decode", "'victim'", "second try", "cheap tier"] {
            assert!(log.contains(part), "{kind}: no '{part}' in {log}");
        }
        assert_eq!(answer(&compiler, "bystander").stage, Stage::Decode, "{kind}");
    }
}

#[test]
fn an_endless_loop_ends_when_its_processor_time_is_used_up() {
    let compiler = compiler(Some("victim:decode:loop:any"));
    let start = Instant::now();
    thread::scope(|scope| {
        let victim = scope.spawn(|| answer(&compiler, "victim"));
        for _ in 0..20 {
            let asked = Instant::now();
            assert_eq!(answer(&compiler, "bystander").stage, Stage::Decode);
            assert!(asked.elapsed() < Duration::from_secs(7), "a bystander waited {:?}", asked.elapsed());
        }
        let log = victim.join().expect("an answer").to_string();
        for part in ["stopped after 4 s of processor time; OXICL_BUILD_SECONDS", "kernel 'victim'", "stage decode"] {
            assert!(log.contains(part), "no '{part}' in {log}");
        }
        assert!(!log.contains("second try"), "decoding takes as long at every tier: {log}");
    });
    assert!(start.elapsed() > Duration::from_secs(4), "{:?}", start.elapsed());
}

#[test]
fn a_worker_that_waits_uses_no_time() {
    let start = Instant::now();
    assert_eq!(answer(&compiler(Some("victim:decode:sleep:any")), "victim").stage, Stage::Decode);
    assert!(start.elapsed() > Duration::from_secs(8), "{:?} is not beyond the limit", start.elapsed());
}

#[test]
fn what_others_use_of_the_processor_does_not_count() {
    let compiler = compiler(Some("victim:decode:burn:any"));
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 * Settings::default().workers {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let stage = answer(&compiler, "victim").stage;
        over.store(true, Ordering::Relaxed);
        assert_eq!(stage, Stage::Decode);
    });
}

#[test]
fn a_program_that_never_answers_is_given_up_twice() {
    let path = std::env::temp_dir().join(format!("oxicl-sleeper-{}", std::process::id()));
    std::fs::write(&path, "#!/bin/sh\nexec sleep 1000\n").expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).expect("executable");
    let patience = Duration::from_secs(2);
    let settings = Settings { compiler: Some(path.clone()), cache: None, patience, ..Settings::default() };
    let start = Instant::now();
    let log = answer(&Compiler::new(settings), "k").to_string();
    std::fs::remove_file(&path).expect("removed");
    assert!(log.contains("given up 2 times, as it did not answer for 2 s or more"), "{log}");
    assert!(start.elapsed() >= Duration::from_secs(4), "{:?}", start.elapsed());
}

#[test]
fn a_missing_compiler_is_a_sentence() {
    let settings = Settings { compiler: Some("/nowhere/oxicl-compiler".into()), cache: None, ..Settings::default() };
    let failure = answer(&Compiler::new(settings), "k");
    assert_eq!(failure.stage, Stage::CompilerProcess);
    assert!(failure.to_string().contains("there is no compiler at /nowhere/oxicl-compiler"), "{failure}");
}

#[test]
fn a_compiler_that_may_not_be_executed_is_a_sentence() {
    let path = std::env::temp_dir().join(format!("oxicl-not-executable-{}", std::process::id()));
    std::fs::write(&path, "text").expect("written");
    let settings = Settings { compiler: Some(path.clone()), cache: None, ..Settings::default() };
    let failure = answer(&Compiler::new(settings), "k").to_string();
    std::fs::remove_file(&path).expect("removed");
    assert!(failure.contains("may not start the compiler"), "{failure}");
}

#[test]
fn a_program_that_is_no_compiler_is_a_sentence() {
    let settings = Settings { compiler: Some("/bin/true".into()), cache: None, ..Settings::default() };
    let failure = answer(&Compiler::new(settings), "k").to_string();
    assert!(failure.contains("ended 3 times before it answered"), "{failure}");
}

#[test]
fn a_compiler_of_another_build_is_asked_once_and_told_of() {
    let folder = std::env::temp_dir().join(format!("oxicl-other-build-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("made");
    let (path, starts) = (folder.join("oxicl-compiler"), folder.join("starts"));
    let (real, starts_shown) = (env!("CARGO_BIN_EXE_oxicl-compiler"), starts.display());
    std::fs::write(&path, format!("#!/bin/sh\necho >> {starts_shown}\nexec {real} \"$@\"\n")).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).expect("executable");
    let settings =
        Settings { compiler: Some(path.clone()), cache: None, build: "0.0.7+abc".into(), ..Settings::default() };
    let compiler = Compiler::new(settings);
    let request = CompileRequest { spirv: vec![u32::MAX; 1 << 20], ..CompileRequest::default() };
    let failure = compiler.compile(&request).expect_err("it is refused");
    let started = std::fs::read_to_string(&starts).expect("it was started").lines().count();
    std::fs::remove_dir_all(&folder).expect("removed");
    assert_eq!((failure.stage, started), (Stage::CompilerProcess, 1), "{failure}");
    let log = failure.to_string();
    for part in ["the library of oxicl 0.0.7+abc", &oxicl_compiler::command_line::build(), &path.display().to_string()]
    {
        assert!(log.contains(part), "no '{part}' in {log}");
    }
}

#[test]
fn a_compiler_whose_file_is_gone_serves_its_application_to_the_end() {
    const LONGER_THAN_IDLE: Duration = Duration::from_secs(12);
    let path = std::env::temp_dir().join(format!("oxicl-removed-{}", std::process::id()));
    std::fs::copy(env!("CARGO_BIN_EXE_oxicl-compiler"), &path).expect("copied");
    let build = oxicl_compiler::command_line::build();
    let settings = Settings { compiler: Some(path.clone()), cache: None, build, ..Settings::default() };
    let compiler = Compiler::new(settings);
    assert_eq!(answer(&compiler, "k").stage, Stage::Decode);
    std::fs::remove_file(&path).expect("removed");
    thread::sleep(LONGER_THAN_IDLE);
    assert_eq!(answer(&compiler, "k").stage, Stage::Decode);
}
