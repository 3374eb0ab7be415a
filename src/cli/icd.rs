//! Which drivers a loader is told of: folders of `.icd` files, and variables in their place.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::host::{Host, listed};
use crate::probe::Opened;

/// The folder where loaders look if nothing says otherwise.
pub const FOLDER: &str = "/etc/OpenCL/vendors";

/// The variable that names libraries of drivers for Khronos' loader.
pub const FILENAMES: &str = "OCL_ICD_FILENAMES";

/// Most bytes that are read of an `.icd` file: a bound.
const LARGEST: usize = 64 << 10;

/// What is at the place where a loader looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// A folder of `.icd` files.
    #[default]
    Folder,
    /// One `.icd` file.
    File,
    /// A driver's library itself.
    Library,
    /// Nothing.
    Missing,
}

/// Where a loader looks for drivers, and what it finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vendors {
    /// The variable that says where, if one does.
    pub variable: Option<&'static str>,
    /// The place.
    pub place: PathBuf,
    /// What is there.
    pub kind: Kind,
    /// What names a driver, in the order of names.
    pub named: Vec<Named>,
}

/// Something that names a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The `.icd` file, or the variable that takes its place.
    pub by: PathBuf,
    /// Whether it is a variable.
    pub is_variable: bool,
    /// The library that it names, or what is wrong with it.
    pub library: Result<PathBuf, String>,
    /// Whether that is a driver, and of which platforms; or why not.
    pub opened: Result<Opened, String>,
}

impl Named {
    fn by_file(path: PathBuf) -> Named {
        let library = first_line(&path);
        Named { by: path, is_variable: false, library, opened: Err("it was not tried".to_owned()) }
    }

    fn by_variable(variable: &str, library: PathBuf) -> Named {
        Named {
            by: variable.into(),
            is_variable: true,
            library: Ok(library),
            opened: Err("it was not tried".to_owned()),
        }
    }

    /// Whether it leads to oxicl.
    pub fn is_oxicl(&self) -> bool {
        self.opened.as_ref().is_ok_and(Opened::has_oxicl)
    }
}

/// The library that an `.icd` file names: its first line.
fn first_line(path: &Path) -> Result<PathBuf, String> {
    let bytes = fs::read(path).map_err(|error| format!("it cannot be read ({error})"))?;
    if bytes.starts_with(b"\x7fELF") {
        return Err("it is a library itself, where a line of text with a library's path belongs".to_owned());
    }
    let text = std::str::from_utf8(&bytes[..bytes.len().min(LARGEST)]).map_err(|_| "it is no text".to_owned())?;
    let line = text.lines().next().unwrap_or_default().trim();
    let name = Path::new(line).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match line {
        "" => Err("its first line is empty, where a library's path belongs".to_owned()),
        _ if !name.contains(".so") => Err(format!("its first line is `{line}`, which names no library")),
        _ => Ok(line.into()),
    }
}

/// The drivers that a folder names, or as ocl-icd has it, a file or library in its place.
pub fn at(host: &Host, variable: Option<&'static str>, value: &OsStr) -> Vendors {
    let given = Path::new(value);
    let named_in_folder = host.path(FOLDER).join(given);
    let bare = given.components().count() == 1 && has_ending(given) && named_in_folder.is_file();
    let place = match variable {
        None => host.path(given),
        Some(_) if bare => named_in_folder,
        Some(_) => given.to_owned(),
    };
    let (kind, named) = if place.is_dir() {
        let files = listed(&place).into_iter().filter(|path| has_ending(path));
        (Kind::Folder, files.map(Named::by_file).collect())
    } else if has_ending(&place) && place.is_file() {
        (Kind::File, vec![Named::by_file(place.clone())])
    } else if place.is_file() {
        (Kind::Library, vec![Named::by_variable(variable.unwrap_or_default(), place.clone())])
    } else {
        (Kind::Missing, Vec::new())
    };
    Vendors { variable, place, kind, named }
}

/// Where programs' loaders look. What `OCL_ICD_FILENAMES` names comes on top; only Khronos' loader obeys it.
pub fn vendors(host: &Host) -> Vendors {
    let set = ["OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"].into_iter().find(|name| host.variable(name).is_some());
    let mut vendors = match set.and_then(|name| host.variable(name)) {
        Some(value) => at(host, set, value),
        None => at(host, None, OsStr::new(FOLDER)),
    };
    for library in host.variable(FILENAMES).map(std::env::split_paths).into_iter().flatten() {
        vendors.named.push(Named::by_variable(FILENAMES, library));
    }
    vendors
}

fn has_ending(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "icd")
}
