//! The page that was written before: what other machines measured stays in it.

use std::collections::HashMap;

/// Where the part of the page begins that is written here. What is in front of it stays.
const START: &str = "## What LLVM says, and machines\n";

/// What begins the heading of the columns that machines measured.
const MEASURED: &str = "on ";

/// The page as it was.
pub struct Page {
    before: String,
    /// What is said of each machine, by its name.
    machines: Vec<(String, String)>,
    /// What was measured: by level, operation and machine.
    measured: HashMap<(String, String, String), String>,
}

impl Page {
    pub fn parse(text: &str) -> Page {
        let (before, own) = text.split_once(START).unwrap_or((text, ""));
        let mut page = Page { before: before.to_owned(), machines: Vec::new(), measured: HashMap::new() };
        let (mut level, mut columns) = (String::new(), Vec::new());
        for line in own.lines() {
            if let Some(name) = line.strip_prefix("### ") {
                name.clone_into(&mut level);
            } else if let Some((name, words)) = line.strip_prefix("- `").and_then(|line| line.split_once("`: ")) {
                page.machines.push((name.to_owned(), words.to_owned()));
            } else if let Some(row) = line.strip_prefix("| ") {
                let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
                if cells[0] == "Operation" {
                    columns = cells.iter().map(|cell| cell.strip_prefix(MEASURED).map(str::to_owned)).collect();
                    continue;
                }
                for (cell, machine) in cells.iter().zip(&columns).filter_map(|(c, m)| Some((c, m.clone()?))) {
                    page.measured.insert((level.clone(), cells[0].to_owned(), machine), (*cell).to_owned());
                }
            }
        }
        page
    }

    /// Says of a machine what it is, in place of what was said of it before.
    pub fn describe(&mut self, machine: &str, words: String) {
        match self.machines.iter_mut().find(|(name, _)| name == machine) {
            Some((_, before)) => *before = words,
            None => self.machines.push((machine.to_owned(), words)),
        }
    }

    /// The machines that have a column at a level: those that measured something there, or measure now.
    pub fn columns(&self, level: &str, now: Option<&str>) -> Vec<String> {
        let has_some =
            |name: &&str| now == Some(*name) || self.measured.keys().any(|key| key.0 == level && key.2 == *name);
        let known = self.machines.iter().map(|(name, _)| name.as_str());
        let new = now.filter(|now| self.machines.iter().all(|(name, _)| name != now));
        known.filter(has_some).chain(new).map(str::to_owned).collect()
    }

    /// The heading of a machine's column.
    pub fn heading(machine: &str) -> String {
        format!("{MEASURED}{machine}")
    }

    /// What a machine measured before; a dash if nothing.
    pub fn measured(&self, level: &str, operation: &str, machine: &str) -> String {
        let key = (level.to_owned(), operation.to_owned(), machine.to_owned());
        self.measured.get(&key).cloned().unwrap_or_else(|| "-".to_owned())
    }

    /// The whole page, with new tables.
    pub fn write(&self, title: &str, tables: &str) -> String {
        let of = |(name, words): &(String, String)| format!("- `{name}`: {words}\n");
        let machines: String = self.machines.iter().map(of).collect();
        format!("{}{START}{title}\nThe machines, by LLVM's names:\n\n{machines}{tables}", self.before)
    }
}
