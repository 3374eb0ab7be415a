//! Writes what each stage makes into a folder, for people who look at a build.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::{fs, io};

use oxicl_caps::DumpPart;
use oxicl_protocol::{BuildFailure, CompileRequest, Stage, Tier};

use crate::request_file;

/// The most bytes of a kernel's name that the name of a file has.
const LONGEST: usize = 64;

/// The files of one request: `<kernel>-<number of the request>.<n>-<part>`. The number follows from all of the request,
/// so that the same build writes the same files again.
pub(crate) struct Dump<'e> {
    start: PathBuf,
    parts: &'e [DumpPart],
    failed: RefCell<Option<io::Error>>,
}

impl<'e> Dump<'e> {
    /// Makes the folder and writes the request that came.
    pub(crate) fn new(wanted: &'e oxicl_caps::Dump, request: &CompileRequest) -> Dump<'e> {
        let mut hasher = DefaultHasher::new();
        (&request.spirv, &request.kernels, &request.options, &request.target).hash(&mut hasher);
        let name = request.kernels.first().map_or("module", String::as_str);
        let mut name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        name.truncate(LONGEST);
        let tier = match request.tier {
            Tier::Full => "",
            Tier::Baseline => "-baseline",
            Tier::Cheap => "-cheap",
        };
        let start = wanted.folder.join(format!("{name}-{:016x}{tier}", hasher.finish()));
        let failed = RefCell::new(fs::create_dir_all(&wanted.folder).err());
        let dump = Dump { start, parts: &wanted.parts, failed };
        if dump.has(DumpPart::Request) {
            let bytes: Vec<u8> = request.spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
            dump.file("0-request.spv", &bytes);
            dump.file("0-request.json", request_file::to_text(request).as_bytes());
        }
        dump
    }

    /// Is this written?
    pub(crate) fn has(&self, part: DumpPart) -> bool {
        self.parts.contains(&part)
    }

    /// Writes something.
    pub(crate) fn made(&mut self, part: DumpPart, text: &str) {
        let end = match part {
            DumpPart::Assembly => "s",
            DumpPart::Ir | DumpPart::Plan => "txt",
            DumpPart::Request | DumpPart::Lower | DumpPart::Optimize | DumpPart::Workgroup | DumpPart::Codegen => "ll",
        };
        self.file(&format!("{}-{}.{end}", part as usize, part.name()), text.as_bytes());
    }

    fn file(&self, end: &str, bytes: &[u8]) {
        let mut path = self.start.clone().into_os_string();
        path.push(".");
        path.push(end);
        if let Err(error) = fs::write(path, bytes) {
            self.failed.borrow_mut().get_or_insert(error);
        }
    }

    /// Fails with a build log if files could not be written: who asks for them should not look for them in vain.
    pub(crate) fn end(self) -> Result<(), BuildFailure> {
        let shown = self.start.display();
        match self.failed.into_inner() {
            None => Ok(()),
            Some(error) => {
                Err(BuildFailure::new(Stage::CompilerProcess, format!("OXICL_DUMP: cannot write {shown}: {error}")))
            }
        }
    }
}
