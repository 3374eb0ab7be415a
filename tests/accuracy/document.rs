//! `docs/accuracy.md`, and the lines that measurements are kept in between runs.

use std::collections::HashMap;

use crate::format::Format;
use crate::measure::{Found, Inputs};
use crate::table::{Bound, Function, Second, functions};

/// One measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Function and format: [`Function::key`].
    pub key: String,
    /// The largest error.
    pub worst: f64,
    /// Inputs tried.
    pub count: u64,
    /// Whether these were all there are.
    pub all: bool,
    /// The input with the largest error.
    pub text: String,
}

impl Line {
    /// What a measurement found.
    pub fn new(key: String, found: &Found, inputs: Inputs) -> Line {
        Line { key, worst: found.worst, count: found.count, all: inputs == Inputs::All, text: found.text.clone() }
    }

    /// One line of text.
    pub fn print(&self) -> String {
        format!("{}\t{}\t{}\t{}\t{}", self.key, self.worst, self.count, self.all, self.text)
    }

    /// Reads what [`Line::print`] wrote.
    pub fn parse(text: &str) -> Option<Line> {
        let mut parts = text.split('\t');
        let key = parts.next()?.to_owned();
        let (worst, count) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let all = parts.next()? == "true";
        Some(Line { key, worst, count, all, text: parts.next().unwrap_or_default().to_owned() })
    }
}

const HEAD: &str = "# Accuracy

This page compares results with the exact ones: it has the largest error found for each function and type, next to what the
specification allows (OpenCL environment specification, \"Relative Error as ULPs\", full profile). `cargo xtask accuracy` writes it.
The tests of `tests/accuracy` check every bound, and that this table has every function.

Each function is a kernel, built as any other for a machine with fused operations, and run over as many inputs as the last column
says. *All* means every bit pattern of the operand, or of both; *all ints of 16 bits* means every half with each of these. Otherwise
inputs are samples. Among them are all combinations of special numbers (zeros, denormals, infinities, NaN, the limits of the format)
and of hard cases: neighbours of thresholds and of multiples of pi/2, cancellations, ties, quotients near whole numbers, powers near
the limits.

Results are compared with MPFR's at 240 bits. Some half and float results can be screened first, by the host's arithmetic and vector
libm in double. Of these, MPFR judges only those whose error seems larger than the largest so far, and one in at most 65,536 others;
such errors are right to 0.0005, or to one part in 500 of a bound that depends on the operands. Errors are rounded up. Denormals
count like all numbers, except for the `half_` forms and `unsafe` builds, which flush some of them.

- *exact*: the result is a number of the format, and is that number. *rounded*: the nearest one, ties to even.
- *ulp*: units in the last place, as the specification defines them. An infinity counts as the next power of two.
- *of the bound*: where the bound depends on the operands, the largest part of it that was used.
- `unsafe`: built with `-cl-unsafe-math-optimizations`. `OpFDiv`, `sqrt` and all other rows are built without options.
- Half functions are computed in float and rounded once.
- `rsqrt`, `half_rsqrt` and `native_rsqrt` of floats are those of a machine with AVX-512, which has estimates. On others all three
  are quotients, within 1.491 ulp.
";

/// A bound in words.
pub fn bound(bound: Bound) -> String {
    match bound {
        Bound::Exact => "exact".to_owned(),
        Bound::Rounded => "rounded".to_owned(),
        Bound::Ulps(limit) => format!("{limit} ulp"),
        Bound::Flushed(limit) => format!("{limit} ulp"),
        Bound::Absolute(limit) => format!("{limit} absolute"),
        Bound::Products(limit) => format!("{limit} epsilon max^2"),
        Bound::Open => "open".to_owned(),
        Bound::Relaxed(_, text) => text.to_owned(),
        Bound::None => "-".to_owned(),
    }
}

fn up(x: f64) -> String {
    if x == 0.0 {
        "0".to_owned()
    } else if x < 0.001 {
        format!("{x:.1e}")
    } else {
        format!("{:.3}", (x * 1000.0).ceil() / 1000.0)
    }
}

fn worst(function: &Function, format: Format, line: &Line) -> String {
    match function.bound(format) {
        Bound::Exact => "exact".to_owned(),
        Bound::Rounded => "rounded".to_owned(),
        Bound::Absolute(_) => format!("{} absolute", up(line.worst)),
        Bound::Products(_) => format!("{} epsilon max^2", up(line.worst)),
        Bound::Open if line.worst.is_infinite() || line.worst > 1e6 => "large near zeros".to_owned(),
        Bound::Relaxed(_, text) if text.starts_with("open") => {
            let unit = if function.arity == 2 { "ulp" } else { "relative to max(1, result)" };
            format!("{} {unit}", up(line.worst))
        }
        Bound::Relaxed(..) => format!("{} of the bound", up(line.worst)),
        _ => format!("{} ulp", up(line.worst)),
    }
}

fn count(function: &Function, line: &Line) -> String {
    let digits = line.count.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap_or_default()).collect();
    let groups = groups.join(",");
    match (line.all, function.second) {
        (false, _) => groups,
        (true, Second::Number) => format!("all {groups}"),
        (true, Second::Integer) => format!("{groups}, all ints of 16 bits"),
    }
}

/// The document, of measurements in any order; the last one of a function counts.
///
/// # Errors
/// Names what was not measured.
pub fn document(lines: &[Line]) -> Result<String, String> {
    let measured: HashMap<&str, &Line> = lines.iter().map(|line| (line.key.as_str(), line)).collect();
    let mut text = HEAD.to_owned();
    for (format, title) in [(Format::Half, "Half"), (Format::Float, "Float"), (Format::Double, "Double")] {
        text += &format!("\n## {title}\n\n| Function | Largest error | Bound | Inputs |\n|---|---|---|---|\n");
        for function in functions() {
            if matches!(function.bound(format), Bound::None) {
                continue;
            }
            let key = function.key(format);
            let line = measured.get(key.as_str()).ok_or_else(|| format!("{key} was not measured"))?;
            text += &format!(
                "| {} | {} | {} | {} |\n",
                function.name,
                worst(&function, format, line),
                bound(function.bound(format)),
                count(&function, line)
            );
        }
    }
    Ok(text)
}

/// The rows of a document: function, bound.
pub fn rows(text: &str) -> Vec<(String, String)> {
    let cells = |line: &str| -> Option<(String, String)> {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let name = cells.next()?.to_owned();
        let bound = cells.nth(1)?.to_owned();
        (name != "Function").then_some((name, bound))
    };
    text.lines().filter_map(cells).collect()
}
