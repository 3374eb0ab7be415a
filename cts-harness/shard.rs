//! Runs the sub-tests of a shard to the last one, whatever becomes of the processes that run them.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::catalogue::Entry;
use crate::environment::Environment;
use crate::outcome::{Outcome, Record};
use crate::plan::{Shard, WHOLE};
use crate::process::{self, End};
use crate::transcript::{Section, Transcript};
use crate::{Fallible, about};

/// What happens while a shard runs.
#[derive(Debug)]
pub enum Event {
    /// A sub-test starts.
    Started(String),
    /// A sub-test has ended. The last word on a sub-test counts: the suite's file of results has it.
    Ended(Record),
    /// The suite named the device.
    Device(String),
}

/// What all shards share.
pub struct Setting<'a> {
    /// Where binaries run.
    pub environment: &'a Environment,
    /// Time for one sub-test, where its suite does not say otherwise.
    pub test_limit: Duration,
    /// Time for all sub-tests of one entry.
    pub limit: Duration,
    /// The user wants it to end.
    pub interrupted: &'a AtomicBool,
}

/// Runs a shard. `spent` counts the milliseconds that the shards of its entry have taken.
pub fn run(
    shard: &Shard,
    entry: &Entry,
    setting: &Setting<'_>,
    spent: &AtomicU64,
    mut tell: impl FnMut(Event),
) -> Fallible {
    let mut left = shard.tests.clone();
    while !left.is_empty() && !setting.interrupted.load(Ordering::Relaxed) {
        if Duration::from_millis(spent.load(Ordering::Relaxed)) >= setting.limit {
            for test in left {
                let detail = "the time for the whole binary was over before it could start".to_owned();
                tell(Event::Ended(record(entry, &test, Outcome::TimeOut, 0.0, detail)));
            }
            return Ok(());
        }
        let mut told = HashMap::new();
        let process = run_process(entry, &left, setting, spent, &mut |event| {
            if let Event::Ended(record) = &event {
                told.insert(record.test.clone(), record.outcome);
            }
            tell(event);
        })?;
        let records = process.records(entry, &left);
        left.retain(|test| !records.iter().any(|record| record.test == *test));
        let news = records.into_iter().filter(|record| told.get(&record.test) != Some(&record.outcome));
        news.for_each(|record| tell(Event::Ended(record)));
    }
    Ok(())
}

fn record(entry: &Entry, test: &str, outcome: Outcome, seconds: f64, detail: String) -> Record {
    Record { entry: entry.name.clone(), test: test.to_owned(), outcome, seconds, detail }
}

fn section_record(entry: &Entry, section: &Section, outcome: Outcome, now: Instant) -> Record {
    let detail = if outcome == Outcome::Pass { String::new() } else { section.detail() };
    record(entry, &section.test, outcome, section.seconds(now), detail)
}

/// What is known of a process that has ended.
struct Process {
    transcript: Transcript,
    results: Option<HashMap<String, Outcome>>,
    end: End,
    started: Instant,
    ended: Instant,
}

fn run_process(
    entry: &Entry,
    tests: &[String],
    setting: &Setting<'_>,
    spent: &AtomicU64,
    tell: &mut impl FnMut(Event),
) -> Fallible<Process> {
    let environment = setting.environment;
    let name = match tests {
        [only] if entry.suite.split => format!("{}.{only}", entry.name),
        _ => entry.name.clone(),
    };
    let work = environment.work_folder(&entry.suite, &name)?;
    let results = work.join("cts-harness-results.json");
    let mut log = log(environment, &name)?;
    let mut command = environment.command(&entry.suite);
    command.args(environment.arguments(&entry.suite)).args(&entry.arguments);
    if !entry.suite.nameless {
        command.args(tests);
    }
    command.env("CL_CONFORMANCE_RESULTS_FILENAME", &results).current_dir(&work);
    // A log that cannot be written is no reason to stop a run of hours.
    let _ = writeln!(log, "# {command:?}");

    let limit = entry.suite.seconds.map_or(setting.test_limit, Duration::from_secs);
    let started = Instant::now();
    let mut latest = started;
    let mut transcript = Transcript::new(tests);
    let mut counted = 0;
    let end = process::run(command, setting.interrupted, |line| {
        let now = Instant::now();
        if let Some(line) = line {
            let _ = log.write_all(line);
            let text = String::from_utf8_lossy(line);
            let knew_device = transcript.device.is_some();
            if let Some(test) = transcript.line(text.trim_end_matches(['\n', '\r']), now) {
                latest = now;
                tell(Event::Started(test.to_owned()));
                if let Some((section, outcome)) = transcript.ended_last() {
                    tell(Event::Ended(section_record(entry, section, outcome, now)));
                }
            }
            if let (false, Some(device)) = (knew_device, &transcript.device) {
                tell(Event::Device(device.clone()));
            }
        }
        let elapsed = u64::try_from(now.duration_since(started).as_millis()).unwrap_or(u64::MAX);
        let total = spent.fetch_add(elapsed - counted, Ordering::Relaxed) + elapsed - counted;
        counted = elapsed;
        now.duration_since(latest) > limit || Duration::from_millis(total) > setting.limit
    })?;
    let results = read_results(&results);
    // Left for a look if it cannot be removed; the next run clears it.
    let _ = std::fs::remove_dir_all(&work);
    Ok(Process { transcript, results, end, started, ended: Instant::now() })
}

fn log(environment: &Environment, name: &str) -> Fallible<File> {
    let path = environment.out.join("logs").join(format!("{name}.log"));
    about(OpenOptions::new().create(true).append(true).open(&path), path.display())
}

/// The suite's own file of results. It writes one only when every sub-test has been run.
fn read_results(path: &std::path::Path) -> Option<HashMap<String, Outcome>> {
    #[derive(Deserialize)]
    struct Results {
        results: HashMap<String, Outcome>,
    }
    let results: Results = serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()?;
    Some(results.results)
}

impl Process {
    /// The outcomes that the process settles, which is at least one unless it was interrupted.
    fn records(&self, entry: &Entry, tests: &[String]) -> Vec<Record> {
        match &self.results {
            Some(results) => self.by_results(entry, tests, results),
            None => self.by_transcript(entry, tests),
        }
    }

    fn by_results(&self, entry: &Entry, tests: &[String], results: &HashMap<String, Outcome>) -> Vec<Record> {
        let mut records = Vec::new();
        for test in tests {
            records.push(match results.get(test) {
                Some(&outcome) => self.record(entry, test, outcome),
                None => record(entry, test, Outcome::Fail, 0.0, "the binary has no result for it".to_owned()),
            });
        }
        let good = |record: &Record| matches!(record.outcome, Outcome::Pass | Outcome::Skip);
        let all_good = records.iter().all(good);
        if let Some((outcome, detail)) = self.ending(all_good) {
            let detail = format!("after all sub-tests {detail}");
            records.push(record(entry, WHOLE, outcome, 0.0, detail));
        }
        records
    }

    fn by_transcript(&self, entry: &Entry, tests: &[String]) -> Vec<Record> {
        let running = self.transcript.last();
        let mut records = Vec::new();
        for test in tests {
            let section = self.transcript.section(test);
            // Whatever ends a process ends it in the sub-test that started last, even where that one had its say already:
            // what it leaves behind is cleared after that.
            let outcome = if running.is_some_and(|last| last.test == *test) && self.end != End::Interrupted {
                None
            } else {
                section.and_then(|section| section.outcome)
            };
            match (outcome, section) {
                (Some(outcome), _) => records.push(self.record(entry, test, outcome)),
                (None, Some(_)) if running.is_some_and(|last| last.test == *test) => {
                    records.extend(self.broken_off(entry, test));
                }
                // None started: all share the fate of the process.
                (None, None) if running.is_none() => records.extend(self.broken_off(entry, test)),
                _ => {}
            }
        }
        records
    }

    /// The record of a sub-test that the end of its process broke off.
    fn broken_off(&self, entry: &Entry, test: &str) -> Option<Record> {
        if self.end == End::Interrupted {
            return None;
        }
        let (outcome, how) =
            self.ending(true).unwrap_or((Outcome::Fail, "the process ended without a result".to_owned()));
        let mut record = self.record(entry, test, outcome);
        record.detail = format!("{how}\n{}", record.detail);
        Some(record)
    }

    /// What the end of the process says by itself. A status other than zero is news only where all went well.
    fn ending(&self, all_good: bool) -> Option<(Outcome, String)> {
        match self.end {
            End::Exit(0) | End::Interrupted => None,
            End::Exit(status) => all_good.then(|| (Outcome::Fail, format!("the process ended with status {status}"))),
            End::Signal(signal) => Some((Outcome::Crash, format!("the process was ended by signal {signal}"))),
            End::Late => Some((Outcome::TimeOut, "the process ran longer than its limit".to_owned())),
        }
    }

    fn record(&self, entry: &Entry, test: &str, outcome: Outcome) -> Record {
        match self.transcript.section(test) {
            Some(section) => section_record(entry, section, outcome, self.ended),
            None => {
                let seconds = self.ended.duration_since(self.started).as_secs_f64();
                record(entry, test, outcome, seconds, self.transcript.opening())
            }
        }
    }
}
