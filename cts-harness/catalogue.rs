//! Which binaries there are, and which lists run them how. Both are data files.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::{Fallible, about};

const SUITES: &str = include_str!("suites.toml");

/// The lists by name, with their text.
pub const LISTS: [(&str, &str); 3] = [
    ("quick", include_str!("lists/quick.toml")),
    ("wimpy", include_str!("lists/wimpy.toml")),
    ("full", include_str!("lists/full.toml")),
];

/// A binary.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Path below the suite's folder.
    pub binary: String,
    /// A process for each sub-test.
    #[serde(default)]
    pub split: bool,
    /// It does not take the names of sub-tests for what they are, and is given none: all that it has runs.
    #[serde(default)]
    pub nameless: bool,
    /// Arguments that it always needs.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Seconds that a sub-test may take, where the usual limit is too short.
    pub seconds: Option<u64>,
}

/// One way to run one binary.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What reports call it.
    pub name: String,
    /// The binary.
    pub suite: Suite,
    /// Arguments before the names of sub-tests.
    pub arguments: Vec<String>,
    /// Patterns of the sub-tests to run; empty for all.
    pub tests: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    run: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: Option<String>,
    suite: String,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    tests: Vec<String>,
}

/// The catalogue of binaries by name.
pub fn suites() -> Fallible<BTreeMap<String, Suite>> {
    about(toml::from_str(SUITES), "suites.toml")
}

/// The entries of a list, in its order. `list` is one of [`LISTS`] or a path.
pub fn entries(list: &str) -> Fallible<Vec<Entry>> {
    match LISTS.iter().find(|(name, _)| *name == list) {
        Some((_, text)) => parse(list, text),
        None => parse(list, &about(std::fs::read_to_string(Path::new(list)), list)?),
    }
}

fn parse(name: &str, text: &str) -> Fallible<Vec<Entry>> {
    let list: List = about(toml::from_str(text), name)?;
    let suites = suites()?;
    let mut entries: Vec<Entry> = Vec::new();
    for row in list.run {
        let suite = suites.get(&row.suite).ok_or_else(|| format!("{name}: no suite is called {}", row.suite))?;
        let entry = Entry {
            name: row.name.unwrap_or(row.suite),
            suite: suite.clone(),
            arguments: row.arguments,
            tests: row.tests,
        };
        if entries.iter().any(|other| other.name == entry.name) {
            return Err(format!("{name}: two runs are called {}", entry.name));
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// Narrows a list to what the command line names, in the order of the command line. A suite that the list lacks is taken
/// from the catalogue as it is.
pub fn narrow(entries: Vec<Entry>, only: &[String]) -> Fallible<Vec<Entry>> {
    if only.is_empty() {
        return Ok(entries);
    }
    let suites = suites()?;
    let mut narrowed = Vec::new();
    for selector in only {
        let (name, tests) = selector.split_once(':').unwrap_or((selector, ""));
        let tests: Vec<String> = tests.split(',').filter(|test| !test.is_empty()).map(str::to_owned).collect();
        let mut found: Vec<Entry> = entries.iter().filter(|entry| entry.name == name).cloned().collect();
        if found.is_empty() {
            let suite = suites.get(name).ok_or_else(|| format!("neither the list nor the catalogue has {name}"))?;
            found =
                vec![Entry { name: name.to_owned(), suite: suite.clone(), arguments: Vec::new(), tests: Vec::new() }];
        }
        for entry in &mut found {
            if !tests.is_empty() {
                entry.tests.clone_from(&tests);
            }
        }
        narrowed.extend(found);
    }
    Ok(narrowed)
}

/// Whether a pattern, a name or the beginning of names before a `*`, stands for a name.
pub fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_parses_and_names_suites_of_the_catalogue() {
        for (name, _) in LISTS {
            let entries = entries(name).expect("it parses");
            assert!(!entries.is_empty(), "{name} has entries");
        }
    }

    #[test]
    fn the_full_list_has_every_suite_of_the_catalogue() {
        let entries = entries("full").expect("it parses");
        for (name, suite) in suites().expect("it parses") {
            assert!(entries.iter().any(|entry| entry.suite == suite), "{name} is in no entry");
        }
    }

    #[test]
    fn the_command_line_narrows_a_list_and_reaches_beyond_it() {
        let quick = entries("quick").expect("it parses");
        let only = ["bruteforce:exp,log*".to_owned(), "pipes".to_owned()];
        let narrowed = narrow(quick.clone(), &only).expect("both exist");
        assert_eq!(narrowed[0].tests, ["exp", "log*"]);
        assert_eq!(narrowed[0].arguments, ["-w"], "the list's arguments stay");
        assert_eq!(narrowed[1].suite.binary, "pipes/test_pipes");
        assert!(narrow(quick, &["nothing".to_owned()]).is_err());
    }

    #[test]
    fn a_star_at_the_end_is_a_wildcard() {
        assert!(matches("quick*", "quick_1d") && matches("*", "anything") && matches("exp", "exp"));
        assert!(!matches("quick*", "full_1d") && !matches("exp", "exp2"));
    }
}
