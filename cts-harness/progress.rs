//! What a person sees while a run goes on, on standard error: on a terminal one line that changes, elsewhere a line now and then; what is
//! unexpected, at once.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::expectations::Verdict;
use crate::outcome::{Outcome, Record};
use crate::report::duration;

/// How often a terminal's line is written anew.
const QUICK: Duration = Duration::from_millis(250);

/// How often a line is added where lines stay.
const SLOW: Duration = Duration::from_secs(30);

/// Widest line that is written; terminals are rarely narrower.
const WIDTH: usize = 100;

/// The state of a run.
pub struct Progress {
    total: usize,
    ended: usize,
    counts: BTreeMap<Outcome, usize>,
    unexpected: usize,
    running: BTreeMap<usize, (String, Instant)>,
    started: Instant,
    written: Option<Instant>,
    quiet: bool,
    terminal: bool,
}

impl Progress {
    /// Of a run with so many sub-tests, some of which have ended before.
    pub fn new(total: usize, quiet: bool) -> Progress {
        Progress {
            total,
            ended: 0,
            counts: BTreeMap::new(),
            unexpected: 0,
            running: BTreeMap::new(),
            started: Instant::now(),
            written: None,
            quiet,
            terminal: std::io::stderr().is_terminal(),
        }
    }

    /// A worker starts a sub-test.
    pub fn started(&mut self, worker: usize, entry: &str, test: &str) {
        self.running.insert(worker, (format!("{entry} {test}"), Instant::now()));
    }

    /// A worker has nothing more to do for now.
    pub fn idle(&mut self, worker: usize) {
        self.running.remove(&worker);
    }

    /// A sub-test has ended.
    pub fn ended(&mut self, record: &Record, verdict: &Verdict) {
        self.ended += 1;
        *self.counts.entry(record.outcome).or_insert(0) += 1;
        if verdict.is_unexpected() {
            self.unexpected += 1;
            let note = if record.outcome == Outcome::Pass { " (not expected)" } else { "" };
            self.say(&format!("{}: {} {}{note}", record.outcome.name(), record.entry, record.test));
        }
    }

    /// What was said of a sub-test does not hold any more.
    pub fn withdrawn(&mut self, record: &Record, verdict: &Verdict) {
        self.ended -= 1;
        self.unexpected -= usize::from(verdict.is_unexpected());
        if let Some(count) = self.counts.get_mut(&record.outcome) {
            *count -= 1;
        }
    }

    /// Writes the line again, if it is time.
    pub fn tick(&mut self) {
        let period = if self.terminal { QUICK } else { SLOW };
        if self.quiet || self.written.is_some_and(|written| written.elapsed() < period) {
            return;
        }
        self.written = Some(Instant::now());
        let width = if self.terminal { WIDTH } else { usize::MAX };
        let line: String = self.line().chars().take(width).collect();
        let end = if self.terminal { "" } else { "\n" };
        let start = if self.terminal { "\r\x1b[K" } else { "" };
        // Nobody may be there to read it.
        let _ = write!(std::io::stderr(), "{start}{line}{end}");
    }

    /// Ends the line that changes.
    pub fn close(&mut self) {
        if self.terminal && !self.quiet {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }

    fn say(&mut self, text: &str) {
        if self.quiet {
            return;
        }
        let start = if self.terminal { "\r\x1b[K" } else { "" };
        let _ = writeln!(std::io::stderr(), "{start}{text}");
        self.written = if self.terminal { None } else { self.written };
    }

    fn line(&self) -> String {
        let elapsed = duration(self.started.elapsed().as_secs_f64());
        let mut line = format!("{}/{} in {elapsed}, {} unexpected", self.ended, self.total, self.unexpected);
        for outcome in Outcome::ALL {
            if let Some(count) = self.counts.get(&outcome) {
                line += &format!(", {count} {}", outcome.name());
            }
        }
        for (name, since) in self.running.values() {
            line += &format!(" | {name} {}", duration(since.elapsed().as_secs_f64()));
        }
        line
    }
}
