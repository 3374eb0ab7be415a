//! Framing on the sockets between application, supervisor and workers.
//!
//! A frame is a header of fixed size and a payload, one postcard value. The supervisor forwards payloads unread.
//!
//! Library and compiler have to be of one build. The library names its own by [`BUILD_ARGUMENT`]; a compiler of another
//! build answers with [`FrameKind::OtherBuild`] and ends. That argument, that frame and the layout of headers never
//! change, since each build has to understand those of all others.

use std::time::Duration;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Stage, Tier};

/// First word of every header.
const MAGIC: u32 = 0x4c43_584f;

/// The argument with which the library names its version and build to the compiler: `--build=VERSION`.
pub const BUILD_ARGUMENT: &str = "--build";

/// The largest payload that is accepted, in bytes.
pub const LARGEST_FRAME: u32 = 1 << 30;

/// What a payload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// A [`CompileRequest`](crate::CompileRequest).
    Request,
    /// A [`CompileRequest`](crate::CompileRequest), to be compiled at the cheap tier whatever it says.
    CheapRequest,
    /// A [`CompileRequest`](crate::CompileRequest), to be compiled at the full tier whatever it says.
    FullRequest,
    /// A [`Progress`], from a worker to the supervisor.
    Progress,
    /// The answer: a [`CompileResponse`](crate::CompileResponse), or a [`SourceResponse`](crate::SourceResponse).
    Response,
    /// A [`SourceRequest`](crate::SourceRequest).
    Source,
    /// A [`SourceRequest`](crate::SourceRequest), tried again after a worker died of it.
    SourceAgain,
    /// The supervisor is alive. Sent without a payload when it starts, and every [`ALIVE_EVERY`] while the application
    /// waits for an answer.
    Alive,
    /// The compiler is of another build than the library, and does not serve it. The payload is the compiler's version
    /// and build, as plain text.
    OtherBuild,
    /// A [`CompileRequest`](crate::CompileRequest) that nobody waits for yet: its worker runs on the processor time
    /// that others leave.
    Background,
    /// Somebody now waits for the [`FrameKind::Background`] request of this number. Without a payload, and without an
    /// answer.
    Urge,
    /// A [`CompileRequest`](crate::CompileRequest) that only asks whether it can be compiled.
    Prove,
    /// A [`FrameKind::Prove`], tried again after a worker died of it.
    ProveAgain,
    /// Sent before the answer to a request for code: nothing about the program can make it fail any more. Without a
    /// payload.
    Proved,
    /// Sent before the answer to a request for code: the [`KernelFacts`](oxicl_abi::KernelFacts) of its kernels,
    /// without those that only the code decides (entry, stack and style).
    Planned,
}

/// How often a supervisor that has work says that it is alive. This costs one small message; the application's patience
/// is many times as long.
pub const ALIVE_EVERY: Duration = Duration::from_secs(1);

/// Header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHeader {
    /// What the payload is.
    pub kind: FrameKind,
    /// Number of the request that this belongs to, chosen by the application.
    pub id: u64,
    /// Size of the payload, in bytes, at most [`LARGEST_FRAME`].
    pub length: u32,
    /// Requests: instructions in the module (or a measure as large), which decide how much processor time a request may
    /// use. Progress: the same, as far as the worker knows by then; it can only grow.
    pub instructions: u32,
}

impl FrameHeader {
    /// Size of a header, in bytes.
    pub const BYTES: usize = 24;

    /// The header as it is sent.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let kind: u32 = match self.kind {
            FrameKind::Request => 0,
            FrameKind::CheapRequest => 1,
            FrameKind::Progress => 2,
            FrameKind::Response => 3,
            FrameKind::Source => 4,
            FrameKind::SourceAgain => 5,
            FrameKind::Alive => 6,
            FrameKind::OtherBuild => 7,
            FrameKind::Background => 8,
            FrameKind::Urge => 9,
            FrameKind::Prove => 10,
            FrameKind::ProveAgain => 11,
            FrameKind::Proved => 12,
            FrameKind::Planned => 13,
            FrameKind::FullRequest => 14,
        };
        let mut bytes = [0; Self::BYTES];
        let words = [MAGIC, kind, self.id as u32, (self.id >> 32) as u32, self.length, self.instructions];
        for (to, word) in bytes.chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The header that `bytes` hold, or `None` if they are not one.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let mut words = [0_u32; Self::BYTES / 4];
        for (word, from) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*from);
        }
        let [magic, kind, low, high, length, instructions] = words;
        let kind = match kind {
            0 => FrameKind::Request,
            1 => FrameKind::CheapRequest,
            2 => FrameKind::Progress,
            3 => FrameKind::Response,
            4 => FrameKind::Source,
            5 => FrameKind::SourceAgain,
            6 => FrameKind::Alive,
            7 => FrameKind::OtherBuild,
            8 => FrameKind::Background,
            9 => FrameKind::Urge,
            10 => FrameKind::Prove,
            11 => FrameKind::ProveAgain,
            12 => FrameKind::Proved,
            13 => FrameKind::Planned,
            14 => FrameKind::FullRequest,
            _ => return None,
        };
        let id = u64::from(low) | u64::from(high) << 32;
        (magic == MAGIC && length <= LARGEST_FRAME).then_some(FrameHeader { kind, id, length, instructions })
    }
}

/// What a worker is doing, so that its death can be described.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The stage that begins.
    pub stage: Stage,
    /// The kernel, where the stage works on one at a time.
    pub kernel: Option<String>,
    /// The tier. A worker chooses the cheap one by itself if a module is huge.
    pub tier: Tier,
}

impl Progress {
    /// Whether what the stage does depends on the tier.
    pub fn is_where_tiers_differ(&self) -> bool {
        matches!(self.stage, Stage::Optimize | Stage::Workgroup | Stage::Codegen)
    }
}

/// The serialised form of `value`.
///
/// # Errors
/// One sentence; only if memory runs out or a length does not fit.
pub fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, String> {
    postcard::to_stdvec(value).map_err(|error| format!("a message cannot be serialised: {error}"))
}

/// The value whose serialised form is `bytes`.
///
/// # Errors
/// One sentence, if `bytes` are anything else.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok(_) => Err("a message has bytes behind its end".into()),
        Err(error) => Err(format!("a message cannot be read: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back_as_they_were_sent() {
        use FrameKind::{Alive, CheapRequest, OtherBuild, Progress, Request, Response, Source, SourceAgain};
        use FrameKind::{Background, FullRequest, Planned, Prove, ProveAgain, Proved, Urge};
        let known = [Request, CheapRequest, Progress, Response, Source, SourceAgain, Alive, OtherBuild];
        for kind in known.into_iter().chain([Background, Urge, Prove, ProveAgain, Proved, Planned, FullRequest]) {
            let header = FrameHeader { kind, id: 0x1234_5678_9abc_def0, length: LARGEST_FRAME, instructions: 77 };
            assert_eq!(FrameHeader::from_bytes(&header.to_bytes()), Some(header));
        }
    }

    #[test]
    fn what_tells_builds_apart_is_the_same_in_all_of_them() {
        assert_eq!(BUILD_ARGUMENT, "--build");
        let bytes = FrameHeader { kind: FrameKind::OtherBuild, id: 0, length: 3, instructions: 0 }.to_bytes();
        assert_eq!(bytes, *b"OXCL\x07\0\0\0\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0");
    }

    #[test]
    fn anything_else_is_no_header() {
        let good = FrameHeader { kind: FrameKind::Request, id: 1, length: 4, instructions: 1 }.to_bytes();
        for (at, value) in [(0, 0), (4, 15), (19, 0xff)] {
            let mut bad = good;
            bad[at] = value;
            assert_eq!(FrameHeader::from_bytes(&bad), None, "byte {at}");
        }
    }

    #[test]
    fn bytes_behind_a_message_are_an_error() {
        let progress = Progress { stage: Stage::Lower, kernel: Some("k".into()), tier: Tier::Full };
        let mut bytes = encode(&progress).expect("encodes");
        assert_eq!(decode::<Progress>(&bytes), Ok(progress));
        bytes.push(0);
        assert!(decode::<Progress>(&bytes).is_err());
    }
}
