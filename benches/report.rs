//! The table and the JSON.

use std::fmt::Write as _;
use std::path::Path;

use crate::statistics::Sample;

/// A measured row.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// Work of one run.
    pub amount: f64,
    /// What is counted.
    pub unit: String,
    /// Whether the figure is time per unit rather than units per second.
    pub time: bool,
    /// Per driver: the measurements, or why there are none.
    pub drivers: Vec<Result<Sample, Missing>>,
}

/// Why there are no measurements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It does not build or run, or its result is not the host's.
    Failed(String),
    /// Its result is not the first driver's.
    Different(String),
}

impl Missing {
    fn word(&self) -> &'static str {
        match self {
            Missing::Failed(_) => "failed",
            Missing::Different(_) => "different",
        }
    }

    fn reason(&self) -> &str {
        let (Missing::Failed(reason) | Missing::Different(reason)) = self;
        reason
    }
}

impl Line {
    /// Without drivers.
    pub fn new(name: &str) -> Line {
        Line { name: name.to_owned(), amount: 1.0, unit: String::new(), time: false, drivers: Vec::new() }
    }

    /// Takes over what a child says of the work.
    pub fn describe(&mut self, work: &str) {
        let mut words = work.splitn(3, ' ');
        self.amount = words.next().and_then(|amount| amount.parse().ok()).unwrap_or(1.0);
        self.time = words.next() == Some("time");
        self.unit = words.next().unwrap_or_default().to_owned();
    }

    /// The first driver's time over that of each other.
    fn ratios(&self) -> Vec<Option<f64>> {
        let Some((first, others)) = self.drivers.split_first() else { return Vec::new() };
        let ratio = |other: &Result<Sample, Missing>| Some(first.as_ref().ok()?.over(other.as_ref().ok()?));
        others.iter().map(ratio).collect()
    }

    fn figure(&self, sample: &Sample) -> String {
        let noise = format!("±{:.0}%", sample.noise() * 100.0);
        let each = sample.median() / self.amount;
        let shown = if self.time { scaled_time(each) } else { scaled(1.0 / each, &self.unit) };
        format!("{shown} {noise:>5}")
    }
}

/// How the lines are laid out.
#[derive(Clone, Debug)]
pub struct Table {
    /// The drivers' names.
    drivers: Vec<String>,
    /// Of the column of the rows' names.
    width: usize,
}

/// The width of a driver's column.
const CELL: usize = 28;

impl Table {
    /// For rows of these names.
    pub fn new<'a>(drivers: &[String], rows: impl Iterator<Item = &'a str>) -> Table {
        Table { drivers: drivers.to_vec(), width: rows.map(|name| name.len() + 1).fold(CELL, usize::max) }
    }

    /// The heading.
    pub fn heading(&self) -> String {
        let mut text = self.first("");
        for name in &self.drivers {
            let _ = write!(text, "{name:>CELL$}");
        }
        if let [first, others @ ..] = self.drivers.as_slice()
            && !others.is_empty()
        {
            let _ = write!(text, "   time of {first} / {}", others.join(", "));
        }
        text
    }

    /// One row.
    pub fn row(&self, line: &Line) -> String {
        let mut text = self.first(&line.name);
        for driver in &line.drivers {
            let cell = match driver {
                Ok(sample) => line.figure(sample),
                Err(missing) => missing.word().to_owned(),
            };
            let _ = write!(text, "{cell:>CELL$}");
        }
        text += &ratios(&line.ratios());
        for reason in self.reasons(line) {
            let _ = write!(text, "\n    {}", reason.trim_end().replace('\n', "\n    "));
        }
        text
    }

    /// Why drivers have no measurements, and which; what is wrong with a file is so for all of them.
    fn reasons(&self, line: &Line) -> Vec<String> {
        let drivers = self.drivers.iter().zip(&line.drivers);
        let missing = drivers.filter_map(|(name, driver)| Some((name.as_str(), driver.as_ref().err()?.reason())));
        let mut reasons: Vec<(Vec<&str>, &str)> = Vec::new();
        for (name, reason) in missing {
            match reasons.last_mut() {
                Some((names, last)) if *last == reason => names.push(name),
                _ => reasons.push((vec![name], reason)),
            }
        }
        reasons.iter().map(|(names, reason)| format!("{}: {reason}", names.join(", "))).collect()
    }

    /// The end: for each driver after the first, the geometric mean of its ratios, over the rows that both it and the
    /// first have, and how many of them are over 1. Nothing if there is one driver.
    pub fn summary(&self, lines: &[Line]) -> String {
        let column = |index: usize| lines.iter().filter_map(move |line| line.ratios().get(index).copied().flatten());
        let others = 0..self.drivers.len().saturating_sub(1);
        if others.is_empty() {
            return String::new();
        }
        let mean = |index: usize| {
            let logarithms: Vec<f64> = column(index).map(f64::ln).collect();
            (!logarithms.is_empty()).then(|| (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp())
        };
        let over = |index: usize| {
            let count = column(index).filter(|ratio| *ratio > 1.0).count();
            format!("  {:>7}", format!("{count}/{}", column(index).count()))
        };
        let means: Vec<Option<f64>> = others.clone().map(mean).collect();
        let [means, overs] = [ratios(&means), others.map(over).collect()];
        let cells = CELL * self.drivers.len();
        let [mean, over] = ["geometric mean", "over 1.0"].map(|name| format!("{}{:cells$}", self.first(name), ""));
        format!("{mean}{means}\n{over}{overs}\n")
    }

    /// The first column.
    fn first(&self, name: &str) -> String {
        format!("{name:<width$}", width = self.width)
    }
}

/// Ratios as the end of a row.
fn ratios(ratios: &[Option<f64>]) -> String {
    ratios.iter().map(|ratio| ratio.map_or(format!("   {:>6}", "-"), |ratio| format!("   {ratio:>6.2}"))).collect()
}

/// Writes every measurement.
pub fn write_json(path: &Path, drivers: &[String], lines: &[Line]) -> Result<(), String> {
    let mut text = String::from("{\n  \"drivers\": [");
    let names: Vec<String> = drivers.iter().map(|name| quoted(name)).collect();
    let _ = writeln!(text, "{}],\n  \"rows\": [", names.join(", "));
    for (index, line) in lines.iter().enumerate() {
        let comma = if index + 1 < lines.len() { "," } else { "" };
        let drivers: Vec<String> = line.drivers.iter().map(driver_json).collect();
        let ratio: Vec<String> =
            line.ratios().iter().map(|ratio| ratio.map_or("null".to_owned(), |ratio| format!("{ratio:.4}"))).collect();
        let _ = writeln!(
            text,
            "    {{\"name\": {}, \"amount\": {}, \"unit\": {}, \"ratios\": [{}], \"drivers\": [{}]}}{comma}",
            quoted(&line.name),
            line.amount,
            quoted(&line.unit),
            ratio.join(", "),
            drivers.join(", ")
        );
    }
    text.push_str("  ]\n}\n");
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn driver_json(driver: &Result<Sample, Missing>) -> String {
    match driver {
        Ok(sample) => {
            let seconds: Vec<String> = sample.0.iter().map(|value| format!("{value:e}")).collect();
            format!(
                "{{\"median_s\": {:e}, \"noise\": {:.4}, \"seconds\": [{}]}}",
                sample.median(),
                sample.noise(),
                seconds.join(", ")
            )
        }
        Err(missing) => format!("{{\"{}\": {}}}", missing.word(), quoted(missing.reason())),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if u32::from(c) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn scaled(rate: f64, unit: &str) -> String {
    let (factor, prefix) = match rate {
        r if r >= 1e9 => (1e9, "G"),
        r if r >= 1e6 => (1e6, "M"),
        r if r >= 1e3 => (1e3, "k"),
        _ => (1.0, ""),
    };
    let space = if unit.len() > 4 { " " } else { "" };
    format!("{:.1} {prefix}{space}{unit}/s", rate / factor)
}

fn scaled_time(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.3} s"),
        s if s >= 1e-3 => format!("{:.1} ms", s * 1e3),
        s if s >= 1e-6 => format!("{:.2} us", s * 1e6),
        s if s >= 1e-10 => format!("{:.2} ns", s * 1e9),
        s => format!("{:.2} ps", s * 1e12),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_strings_are_escaped() {
        assert_eq!(quoted("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
    }

    fn line(name: &str, seconds: [f64; 2]) -> Line {
        let mut line = Line::new(name);
        line.drivers = seconds.map(|seconds| Ok(Sample(vec![seconds]))).into();
        line
    }

    fn table() -> Table {
        Table::new(&["a".to_owned(), "b".to_owned()], ["row"].into_iter())
    }

    #[test]
    fn ratio_is_the_first_time_over_the_second() {
        let line = line("row", [1.0, 2.0]);
        assert_eq!(line.ratios(), [Some(0.5)]);
        assert!(table().row(&line).ends_with("0.50"));
    }

    #[test]
    fn the_summary_has_the_mean_and_counts_what_is_over_1() {
        let mut failed = line("row", [1.0, 2.0]);
        failed.drivers[1] = Err(Missing::Failed("why".to_owned()));
        let lines = [line("row", [1.0, 2.0]), line("row", [8.0, 1.0]), failed];
        let summary = table().summary(&lines);
        let ends: Vec<&str> = summary.lines().filter_map(|line| line.split_whitespace().last()).collect();
        assert_eq!(ends, ["2.00", "1/2"]);
        let alone = Table::new(&["a".to_owned()], ["row"].into_iter());
        assert_eq!(alone.summary(&lines), "");
    }

    #[test]
    fn a_reason_that_drivers_share_is_told_once() {
        let mut line = Line::new("row");
        line.drivers = vec![Err(Missing::Failed("why\nso".to_owned())), Err(Missing::Failed("why\nso".to_owned()))];
        assert!(table().row(&line).ends_with("failed        -\n    a, b: why\n    so"), "{}", table().row(&line));
        line.drivers[1] = Err(Missing::Different("to[3] is 1, not 2".to_owned()));
        assert!(table().row(&line).ends_with("a: why\n    so\n    b: to[3] is 1, not 2"), "{}", table().row(&line));
    }
}
