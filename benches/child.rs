//! A driver's side: measures what it is asked to, on the first platform that the loader finds.

use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use oxicl_benches::{EDGES, GUARDS, Row, Session, TABLE, Unit, Work, Workload, kernels};
use oxicl_client::{Context, Platform, Program};

use crate::corpus::used;
use crate::protocol::{Answer, write_answer};

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
    let mut prepared: Option<Prepared> = None;
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let answer = match line.split_once(' ').unwrap_or((&line, "")) {
            ("prepare", what) => match Prepared::new(&session, what) {
                Ok((ready, text)) => {
                    prepared = Some(ready);
                    Ok(text)
                }
                Err(text) => Err(text),
            },
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

/// A workload, checked, with the number of runs that one turn takes.
struct Prepared {
    workload: Box<dyn Workload>,
    runs: u32,
}

impl Prepared {
    /// From `<seconds> <row>`; answers with the amount of work, whether a rate or the time is shown, and the unit.
    fn new(session: &Session, what: &str) -> Result<(Prepared, String), String> {
        let (seconds, name) = what.split_once(' ').ok_or("prepare needs a length and a row")?;
        let seconds: f64 = seconds.parse().map_err(|_| "the length is not a number".to_owned())?;
        let row: &Row = TABLE
            .iter()
            .chain(GUARDS)
            .chain(EDGES)
            .find(|row| row.name == name)
            .ok_or_else(|| format!("no row {name}"))?;
        let workload = (row.make)(session, row.size).map_err(|failure| failure.to_string())?;
        let mut ready = Prepared { workload, runs: 1 };
        ready.run(session)?;
        ready.workload.check(session).map_err(|failure| failure.to_string())?;
        // Twice, since the first runs may still pay for pages and threads.
        for _ in 0..2 {
            let once = ready.run(session)? / f64::from(ready.runs);
            ready.runs = (seconds / once.max(1e-9)).clamp(1.0, 1e6) as u32;
        }
        let Work { amount, unit } = ready.workload.work();
        let unit = match unit {
            Unit::Flop => "FLOP",
            Unit::Byte => "B",
            Unit::Each(what) | Unit::Time(what) => what,
        };
        let kind = if matches!(ready.workload.work().unit, Unit::Time(_)) { "time" } else { "rate" };
        Ok((ready, format!("{amount} {kind} {unit}")))
    }

    /// Seconds for one turn.
    fn run(&self, session: &Session) -> Result<f64, String> {
        let start = Instant::now();
        for _ in 0..self.runs {
            self.workload.enqueue(session).map_err(|failure| failure.to_string())?;
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
