//! Two tiers of code: the second takes over where a kernel runs again or runs long.

use std::process::Command;

use crate::{scenario, with_own_compiler_and};

/// Sets a scenario up with two tiers.
fn lazily(command: &mut Command) {
    command.env_remove("OXICL_BUILD").env("OXICL_LOG", "1");
}

#[test]
fn a_kernel_that_runs_again_gets_code_of_the_full_tier() {
    with_own_compiler_and("takes-over-between-launches", "victim:codegen:hold:full", lazily);
}

#[test]
fn code_of_the_full_tier_takes_over_in_a_launch_that_is_under_way() {
    with_own_compiler_and("takes-over-within-a-launch", "victim:codegen:hold:full", lazily);
}

#[test]
fn a_recorded_launch_has_code_of_the_full_tier_once_that_is_there() {
    with_own_compiler_and("takes-over-in-what-is-recorded", "victim:codegen:hold:full", lazily);
}

#[test]
fn where_the_baseline_tier_fails_the_first_code_is_that_of_the_full_tier() {
    for (kind, stage) in [("kill", "codegen"), ("segv", "optimize"), ("exit", "workgroup")] {
        let log = scenario("runs-as-told", 240, |command| {
            lazily(command);
            command.arg("twice").env("OXICL_COMPILER_FAULT", format!("victim:{stage}:{kind}:baseline"));
        });
        assert!(log.contains("kernel victim has its code (full tier)"), "{kind}: {log}");
    }
}

#[test]
fn where_the_full_tier_fails_the_first_code_goes_on() {
    for (kind, stage) in [("kill", "codegen"), ("segv", "optimize")] {
        scenario("keeps-its-first-code", 240, |command| {
            lazily(command);
            command.env("OXICL_COMPILER_FAULT", format!("victim:{stage}:{kind}:full"));
        });
    }
}

#[test]
fn an_eager_build_has_code_of_the_full_tier() {
    with_own_compiler_and("builds-at-the-full-tier", "victim:codegen:hold:full", |command| {
        lazily(command);
        command.env("OXICL_BUILD", "eager");
    });
}

#[test]
fn gangs_lie_along_y_where_work_groups_have_one_work_item_along_x_or_it_is_cheaper() {
    for kernel in ["placed", "grouped", "down"] {
        scenario("turns-its-launches", 240, |command| {
            command.arg(kernel).env("OXICL_BUILD", "eager").env("OXICL_LOG", "1");
        });
    }
}

#[test]
fn launches_of_which_no_two_buffers_overlap_have_code_that_relies_on_it() {
    for kernel in ["records", "sums", "straight"] {
        scenario("tells-buffers-apart", 240, |command| {
            command.arg(kernel).env("OXICL_BUILD", "eager").env("OXICL_LOG", "1");
        });
    }
}

#[test]
fn rows_that_are_too_short_for_gangs_run_with_few_lanes() {
    scenario("runs-short-rows-with-few-lanes", 240, |command| {
        command.env("OXICL_BUILD", "eager").env("OXICL_LOG", "1");
    });
}

#[test]
fn neither_releases_nor_exit_wait_for_the_full_tier() {
    with_own_compiler_and("exits-while-the-full-tier-is-held", "victim:codegen:hold:full", lazily);
}

#[test]
fn the_cache_has_code_of_both_tiers_and_the_best_is_used() {
    let folder = std::env::temp_dir().join(format!("oxicl-tiers-{}", std::process::id()));
    let run = |how: &str, fault: Option<&str>| {
        scenario("runs-as-told", 240, |command| {
            lazily(command);
            command.env_remove("OXICL_CACHE").env("OXICL_CACHE_DIR", &folder).arg(how);
            if let Some(fault) = fault {
                command.env("OXICL_COMPILER_FAULT", fault);
            }
        })
    };
    let dying = Some("victim:lower:kill:any");
    run("once", None);
    run("once", dying);
    run("until-made", None);
    let log = run("twice", dying);
    assert!(!log.contains("keeps its first code") && !log.contains("without optimisation"), "{log}");
    std::fs::remove_dir_all(&folder).expect("the cache's folder");
}
