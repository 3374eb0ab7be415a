//! Folders of modules.

use std::path::{Path, PathBuf};

/// The `.spv` files of a folder, in the order of their names.
///
/// # Errors
/// A sentence, if the folder cannot be read or has none.
pub fn spv_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let error = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(error)? {
        let path = entry.map_err(error)?.path();
        if path.extension().is_some_and(|extension| extension == "spv") {
            files.push(path);
        }
    }
    files.sort_unstable();
    if files.is_empty() { Err(format!("{} has no .spv file", folder.display())) } else { Ok(files) }
}
