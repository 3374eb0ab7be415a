//! Writes what each stage makes into a folder, for people who look at a build.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io};

use oxicl_protocol::{BuildFailure, CompileRequest, Stage, Tier};

/// Longest part of a kernel's name in a file's, in bytes.
const LONGEST: usize = 64;

/// The files of one request: `<kernel>-<number of the request>.<n>-<stage>`. The number follows from the module and the
/// options, so that the same build writes the same files again.
pub(crate) struct Dump {
    start: PathBuf,
    count: u32,
    failed: RefCell<Option<io::Error>>,
}

impl Dump {
    /// Makes the folder and writes the module that came.
    pub(crate) fn new(folder: &Path, request: &CompileRequest) -> Dump {
        let mut hasher = DefaultHasher::new();
        (&request.spirv, &request.kernels, &request.options).hash(&mut hasher);
        let name = request.kernels.first().map_or("module", String::as_str);
        let mut name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        name.truncate(LONGEST);
        let tier = if request.tier == Tier::Cheap { "-cheap" } else { "" };
        let start = folder.join(format!("{name}-{:016x}{tier}", hasher.finish()));
        let dump = Dump { start, count: 0, failed: RefCell::new(fs::create_dir_all(folder).err()) };
        let bytes: Vec<u8> = request.spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
        dump.file("0-request.spv", &bytes);
        dump
    }

    /// Writes what a stage made.
    pub(crate) fn made(&mut self, stage: Stage, text: &str) {
        self.count += 1;
        self.file(&format!("{}-{stage}.ll", self.count), text.as_bytes());
    }

    fn file(&self, end: &str, bytes: &[u8]) {
        let mut path = self.start.clone().into_os_string();
        path.push(".");
        path.push(end);
        if let Err(error) = fs::write(path, bytes) {
            self.failed.borrow_mut().get_or_insert(error);
        }
    }

    /// What kept files from being written, as a build log: who asks for them should not look for them in vain.
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
