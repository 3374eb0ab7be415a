//! What the compiler makes: the answers to requests, and what the cache holds.

use std::io::{self, Read};

use oxicl_abi::Image;
use oxicl_protocol::{BuildFailure, CompileResponse, FileSeen, FrameKind, Proof, SourceModule, SourceResponse, decode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::process_failure;
use crate::regular::{self, Links};

/// The largest file, in bytes, that a hit reads to see whether it changed. A bound on the time of a look-up: source
/// that includes a larger file is compiled each time.
const LARGEST_FILE: u64 = 64 << 20;

/// Something that a request is answered with.
pub(crate) trait Product: Serialize + DeserializeOwned {
    /// The kind of frame that asks for it.
    const REQUEST: FrameKind;
    /// Tells entries of different formats in the cache apart. Changes when the format does.
    const FORMAT: &str;

    /// Reads an answer.
    ///
    /// # Errors
    /// The build log.
    fn from_answer(answer: &[u8]) -> Result<Self, BuildFailure>;

    /// Whether it may be kept.
    fn can_be_kept(&self) -> bool {
        true
    }

    /// Whether an entry of the cache still is what the compiler would make.
    fn is_current(&self) -> bool {
        true
    }
}

impl Product for Image {
    const REQUEST: FrameKind = FrameKind::Request;
    const FORMAT: &str = "oxicl image cache 3";

    fn from_answer(answer: &[u8]) -> Result<Self, BuildFailure> {
        match decode(answer).map_err(process_failure)? {
            CompileResponse::Image(image) => Ok(image),
            CompileResponse::Failure(failure) => Err(failure),
            CompileResponse::Proved(_) => Err(process_failure("the compiler answered another question")),
        }
    }
}

impl Product for Proof {
    const REQUEST: FrameKind = FrameKind::Prove;
    const FORMAT: &str = "oxicl proof cache 1";

    fn from_answer(answer: &[u8]) -> Result<Self, BuildFailure> {
        match decode(answer).map_err(process_failure)? {
            CompileResponse::Proved(proof) => Ok(proof),
            CompileResponse::Failure(failure) => Err(failure),
            CompileResponse::Image(_) => Err(process_failure("the compiler answered another question")),
        }
    }
}

impl Product for SourceModule {
    const REQUEST: FrameKind = FrameKind::Source;
    const FORMAT: &str = "oxicl source cache 3";

    fn from_answer(answer: &[u8]) -> Result<Self, BuildFailure> {
        match decode(answer).map_err(process_failure)? {
            SourceResponse::Module(module) => Ok(module),
            SourceResponse::Failure(failure) => Err(failure),
        }
    }

    fn can_be_kept(&self) -> bool {
        !self.has_time
    }

    /// Whether files that were read are unchanged, and files that were missing still are.
    fn is_current(&self) -> bool {
        self.files.iter().all(|file| content(file).is_ok_and(|content| content == file.content))
    }
}

/// A hash of what is at a path now; `None` if nothing is.
///
/// # Errors
/// It cannot be read, or is no file that source includes.
fn content(file: &FileSeen) -> io::Result<Option<[u8; 32]>> {
    let opened = match regular::open(&file.path, Links::Follow, LARGEST_FILE) {
        Ok((opened, _)) => opened,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(opened.take(LARGEST_FILE))?;
    Ok(Some(*hasher.finalize().as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::regular::impostors;

    fn module(path: PathBuf, content: Option<&[u8]>) -> SourceModule {
        let content = content.map(|content| *blake3::hash(content).as_bytes());
        SourceModule { files: vec![FileSeen { path, content }], ..SourceModule::default() }
    }

    #[test]
    fn a_module_is_current_while_its_files_are_as_they_were() {
        let path = std::env::temp_dir().join(format!("oxicl-included-{}", std::process::id()));
        std::fs::write(&path, b"int x;").expect("written");
        assert!(module(path.clone(), Some(b"int x;")).is_current());
        assert!(!module(path.clone(), Some(b"int y;")).is_current());
        assert!(!module(path.clone(), None).is_current(), "there was nothing");
        std::fs::remove_file(&path).expect("removed");
        assert!(!module(path.clone(), Some(b"int x;")).is_current());
        assert!(module(path, None).is_current());
    }

    #[test]
    fn a_file_that_became_something_else_is_not_waited_for() {
        let path = std::env::temp_dir().join(format!("oxicl-became-{}", std::process::id()));
        std::fs::write(&path, b"").expect("written");
        impostors::each(&path, |what| {
            assert!(!module(path.clone(), Some(b"")).is_current(), "{what}");
            assert!(!module(path.clone(), None).is_current(), "{what}");
        });
        std::fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn what_is_no_plain_file_is_never_current() {
        for path in ["/dev/zero", "/tmp"] {
            assert!(!module(path.into(), Some(b"")).is_current(), "{path}");
            assert!(!module(path.into(), None).is_current(), "{path}");
        }
        assert!(module("/dev/null/x".into(), None).is_current());
    }
}
