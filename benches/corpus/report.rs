//! Summarises the builds of a driver.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crate::statistics::Sample;

/// A build that succeeded.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub wall: Duration,
    /// Until the first kernel had run, if one was launched.
    pub first_run: Duration,
    pub processor: Duration,
    pub kernels: u64,
}

/// One file.
#[derive(Clone, Debug)]
pub struct Build {
    pub file: String,
    pub outcome: Result<Outcome, String>,
}

/// The most files that are named in a list.
const NAMED: usize = 10;

/// A paragraph for people.
pub fn text(driver: &str, builds: &[Build], launches: bool) -> String {
    let good: Vec<(&str, Outcome)> =
        builds.iter().filter_map(|build| Some((build.file.as_str(), build.outcome.as_ref().ok().copied()?))).collect();
    let kernels: u64 = good.iter().map(|(_, outcome)| outcome.kernels).sum();
    let mut text = format!("{driver}: {} of {} files built, {kernels} kernels\n", good.len(), builds.len());
    if !good.is_empty() {
        text += &figures("wall", good.iter().map(|(_, outcome)| outcome.wall));
        if launches {
            text += &figures("until the first kernel has run", good.iter().map(|(_, outcome)| outcome.first_run));
        }
        text += &figures("processor", good.iter().map(|(_, outcome)| outcome.processor));
        text += "slowest, by processor time:\n";
        let mut slowest = good.clone();
        slowest.sort_by_key(|(_, outcome)| std::cmp::Reverse(outcome.processor));
        for (file, outcome) in slowest.iter().take(NAMED) {
            let _ = writeln!(text, "  {file}: {:.1} ms", outcome.processor.as_secs_f64() * 1e3);
        }
    }
    for (reason, files) in reasons(builds) {
        let named: Vec<&str> = files.iter().copied().take(NAMED).collect();
        let _ = writeln!(text, "{} failed: {reason}\n  {}", files.len(), named.join(" "));
    }
    text
}

fn figures(name: &str, times: impl Iterator<Item = Duration>) -> String {
    let sample = Sample(times.map(|time| time.as_secs_f64() * 1e3).collect());
    let mean = sample.0.iter().sum::<f64>() / sample.0.len() as f64;
    let [median, p90, p95, p99, most] = [0.5, 0.9, 0.95, 0.99, 1.0].map(|part| sample.quantile(part));
    format!(
        "{name}, ms: mean {mean:.1}, median {median:.1}, 90% {p90:.1}, 95% {p95:.1}, 99% {p99:.1}, most {most:.1}\n"
    )
}

/// Failures by reason, the most frequent first: the first error of the log, without the numbers in it.
fn reasons(builds: &[Build]) -> Vec<(String, Vec<&str>)> {
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for build in builds {
        if let Err(log) = &build.outcome {
            reasons.entry(reason(log)).or_default().push(&build.file);
        }
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, files)| std::cmp::Reverse(files.len()));
    reasons
}

fn reason(log: &str) -> String {
    let line = log.lines().find(|line| line.starts_with("error")).or(log.lines().next()).unwrap_or_default();
    let mut reason = String::new();
    for character in line.chars() {
        match (character.is_ascii_digit(), reason.ends_with('#')) {
            (true, true) => {}
            (true, false) => reason.push('#'),
            (false, _) => reason.push(character),
        }
    }
    reason
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_that_differ_in_numbers_only_have_one_reason() {
        let failed = |file: &str, log: &str| Build { file: file.into(), outcome: Err(log.into()) };
        let outcome = Outcome {
            wall: Duration::from_millis(3),
            first_run: Duration::from_millis(9),
            processor: Duration::from_millis(2),
            kernels: 2,
        };
        let builds = [
            failed("a", "clBuildProgram: -11\nerror: id 17 is no value"),
            failed("b", "clBuildProgram: -11\nerror: id 4 is no value"),
            Build { file: "c".into(), outcome: Ok(outcome) },
            failed("d", "the driver's process ended: signal: 11"),
        ];
        let launched = super::text("x", &builds, true);
        assert!(launched.contains("has run, ms: mean 9.0, median 9.0"), "{launched}");
        let text = text("x", &builds, false);
        assert!(!text.contains("has run"), "{text}");
        assert!(text.starts_with("x: 1 of 4 files built, 2 kernels\n"), "{text}");
        assert!(text.contains("2 failed: error: id # is no value\n  a b\n"), "{text}");
        assert!(text.contains("median 3.0"), "{text}");
        assert!(text.contains("1 failed: the driver's process ended: signal: #\n  d\n"), "{text}");
    }
}
