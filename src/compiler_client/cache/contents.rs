//! Counts or removes what is in a cache's folder.

use std::fmt;
use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{ENTRY_NAME, evict, folder};
use crate::spawn;

/// How much a cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Number of entries.
    pub entries: u64,
    /// Their size, in bytes.
    pub bytes: u64,
}

/// Counts the entries in `folder`. A folder that is not there is empty.
///
/// # Errors
/// The folder cannot be read.
pub fn contents(folder: &Path) -> io::Result<Contents> {
    each(folder, |_| Ok(()))
}

/// Removes the entries in `folder`, and what killed processes left half written, and says how much the entries were.
/// The key stays, and so does everything that is not the cache's.
///
/// # Errors
/// The folder cannot be read, or a file in it cannot be removed.
pub fn clear(folder: &Path) -> io::Result<Contents> {
    evict::remove_abandoned(folder);
    each(folder, |file| match fs::remove_file(file.path()) {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    })
}

fn each(folder: &Path, mut act: impl FnMut(&DirEntry) -> io::Result<()>) -> io::Result<Contents> {
    let listing = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Contents::default()),
        other => other?,
    };
    let mut all = Contents::default();
    for file in listing {
        let file = file?;
        let Ok(metadata) = file.metadata() else { continue };
        if !metadata.is_file() || !is_entry(&file.file_name().to_string_lossy()) {
            continue;
        }
        act(&file)?;
        all.entries += 1;
        all.bytes += metadata.len();
    }
    Ok(all)
}

/// Whether a file of this name is an entry: the digits of a hash, and the ending.
fn is_entry(name: &str) -> bool {
    let digit = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    name.strip_suffix(evict::ENTRY).is_some_and(|hash| hash.len() == ENTRY_NAME && hash.bytes().all(digit))
}

/// Why a cache is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// It cannot be made.
    NotMade(String),
    /// It is a file or a link.
    NoFolder,
    /// It belongs to another user.
    Foreign,
    /// Others may write to it; its mode.
    WritableByOthers(u32),
    /// Its user may not write to it; its mode.
    ReadOnly(u32),
    /// Something else, such as a file system that is read-only or full, or a key that others may read.
    Other(String),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::NotMade(error) => write!(f, "cannot be made: {error}"),
            Unusable::NoFolder => f.write_str("is a file or a link, not a folder"),
            Unusable::Foreign => f.write_str("belongs to another user"),
            Unusable::WritableByOthers(mode) => write!(f, "can be written by others (mode {mode:o})"),
            Unusable::ReadOnly(mode) => write!(f, "is read-only (mode {mode:o})"),
            Unusable::Other(error) => write!(f, "cannot be written: {error}"),
        }
    }
}

/// Whether the cache in a folder may be used; it is made if there is none.
pub fn is_usable(path: &Path) -> bool {
    folder::prepare(path).is_some()
}

/// The same with the reason; nothing is left behind in the folder but the cache's key.
///
/// # Errors
/// Why not.
pub fn usable(path: &Path) -> Result<(), Unusable> {
    let prepared = is_usable(path);
    let metadata = fs::symlink_metadata(path).map_err(|error| Unusable::NotMade(error.to_string()))?;
    let mode = metadata.mode() & 0o777;
    if !metadata.is_dir() {
        return Err(Unusable::NoFolder);
    }
    if metadata.uid() != spawn::user() {
        return Err(Unusable::Foreign);
    }
    if mode & folder::WRITABLE_BY_OTHERS != 0 {
        return Err(Unusable::WritableByOthers(mode));
    }
    let written = folder::temporary(path).and_then(|(_, file)| fs::remove_file(file));
    match written {
        Ok(()) if prepared => Ok(()),
        Ok(()) => Err(Unusable::Other("its file `key` is damaged, or others may read it".to_owned())),
        Err(_) if mode & 0o300 != 0o300 => Err(Unusable::ReadOnly(mode)),
        Err(error) => Err(Unusable::Other(error.to_string())),
    }
}
