//! How much processor time a request may use, and when a worker is stopped.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use oxicl_protocol::{Progress, Standstill, Tier};

/// What every request may use, however small. A bound: `docs/compile-time.md` has shapes that take compilers long, and
/// none takes more than a second or two.
const BASE: Duration = Duration::from_secs(30);

/// What is added for every instruction of a module, or token of a source. A bound: an instruction of a long kernel
/// costs some 80 microseconds, a token of a large source some 20.
const PER_INSTRUCTION: Duration = Duration::from_micros(500);

/// The most that a request may use. A bound, on how long a program that is made to hurt occupies a core.
const MOST: Duration = Duration::from_secs(300);

/// A bound: how long a worker may use no processor time. One that does so is suspended, sleeps, or waits for a file
/// that does not come.
pub(crate) const LONGEST_STANDSTILL: Duration = Duration::from_secs(60);

/// Processor time for a request of `instructions`, all tries together: `seconds` if the user has chosen.
pub(crate) fn budget(instructions: u32, seconds: Option<NonZeroU32>) -> Duration {
    match seconds {
        Some(seconds) => Duration::from_secs(seconds.get().into()),
        None => MOST.min(BASE + PER_INSTRUCTION * instructions),
    }
}

/// Why a worker was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It had used the time for this try. `cheaper` if the rest may be enough for the cheap tier.
    Time { cheaper: bool },
    /// It stood still.
    Standstill,
}

/// What a try uses of a request's processor time.
pub(crate) struct Meter {
    /// What its worker had used when the try began; `None` if that could not be learned.
    begun: Option<Duration>,
    used: Duration,
    standstill: Standstill,
    /// A try at the cheap tier may follow.
    may_be_cheaper: bool,
    /// What had been used when the stages began in which the tier matters, if this try is not at the cheap one.
    before_tiers: Option<Duration>,
}

impl Meter {
    /// A try that begins `now`, in a worker that has used `worker_used` so far.
    pub(crate) fn new(now: Instant, worker_used: Option<Duration>, may_be_cheaper: bool) -> Self {
        let standstill = Standstill::new(now);
        Meter { begun: worker_used, used: Duration::ZERO, standstill, may_be_cheaper, before_tiers: None }
    }

    /// Processor time of this try, as it was last seen.
    pub(crate) fn used(&self) -> Duration {
        self.used
    }

    /// Takes note of what the try does now.
    pub(crate) fn progress(&mut self, progress: &Progress, worker_used: Option<Duration>) {
        self.see(worker_used);
        if progress.is_where_tiers_differ() && progress.tier != Tier::Cheap {
            self.before_tiers.get_or_insert(self.used);
        }
    }

    /// Why the worker has to be stopped, if it has. `worker_used` is all processor time of the worker until `now`;
    /// `budget` is what is left for this try and others after it.
    pub(crate) fn look(&mut self, now: Instant, worker_used: Option<Duration>, budget: Duration) -> Option<Stop> {
        self.see(worker_used);
        let still = self.standstill.look(now, worker_used);
        if self.used >= self.share(budget) {
            return Some(Stop::Time { cheaper: self.leaves_a_rest(budget) });
        }
        (still >= LONGEST_STANDSTILL).then_some(Stop::Standstill)
    }

    /// The least time until there may be a reason to stop.
    pub(crate) fn least_time(&self, budget: Duration) -> Duration {
        self.share(budget).saturating_sub(self.used)
    }

    fn see(&mut self, worker_used: Option<Duration>) {
        if let (Some(begun), Some(used)) = (self.begun, worker_used) {
            self.used = self.used.max(used.saturating_sub(begun));
        }
    }

    /// What this try may use of `budget`.
    fn share(&self, budget: Duration) -> Duration {
        if self.leaves_a_rest(budget) { budget / 2 } else { budget }
    }

    /// Whether half is left to the cheap tier: if half is enough for the stages that are the same at both tiers.
    fn leaves_a_rest(&self, budget: Duration) -> bool {
        self.may_be_cheaper && self.before_tiers.is_some_and(|before| before < budget / 2)
    }
}

#[cfg(test)]
mod tests {
    use oxicl_protocol::Stage;

    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn at(stage: Stage, tier: Tier) -> Progress {
        Progress { stage, kernel: None, tier }
    }

    /// Why a try that has `reached` this, each at so many seconds, is stopped when it has used `used` of 10 s.
    fn stopped(may_be_cheaper: bool, reached: &[(Progress, u64)], used: u64) -> Option<Stop> {
        let now = Instant::now();
        let mut meter = Meter::new(now, Some(seconds(100)), may_be_cheaper);
        for (progress, used) in reached {
            meter.progress(progress, Some(seconds(100 + used)));
        }
        meter.look(now, Some(seconds(100 + used)), seconds(10))
    }

    #[test]
    fn budgets_grow_with_the_work_up_to_an_end_and_the_user_has_the_last_word() {
        assert!(budget(1, None) >= BASE);
        assert!(budget(100_000, None) > budget(10_000, None));
        assert_eq!(budget(u32::MAX, None), MOST);
        assert_eq!(budget(u32::MAX, NonZeroU32::new(2)), seconds(2));
        assert_eq!(budget(0, NonZeroU32::new(4000)), seconds(4000));
    }

    #[test]
    fn a_first_try_leaves_half_to_the_cheap_tier_where_that_can_help() {
        let optimise = (at(Stage::Optimize, Tier::Full), 1);
        assert_eq!(stopped(true, std::slice::from_ref(&optimise), 4), None);
        assert_eq!(stopped(true, std::slice::from_ref(&optimise), 5), Some(Stop::Time { cheaper: true }));
        assert_eq!(stopped(false, &[optimise], 5), None, "there is no other try");
        assert_eq!(stopped(true, &[(at(Stage::Optimize, Tier::Cheap), 1)], 5), None, "it is at the cheap tier");
        assert_eq!(stopped(true, &[(at(Stage::Lower, Tier::Full), 1)], 9), None, "lowering knows no tier");
        assert_eq!(stopped(true, &[(at(Stage::Optimize, Tier::Full), 6)], 9), None, "the rest would not do");
        for reached in [at(Stage::Optimize, Tier::Cheap), at(Stage::Lower, Tier::Full)] {
            assert_eq!(stopped(true, &[(reached, 1)], 10), Some(Stop::Time { cheaper: false }));
        }
    }

    #[test]
    fn what_sleeps_is_stopped_after_a_minute_and_what_works_is_not() {
        let mut now = Instant::now();
        let mut used = seconds(100);
        let mut meter = Meter::new(now, Some(used), true);
        for _ in 0..200 {
            now += seconds(1);
            used += Duration::from_millis(20);
            assert_eq!(meter.look(now, Some(used), seconds(10)), None, "a busy machine gives it a fiftieth");
        }
        let looks = (0..200).position(|_| {
            now += seconds(1);
            meter.look(now, Some(used), seconds(10)) == Some(Stop::Standstill)
        });
        assert_eq!(looks, Some(59));
    }
}
