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
    /// The first driver's time over the second's.
    fn ratio(&self) -> Option<f64> {
        match self.drivers.as_slice() {
            [Ok(first), Ok(second)] => Some(first.median() / second.median()),
            _ => None,
        }
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
    if let [first, second] = drivers {
        let _ = write!(text, "   time of {first} / {second}");
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
    if let Some(ratio) = line.ratio() {
        let _ = write!(text, "   {ratio:>6.2}");
    }
    for reason in line.drivers.iter().filter_map(|driver| driver.as_ref().err()) {
        let _ = write!(text, "\n    {}", reason.trim_end().replace('\n', "\n    "));
    }
    text
}

/// The geometric mean of the ratios, if there are any.
pub fn mean_ratio(lines: &[Line]) -> Option<f64> {
    let ratios: Vec<f64> = lines.iter().filter_map(Line::ratio).map(f64::ln).collect();
    (!ratios.is_empty()).then(|| (ratios.iter().sum::<f64>() / ratios.len() as f64).exp())
}

/// Writes every measurement.
pub fn write_json(path: &Path, drivers: &[String], lines: &[Line]) -> Result<(), String> {
    let mut text = String::from("{\n  \"drivers\": [");
    let names: Vec<String> = drivers.iter().map(|name| quoted(name)).collect();
    let _ = writeln!(text, "{}],\n  \"rows\": [", names.join(", "));
    for (index, line) in lines.iter().enumerate() {
        let comma = if index + 1 < lines.len() { "," } else { "" };
        let drivers: Vec<String> = line.drivers.iter().map(driver_json).collect();
        let ratio = line.ratio().map_or("null".to_owned(), |ratio| format!("{ratio:.4}"));
        let _ = writeln!(
            text,
            "    {{\"name\": {}, \"amount\": {}, \"unit\": {}, \"ratio\": {ratio}, \"drivers\": [{}]}}{comma}",
            quoted(&line.name),
            line.amount,
            quoted(&line.unit),
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
        assert_eq!(line.ratio(), Some(0.5));
        assert!(row(&line).ends_with("0.50"));
    }
}
