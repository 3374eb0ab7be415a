//! `oxicl-guest <scenario>`: an application that is hard on its guests. It ends with success if the library was a good
//! one, else it says what went wrong.
#![allow(unsafe_code, reason = "signals, fork, dlopen and control registers are what the scenarios are about")]

mod builders;
mod decided;
mod ending;
mod environment;
mod forking;
mod generation;
mod held;
mod identity;
mod limits;
mod mutants;
mod printing;
mod process;
mod processor;
mod sources;
mod stacks;
mod takeover;

use std::process::ExitCode;

/// What a scenario found.
pub type Outcome = Result<(), String>;

type Scenario = (&'static str, fn() -> Outcome);

const SCENARIOS: &[Scenario] = &[
    ("builds-beside-a-victim-that-recovers", builders::victim_recovers),
    ("builds-beside-a-victim-that-fails", builders::victim_fails),
    ("victim-cannot-be-compiled", generation::victim_cannot_be_compiled),
    ("victim-is-compiled-in-the-end", generation::victim_is_compiled_in_the_end),
    ("victim-has-sub-groups", generation::victim_has_sub_groups),
    ("one-of-many-comes-first", generation::one_of_many_comes_first),
    ("releases-many-kernels", generation::releases_many_kernels),
    ("two-kernels-before", generation::two_kernels_before),
    ("two-kernels-after", generation::two_kernels_after),
    ("unloads-the-compiler", generation::unloads_the_compiler),
    ("code-is-held", held::code_is_held),
    ("builds-go-on-while-code-is-held", held::builds_go_on),
    ("plan-is-held", held::plan_is_held),
    ("releases-while-code-is-held", held::releases),
    ("forks-while-code-is-held", held::forks),
    ("exits-while-code-is-held", held::exits),
    ("takes-over-between-launches", takeover::between_launches),
    ("takes-over-within-a-launch", takeover::within_a_launch),
    ("takes-over-in-what-is-recorded", takeover::recorded),
    ("keeps-its-first-code", takeover::not_if_its_worker_dies),
    ("builds-at-the-full-tier", takeover::eager),
    ("exits-while-the-full-tier-is-held", takeover::releases_and_exits),
    ("turns-its-launches", takeover::along_y),
    ("tells-buffers-apart", takeover::disjoint),
    ("runs-short-rows-with-few-lanes", takeover::narrow),
    ("runs-as-told", takeover::runs_as_told),
    ("many-builds", builders::many_builds),
    ("adds-by-place", decided::adds_by_place),
    ("build-mutants", mutants::build_mutants),
    ("build-and-run", builders::build_and_run),
    ("build-sources", sources::build_sources),
    ("few-descriptors", limits::few_descriptors),
    ("too-few-descriptors", limits::too_few_descriptors),
    ("tiny-stack-limit", limits::tiny_stack_limit),
    ("small-stack-limit", limits::small_stack_limit),
    ("large-source", limits::large_source),
    ("compiler-that-does-not-answer", limits::compiler_that_does_not_answer),
    ("compiler-of-another-build", limits::compiler_of_another_build),
    ("worker-that-is-stopped", limits::worker_that_is_stopped),
    ("compiler-that-is-stopped", limits::compiler_that_is_stopped),
    ("may-not-execute", environment::may_not_execute),
    ("reaps-all-children", process::reaps_all_children),
    ("forks-with-busy-threads", process::forks_with_busy_threads),
    ("callbacks-end-their-threads", ending::callbacks_end_their_threads),
    ("exits-in-a-callback", ending::exits_in_a_callback),
    ("forks-beside-a-stuck-call", forking::forks_beside_a_stuck_call),
    ("exits-during-a-kernel", process::exits_during_a_kernel),
    ("another-llvm", environment::another_llvm),
    ("prints", printing::prints),
    ("tells-who-it-is", identity::tells_who_it_is),
    ("lists-what-it-has", identity::lists_what_it_has),
    ("tells-its-processor", processor::tells_its_processor),
    ("deep-stacks", stacks::deep_stacks),
    ("flush-to-zero-and-small-stack", environment::flush_to_zero_and_small_stack),
];

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let Some((_, scenario)) = SCENARIOS.iter().find(|(name, _)| *name == wanted) else {
        eprintln!("no scenario {wanted}");
        return ExitCode::FAILURE;
    };
    match scenario() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{wanted}: {message}");
            ExitCode::FAILURE
        }
    }
}
