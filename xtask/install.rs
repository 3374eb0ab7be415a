//! Installation: the library, the compiler, the validator and the command for users side by side, and the file by which loaders find them.

use std::path::{Path, PathBuf};

use crate::driver::{Profile, build};
use crate::process::{Outcome, root};

/// Installs under a prefix. The `.icd` file goes where loaders look: `/etc/OpenCL/vendors`, or below the prefix if
/// that is none of the system's.
pub fn install(arguments: &[String]) -> Outcome {
    let prefix = PathBuf::from(arguments.first().map_or("/usr/local", String::as_str));
    let system = ["/usr", "/usr/local"].iter().any(|known| prefix == Path::new(known));
    let vendors =
        if system { PathBuf::from("/etc/OpenCL/vendors") } else { prefix.join("etc").join("OpenCL").join("vendors") };
    let built = build(Profile::Dist)?;
    let folder = prefix.join("lib").join("oxicl");
    for name in ["liboxicl.so", "oxicl-compiler", "oxicl-validate", "oxicl"] {
        copy(&built.join(name), &folder.join(name))?;
    }
    link(&folder.join("oxicl"), &prefix.join("bin").join("oxicl"))?;
    let template = root().join("packaging").join("oxicl.icd.in");
    let text = std::fs::read_to_string(&template).map_err(|error| format!("{}: {error}", template.display()))?;
    let text = text.replace("@LIBRARY@", &folder.join("liboxicl.so").display().to_string());
    let file = vendors.join("oxicl.icd");
    make_parent(&file)?;
    std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("installed {} and {}", folder.display(), file.display());
    if !system {
        println!("a loader finds it with OCL_ICD_VENDORS={}", vendors.display());
    }
    Ok(())
}

/// Copies through a new file, so that processes that have the old one mapped keep it.
fn copy(from: &Path, to: &Path) -> Outcome {
    make_parent(to)?;
    let new = to.with_extension("new");
    std::fs::copy(from, &new)
        .and_then(|_| std::fs::rename(&new, to))
        .map_err(|error| format!("cannot install {}: {error}", to.display()))
}

/// A link in a folder of programs, which takes the place of an old one.
fn link(to: &Path, at: &Path) -> Outcome {
    make_parent(at)?;
    let new = at.with_extension("new");
    // Left by an installation that was stopped.
    let _ = std::fs::remove_file(&new);
    std::os::unix::fs::symlink(to, &new)
        .and_then(|()| std::fs::rename(&new, at))
        .map_err(|error| format!("cannot install {}: {error}", at.display()))
}

fn make_parent(path: &Path) -> Outcome {
    let folder = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}
