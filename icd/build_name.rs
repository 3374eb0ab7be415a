//! The name of a build, which its driver version has: equal for equal sources, on whichever machine and in whichever folder
//! they are, and different for others. Applications keep what they made with one version for the next time, so a change must
//! not go unnoticed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What the library and its compiler are made of, from the root of the repository: all that the name of the build tells of.
pub const SOURCES: &[&str] = &["src", "icd", "khronos-headers", "Cargo.toml", "Cargo.lock"];

/// Digits of the name. A bound on chance: that two of a million builds have the same name has a probability below one in five
/// hundred.
const DIGITS: usize = 12;

/// Folders with what neither the library nor the compiler has in it.
const LEFT_OUT: &[&str] = &["tests", "examples", "target", "cli"];

/// Hexadecimal digits from the names and contents of all files under `sources`, which are paths in `root`.
///
/// # Errors
/// A file or folder cannot be read.
pub fn of(root: &Path, sources: &[&str]) -> io::Result<String> {
    let mut files = Vec::new();
    for source in sources {
        gather(&root.join(source), &mut files)?;
    }
    // A folder lists its files in any order.
    files.sort();
    let mut hasher = blake3::Hasher::new();
    for file in files {
        let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().into_owned();
        let content = fs::read(&file)?;
        for part in [name.as_bytes(), &content] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    Ok(hasher.finalize().to_hex().chars().take(DIGITS).collect())
}

/// The files at a path: itself, or those in the folder. Those whose name begins with a dot are editors'.
fn gather(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') && !LEFT_OUT.contains(&name.as_str()) {
            gather(&entry.path(), files)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{SOURCES, of};
    use std::fs;
    use std::path::Path;

    #[test]
    fn all_that_a_build_is_made_of_is_there() {
        // Tests run in the folder of their package.
        assert!(of(Path::new(".."), SOURCES).is_ok());
    }

    #[test]
    fn the_name_follows_the_content_and_the_names_of_sources() {
        let root = std::env::temp_dir().join(format!("oxicl-build-name-{}", std::process::id()));
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        };
        let name = || of(&root, &["src", "lock"]).expect("read");
        write("src/a.rs", "one");
        write("src/deep/b.rs", "two");
        write("lock", "three");
        let first = name();
        write("src/deep/b.rs", "TWO");
        assert_ne!(name(), first, "a content has changed");
        write("src/deep/b.rs", "two");
        assert_eq!(name(), first, "it is as before");
        for unimportant in ["src/tests/t.rs", "src/cli/main.rs", "src/.hidden", "other/c.rs"] {
            write(unimportant, "anything");
            assert_eq!(name(), first, "{unimportant}");
        }
        fs::rename(root.join("src/a.rs"), root.join("src/c.rs")).expect("renamed");
        assert_ne!(name(), first, "a file has another name");
        assert!(of(&root, &["absent"]).is_err());
        fs::remove_dir_all(&root).expect("removed");
    }
}
