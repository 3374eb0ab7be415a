//! Builds that are over when the program is proved, and code that comes when it is needed.

use crate::{scenario, with_own_compiler};

/// Runs a scenario in which a worker is stopped over the kernel `victim`. With eager builds nothing comes behind the build.
fn held(name: &str, stage: &str) -> Option<String> {
    let is_eager = std::env::var_os("OXICL_BUILD").is_some_and(|value| value == "eager");
    (!is_eager).then(|| with_own_compiler(name, &format!("victim:{stage}:hold:first")))
}

#[test]
fn while_code_is_held_builds_queries_and_enqueues_return_and_other_commands_run() {
    held("code-is-held", "codegen");
}

#[test]
fn a_build_waits_for_no_code_however_much_is_held() {
    held("builds-go-on-while-code-is-held", "codegen");
}

#[test]
fn a_query_waits_for_the_plan_and_a_build_does_not() {
    held("plan-is-held", "workgroup");
}

#[test]
fn what_is_released_while_its_code_is_held_is_no_harm() {
    held("releases-while-code-is-held", "codegen");
}

#[test]
fn a_child_makes_the_code_that_its_parent_waits_for() {
    held("forks-while-code-is-held", "codegen");
}

#[test]
fn exit_does_not_wait_for_code() {
    held("exits-while-code-is-held", "codegen");
}

/// Runs a scenario whose builds are over before code is generated.
fn lazy(name: &str, fault: Option<&str>) -> String {
    scenario(name, 120, |command| {
        command.env_remove("OXICL_BUILD").env("OXICL_LOG", "1");
        if let Some(fault) = fault {
            command.env("OXICL_COMPILER_FAULT", fault).env("OXICL_BUILD_SECONDS", "4");
        }
    })
}

#[test]
fn a_worker_that_dies_behind_the_proof_costs_another_try() {
    for (kind, stage) in [("kill", "codegen"), ("segv", "optimize"), ("exit", "workgroup"), ("fatal", "codegen")] {
        lazy("victim-is-compiled-in-the-end", Some(&format!("victim:{stage}:{kind}:first")));
    }
}

#[test]
fn a_kernel_without_code_fails_its_commands_with_the_reason() {
    for (kind, stage, end) in [
        ("kill", "codegen", "the command ends with -"),
        ("loop", "codegen", "the command ends with -"),
        ("segv", "optimize", "the call gives -5"),
    ] {
        let text = lazy("victim-cannot-be-compiled", Some(&format!("victim:{stage}:{kind}:any")));
        assert!(text.contains(end), "{kind} in {stage}: {text}");
        let reason = text.lines().any(|line| line.contains("victim") && line.contains(" cannot be "));
        assert!(reason && text.contains(&format!("stage {stage}")), "{kind} in {stage}: {text}");
    }
}

#[test]
fn another_try_has_the_sub_groups_that_were_told() {
    lazy("victim-has-sub-groups", Some("victim:codegen:kill:first"));
}

/// The kernels of which the log says that they have their code, in order.
fn coded(log: &str) -> Vec<&str> {
    let name = |line| str::strip_prefix(line, "oxicl: kernel ")?.split_once(" has its code").map(|(name, _)| name);
    log.lines().filter_map(name).collect()
}

#[test]
fn a_kernel_that_is_waited_for_comes_before_all_others() {
    let log = lazy("one-of-many-comes-first", None);
    let coded = coded(&log);
    assert_eq!(coded.len(), 40, "{log}");
    let before = coded.iter().position(|name| *name == "k39").expect("it has its code");
    // As many as were begun when it was enqueued, on each CPU.
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    assert!(before <= 3 * cpus, "{before} of 40 kernels came before it:\n{log}");
}

#[test]
fn kernels_of_a_program_that_is_gone_are_not_compiled() {
    let log = lazy("releases-many-kernels", None);
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let of_program = coded(&log).into_iter().filter(|name| *name != "plain").count();
    assert!(of_program <= 2 * cpus, "{log}");
}

#[test]
fn after_the_compiler_was_unloaded_only_what_is_wanted_is_compiled() {
    let log = lazy("unloads-the-compiler", None);
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let coded = coded(&log);
    assert!(coded.contains(&"k39") && coded.len() <= 3 * cpus + 1, "{log}");
}

#[test]
fn of_a_changed_program_the_kernels_that_are_the_same_come_from_the_cache() {
    let folder = std::env::temp_dir().join(format!("oxicl-changed-{}", std::process::id()));
    let run = |name: &str, fault: &str| {
        scenario(name, 120, |command| {
            command.env_remove("OXICL_BUILD").env("OXICL_CACHE_DIR", &folder).env_remove("OXICL_CACHE");
            command.env("OXICL_COMPILER_FAULT", fault);
        })
    };
    let before = run("two-kernels-before", "");
    assert!(before.contains("kept gives 16\nchanged gives 7\n"), "{before}");
    // Who compiled it again would fail.
    let after = run("two-kernels-after", "kept:optimize:kill:any");
    assert!(after.contains("kept gives 16\nchanged gives 200\n"), "{after}");
    std::fs::remove_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
}
