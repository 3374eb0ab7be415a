//! Tells when a process stands still, for the side of a connection that waits for the other.

use std::time::{Duration, Instant};

/// The time between two looks counts up to this. A longer gap means that the observer stood still itself, with the
/// machine or its container, and says nothing of the other side.
const LONGEST_GAP: Duration = Duration::from_secs(2);

/// A process works if it used this much processor time since it was last seen to work. To be stopped and continued by
/// signals, or a timer of its own, takes less.
const SIGN_OF_LIFE: Duration = Duration::from_millis(10);

/// How long a process has stood still, that is, sent nothing and used no processor time. A process that works gets some
/// processor time even on a busy machine.
#[derive(Debug)]
pub struct Standstill {
    still: Duration,
    looked: Instant,
    used: Option<Duration>,
}

impl Standstill {
    /// It is alive `now`.
    pub fn new(now: Instant) -> Self {
        Standstill { still: Duration::ZERO, looked: now, used: None }
    }

    /// Looks `now`, and gives how long the process has stood still. `used` is all processor time of the process, `None`
    /// if that cannot be learned.
    pub fn look(&mut self, now: Instant, used: Option<Duration>) -> Duration {
        self.still += now.saturating_duration_since(self.looked).min(LONGEST_GAP);
        self.looked = now;
        match (used, self.used) {
            (Some(used), Some(before)) if used >= before + SIGN_OF_LIFE => {
                self.used = Some(used);
                self.still = Duration::ZERO;
            }
            (Some(used), None) => self.used = Some(used),
            _ => {}
        }
        self.still
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// How long a process stands still after looks once a second, at each of which it has used so many more
    /// milliseconds.
    fn still(used: impl IntoIterator<Item = Option<u64>>) -> Duration {
        let mut now = Instant::now();
        let mut standstill = Standstill::new(now);
        let mut all = 0;
        let mut result = Duration::ZERO;
        for used in used {
            now += SECOND;
            all += used.unwrap_or(0);
            result = standstill.look(now, used.map(|_| Duration::from_millis(all)));
        }
        result
    }

    #[test]
    fn a_process_that_uses_no_processor_time_stands_still() {
        assert_eq!(still([Some(0); 40]), 40 * SECOND);
        assert_eq!(still([None; 40]), 40 * SECOND);
    }

    #[test]
    fn a_little_processor_time_now_and_then_is_enough() {
        assert!(still([Some(1); 40]) <= 10 * SECOND);
        assert_eq!(still([Some(0), Some(0), Some(12)]), Duration::ZERO);
    }

    #[test]
    fn a_time_without_looks_does_not_count() {
        let now = Instant::now();
        assert!(Standstill::new(now).look(now + 1000 * SECOND, None) <= LONGEST_GAP);
    }
}
