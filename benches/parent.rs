//! The comparing side: starts a child per driver and lets them take turns.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use oxicl_benches::{EDGES, GUARDS, Row, TABLE};

use crate::arguments::{Arguments, Driver};
use crate::child::{BUILD, SERVE};
use crate::corpus::SERVE_LAUNCHES;
use crate::protocol::Peer;
use crate::report::{Line, Missing, Table, write_json};
use crate::statistics::Sample;

/// Measures, prints, writes. A row that fails for the first driver makes the comparison fail.
pub fn compare(arguments: &Arguments) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let only_by_name: &[&[Row]] = if arguments.rows.is_empty() { &[] } else { &[GUARDS, EDGES] };
    let rows = TABLE.iter().chain(only_by_name.iter().copied().flatten()).map(|row| row.name);
    let rows: Vec<&str> = rows.filter(|name| arguments.wants(name)).collect();
    let mut comparison = Comparison::start(arguments, &scratch, rows.iter().copied())?;
    for name in rows {
        comparison.add(name, |sides| measure(sides, name, arguments));
    }
    drop(comparison.sides.iter_mut().map(|side| side.peer.take()).collect::<Vec<_>>());
    for (name, state, place) in BUILDS {
        if arguments.wants(name) {
            comparison.add(name, |sides| builds(sides, name, *state, *place, arguments));
        }
    }
    let lines = comparison.finish(arguments)?;
    let failed = lines.iter().filter(|line| line.drivers.first().is_some_and(Result::is_err)).count();
    if failed == 0 { Ok(()) } else { Err(format!("{failed} rows failed for {}", arguments.drivers[0].name)) }
}

/// Drivers, and the table of what they did so far.
pub struct Comparison {
    sides: Vec<Side>,
    table: Table,
    lines: Vec<Line>,
}

impl Comparison {
    /// Starts a process per driver and prints the heading of a table for rows of these names.
    pub fn start<'a>(
        arguments: &Arguments,
        scratch: &Scratch,
        rows: impl Iterator<Item = &'a str>,
    ) -> Result<Comparison, String> {
        let mut sides = Vec::new();
        for (index, driver) in arguments.drivers.iter().enumerate() {
            sides.push(Side::start(driver, &scratch.0.join(index.to_string()), SERVE, false)?);
        }
        let table = Table::new(&names(arguments), rows);
        println!("\n{}", table.heading());
        Ok(Comparison { sides, table, lines: Vec::new() })
    }

    /// Measures a row and prints it.
    pub fn add(&mut self, name: &str, measured: impl FnOnce(&mut [Side]) -> Line) {
        progress(name);
        let line = measured(&mut self.sides);
        progress("");
        println!("{}", self.table.row(&line));
        self.lines.push(line);
    }

    /// Ends the table, writes the JSON and gives all rows.
    pub fn finish(self, arguments: &Arguments) -> Result<Vec<Line>, String> {
        print!("{}", self.table.summary(&self.lines));
        if let Some(path) = &arguments.json {
            write_json(path, &names(arguments), &self.lines)?;
        }
        Ok(self.lines)
    }
}

fn names(arguments: &Arguments) -> Vec<String> {
    arguments.drivers.iter().map(|driver| driver.name.clone()).collect()
}

/// Says what is being measured, if somebody looks.
fn progress(name: &str) {
    if std::io::stderr().is_terminal() {
        let dots = if name.is_empty() { "" } else { " ..." };
        eprint!("\r\x1b[K{name}{dots}");
        // A progress line that cannot be shown is not missed.
        let _ = std::io::stderr().flush();
    }
}

/// A driver and the process that has loaded it.
pub struct Side {
    vendors: Option<PathBuf>,
    cache: PathBuf,
    /// Options of the builds of rows.
    options: String,
    /// What its processes do: their first argument.
    mode: &'static str,
    /// Its processes have one core.
    one_core: bool,
    peer: Option<Peer>,
}

impl Side {
    /// Starts a process that serves in `mode`.
    pub fn start(driver: &Driver, scratch: &Path, mode: &'static str, one_core: bool) -> Result<Side, String> {
        let cache = scratch.join("cache");
        std::fs::create_dir_all(&cache).map_err(|error| error.to_string())?;
        let vendors = driver.path.as_deref().map(|path| vendors_folder(path, scratch)).transpose()?;
        let options = driver.options.clone();
        let mut side = Side { vendors, cache, options, mode, one_core, peer: None };
        let greeting = side.restart().map_err(|error| format!("{}: {error}", driver.name))?;
        println!("{}: {greeting}", driver.name);
        Ok(side)
    }

    fn restart(&mut self) -> Result<String, String> {
        // Rows may use builds from the cache, as builds are not what they measure; a corpus must not.
        let mut command = self.command(self.mode, self.mode == SERVE)?;
        let (peer, greeting) = Peer::start(command.stderr(std::process::Stdio::inherit()))?;
        self.peer = Some(peer);
        Ok(greeting)
    }

    fn command(&self, mode: &str, cached: bool) -> Result<Command, String> {
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = match self.one_core {
            true => {
                let mut command = Command::new("taskset");
                command.args(["--cpu-list", &first_core()]).arg(own);
                command
            }
            false => Command::new(own),
        };
        command.args([mode, &self.options]);
        if let Some(vendors) = &self.vendors {
            // Both ocl-icd and the Khronos loader take this.
            command.env("OCL_ICD_VENDORS", vendors).env_remove("OCL_ICD_FILENAMES");
        }
        command.env("XDG_CACHE_HOME", &self.cache);
        if mode != SERVE_LAUNCHES {
            // Code that is made after a build would be measured with something else, or not at all.
            command.env("OXICL_BUILD", "eager");
        }
        if !cached {
            command.env("OXICL_CACHE", "off");
        }
        Ok(command)
    }

    /// Asks, in a new process if the last one has ended.
    pub fn ask(&mut self, request: &str) -> Result<String, String> {
        if self.peer.as_mut().is_none_or(Peer::ended) {
            self.restart()?;
        }
        self.peer.as_mut().map_or(Err("no process".to_owned()), |peer| peer.ask(request))
    }
}

/// The first core that this process may run on.
fn first_core() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or("0");
    list.trim().split([',', '-']).next().unwrap_or("0").to_owned()
}

/// A vendors folder by which a loader finds `path`, which is such a folder already, or a library.
fn vendors_folder(path: &Path, scratch: &Path) -> Result<PathBuf, String> {
    let path = path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?;
    if path.is_dir() {
        return Ok(path);
    }
    let folder = scratch.join("vendors");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    std::fs::write(folder.join("driver.icd"), format!("{}\n", path.display())).map_err(|error| error.to_string())?;
    Ok(folder)
}

fn measure(sides: &mut [Side], name: &str, arguments: &Arguments) -> Line {
    let mut line = Line::new(name);
    for side in sides.iter_mut() {
        let ready = side.ask(&format!("prepare {} {name}", arguments.seconds));
        let driver = ready.map(|work| {
            line.describe(&work);
            Sample::default()
        });
        line.drivers.push(driver.map_err(Missing::Failed));
    }
    take_turns(sides, &mut line, arguments);
    line
}

/// Measures what the drivers have prepared, but for those that the line has a reason against, and has it dropped.
pub fn take_turns(sides: &mut [Side], line: &mut Line, arguments: &Arguments) {
    let request = if arguments.processor { "processor" } else { "turn" };
    for _ in 0..arguments.turns {
        for (side, driver) in sides.iter_mut().zip(&mut line.drivers) {
            take_turn(driver, || side.ask(request));
        }
    }
    for side in sides.iter_mut() {
        // A process that ended in this row is started again for the next.
        let _ = side.ask("drop");
    }
}

/// Adds a measurement, or notes why there are none.
fn take_turn(driver: &mut Result<Sample, Missing>, measured: impl FnOnce() -> Result<String, String>) {
    if let Ok(sample) = driver {
        match measured().and_then(|text| text.parse().map_err(|_| format!("{text} is no time"))) {
            Ok(seconds) => sample.0.push(seconds),
            Err(reason) => *driver = Err(Missing::Failed(reason)),
        }
    }
}

/// Whether an on-disk cache may be used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cache {
    Off,
    Filled,
}

/// Which build of a process counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    First,
    Second,
}

const BUILDS: &[(&str, Cache, Place)] = &[
    ("build, cold", Cache::Off, Place::First),
    ("build, second in process", Cache::Off, Place::Second),
    ("build, from cache if any", Cache::Filled, Place::First),
];

/// Builds the module with everything, in a new process each time.
fn builds(sides: &[Side], name: &str, cache: Cache, place: Place, arguments: &Arguments) -> Line {
    let mut drivers: Vec<Result<Sample, Missing>> = sides.iter().map(|_| Ok(Sample::default())).collect();
    if cache == Cache::Filled {
        for (side, driver) in sides.iter().zip(&mut drivers) {
            if let Err(reason) = build_once(side, cache, place) {
                *driver = Err(Missing::Failed(reason));
            }
        }
    }
    for _ in 0..arguments.turns {
        for (side, driver) in sides.iter().zip(&mut drivers) {
            take_turn(driver, || build_once(side, cache, place));
        }
    }
    let mut line = Line::new(name);
    line.describe("1 time build");
    line.drivers = drivers;
    line
}

fn build_once(side: &Side, cache: Cache, place: Place) -> Result<String, String> {
    let output = side
        .command(BUILD, cache == Cache::Filled)?
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut answers = text.lines().filter_map(|line| match line.split_once(' ')? {
        ("ok", time) => Some(Ok(time.to_owned())),
        ("failed", reason) => Some(Err(reason.replace('\u{1f}', "\n"))),
        _ => None,
    });
    let wanted = if place == Place::First { answers.next() } else { answers.nth(1) };
    wanted.unwrap_or_else(|| Err(format!("the building process ended: {}", output.status)))
}

/// A temporary folder, removed when this is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes it.
    pub fn new() -> Result<Scratch, String> {
        let path = std::env::temp_dir().join(format!("oxicl-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Scratch(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left in a temporary folder does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
