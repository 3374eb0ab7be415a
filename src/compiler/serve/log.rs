//! The build log of a request that workers died of.

use oxicl_protocol::{BuildFailure, CompileRequest, Diagnostic, FrameKind, Severity, Stage, decode};

use super::death::Death;
use super::pool::Job;

/// The build log of a request whose last worker died as `death` has it.
pub(crate) fn failure(job: &Job, death: &Death) -> BuildFailure {
    let what = match job.header.kind {
        FrameKind::Source => "the program's source".to_owned(),
        _ => kernels_of(job),
    };
    let mut notes = Vec::new();
    let message = if death.ran_out_of_time() {
        notes.push(format!("the compiler worked on {what}, in {}", death.place()));
        stopped(job)
    } else {
        death.sentence(&what)
    };
    // Where LLVM says the same twice, once is enough.
    let differs = |earlier: &Death| earlier.reason().is_none() || earlier.reason() != death.reason();
    let this = if job.deaths.len() > 1 { "third" } else { "second" };
    let way = if job.header.kind == FrameKind::Source { "" } else { ", alone and at the cheap tier" };
    for (earlier, number) in job.deaths.iter().zip(["first", "second"]).filter(|(earlier, _)| differs(earlier)) {
        let (place, cause) = (earlier.place(), earlier.cause());
        notes.push(format!("this was the {this} try{way}; the {number} ended at {place}: {cause}"));
    }
    if let Some(printed) = death.remains() {
        notes.push(format!("it printed: {printed}"));
    }
    let mut failure = BuildFailure::new(Stage::CompilerProcess, message);
    let note = |message: String| Diagnostic { severity: Severity::Note, ..Diagnostic::error(message) };
    failure.diagnostics.extend(notes.into_iter().map(note));
    failure
}

/// The message for a request that ran out of time, with what the user can do about it.
fn stopped(job: &Job) -> String {
    let seconds = job.budget().as_secs();
    format!("the build was stopped after {seconds} s of processor time; OXICL_BUILD_SECONDS raises it")
}

/// The kernels of a job, in words.
fn kernels_of(job: &Job) -> String {
    const NAMED: usize = 8;
    let kernels = match decode::<CompileRequest>(&job.payload) {
        Ok(request) if !request.kernels.is_empty() => request.kernels,
        _ => return "the kernels of the program".into(),
    };
    let names: Vec<String> = kernels.iter().take(NAMED).map(|name| format!("'{name}'")).collect();
    let more = match kernels.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("kernel {}{more}", names.join(", "))
}
