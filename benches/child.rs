//! A driver's side: measures what it is asked to, on the first platform that the loader finds.

use std::io::{BufRead, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use oxicl_benches::{EDGES, Failure, GUARDS, Row, Session, TABLE, Unit, Work, kernels};
use oxicl_client::{Context, Platform, Program};

use crate::corpus::used;
use crate::program::Launch;
use crate::protocol::{Answer, write_answer};
use crate::watch::Watch;

/// First argument of a child that serves rows.
pub const SERVE: &str = "--serve";
/// First argument of a child that builds the module with everything, twice.
pub const BUILD: &str = "--build";

/// Answers requests until the parent closes the pipe; rows are built with these options.
pub fn serve(options: String) -> Result<(), String> {
    let mut out = std::io::stdout();
    let session = match Session::first() {
        Ok(session) => Session { options, ..session },
        Err(failure) => return write_answer(&mut out, &Err(failure.to_string())),
    };
    write_answer(&mut out, &describe().map_err(|error| error.to_string()))?;
    let watch = Watch::start();
    let mut prepared: Option<Prepared> = None;
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let answer = match line.split_once(' ').unwrap_or((&line, "")) {
            (kind @ ("prepare" | "program"), what) => {
                // What the last one holds is not to be in the way.
                prepared = None;
                let made = match kind {
                    "prepare" => Prepared::row(&session, what),
                    _ => Prepared::program(&session, &watch, what),
                };
                made.map(|(ready, text)| {
                    prepared = Some(ready);
                    text
                })
            }
            (clock @ ("turn" | "processor"), _) => match &prepared {
                Some(row) => row.turn(&session, clock == "processor"),
                None => Err("nothing is prepared".to_owned()),
            },
            ("drop", _) => {
                prepared = None;
                Ok(String::new())
            }
            _ => Err(format!("no request {line}")),
        };
        write_answer(&mut out, &answer)?;
    }
    Ok(())
}

fn describe() -> oxicl_client::Result<String> {
    let platform = Platform::first()?;
    Ok(format!("{}, {}, {}", platform.name()?, platform.version()?, platform.device()?.name()?))
}

/// Enqueues one run.
type Enqueue = Box<dyn Fn(&Session) -> Result<(), Failure>>;

/// What is measured, checked, with the number of runs that one turn takes.
struct Prepared {
    enqueue: Enqueue,
    runs: u32,
}

impl Prepared {
    /// From `<seconds> <row>`; answers with the amount of work, whether a rate or the time is shown, and the unit.
    fn row(session: &Session, what: &str) -> Result<(Prepared, String), String> {
        let (seconds, name) = length(what)?;
        let row: &Row = TABLE
            .iter()
            .chain(GUARDS)
            .chain(EDGES)
            .find(|row| row.name == name)
            .ok_or_else(|| format!("no row {name}"))?;
        let told = |failure: Failure| failure.to_string();
        let workload = (row.make)(session, row.size).map_err(told)?;
        workload.enqueue(session).and_then(|()| Ok(session.queue.finish()?)).map_err(told)?;
        workload.check(session).map_err(told)?;
        let Work { amount, unit } = workload.work();
        let (kind, unit) = match unit {
            Unit::Flop => ("rate", "FLOP"),
            Unit::Byte => ("rate", "B"),
            Unit::Each(what) => ("rate", what),
            Unit::Time(what) => ("time", what),
        };
        let text = format!("{amount} {kind} {unit}");
        Ok((Prepared::warm(session, seconds, Box::new(move |session| workload.enqueue(session)))?, text))
    }

    /// From `<seconds> <results><tab><file>`; answers as for a row.
    fn program(session: &Session, watch: &Watch, what: &str) -> Result<(Prepared, String), String> {
        let (seconds, files) = length(what)?;
        let (results, path) = files.split_once('\t').ok_or("a program needs two files")?;
        let launch = watch.over(|| Launch::first(session, Path::new(path), Path::new(results)))?;
        let ready = Prepared::warm(session, seconds, Box::new(move |session| launch.enqueue(session)))?;
        Ok((ready, "1 time run".to_owned()))
    }

    /// Finds how many runs take as long.
    fn warm(session: &Session, seconds: f64, enqueue: Enqueue) -> Result<Prepared, String> {
        let mut ready = Prepared { enqueue, runs: 1 };
        // Twice, since the first runs may still pay for pages and threads.
        for _ in 0..2 {
            let once = ready.run(session)? / f64::from(ready.runs);
            ready.runs = (seconds / once.max(1e-9)).clamp(1.0, 1e6) as u32;
        }
        Ok(ready)
    }

    /// Seconds for one turn.
    fn run(&self, session: &Session) -> Result<f64, String> {
        let start = Instant::now();
        for _ in 0..self.runs {
            (self.enqueue)(session).map_err(|failure| failure.to_string())?;
        }
        session.queue.finish().map_err(|error| error.to_string())?;
        Ok(start.elapsed().as_secs_f64())
    }

    /// Seconds for one run, by the clock or of processor time.
    fn turn(&self, session: &Session, processor: bool) -> Answer {
        let before = used(std::process::id());
        let mut seconds = self.run(session)?;
        if processor {
            seconds = Duration::from_nanos(used(std::process::id()).saturating_sub(before)).as_secs_f64();
        }
        seconds /= f64::from(self.runs);
        Ok(format!("{seconds:e}"))
    }
}

/// The length of a turn in seconds, and what is behind it.
fn length(what: &str) -> Result<(f64, &str), String> {
    let (seconds, rest) = what.split_once(' ').ok_or("no length of a turn")?;
    let seconds = seconds.parse().map_err(|_| "the length is not a number".to_owned())?;
    Ok((seconds, rest))
}

/// Builds everything, makes every kernel, and answers with the seconds that took; then once more.
pub fn build() -> Result<(), String> {
    let mut out = std::io::stdout();
    let context = Context::first().map_err(|error| error.to_string())?;
    for _ in 0..2 {
        let answer = time_build(&context);
        write_answer(&mut out, &answer)?;
    }
    out.flush().map_err(|error| error.to_string())
}

fn time_build(context: &Context) -> Answer {
    let start = Instant::now();
    let program = Program::build(context, kernels::EVERYTHING.plain, "").map_err(|error| error.to_string())?;
    for name in KERNELS {
        program.kernel(name).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(format!("{:e}", start.elapsed().as_secs_f64()))
}

/// The kernels that a client would use of the module with everything.
const KERNELS: &[&str] = &[
    "triad",
    "matmul_naive",
    "matmul_tiled",
    "nbody",
    "mandelbrot",
    "black_scholes",
    "reduce",
    "histogram",
    "stencil",
    "transpose",
    "bitonic",
    "sha256",
    "spmv",
    "monte_carlo",
    "fft",
    "raymarch",
    "empty",
    "group_of_one",
    "group_of_four",
];
