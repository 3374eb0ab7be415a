//! What a cache's folder has in it, for who wants to know or to be rid of it.

use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

use super::{ENTRY_NAME, evict, folder};

/// How much there is.
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

/// Removes the entries in `folder`, and what killed processes left half written, and says what the entries were. The key
/// stays, and so does all that is not the cache's.
///
/// # Errors
/// The folder cannot be read, or a file in it not be removed.
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

/// Whether a cache may be used, and made if there is none; else why not, in a sentence. Nothing is left behind but the folder.
pub fn usable(path: &Path) -> Result<(), String> {
    let shown = path.display();
    if folder::prepare(path).is_none() {
        return Err(why_not(path));
    }
    match folder::temporary(path) {
        Ok((_, file)) => fs::remove_file(file).map_err(|error| format!("{shown}: {error}")),
        Err(error) => Err(format!("Nothing can be written to the cache folder {shown}: {error}")),
    }
}

fn why_not(path: &Path) -> String {
    use std::os::unix::fs::MetadataExt;

    let shown = path.display();
    match fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.is_dir() => format!("The cache folder {shown} is a file or a link, not a folder"),
        Ok(metadata) if metadata.uid() != crate::spawn::user() => {
            format!("The cache folder {shown} belongs to another user")
        }
        Ok(metadata) if metadata.mode() & 0o077 != 0 => {
            format!("The cache folder {shown} is not private: others may enter it (mode {:o})", metadata.mode() & 0o777)
        }
        Ok(metadata) if metadata.mode() & 0o200 == 0 => {
            format!("The cache folder {shown} is read-only (mode {:o})", metadata.mode() & 0o777)
        }
        Ok(_) => format!("The cache folder {shown} cannot be written, or its file `key` is not private"),
        Err(error) => format!("The cache folder {shown} cannot be made: {error}"),
    }
}
