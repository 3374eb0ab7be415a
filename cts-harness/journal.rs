//! The journal of a run: a line of JSON for each sub-test that has ended, so that an interrupted run can go on.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::outcome::Record;
use crate::{Fallible, about};

/// What a run is of: only a run of the same goes on from its journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// How kernels reach the library.
    pub mode: String,
    /// The list.
    pub list: String,
    /// The library.
    pub library: PathBuf,
}

/// The journal, open for more.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Starts a journal in a folder, in place of any that is there.
    pub fn create(folder: &Path, subject: &Subject) -> Fallible<Journal> {
        let path = folder.join("journal.jsonl");
        let file = about(File::create(&path), path.display())?;
        let mut journal = Journal { file, path };
        journal.write(subject)?;
        Ok(journal)
    }

    /// Goes on with the journal of a folder: gives what it holds. A last line that was cut off is left out. Where there is
    /// none yet, it starts one.
    pub fn resume(folder: &Path, subject: &Subject) -> Fallible<(Journal, Vec<Record>)> {
        let path = folder.join("journal.jsonl");
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok((Journal::create(folder, subject)?, Vec::new()));
            }
            text => about(text, path.display())?,
        };
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let before: Subject = about(serde_json::from_str(first), path.display())?;
        if before != *subject {
            return Err(format!("{} is of another run: {first}", path.display()));
        }
        let records: Vec<Record> = lines.map_while(|line| serde_json::from_str(line).ok()).collect();
        // Written afresh, so that a line that was cut off does not stay in the middle.
        let mut journal = Journal::create(folder, subject)?;
        for record in &records {
            journal.write(record)?;
        }
        Ok((journal, records))
    }

    /// Adds an outcome.
    pub fn add(&mut self, record: &Record) -> Fallible {
        self.write(record)
    }

    fn write(&mut self, line: &impl Serialize) -> Fallible {
        let mut text = about(serde_json::to_string(line), self.path.display())?;
        text.push('\n');
        about(self.file.write_all(text.as_bytes()), self.path.display())
    }
}

/// Empties the logs of a run that starts anew.
pub fn clear_logs(folder: &Path) -> Fallible {
    let logs = folder.join("logs");
    for entry in about(std::fs::read_dir(&logs), logs.display())?.flatten() {
        about(std::fs::remove_file(entry.path()), entry.path().display())?;
    }
    Ok(())
}
