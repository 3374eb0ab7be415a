//! The command line.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

/// The most drivers that are compared.
const DRIVERS: usize = 8;

/// Compares OpenCL drivers, kernel by kernel
#[derive(Clone, Debug, Parser)]
#[command(
    name = "oxicl-bench",
    args_override_self = true,
    after_help = "Exit status: 1 if the first driver fails, or, with --programs, if any driver fails or its results differ."
)]
pub struct Arguments {
    /// A driver: a vendors folder, or the library itself, and options of its builds; at most eight. The ratios are the
    /// first's time over each other's. Without any, the loader's own choice is measured
    #[arg(long = "driver", value_name = "NAME=PATH[,OPTIONS]", value_parser = driver)]
    pub drivers: Vec<Driver>,
    /// Measurements of each driver in each row, alternating
    #[arg(long, value_name = "N", default_value = "7", default_value_if("quick", "true", "3"))]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub turns: u32,
    /// Length of one measurement
    #[arg(long, value_name = "S", default_value = "0.1", default_value_if("quick", "true", "0.03"))]
    pub seconds: f64,
    /// 3 turns of 0.03 seconds, unless they are given
    #[arg(long)]
    pub quick: bool,
    /// Measure the processor time of a driver's process instead: for machines that do other things too
    #[arg(long)]
    pub processor: bool,
    /// Write every measurement to this file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Measure every .cl file of the folder and of those in it, as its head says, and compare what it leaves in its buffers
    /// with what it does on the first driver
    #[arg(long, value_name = "FOLDER", conflicts_with = "corpus")]
    pub programs: Option<PathBuf>,
    /// Build every .spv file of the folder with each driver, without a cache on disk, and create every kernel: percentiles
    /// of wall and processor time (that of the compiler's processes included), the slowest files, and failures by reason
    #[arg(long, value_name = "FOLDER")]
    pub corpus: Option<PathBuf>,
    /// Of a corpus, only every Nth file
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,
    /// Let the driver have all cores for a corpus; a build has one otherwise
    #[arg(long)]
    pub all_cores: bool,
    /// Run one work-item of the first kernel of each file of a corpus, with zeros as arguments, and build as the driver does
    /// by itself: also how long it takes until that has run
    #[arg(long)]
    pub launch: bool,
    /// Only rows or programs whose name contains one of these: guarded and plain are kernels with guards and the same
    /// without, edges those that treat borders apart; these are measured only if a row is named
    #[arg(value_name = "ROW")]
    pub rows: Vec<String>,
}

/// A driver to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// A name for the table.
    pub name: String,
    /// A value for `OCL_ICD_VENDORS` or the library; none for the loader's own choice.
    pub path: Option<PathBuf>,
    /// Options of its builds.
    pub options: String,
}

impl Arguments {
    /// Those of this process, which ends if they are wrong or help is asked for.
    pub fn read() -> Arguments {
        Arguments::parse().completed().unwrap_or_else(|error| error.exit())
    }

    /// With at least one driver, and not too many.
    fn completed(mut self) -> Result<Arguments, clap::Error> {
        if self.drivers.len() > DRIVERS {
            let text = format!("at most {DRIVERS} drivers can be compared");
            return Err(Arguments::command().error(ErrorKind::TooManyValues, text));
        }
        if self.drivers.is_empty() {
            self.drivers.push(Driver { name: "driver".to_owned(), path: None, options: String::new() });
        }
        Ok(self)
    }

    /// Whether a row is asked for.
    pub fn wants(&self, row: &str) -> bool {
        let row = row.to_lowercase();
        self.rows.is_empty() || self.rows.iter().any(|part| row.contains(&part.to_lowercase()))
    }
}

/// `NAME=PATH` or `NAME=PATH,OPTIONS`.
fn driver(text: &str) -> Result<Driver, String> {
    let (name, path) = text.split_once('=').ok_or("it needs a name, = and a path")?;
    let (path, options) = path.split_once(',').unwrap_or((path, ""));
    Ok(Driver { name: name.to_owned(), path: Some(path.into()), options: options.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(["oxicl-bench"].into_iter().chain(line.split_whitespace()))?.completed()
    }

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn without_arguments_the_loader_chooses_and_all_rows_are_measured() {
        let arguments = parsed("").unwrap();
        assert_eq!(arguments.drivers, [Driver { name: "driver".to_owned(), path: None, options: String::new() }]);
        assert_eq!((arguments.turns, arguments.seconds, arguments.every), (7, 0.1, 1));
        assert!(arguments.wants("n-body"));
    }

    #[test]
    fn drivers_have_options_behind_a_comma() {
        let arguments = parsed("--driver a=/x --driver b=/y.so,-Dx=1,2 Body SHA").unwrap();
        let [a, b] = arguments.drivers.as_slice() else { panic!("{arguments:?}") };
        assert_eq!((a.name.as_str(), a.path.clone(), a.options.as_str()), ("a", Some("/x".into()), ""));
        assert_eq!((b.name.as_str(), b.path.clone(), b.options.as_str()), ("b", Some("/y.so".into()), "-Dx=1,2"));
        assert!(arguments.wants("n-body") && arguments.wants("sha-256") && !arguments.wants("fft"));
    }

    #[test]
    fn quick_gives_way_to_what_is_said() {
        let quick = parsed("--quick").unwrap();
        assert_eq!((quick.turns, quick.seconds), (3, 0.03));
        let slower = parsed("--turns 5 --quick").unwrap();
        assert_eq!((slower.turns, slower.seconds), (5, 0.03));
        let last = parsed("--turns 5 --turns 6").unwrap();
        assert_eq!((last.turns, last.seconds), (6, 0.1));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let nine = "--driver a=/x ".repeat(9);
        for line in ["--driver a", "--turns 0", "--every 0", "--seconds x", "--fast", "--programs a --corpus b", &nine]
        {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
