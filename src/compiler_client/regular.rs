//! Opens plain files and nothing else. What a path names may have become something else since it was written down.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Whether symbolic links are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    /// Yes: the file that a link leads to counts.
    Follow,
    /// No: a link is no plain file itself.
    Refuse,
}

/// Opens a plain file of at most `largest` bytes for reading.
///
/// It never waits for another process, and no device learns of it: a pipe without a writer would block its reader for
/// ever, a terminal could become the process's own, a tape would be wound back.
///
/// # Errors
/// There is none, it cannot be read, it is larger, or it is no plain file.
pub(crate) fn open(path: &Path, links: Links, largest: u64) -> io::Result<(File, Metadata)> {
    // Devices are not opened at all. If something takes the file's place after this check, opening it does not wait.
    let before = match links {
        Links::Follow => fs::metadata(path),
        Links::Refuse => fs::symlink_metadata(path),
    };
    check(&before?, largest)?;
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC;
    let flags = if links == Links::Refuse { flags | libc::O_NOFOLLOW } else { flags };
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    check(&metadata, largest)?;
    Ok((file, metadata))
}

fn check(metadata: &Metadata, largest: u64) -> io::Result<()> {
    if metadata.is_file() && metadata.len() <= largest { Ok(()) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// What stands where a plain file is expected, for tests.
#[cfg(test)]
pub(crate) mod impostors {
    use std::ffi::CString;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    /// Makes a pipe that nobody writes to.
    #[allow(unsafe_code, reason = "the standard library makes no pipes with names")]
    fn fifo(path: &Path) {
        let name = CString::new(path.as_os_str().as_bytes()).expect("no zero");
        // SAFETY: the name ends with a zero.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0, "{}", path.display());
    }

    /// Runs `f` while `path`, where a file was, is a pipe, a folder, a device, and links to these, one after another.
    /// The file is back afterwards.
    pub(crate) fn each(path: &Path, f: impl Fn(&str)) {
        let aside = path.with_extension("aside");
        fs::rename(path, &aside).expect("a file");
        let other = path.with_extension("other");
        for linked in [false, true] {
            let target = if linked { &other } else { path };
            if linked {
                symlink(&other, path).expect("linked");
            }
            fifo(target);
            f("a pipe");
            fs::remove_file(target).expect("removed");
            fs::create_dir(target).expect("created");
            f("a folder");
            fs::remove_dir(target).expect("removed");
        }
        fs::remove_file(path).expect("removed");
        symlink("/dev/zero", path).expect("linked");
        f("a link to a device");
        fs::remove_file(path).expect("removed");
        fs::rename(aside, path).expect("renamed");
    }
}

#[cfg(test)]
mod tests {
    use super::{Links, impostors, open};

    #[test]
    fn only_plain_files_up_to_a_size_are_opened() {
        let path = std::env::temp_dir().join(format!("oxicl-regular-{}", std::process::id()));
        std::fs::write(&path, b"four").expect("written");
        for links in [Links::Follow, Links::Refuse] {
            assert!(open(&path, links, 4).is_ok());
            assert!(open(&path, links, 3).is_err());
            impostors::each(&path, |what| assert!(open(&path, links, 4).is_err(), "{what}"));
        }
        let link = path.with_extension("link");
        std::os::unix::fs::symlink(&path, &link).expect("linked");
        assert!(open(&link, Links::Follow, 4).is_ok());
        assert!(open(&link, Links::Refuse, 4).is_err());
        for path in [link, path] {
            std::fs::remove_file(path).expect("removed");
        }
    }
}
