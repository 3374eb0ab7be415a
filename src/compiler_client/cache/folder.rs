//! The cache's folder, and the key in it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::regular::{self, Links};
use crate::spawn;

/// Name of the file with the key.
const KEY: &str = "key";
/// Its size in bytes.
const KEY_SIZE: u64 = 32;
/// Temporary files begin with this.
pub(super) const TEMPORARY: &str = "new-";

/// Bits of a folder's mode that let others write to it. They could put a file there under a name that we are about to
/// take. That others may list it does no harm: the files in it are for their user alone.
pub(super) const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Creates the folder if there is none, and reads or makes the key; `None` if others may write to the folder.
pub(super) fn prepare(folder: &Path) -> Option<[u8; 32]> {
    // Folders above it get the user's usual permissions; the last one is for nobody else.
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent).ok()?;
    }
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return None,
        _ => {}
    }
    let metadata = fs::symlink_metadata(folder).ok()?;
    if !metadata.is_dir() || metadata.uid() != spawn::user() || metadata.mode() & WRITABLE_BY_OTHERS != 0 {
        return None;
    }
    read_key(folder).or_else(|| make_key(folder))
}

fn read_key(folder: &Path) -> Option<[u8; 32]> {
    let (mut file, metadata) = regular::open(&folder.join(KEY), Links::Refuse, KEY_SIZE).ok()?;
    if metadata.uid() != spawn::user() || metadata.mode() & 0o077 != 0 || metadata.len() != KEY_SIZE {
        return None;
    }
    let mut key = [0; 32];
    file.read_exact(&mut key).ok()?;
    Some(key)
}

/// Makes a random key. Of several processes that do so at once, the first to finish wins, and all read its key.
fn make_key(folder: &Path) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    File::open("/dev/urandom").ok()?.read_exact(&mut key).ok()?;
    let (mut file, temporary) = temporary(folder).ok()?;
    let made = file.write_all(&key).and_then(|()| fs::hard_link(&temporary, folder.join(KEY)));
    let _ = fs::remove_file(&temporary);
    match made {
        Ok(()) => Some(key),
        Err(_) => read_key(folder),
    }
}

/// A fresh file in `folder`, for its user alone, under a name that no other process or thread takes.
pub(super) fn temporary(folder: &Path) -> io::Result<(File, PathBuf)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("{TEMPORARY}{}-{number}", std::process::id()));
    let open = || OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    let file = match open() {
        // Left by a process that had our number and was killed.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(&path)?;
            open()?
        }
        other => other?,
    };
    Ok((file, path))
}
