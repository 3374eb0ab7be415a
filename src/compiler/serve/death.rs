//! How a worker died, in words.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use oxicl_protocol::{Progress, Stage, Tier};

use super::budget::{LONGEST_STANDSTILL, Stop};
use super::pool::MEMORY_LIMIT;

/// The most that is kept of what a worker printed, in bytes.
const PRINTED: usize = 2048;

/// What LLVM, and the front end's handler, print before the reason of a fatal error.
const NO_WAY_ON: &str = "LLVM ERROR: ";

/// What is known about the end of a worker that had a request.
#[derive(Debug, Default)]
pub(crate) struct Death {
    /// How the process ended, if that could be learned.
    pub(crate) status: Option<ExitStatus>,
    /// Why the supervisor ended it, if it did.
    pub(crate) stop: Option<Stop>,
    /// Processor time that went into the request.
    pub(crate) used: Duration,
    /// What it printed to standard error.
    pub(crate) printed: String,
    /// LLVM ended it: why, in its own words.
    pub(crate) reason: Option<String>,
    /// What it was doing.
    pub(crate) progress: Option<Progress>,
    /// It was its first request.
    pub(crate) was_fresh: bool,
}

impl Death {
    /// Another process killed it, or the kernel for want of memory: the next try may go well.
    fn came_from_outside(&self) -> bool {
        let signal = self.status.and_then(|status| status.signal());
        self.stop.is_none() && matches!(signal, Some(libc::SIGKILL | libc::SIGTERM))
    }

    /// As far as is known, a fresh worker might not die of the same.
    pub(crate) fn may_not_repeat(&self) -> bool {
        self.stop.is_none() && (!self.was_fresh || self.came_from_outside())
    }

    /// A second try at the cheap tier may do better.
    pub(crate) fn cheaper_may_help(&self) -> bool {
        matches!(self.stop, None | Some(Stop::Time { cheaper: true }))
    }

    /// It died at the baseline tier, in a stage that differs at the full tier, and not for want of time: the full tier
    /// takes longer.
    pub(crate) fn full_tier_may_help(&self) -> bool {
        let of_baseline = |progress: &Progress| progress.tier == Tier::Baseline && progress.is_where_tiers_differ();
        self.stop.is_none() && self.progress.as_ref().is_some_and(of_baseline)
    }

    /// It had used up its processor time.
    pub(crate) fn ran_out_of_time(&self) -> bool {
        matches!(self.stop, Some(Stop::Time { .. }))
    }

    /// The function that clang and LLVM said they worked on.
    fn function(&self) -> Option<&str> {
        const BEFORE: [&str; 4] = ["on function '@", "(in function: ", "declaration '", "function body '"];
        let behind = BEFORE.iter().find_map(|before| Some(self.printed.split_once(before)?.1))?;
        behind.split(['\'', ')', '\n']).next().filter(|name| !name.is_empty())
    }

    /// What happened to a process that was to compile `what`.
    pub(crate) fn sentence(&self, what: &str) -> String {
        let place = self.place();
        match self.reason() {
            Some(reason) => format!("LLVM cannot translate {what} (at {place}); it says \"{reason}\""),
            None => format!("the compiler died of {what} at {place}: {}", self.cause()),
        }
    }

    /// What it printed, where that says more than [`Death::sentence`].
    pub(crate) fn remains(&self) -> Option<&str> {
        (self.reason().is_none() && !self.printed.is_empty()).then_some(&self.printed)
    }

    /// Why LLVM ended it, unless that was for want of memory.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.reason.as_deref().filter(|_| !self.ran_out_of_memory())
    }

    /// "in stage lower" and, where it is known, the kernel.
    pub(crate) fn place(&self) -> String {
        match &self.progress {
            Some(Progress { stage: Stage::OpenclC, .. }) => match self.function() {
                Some(function) => format!("stage {}, function '{function}'", Stage::OpenclC),
                None => format!("stage {}", Stage::OpenclC),
            },
            Some(Progress { stage, kernel: Some(kernel), .. }) => format!("stage {stage}, kernel '{kernel}'"),
            Some(Progress { stage, kernel: None, .. }) => format!("stage {stage}"),
            None => "before the first stage".into(),
        }
    }

    /// The signal, exit status or limit that ended it.
    pub(crate) fn cause(&self) -> String {
        match self.stop {
            // Rounded, as the time is looked at a moment after the limit.
            Some(Stop::Time { .. }) => {
                return format!("it had used {:.0} s of processor time", self.used.as_secs_f64());
            }
            Some(Stop::Standstill) => {
                return format!("it stood still for {} s, without using the processor", LONGEST_STANDSTILL.as_secs());
            }
            None => {}
        }
        if self.ran_out_of_memory() {
            return format!("it needed more memory than its limit of {} MiB", MEMORY_LIMIT >> 20);
        }
        match self.status.map(|status| (status.signal(), status.code())) {
            Some((Some(signal), _)) => format!("signal {signal} ({})", signal_name(signal)),
            Some((None, Some(code))) => format!("it exited with status {code}"),
            _ => "it ended in an unknown way".into(),
        }
    }

    /// Allocation failure aborts; what the allocators of Rust, C++ and LLVM print on the way tells it from other
    /// aborts.
    fn ran_out_of_memory(&self) -> bool {
        let aborted = self.status.is_some_and(|status| status.signal() == Some(libc::SIGABRT));
        aborted && ["memory allocation of", "bad_alloc", "out of memory"].iter().any(|s| self.printed.contains(s))
    }

    /// Keeps the last lines of what was printed, and LLVM's reason, which is printed before the place.
    pub(crate) fn print(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let reason = text.split_once(NO_WAY_ON).and_then(|(_, behind)| behind.lines().next());
        self.reason = reason.map(|reason| reason.trim().chars().take(PRINTED).collect());
        let start = bytes.len().saturating_sub(PRINTED);
        self.printed = String::from_utf8_lossy(bytes.get(start..).unwrap_or(bytes)).trim().to_owned();
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        libc::SIGABRT => "SIGABRT, aborted",
        libc::SIGBUS => "SIGBUS, bus error",
        libc::SIGFPE => "SIGFPE, arithmetic error",
        libc::SIGILL => "SIGILL, illegal instruction",
        libc::SIGKILL => "SIGKILL, killed",
        libc::SIGSEGV => "SIGSEGV, invalid memory access",
        libc::SIGTERM => "SIGTERM, terminated",
        libc::SIGXCPU => "SIGXCPU, processor time limit",
        _ => "see signal(7)",
    }
}

#[cfg(test)]
mod tests {
    use oxicl_protocol::Tier;

    use super::*;

    #[test]
    fn causes_name_the_signal_or_the_limit() {
        let by = |status: i32, printed: &str| Death {
            status: Some(ExitStatus::from_raw(status)),
            printed: printed.into(),
            ..Death::default()
        };
        assert_eq!(by(libc::SIGSEGV, "").cause(), "signal 11 (SIGSEGV, invalid memory access)");
        assert_eq!(by(1 << 8, "").cause(), "it exited with status 1");
        assert_eq!(by(libc::SIGABRT, "assertion failed").cause(), "signal 6 (SIGABRT, aborted)");
        assert!(by(libc::SIGABRT, "memory allocation of 16 bytes failed").cause().contains("limit of 4096 MiB"));
        let stop = Some(Stop::Time { cheaper: true });
        let late = Death { stop, used: Duration::from_millis(9100), ..by(libc::SIGKILL, "") };
        assert_eq!(late.cause(), "it had used 9 s of processor time");
        let asleep = Death { stop: Some(Stop::Standstill), ..by(libc::SIGKILL, "") };
        assert_eq!(asleep.cause(), "it stood still for 60 s, without using the processor");
    }

    #[test]
    fn places_name_stage_and_kernel() {
        let progress = Some(Progress { stage: Stage::Workgroup, kernel: Some("blur".into()), tier: Tier::Full });
        assert_eq!(Death { progress, ..Death::default() }.place(), "stage workgroup, kernel 'blur'");
        let progress = Some(Progress { stage: Stage::OpenclC, kernel: None, tier: Tier::Full });
        let printed = "LLVM ERROR: no\nRunning pass 'Legalizer' on function '@blur'".into();
        assert_eq!(Death { progress, printed, ..Death::default() }.place(), "stage opencl_c, function 'blur'");
    }

    #[test]
    fn where_llvm_found_no_way_on_its_reason_is_quoted_in_a_sentence() {
        let progress = Some(Progress { stage: Stage::OpenclC, kernel: None, tier: Tier::Full });
        let mut death = Death { progress, status: Some(ExitStatus::from_raw(1 << 8)), ..Death::default() };
        let lines = "Running pass 'Legalizer' on function '@blur'\n".repeat(100);
        death.print(format!("warning\nLLVM ERROR: no such thing\n{lines}").as_bytes());
        let sentence = death.sentence("the source");
        let expected =
            "LLVM cannot translate the source (at stage opencl_c, function 'blur'); it says \"no such thing\"";
        assert_eq!((sentence.as_str(), death.remains()), (expected, None));
        death.print(b"Assertion failed");
        assert_eq!(
            death.sentence("the source"),
            "the compiler died of the source at stage opencl_c: it exited with status 1"
        );
        assert_eq!(death.remains(), Some("Assertion failed"));
        death.print(b"LLVM ERROR: out of memory");
        death.status = Some(ExitStatus::from_raw(libc::SIGABRT));
        assert!(death.sentence("the source").contains("memory than its limit"));
    }

    #[test]
    fn only_what_others_kill_came_from_outside() {
        let by = |status: i32| Death { status: Some(ExitStatus::from_raw(status)), ..Death::default() };
        assert!(by(libc::SIGKILL).came_from_outside());
        assert!(!Death { stop: Some(Stop::Standstill), ..by(libc::SIGKILL) }.came_from_outside());
        assert!(!by(libc::SIGSEGV).came_from_outside());
        assert!(!by(1 << 8).came_from_outside());
    }
}
