//! A run from the command line to its reports.

use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::arguments::RunArguments;
use crate::catalogue::{self, Entry};
use crate::environment::Environment;
use crate::expectations::Expectations;
use crate::journal::{self, Journal, Subject};
use crate::outcome::Record;
use crate::plan::{self, Shard};
use crate::progress::Progress;
use crate::report::{EntryReport, Report, junit, markdown};
use crate::shard::{self, Event, Setting};
use crate::{Fallible, about};

/// How often progress is shown.
const TICK: Duration = Duration::from_millis(100);

/// Makes a run, or goes on with one, until it ends or `interrupted` is set; writes its reports.
pub fn run(arguments: &RunArguments, interrupted: &AtomicBool) -> Fallible<Report> {
    let expectations = Expectations::load(arguments.expect.as_deref(), arguments.mode)?;
    let entries = catalogue::narrow(catalogue::entries(&arguments.list)?, &arguments.only)?;
    let environment = Environment::new(arguments)?;
    let (journal, before) = open_journal(arguments, &environment)?;
    let done: HashSet<(String, String)> = before.iter().map(key).collect();
    let plan = plan::plan(&entries, &environment, &done)?;

    let jobs = arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
    let progress = Progress::new(plan.total, arguments.quiet);
    let mut watch = Watch { journal, progress, expectations, entries: &entries, records: Vec::new(), device: None };
    let resumed = !before.is_empty();
    before.into_iter().for_each(|record| watch.keep(record));
    for record in plan.known.into_iter().filter(|record| !done.contains(&key(record))) {
        watch.add(record)?;
    }
    let setting = Setting {
        environment: &environment,
        test_limit: Duration::from_secs(arguments.test_limit),
        limit: Duration::from_secs(arguments.limit),
        interrupted,
    };
    let started = Instant::now();
    let worked = work(plan.shards, &setting, jobs, &mut watch);
    watch.progress.close();
    worked?;

    let mut report = Report {
        list: arguments.list.clone(),
        mode: arguments.mode.name().to_owned(),
        library: arguments.library.display().to_string(),
        device: watch.device,
        suite: environment.revision(),
        jobs,
        seconds: started.elapsed().as_secs_f64(),
        resumed,
        complete: !interrupted.load(Ordering::Relaxed),
        entries: Vec::new(),
    };
    for entry in &entries {
        let mut command = entry.suite.binary.rsplit('/').next().unwrap_or_default().to_owned();
        for argument in entry.arguments.iter().chain(&entry.tests) {
            command += &format!(" {argument}");
        }
        report.entries.push(EntryReport::new(&entry.name, command, &watch.records, &watch.expectations));
    }
    write_reports(&report, &environment.out)?;
    Ok(report)
}

fn key(record: &Record) -> (String, String) {
    (record.entry.clone(), record.test.clone())
}

fn open_journal(arguments: &RunArguments, environment: &Environment) -> Fallible<(Journal, Vec<Record>)> {
    let subject = Subject {
        mode: arguments.mode.name().to_owned(),
        list: arguments.list.clone(),
        library: about(arguments.library.canonicalize(), arguments.library.display())?,
    };
    if arguments.resume {
        return Journal::resume(&environment.out, &subject);
    }
    journal::clear_logs(&environment.out)?;
    Ok((Journal::create(&environment.out, &subject)?, Vec::new()))
}

fn write_reports(report: &Report, folder: &Path) -> Fallible {
    let json = about(serde_json::to_string_pretty(report), "report.json")?;
    let files = [("report.json", json), ("report.md", markdown::report(report)), ("junit.xml", junit::junit(report)?)];
    for (name, text) in files {
        let path = folder.join(name);
        about(std::fs::write(&path, text), path.display())?;
    }
    Ok(())
}

/// The one place where what the workers find comes together.
struct Watch<'a> {
    journal: Journal,
    progress: Progress,
    expectations: Expectations,
    entries: &'a [Entry],
    records: Vec<Record>,
    device: Option<String>,
}

/// What a worker tells.
enum Message {
    /// Of a shard of the entry with this index.
    Event(usize, Event),
    /// It has ended a shard.
    Idle,
    /// It cannot go on.
    Broken(String),
}

impl Watch<'_> {
    fn take(&mut self, worker: usize, message: Message) -> Fallible {
        match message {
            Message::Event(entry, Event::Started(test)) => {
                let name = self.entries.get(entry).map_or("", |entry| &entry.name);
                self.progress.started(worker, name, &test);
            }
            Message::Event(_, Event::Device(name)) => {
                self.device.get_or_insert(name);
            }
            Message::Event(_, Event::Ended(record)) => self.add(record)?,
            Message::Idle => self.progress.idle(worker),
            Message::Broken(error) => return Err(error),
        }
        Ok(())
    }

    fn add(&mut self, record: Record) -> Fallible {
        self.journal.add(&record)?;
        self.keep(record);
        Ok(())
    }

    fn keep(&mut self, record: Record) {
        if let Some(earlier) = self.records.iter().position(|earlier| key(earlier) == key(&record)) {
            let earlier = self.records.swap_remove(earlier);
            self.progress.withdrawn(&earlier, &self.expectations.judge(&earlier));
        }
        self.progress.ended(&record, &self.expectations.judge(&record));
        self.records.push(record);
    }
}

/// Runs shards, `jobs` at a time.
fn work(shards: VecDeque<Shard>, setting: &Setting<'_>, jobs: usize, watch: &mut Watch<'_>) -> Fallible {
    let spent: Vec<AtomicU64> = watch.entries.iter().map(|_| AtomicU64::new(0)).collect();
    let (entries, shards) = (watch.entries, Mutex::new(shards));
    let broken = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (sender, messages) = channel();
        for number in 0..jobs {
            let (sender, shards, spent, broken) = (sender.clone(), &shards, &spent, &broken);
            scope.spawn(move || worker(number, shards, entries, spent, setting, broken, &sender));
        }
        drop(sender);
        let mut first_error = Ok(());
        loop {
            match messages.recv_timeout(TICK) {
                Ok((number, message)) => {
                    let taken = watch.take(number, message);
                    if taken.is_err() {
                        broken.store(true, Ordering::Relaxed);
                        first_error = first_error.and(taken);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return first_error,
            }
            watch.progress.tick();
        }
    })
}

fn worker(
    number: usize,
    shards: &Mutex<VecDeque<Shard>>,
    entries: &[Entry],
    spent: &[AtomicU64],
    setting: &Setting<'_>,
    broken: &AtomicBool,
    sender: &Sender<(usize, Message)>,
) {
    // The watch listens until every worker has ended, so that sending cannot fail.
    let tell = |message| sender.send((number, message)).unwrap_or_default();
    while !broken.load(Ordering::Relaxed) && !setting.interrupted.load(Ordering::Relaxed) {
        let Some(shard) = shards.lock().unwrap_or_else(PoisonError::into_inner).pop_front() else { return };
        let (Some(entry), Some(spent)) = (entries.get(shard.entry), spent.get(shard.entry)) else { continue };
        let ran = shard::run(&shard, entry, setting, spent, |event| tell(Message::Event(shard.entry, event)));
        if let Err(error) = ran {
            tell(Message::Broken(error));
        }
        tell(Message::Idle);
    }
}
