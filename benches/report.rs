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
    pub drivers: Vec<Result<Sample, String>>,
}

impl Line {
    /// The first driver's time over that of each other.
    fn ratios(&self) -> Vec<Option<f64>> {
        let Some((first, others)) = self.drivers.split_first() else { return Vec::new() };
        let first = first.as_ref().ok().map(Sample::median);
        others.iter().map(|other| Some(first? / other.as_ref().ok()?.median())).collect()
    }

    fn figure(&self, sample: &Sample) -> String {
        let noise = format!("±{:.0}%", sample.noise() * 100.0);
        let each = sample.median() / self.amount;
        let shown = if self.time { scaled_time(each) } else { scaled(1.0 / each, &self.unit) };
        format!("{shown} {noise:>5}")
    }
}

/// The heading, for drivers of these names.
pub fn heading(drivers: &[String]) -> String {
    let mut text = format!("{:<28}", "");
    for name in drivers {
        let _ = write!(text, "{name:>28}");
    }
    if let [first, others @ ..] = drivers
        && !others.is_empty()
    {
        let _ = write!(text, "   time of {first} / {}", others.join(", "));
    }
    text
}

/// One row of the table.
pub fn row(line: &Line) -> String {
    let mut text = format!("{:<28}", line.name);
    for driver in &line.drivers {
        let cell = match driver {
            Ok(sample) => line.figure(sample),
            Err(_) => "failed".to_owned(),
        };
        let _ = write!(text, "{cell:>28}");
    }
    text += &ratios(&line.ratios());
    for reason in line.drivers.iter().filter_map(|driver| driver.as_ref().err()) {
        let _ = write!(text, "\n    {}", reason.trim_end().replace('\n', "\n    "));
    }
    text
}

/// Ratios as the end of a row.
pub fn ratios(ratios: &[Option<f64>]) -> String {
    ratios.iter().map(|ratio| ratio.map_or(format!("   {:>6}", "-"), |ratio| format!("   {ratio:>6.2}"))).collect()
}

/// For each driver after the first: the geometric mean of its ratios, over the rows that both it and the first have.
pub fn mean_ratios(lines: &[Line]) -> Vec<Option<f64>> {
    let columns = lines.iter().map(|line| line.ratios().len()).max().unwrap_or(0);
    let mean = |column: usize| {
        let logarithms: Vec<f64> =
            lines.iter().filter_map(|line| line.ratios().get(column).copied().flatten()).map(f64::ln).collect();
        (!logarithms.is_empty()).then(|| (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp())
    };
    (0..columns).map(mean).collect()
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

fn driver_json(driver: &Result<Sample, String>) -> String {
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
        Err(reason) => format!("{{\"failed\": {}}}", quoted(reason)),
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

    #[test]
    fn ratio_is_the_first_time_over_the_second() {
        let line = Line {
            name: "row".to_owned(),
            amount: 1.0,
            unit: "B".to_owned(),
            time: false,
            drivers: vec![Ok(Sample(vec![1.0])), Ok(Sample(vec![2.0]))],
        };
        assert_eq!(line.ratios(), [Some(0.5)]);
        assert!(row(&line).ends_with("0.50"));
    }
}
