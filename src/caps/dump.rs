//! What the compiler writes down of a request, for `OXICL_DUMP` and for its command line.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Something that is written of a request. The order is that of the stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DumpPart {
    /// The request, as a file that can be compiled again, and its SPIR-V module.
    Request,
    /// LLVM IR of what one work-item does.
    Lower,
    /// The same behind LLVM's passes.
    Optimize,
    /// Each kernel as the work-group compiler reads it.
    Ir,
    /// What the work-group compiler decided for each kernel.
    Plan,
    /// LLVM IR of what a work-group does.
    Workgroup,
    /// The same behind LLVM's passes, as the code generator gets it.
    Codegen,
    /// Machine code as text.
    Assembly,
}

impl DumpPart {
    /// All of them.
    pub const ALL: [DumpPart; 8] = {
        use DumpPart as P;
        [P::Request, P::Lower, P::Optimize, P::Ir, P::Plan, P::Workgroup, P::Codegen, P::Assembly]
    };

    /// Its name: of stages, that of the stage.
    pub fn name(self) -> &'static str {
        match self {
            DumpPart::Request => "request",
            DumpPart::Lower => "lower",
            DumpPart::Optimize => "optimize",
            DumpPart::Ir => "ir",
            DumpPart::Plan => "plan",
            DumpPart::Workgroup => "workgroup",
            DumpPart::Codegen => "codegen",
            DumpPart::Assembly => "asm",
        }
    }

    /// The part of a name.
    pub fn named(name: &str) -> Option<DumpPart> {
        DumpPart::ALL.into_iter().find(|part| part.name() == name)
    }

    /// The parts of a list with commas; all where it is empty.
    ///
    /// # Errors
    /// The first name that is none.
    pub fn list(text: &str) -> Result<Vec<DumpPart>, String> {
        let names: Vec<_> = text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return Ok(DumpPart::ALL.to_vec());
        }
        names.into_iter().map(|name| DumpPart::named(name).ok_or_else(|| name.to_owned())).collect()
    }
}

/// What is written, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// Absolute path of the folder.
    pub folder: PathBuf,
    /// What of each request.
    pub parts: Vec<DumpPart>,
}

impl Dump {
    /// Reads `FOLDER` or `FOLDER,PART,...`.
    ///
    /// # Errors
    /// Why it is not obeyed, in a few words.
    pub fn parse(text: &OsStr) -> Result<Dump, String> {
        let bytes = text.as_bytes();
        let comma = bytes.iter().position(|byte| *byte == b',').unwrap_or(bytes.len());
        let folder = PathBuf::from(OsStr::from_bytes(&bytes[..comma]));
        if !folder.is_absolute() {
            return Err("is no absolute path, so it is ignored".into());
        }
        let parts = DumpPart::list(&String::from_utf8_lossy(&bytes[comma..])).map_err(|name| {
            let known: Vec<_> = DumpPart::ALL.iter().map(|part| part.name()).collect();
            format!("is ignored: `{name}` is none of {}", known.join(", "))
        })?;
        Ok(Dump { folder, parts })
    }

    /// The text that [`parse`](Self::parse) reads, if the folder's name is UTF-8.
    pub fn to_text(&self) -> Option<String> {
        let names: Vec<_> = self.parts.iter().map(|part| part.name()).collect();
        Some(format!("{},{}", self.folder.to_str()?, names.join(",")))
    }

    /// All parts, into a folder.
    pub fn all(folder: &Path) -> Dump {
        Dump { folder: folder.to_owned(), parts: DumpPart::ALL.to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Dump, String> {
        Dump::parse(OsStr::new(text))
    }

    #[test]
    fn a_folder_alone_is_for_all_parts_and_names_choose_some() {
        assert_eq!(parse("/d"), Ok(Dump::all(Path::new("/d"))));
        let parts = vec![DumpPart::Plan, DumpPart::Assembly];
        assert_eq!(parse("/d e,plan, asm"), Ok(Dump { folder: "/d e".into(), parts }));
        for bad in ["", "d", ",plan", "/d,plam"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert!(parse("/d,plan,plam").is_err_and(|why| why.contains("`plam`")));
    }

    #[test]
    fn what_is_written_is_read() {
        for text in ["/d", "/d,request", "/d,lower,optimize,workgroup,codegen"] {
            let dump = parse(text).expect(text);
            assert_eq!(parse(&dump.to_text().expect("UTF-8")), Ok(dump), "{text}");
        }
    }

    #[test]
    fn every_part_has_a_name_of_its_own() {
        for part in DumpPart::ALL {
            assert_eq!(DumpPart::named(part.name()), Some(part));
        }
    }
}
