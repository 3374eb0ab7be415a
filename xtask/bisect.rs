//! Finding a wrong decision of the work-group compiler: `cargo xtask bisect COMMAND`.
//!
//! Decisions of all kernels stand in one order: kernels by their names, and in each its decisions as they are asked for. The
//! command is run with the first so many of them (`OXICL_DECISIONS`), between a number with which it passes and one with which it
//! fails, until these are neighbours: the decision between them is what makes it fail. That it is the only one is not asked for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::driver::{Profile, build, target_folder, vendors};
use crate::process::Outcome;

/// More decisions than a kernel has.
const ALL: u32 = u32::MAX;

/// Finds the first decision that makes a command fail, and prints it. The command passes if it ends with status 0, in at most so
/// many seconds if `--seconds N` stands in front of it.
pub fn bisect(arguments: &[String]) -> Outcome {
    let (seconds, words) = match arguments {
        [flag, seconds, rest @ ..] if flag == "--seconds" => {
            let number = seconds.parse().map_err(|_| format!("--seconds {seconds}: that is no whole number"))?;
            (Some(Duration::from_secs(number)), rest)
        }
        rest => (None, rest),
    };
    let [program, words @ ..] = words else { return Err("name the command that fails".into()) };
    let vendors = match std::env::var_os("OCL_ICD_VENDORS") {
        Some(vendors) => PathBuf::from(vendors),
        None => vendors(&build(Profile::Dev)?)?,
    };
    let folder = target_folder()?.join("bisect");
    let trial = Trial { program, words, vendors: &vendors, folder: &folder, seconds };
    let found = find(&trial)?;
    println!("\nkernel {}, {}", found.kernel, found.decision);
    println!(
        "OXICL_DECISIONS={}:{} passes, OXICL_DECISIONS={}:{} fails",
        found.kernel,
        found.number - 1,
        found.kernel,
        found.number
    );
    Ok(())
}

/// What runs the command.
trait Run {
    /// Does it pass with so many decisions, or with all if there is no limit?
    fn passes(&self, limit: Option<&str>) -> Outcome<bool>;

    /// The kernels that it builds with a limit, each with a line for each of its decisions, by name.
    fn kernels(&self, limit: Option<&str>) -> Outcome<Vec<(String, Vec<String>)>>;
}

/// What was found.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    kernel: String,
    number: u32,
    /// The line of the plan.
    decision: String,
}

/// Finds the decision.
fn find(run: &impl Run) -> Outcome<Found> {
    if run.passes(None)? {
        return Err("the command passes with all decisions, so none of them is wrong".into());
    }
    if !run.passes(Some("0"))? {
        return Err("the command fails without any decision too, so that is not what is wrong".into());
    }
    // What fails early builds fewer kernels than what passes.
    let lists = [run.kernels(None)?, run.kernels(Some("0"))?];
    let kernels: BTreeSet<String> = lists.into_iter().flatten().map(|(kernel, _)| kernel).collect();
    let kernels: Vec<String> = kernels.into_iter().collect();
    let limit_of = |kernel: &String| format!("{kernel}:{ALL}");
    if kernels.last().is_none_or(|last| run.passes(Some(&limit_of(last))) != Ok(false)) {
        return Err("the command does not fail each time, or builds other kernels each time".into());
    }
    let number = first_failure(kernels.len(), |count| run.passes(Some(&limit_of(&kernels[count - 1]))))?;
    let kernel = kernels[number - 1].clone();
    let decisions = run.kernels(Some(&limit_of(&kernel)))?.into_iter().find(|(name, _)| *name == kernel);
    let decisions = decisions.map(|(_, decisions)| decisions).unwrap_or_default();
    if decisions.is_empty() {
        return Err(format!("the kernel {kernel} has no decisions, but the command fails with those that it has"));
    }
    let number = first_failure(decisions.len(), |count| run.passes(Some(&format!("{kernel}:{count}"))))?;
    Ok(Found { kernel, number: number as u32, decision: decisions[number - 1].clone() })
}

/// The least number that fails while the one before passes; 0 passes and `most` fails.
fn first_failure(most: usize, passes: impl Fn(usize) -> Outcome<bool>) -> Outcome<usize> {
    let (mut good, mut bad) = (0, most);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        *(if passes(middle)? { &mut good } else { &mut bad }) = middle;
    }
    Ok(bad)
}

/// The command, and what it runs on.
struct Trial<'t> {
    program: &'t str,
    words: &'t [String],
    vendors: &'t Path,
    /// For the plans.
    folder: &'t Path,
    seconds: Option<Duration>,
}

impl Trial<'_> {
    /// Runs it to its end; its output is nobody's.
    fn run(&self, limit: Option<&str>, dump: Option<&Path>) -> Outcome<bool> {
        let mut command = Command::new(self.program);
        command.args(self.words).env("OCL_ICD_VENDORS", self.vendors).env("OXICL_CACHE", "off");
        command.env("OXICL_DECISIONS", limit.unwrap_or_default());
        match dump {
            Some(folder) => command.env("OXICL_DUMP", format!("{},plan", folder.display())),
            None => command.env_remove("OXICL_DUMP"),
        };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let failed = |error| format!("cannot run {}: {error}", self.program);
        let mut child = command.spawn().map_err(failed)?;
        let begin = Instant::now();
        loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                return Ok(status.success());
            }
            if self.seconds.is_some_and(|seconds| begin.elapsed() > seconds) {
                child.kill().and_then(|()| child.wait()).map_err(failed)?;
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Run for Trial<'_> {
    fn passes(&self, limit: Option<&str>) -> Outcome<bool> {
        let passes = self.run(limit, None)?;
        println!("{}: {}", limit.map_or("all decisions", |limit| limit), if passes { "passes" } else { "fails" });
        Ok(passes)
    }

    fn kernels(&self, limit: Option<&str>) -> Outcome<Vec<(String, Vec<String>)>> {
        let of_folder = |error| format!("{}: {error}", self.folder.display());
        if self.folder.exists() {
            std::fs::remove_dir_all(self.folder).map_err(of_folder)?;
        }
        std::fs::create_dir_all(self.folder).map_err(of_folder)?;
        self.run(limit, Some(self.folder))?;
        let mut files = Vec::new();
        for entry in std::fs::read_dir(self.folder).map_err(of_folder)? {
            files.push(entry.map_err(of_folder)?.path());
        }
        files.sort();
        let mut kernels = Vec::new();
        for file in files.iter().filter(|file| file.to_string_lossy().ends_with("-plan.txt")) {
            let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
            add_kernels(&text, &mut kernels);
        }
        Ok(kernels)
    }
}

/// Adds the kernels of a file of plans. Of kernels of one name, that with the most decisions stands for all.
fn add_kernels(text: &str, kernels: &mut Vec<(String, Vec<String>)>) {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("kernel ") {
            found.push((name.to_owned(), Vec::new()));
        } else if let (true, Some((_, decisions))) = (line.starts_with("decision "), found.last_mut()) {
            decisions.push(line.to_owned());
        }
    }
    for (name, decisions) in found {
        match kernels.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) if known.len() < decisions.len() => *known = decisions,
            Some(_) => {}
            None => kernels.push((name, decisions)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kernels with so many decisions each, of which those fail that come behind a kernel and a number.
    struct Model {
        kernels: &'static [(&'static str, usize)],
        wrong: (&'static str, u32),
    }

    impl Model {
        fn count(&self, limit: Option<&str>, kernel: &str) -> u32 {
            let all = self.kernels.iter().find(|(name, _)| *name == kernel).map_or(0, |(_, count)| *count as u32);
            match limit.map(|limit| limit.rsplit_once(':').unwrap_or(("", limit))) {
                None => all,
                Some((last, number)) => match kernel.cmp(last) {
                    std::cmp::Ordering::Less => all,
                    std::cmp::Ordering::Equal => all.min(number.parse().expect("a number")),
                    std::cmp::Ordering::Greater => 0,
                },
            }
        }
    }

    impl Run for Model {
        fn passes(&self, limit: Option<&str>) -> Outcome<bool> {
            Ok(self.count(limit, self.wrong.0) < self.wrong.1)
        }

        fn kernels(&self, limit: Option<&str>) -> Outcome<Vec<(String, Vec<String>)>> {
            // What fails ends, and builds nothing more.
            let fails = !self.passes(limit)?;
            let built = self.kernels.iter().filter(|(name, _)| !fails || *name <= self.wrong.0);
            let lines = |count: usize| (1..=count).map(|number| format!("decision {number}")).collect();
            Ok(built.map(|(name, count)| ((*name).to_owned(), lines(*count))).collect())
        }
    }

    const KERNELS: &[(&str, usize)] = &[("a", 3), ("b", 0), ("c", 9), ("d", 1)];

    #[test]
    fn every_decision_is_found() {
        for (kernel, count) in KERNELS {
            for number in 1..=*count as u32 {
                let found = find(&Model { kernels: KERNELS, wrong: (kernel, number) });
                let decision = format!("decision {number}");
                assert_eq!(found, Ok(Found { kernel: (*kernel).into(), number, decision }));
            }
        }
    }

    #[test]
    fn what_is_no_decisions_fault_is_told() {
        let told = |wrong| find(&Model { kernels: KERNELS, wrong }).expect_err("nothing to find");
        assert!(told(("c", 10)).contains("passes with all"), "none is wrong");
        assert!(told(("c", 0)).contains("fails without any"), "it fails anyway");
    }

    #[test]
    fn kernels_of_plans_are_read_with_their_decisions() {
        let mut kernels = vec![("b".to_owned(), vec!["decision 1: one".to_owned()])];
        add_kernels(
            "kernel a b\nplan 1\n  kernel x\ndecision 1: y\nkernel b\ndecision 1: z\ndecision 2: z\n",
            &mut kernels,
        );
        let names: Vec<_> = kernels.iter().map(|(name, decisions)| (name.as_str(), decisions.len())).collect();
        assert_eq!(names, [("b", 2), ("a b", 1)]);
    }
}
