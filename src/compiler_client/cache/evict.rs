//! Keeps the cache below its size: the oldest entries go first.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::folder::TEMPORARY;

/// Names of entries end with this.
pub(super) const ENTRY: &str = ".entry";

/// Size that the cache may have, in bytes.
pub(super) const LARGEST: u64 = 1 << 30;

/// A process checks the size of the folder at its first entry, and then whenever it has stored this much, in bytes.
pub(super) const LOOK_EVERY: u64 = 16 << 20;

/// Temporary files older than this are left-overs of processes that were killed.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// If the entries of `folder` take more than `largest` bytes, removes the oldest until they take at most 7/8 of that.
/// Also removes what killed processes left.
pub(super) fn evict(folder: &Path, largest: u64) {
    remove_abandoned(folder);
    let Ok(listing) = fs::read_dir(folder) else { return };
    let mut entries: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for file in listing.flatten() {
        let name = file.file_name();
        let name = name.to_string_lossy();
        let Ok(metadata) = file.metadata() else { continue };
        let Ok(time) = metadata.modified() else { continue };
        if name.ends_with(ENTRY) {
            entries.push((time, metadata.len(), file.path()));
        }
    }
    let mut total: u64 = entries.iter().map(|entry| entry.1).sum();
    if total <= largest {
        return;
    }
    entries.sort();
    for (_, length, path) in entries {
        if total <= largest / 8 * 7 {
            break;
        }
        // Another process may have been faster; either way it is gone.
        let _ = fs::remove_file(path);
        total -= length;
    }
}

/// Removes what killed processes left.
pub(super) fn remove_abandoned(folder: &Path) {
    let Ok(listing) = fs::read_dir(folder) else { return };
    for file in listing.flatten().filter(|file| file.file_name().to_string_lossy().starts_with(TEMPORARY)) {
        let Ok(time) = file.metadata().and_then(|metadata| metadata.modified()) else { continue };
        if time.elapsed().is_ok_and(|age| age > ABANDONED) {
            // Another process may have been faster; either way it is gone.
            let _ = fs::remove_file(file.path());
        }
    }
}
