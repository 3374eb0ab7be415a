//! The command line.

use std::path::PathBuf;

pub const HELP: &str = "\
oxicl-bench [--driver name=path]... [--turns N] [--seconds S] [--quick] [--json file] [row]...

  --driver name=path[,options]
                      a driver: a vendors folder, or the library itself, and options of its builds; at most eight. The ratios
                      are the first's time over each other's. Without any, the loader's own choice is measured.
  --turns N           measurements of each driver in each row, alternating (default 7)
  --seconds S         length of one measurement (default 0.1)
  --quick             3 turns of 0.03 seconds
  --processor         measures the processor time of a driver's process instead: for machines that do other things too
  --json file         writes every measurement
  row                 only rows whose name contains this: guarded and plain are kernels with guards and the same
                      without, edges those that treat borders apart; these are measured only if a row is named

oxicl-bench --programs folder [the options above] [part of a name]...

  --programs folder   measures every .cl file of the folder and of those in it, as its head says, and compares what it leaves
                      in its buffers with what it does on the first driver; the least time of all turns counts

oxicl-bench --corpus folder [--driver name=path]... [--every N] [--all-cores] [--launch]

  --corpus folder     builds every .spv file of the folder with each driver, without a cache on disk, and creates every
                      kernel: percentiles of wall and processor time (that of the compiler's processes included), the
                      slowest files, and failures by reason
  --every N           only every Nth file
  --all-cores         let the driver have all cores; a build has one otherwise
  --launch            runs one work-item of the first kernel of each file, with zeros as arguments, and builds as the
                      driver does by itself: also how long it takes until that has run
";

/// A driver to measure.
#[derive(Clone, Debug)]
pub struct Driver {
    /// A name for the table.
    pub name: String,
    /// A value for `OCL_ICD_VENDORS` or the library; none for the loader's own choice.
    pub path: Option<PathBuf>,
    /// Options of its builds.
    pub options: String,
}

/// What was asked for.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// Up to eight drivers.
    pub drivers: Vec<Driver>,
    /// Measurements per driver and row.
    pub turns: usize,
    /// Length of a measurement.
    pub seconds: f64,
    /// Measure processor time.
    pub processor: bool,
    /// Where to write JSON.
    pub json: Option<PathBuf>,
    /// A folder of modules to build instead of measuring rows.
    pub corpus: Option<PathBuf>,
    /// A folder of programs to measure instead of rows.
    pub programs: Option<PathBuf>,
    /// Only every nth module is built.
    pub every: usize,
    /// The first kernel of each module is launched.
    pub launches: bool,
    /// Builds have one core.
    pub one_core: bool,
    /// Parts of the names of the rows to measure; empty for all.
    pub rows: Vec<String>,
}

impl Arguments {
    /// `None` if help is asked for.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Option<Arguments>, String> {
        let mut parsed = Arguments {
            drivers: Vec::new(),
            turns: 7,
            seconds: 0.1,
            processor: false,
            json: None,
            corpus: None,
            programs: None,
            every: 1,
            launches: false,
            one_core: true,
            rows: Vec::new(),
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--driver" => {
                    let value = value()?;
                    let (name, path) = value.split_once('=').ok_or("--driver needs name=path")?;
                    let (path, options) = path.split_once(',').unwrap_or((path, ""));
                    let (path, options) = (Some(path.into()), options.to_owned());
                    parsed.drivers.push(Driver { name: name.to_owned(), path, options });
                }
                "--turns" => parsed.turns = number(&value()?)?,
                "--seconds" => parsed.seconds = number(&value()?)?,
                "--quick" => (parsed.turns, parsed.seconds) = (3, 0.03),
                "--corpus" => parsed.corpus = Some(value()?.into()),
                "--programs" => parsed.programs = Some(value()?.into()),
                "--every" => parsed.every = number::<usize>(&value()?)?.max(1),
                "--all-cores" => parsed.one_core = false,
                "--launch" => parsed.launches = true,
                "--processor" => parsed.processor = true,
                "--json" => parsed.json = Some(value()?.into()),
                option if option.starts_with("--") => return Err(format!("no option {option}\n\n{HELP}")),
                row => parsed.rows.push(row.to_lowercase()),
            }
        }
        if parsed.drivers.is_empty() {
            parsed.drivers.push(Driver { name: "driver".to_owned(), path: None, options: String::new() });
        }
        if parsed.drivers.len() > 8 || parsed.turns == 0 {
            return Err("at most eight drivers, and at least one turn".to_owned());
        }
        Ok(Some(parsed))
    }

    /// Whether a row is asked for.
    pub fn wants(&self, row: &str) -> bool {
        self.rows.is_empty() || self.rows.iter().any(|part| row.to_lowercase().contains(part))
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text} is not a number"))
}
